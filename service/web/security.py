"""What protects every page: the content policy, caching, cookies, limits on forms and on how often."""

from __future__ import annotations

import ipaddress
import re
import time

from flask import Flask, Request, Response, abort, g, request
from flask import session as cookie
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_wtf import CSRFProtect

from service.common.i18n import gettext
from service.people import link_seats
from service.settings import LOOPBACK, Settings
from service.store import broker
from service.store.models import now


def who() -> str:
    """Key of rate limits: the account that is signed in, or game and seat that are played by a link, or the network address.

    Never the link itself: a fresh one brings no fresh budget. And nothing that is void: a browser that was signed out, or that
    keeps a link from before the seat changed hands, uses up nobody else's.
    """
    me = g.get("me")
    if me is not None:
        return str(me.id)
    held = next((one for one in g.get("held", {}).values() if one is not None), None)
    row = next((row for row, _ in held.seats if row.seat == held.link.seat), None) if held is not None else None
    if held is not None and row is not None and link_seats.is_good_for(held.link, row):
        return f"{row.match_id} {row.seat}"
    return get_remote_address()


FOR_MACHINES = frozenset(("site.health", "host.ready", "host.figures"))
"""Endpoints that programs on this machine ask for."""
FORWARDED = re.compile("forwarded|via|x-real-ip|x-forwarded-.*|cf-connecting-ip|true-client-ip", re.IGNORECASE)
"""Headers by which a proxy shows itself; behind it everybody seems to come from this machine."""
HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?")


def host_asked(asked: Request) -> str:
    """The name by which a request came, without its port, in small letters; empty if it can't be one."""
    found = HOST.fullmatch(asked.headers.get("Host", "").lower())
    return (found[1] or found[2]).removesuffix(".") if found is not None else ""


def at_this_machine(settings: Settings) -> bool:
    """Whether the visitor sits at the very machine on which somebody tries Writ out, with nobody in between."""
    if not settings.local or settings.proxies or any(map(FORWARDED.fullmatch, request.headers.keys())):
        return False
    try:
        address = ipaddress.ip_address(request.remote_addr or "")
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    except ValueError:
        return False


csrf = CSRFProtect()
limiter = Limiter(who)
"""Says nothing of its counts in the headers of every answer, for which it would look them up twice more."""


def retry_after() -> int:
    """Seconds until the limit that this request has reached lets somebody through again."""
    reached = limiter.current_limit
    return max(1, reached.reset_at - int(time.time())) if reached is not None else 1


POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-src 'self'; frame-ancestors 'none'"
)
"""No page of ours fetches anything from elsewhere, and none may be framed."""
LETTER_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-top-navigation-by-user-activation"
)
"""For the HTML part of a letter in the mailbox: its own styles, nothing else; framed by the mailbox page alone."""

NO_DOCUMENTS = frozenset(("text/css", "text/javascript", "font/woff2"))
"""What a page loads and no window shows: rules for documents are not sent with each of a dozen such files."""

OF_ALL = (
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Robots-Tag", "noindex"),
)
OF_DOCUMENTS = (
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()"),
)
"""Headers that an answer bears where it says nothing else by them."""

RENEWED = "day"
"""The session cookie's key of the day on which it was signed last."""
LONGEST_FORM = 64 * 1024
LONGER_FORMS = {"options.choose_options": 1024 * 1024, "options.rows": 1024 * 1024}
"""Endpoints whose forms may carry a file."""
MOST_PARTS = 400
MONTHS_SIGNED_IN = 60 * 60 * 24 * 90


def protect(app: Flask, settings: Settings) -> None:
    """Set cookies, form limits, CSRF and headers for the whole app."""
    secure = settings.base_url.startswith("https:")
    app.config.update(
        SECRET_KEY=settings.keys[0],
        SECRET_KEY_FALLBACKS=list(settings.keys[1:]),
        SESSION_COOKIE_NAME="writ",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=secure,
        PERMANENT_SESSION_LIFETIME=MONTHS_SIGNED_IN,
        SESSION_REFRESH_EACH_REQUEST=False,
        MAX_CONTENT_LENGTH=LONGEST_FORM,
        MAX_FORM_MEMORY_SIZE=LONGEST_FORM,
        MAX_FORM_PARTS=MOST_PARTS,
        # ItsDangerous signs with the last key and accepts all: a form that was open when the keys were rotated stays good.
        WTF_CSRF_SECRET_KEY=list(reversed(settings.keys)),
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=True,
        # Counted in the broker for all processes together; while it is away, each counts for itself.
        RATELIMIT_STORAGE_URI=broker.unix_url(settings).replace("unix://", "redis+unix://"),
        RATELIMIT_STORAGE_OPTIONS={"socket_connect_timeout": 1, "socket_timeout": 1},
        RATELIMIT_IN_MEMORY_FALLBACK_ENABLED=True,
        # Of several requests that find it gone at the same moment, the first turns to the memory; the others go uncounted.
        RATELIMIT_SWALLOW_ERRORS=True,
        RATELIMIT_KEY_PREFIX="writ",
    )

    @app.before_request
    def widen() -> None:
        longest = LONGER_FORMS.get(request.endpoint or "")
        if longest:
            request.max_content_length = request.max_form_memory_size = longest

    @app.before_request
    def known_host() -> None:
        """Answer under our own name alone: a page elsewhere must not reach us by a name that it has pointed here."""
        host = host_asked(request)
        ours = host == settings.host or (settings.local and host in LOOPBACK)
        if not ours and not _for_machines(settings, host):
            known = settings.base_url
            abort(400, description=gettext("Writ doesn’t answer to that name; it is at %(address)s.", address=known))

    csrf.init_app(app)
    limiter.init_app(app)

    @app.after_request
    def stay_signed_in(response: Response) -> Response:
        """Renew the session cookie once a day rather than with every answer, which `SESSION_REFRESH_EACH_REQUEST` would."""
        today = now().toordinal()
        if request.endpoint != "static" and cookie.permanent and cookie.get(RENEWED) != today:
            cookie[RENEWED] = today
        return response

    @app.after_request
    def seal(response: Response) -> Response:
        _seal(response, request.endpoint != "static", secure)
        return response


def _for_machines(settings: Settings, host: str) -> bool:
    """Whether a check is answered under that name. Load balancers and Prometheus call the service by its address or by a name
    of their own; figures without a token are only for this machine, and never for a page that has pointed its name here."""
    if request.endpoint == "host.figures" and not settings.metrics_token:
        return host in LOOPBACK
    return request.endpoint in FOR_MACHINES


def _seal(response: Response, is_page: bool, secure: bool) -> None:
    """Set the headers that say what may be done with an answer, but those by which it says so itself."""
    headers, wanted = response.headers, [*OF_ALL]
    if is_page or response.mimetype not in NO_DOCUMENTS:
        wanted += OF_DOCUMENTS
        if "frame-ancestors 'none'" in headers.setdefault("Content-Security-Policy", POLICY):
            wanted.append(("X-Frame-Options", "DENY"))
    if secure:
        wanted.append(("Strict-Transport-Security", "max-age=31536000"))
    if is_page:
        wanted.append(("Cache-Control", "no-store"))
    there = {name.lower() for name, _ in headers}  # each by itself would be looked for among all of them
    for name, value in wanted:
        if name.lower() not in there:
            headers.add(name, value)
