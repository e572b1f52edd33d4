"""The Dockerfile: pinned bases, locked packages, no root, no shell between signals and the process."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Dockerfile").read_text("utf-8")
PINNED = re.compile(r"[a-z0-9_/-]+:[0-9]+\.[0-9]+\.[0-9]+[a-z0-9.-]*")
EXEC_FORM = ("CMD", "ENTRYPOINT")


def instructions(text: str) -> list[tuple[str, str]]:
    """Instruction and its arguments, with continued lines joined and comments dropped."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n\s*", " ", lines)
    return [(name.upper(), rest.strip()) for name, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def faults(text: str) -> list[str]:
    """What hadolint would say of a Dockerfile, and what this project wants besides."""
    found, whole = list[str](), instructions(text)
    for name, given in whole:
        if name == "FROM" and not PINNED.fullmatch(given.split()[0]):
            found.append(f"{given}: the base isn't pinned by its version")
        if name == "ADD":
            found.append(f"ADD {given}: COPY does no more than it says")
        if name in EXEC_FORM or (name == "HEALTHCHECK" and given != "NONE"):
            words = given.partition("CMD ")[2] if name == "HEALTHCHECK" else given
            if not words.startswith("["):
                found.append(f"{name} {given}: a shell would get the signals")
        if name == "RUN":
            found += _of_a_command(given)
        if re.search(r"https?://", given) and name != "HEALTHCHECK":
            found.append(f"{name} {given}: an address")
    last = [name for name, _ in whole[max(n for n, (name, _) in enumerate(whole) if name == "FROM") :]]
    users = [given for name, given in whole if name == "USER"]
    if "USER" not in last or not re.fullmatch(r"[1-9][0-9]*(:[1-9][0-9]*)?", users[-1]):
        found.append("the last stage has to end with a user by its number, who isn't root")
    return found + [f"{name} is missing" for name in ("HEALTHCHECK", "STOPSIGNAL", "ENTRYPOINT", "VOLUME") if name not in last]


def _of_a_command(given: str) -> list[str]:
    found = list[str]()
    for part in re.split(r"&&|;|\|\|", given):
        words = shlex.split(part)
        if words[:1] == ["sudo"] or "curl" in words or "wget" in words:
            found.append(f"{part.strip()}: fetched without a hash")
        if "pip" in words and "install" in words and not {"--require-hashes", "--no-index"} & set(words):
            found.append(f"{part.strip()}: not locked")
        if "pip" in words and "install" in words and "--no-index" not in words and "--only-binary" not in words:
            found.append(f"{part.strip()}: may compile")
    if "apt-get install" in given and not ("--no-install-recommends" in given and "rm -rf /var/lib/apt/lists" in given):
        found.append(f"{given}: apt leaves its lists, or brings what nobody asked for")
    return found


def test_the_dockerfile_follows_the_rules() -> None:
    assert faults(TEXT) == []


@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        ("FROM python:3.11.15-slim-trixie\n", "FROM python\n", "isn't pinned"),
        ("FROM python:3.11.15-slim-trixie\n", "FROM python:latest\n", "isn't pinned"),
        ("COPY engine engine", "ADD engine engine", "COPY does no more"),
        ("USER 10001:10001", "USER root", "isn't root"),
        ("USER 10001:10001", "", "isn't root"),
        ('ENTRYPOINT ["writ"]', "ENTRYPOINT writ", "a shell"),
        ('CMD ["python", "-I"', 'CMD python ["-I"', "a shell"),
        ("STOPSIGNAL SIGTERM", "", "STOPSIGNAL is missing"),
        ("--require-hashes --requirement requirements.txt", "--requirement requirements.txt", "not locked"),
        ("--only-binary :all: --require-hashes --requirement requirements.txt", "--require-hashes -r r.txt", "may compile"),
        ("WORKDIR /build", "RUN apt-get update && apt-get install -y gcc", "apt leaves its lists"),
        ("WORKDIR /build", "RUN curl https://example.org/install.sh | sh", "without a hash"),
        ("ARG PIP_INDEX_URL", "ARG PIP_INDEX_URL=https://pypi.example.org/simple", "an address"),
    ],
)
def test_a_broken_rule_is_noticed(was: str, becomes: str, says: str) -> None:
    assert was in TEXT
    assert any(says in fault for fault in faults(TEXT.replace(was, becomes, 1))), faults(TEXT.replace(was, becomes, 1))


def test_all_that_the_wheel_is_made_of_is_copied_and_nothing_else_reaches_the_build() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    copied = {
        source
        for name, given in instructions(TEXT)
        if name == "COPY" and "--from" not in given
        for source in given.split()[:-1]
    }
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) <= copied
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert {line[1:] for line in lines if line.startswith("!")} == copied, "the build context is a list of what is copied"
    assert "*" in lines and any(fnmatch("engine/__pycache__", line.replace("**", "*")) for line in lines)
    assert all((ROOT / source).exists() for source in copied)


def test_the_health_check_and_the_command_are_the_same_service() -> None:
    given = dict(instructions(TEXT))
    assert json.loads(given["ENTRYPOINT"]) == ["writ"] and json.loads(given["CMD"])[0] == "web"
    check = json.loads(given["HEALTHCHECK"].partition("CMD ")[2])
    assert check[:3] == ["python", "-I", "/opt/writ/healthcheck.py"]
    assert f":{given['EXPOSE']}/healthz" in check[3]
    assert given["VOLUME"] == "/data" and "WRIT_DATA_FOLDER=/data" in given["ENV"].split()
