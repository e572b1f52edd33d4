"""Names by which the web process doesn't answer, and what it shows to its own machine alone."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.settings import Settings
from service.web import create_app
from tests.service.web.conftest import settings  # noqa: F401  (fixtures)

HOME = "http://127.0.0.1:8080"
PUBLIC = "https://writ.example"
FORWARDED = ("Forwarded", "Via", "X-Real-IP", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port")
AWAY = {"REMOTE_ADDR": "203.0.113.9"}


def client(found: Settings, **given: Any) -> FlaskClient:
    return create_app(found.model_copy(update=given)).test_client()


def status(at: FlaskClient, path: str, host: str, **more: Any) -> int:
    headers = {"Host": host} | more.pop("headers", {})
    return at.get(path, headers=headers, **more).status_code


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8080",
        "evil.example:8080",
        "127.0.0.1@evil.example",
        "evil.example@127.0.0.1",
        "[::2]:8080",
        "[",
        "0x7f000001",
        "2130706433",
        "127.1",
        "writ.example.evil.example",
        "",
    ],
)
def test_a_name_that_somebody_has_pointed_here_opens_nothing(settings: Settings, host: str) -> None:
    for base in (HOME, PUBLIC):
        at = client(settings, base_url=base)
        paths = ("/", "/mailbox", "/sign-in", "/metrics", "/static/writ.css", "/nowhere", "/healthz/", "/host")
        assert {status(at, path, host) for path in paths} == {400}
        found = at.get("/mailbox", headers={"Host": host})
        assert "doesn’t answer to that name" in found.text and found.headers["Content-Security-Policy"]
        assert at.post("/sign-in", data={"email": "a@example.org"}, headers={"Host": host}).status_code == 400


def test_the_house_answers_to_its_own_names(settings: Settings) -> None:
    home = client(settings, base_url=HOME)
    for host in ("127.0.0.1", "127.0.0.1:8080", "localhost:8080", "LOCALHOST", "[::1]:8080", "localhost."):
        assert status(home, "/", host) == 200, host
    public = client(settings, base_url=PUBLIC)
    for host in ("writ.example", "WRIT.example:443", "writ.example."):
        assert status(public, "/", host) == 200, host
    # A check on the machine itself.
    assert status(public, "/healthz", "127.0.0.1:8080") == 200
    assert status(public, "/readyz", "localhost") in (200, 503)
    assert status(public, "/", "localhost") == status(public, "/mailbox", "127.0.0.1") == 400


def test_checks_of_health_are_answered_under_any_name_and_figures_with_their_token(settings: Settings) -> None:
    """A load balancer calls the service by its address, Prometheus by a name of its own network."""
    for base, host in itertools.product((HOME, PUBLIC), ("10.0.0.7:8080", "writ-web", "evil.example", "[::2]:8080", "[", "")):
        at = client(settings, base_url=base, metrics_token="let-me-in", proxies=1)
        assert status(at, "/healthz", host) == 200, host
        assert status(at, "/readyz", host) in (200, 503), host
        assert status(at, "/metrics", host, headers={"Authorization": "Bearer let-me-in"}) == 200, host
        assert status(at, "/metrics", host, headers={"Authorization": "Bearer let-me-i"}) == 401, host
        assert status(at, "/metrics", host) == 401, host
        assert status(at, "/", host) == status(at, "/static/writ.css", host) == 400, host
        assert status(client(settings, base_url=base), "/metrics", host) == 400, "without a token a name can't be trusted"


def test_mailbox_and_figures_open_at_this_machine_alone(settings: Settings) -> None:
    """Every way to come that isn't straight from here, to an instance that is being tried out here."""
    tried = 0
    bases, proxies, clients = (HOME, PUBLIC), (0, 1), ("127.0.0.1", "::1", "::ffff:127.0.0.1", "203.0.113.9", "192.168.0.7", "")
    ways: list[dict[str, str]] = [{}, *({name: "127.0.0.1"} for name in FORWARDED), {"x-real-ip": ""}]
    for base, behind in itertools.product(bases, proxies):
        at = client(settings, base_url=base, proxies=behind)
        for address, way in itertools.product(clients, ways):
            given = {"headers": {"Host": base.partition("//")[2]} | way, "environ_base": {"REMOTE_ADDR": address}}
            here = base == HOME and not behind and not way and address in ("127.0.0.1", "::1", "::ffff:127.0.0.1")
            mailbox, figures, front = (at.get(path, **given) for path in ("/mailbox", "/metrics", "/sign-in"))
            assert mailbox.status_code == (200 if here else 404), (base, behind, address, way)
            assert figures.status_code == (200 if here else 403), (base, behind, address, way)
            assert ('href="/mailbox"' in front.text) is here
            tried += 1
    print(f"{tried} ways to come")


def test_the_token_opens_the_figures_from_anywhere_and_nothing_else_does(settings: Settings) -> None:
    for base in (HOME, PUBLIC):
        at = client(settings, base_url=base, metrics_token="let-me-in", proxies=1)
        host = base.partition("//")[2]
        for said, code in (("Bearer let-me-in", 200), ("Bearer let-me-i", 401), ("", 401), ("Bearer let-me-in ü", 401)):
            found = at.get("/metrics", headers={"Host": host, "Authorization": said}, environ_base=AWAY)
            assert found.status_code == code, said
