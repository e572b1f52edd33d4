"""nginx and Caddy in front: Host is passed on, bodies are bounded, slow drips are cut. The programs check it where they are."""

from __future__ import annotations

import datetime
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from service.web.serve import CHANNEL_TIMEOUT, LONGEST_BODY, LONGEST_HEAD

ROOT = Path(__file__).resolve().parents[2]
NGINX = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
CADDY = (ROOT / "deploy" / "Caddyfile").read_text("utf-8")
UNITS = {"k": 1024, "m": 1024 * 1024, "KB": 1000, "MB": 1000 * 1000}


def uncommented(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def size(text: str) -> int:
    number, unit = re.fullmatch(r"(\d+)(k|m|KB|MB)", text).groups()  # type: ignore[union-attr]  # None fails the test
    return int(number) * UNITS[unit]


def directives(name: str) -> list[str]:
    return [line.removeprefix(name).strip().rstrip(";") for line in uncommented(NGINX) if line.startswith(f"{name} ")]


@pytest.mark.parametrize("text", [NGINX, CADDY], ids=["nginx", "caddy"])
def test_braces_are_closed(text: str) -> None:
    depth = 0
    for line in uncommented(text):
        bare = re.sub(r"\{\$?[A-Z_]+(:[^}]*)?\}", "", line)  # a variable of the Caddyfile
        depth += bare.count("{") - bare.count("}")
        assert depth >= 0, line
    assert depth == 0


def test_each_line_of_nginx_ends_as_it_has_to() -> None:
    assert [line for line in uncommented(NGINX) if not line.endswith((";", "{", "}"))] == []


def test_nginx_says_who_asked_and_by_which_name() -> None:
    given = dict(value.split(maxsplit=1) for value in directives("proxy_set_header"))
    assert given["Host"] == "$host" and given["X-Forwarded-Proto"] == "$scheme"
    assert given["X-Forwarded-For"] == "$remote_addr", "what a visitor puts there himself isn't believed"


def test_bodies_and_heads_are_as_long_as_writ_takes_and_not_much_longer() -> None:
    assert LONGEST_BODY < size(directives("client_max_body_size")[0]) <= 2 * LONGEST_BODY
    count, each = directives("large_client_header_buffers")[0].split()
    assert int(count) * size(each) <= LONGEST_HEAD
    found = re.search(r"max_size (\w+)", CADDY)
    assert found and LONGEST_BODY < size(found[1]) <= 2 * LONGEST_BODY
    head = re.search(r"max_header_size (\w+)", CADDY)
    assert head and size(head[1]) <= LONGEST_HEAD


def test_slow_drips_are_cut() -> None:
    for name in ("client_header_timeout", "client_body_timeout"):
        assert int(directives(name)[0].rstrip("s")) <= CHANNEL_TIMEOUT
    assert directives("limit_conn") == ["writ 40"] and "proxy_request_buffering off" not in NGINX
    assert re.search(r"timeouts \{\s+read_header 10s\s+read_body 30s", CADDY)
    kept = re.search(r"keepalive (\d+)s", CADDY)
    assert kept and int(kept[1]) < CHANNEL_TIMEOUT, "or a request is sent to a connection that Waitress is closing"


def test_nobody_else_compresses() -> None:
    assert directives("gzip") == ["off"] and "encode" not in "\n".join(uncommented(CADDY)), "see service/web/packed.py"


# --- the programs themselves ------------------------------------------------------------------------------------------


def certificate(folder: Path) -> tuple[Path, Path]:
    """A self-signed certificate and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "writ.example.org")])
    today = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), today)
    signed = made.not_valid_after(today + datetime.timedelta(days=1)).sign(key, hashes.SHA256())
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / "cert.pem").write_bytes(signed.public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    return folder / "cert.pem", folder / "key.pem"


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx isn't on PATH")
def test_nginx_takes_the_file(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    site = NGINX.replace("/etc/letsencrypt/live/writ.example.org/fullchain.pem", str(cert))
    site = site.replace("/etc/letsencrypt/live/writ.example.org/privkey.pem", str(key))
    site = re.sub(r"listen (\[::\]:)?(80|443)", lambda found: f"listen {found[1] or ''}1{found[2]:0>4}", site)
    whole = f"pid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{site}}}\n"
    (tmp_path / "nginx.conf").write_text(whole)
    command = ["nginx", "-t", "-q", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy isn't on PATH")
def test_caddy_takes_the_file(tmp_path: Path) -> None:
    command = ["caddy", "adapt", "--validate", "--adapter", "caddyfile", "--config", str(ROOT / "deploy" / "Caddyfile")]
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
