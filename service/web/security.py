"""Security of all pages: CSP, caching, cookies, CSRF, form sizes, rate limits."""

from __future__ import annotations

import ipaddress
import re
import time

from flask import Flask, Request, Response, abort, g, make_response, request
from flask import session as cookie
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_wtf import CSRFProtect
from werkzeug.wrappers import Response as BaseResponse

from service.common.i18n import gettext
from service.people import link_seats
from service.settings import LOOPBACK, Settings
from service.store import broker, counters
from service.store.models import now


def who() -> str:
    """Rate-limit key: account, or game and seat played by link, or network address. Not the link: a fresh one would bring a
    fresh budget, an invalid one use up somebody else's.
    """
    me = g.get("me")
    if me is not None:
        return str(me.id)
    held = next((one for one in g.get("held", {}).values() if one is not None), None)
    row = next((row for row, _ in held.seats if row.seat == held.link.seat), None) if held is not None else None
    if held is not None and row is not None and link_seats.is_good_for(held.link, row):
        return f"{row.match_id} {row.seat}"
    return get_remote_address()


FOR_MACHINES = frozenset(("site.health", "operators.ready", "operators.figures"))
"""Endpoints for programs on this machine."""
FORWARDED = re.compile("forwarded|via|x-real-ip|x-forwarded-.*|cf-connecting-ip|true-client-ip", re.IGNORECASE)
"""Proxy headers: behind a proxy all requests seem local."""
HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?")


def host_asked(asked: Request) -> str:
    """The request's Host without port, in lower case; empty if invalid."""
    found = HOST.fullmatch(asked.headers.get("Host", "").lower())
    return (found[1] or found[2]).removesuffix(".") if found is not None else ""


def at_this_machine(settings: Settings) -> bool:
    """Whether the visitor is on this machine, in a local trial without proxies."""
    if not settings.local or settings.proxies or any(map(FORWARDED.fullmatch, request.headers.keys())):
        return False
    try:
        address = ipaddress.ip_address(request.remote_addr or "")
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    except ValueError:
        return False


csrf = CSRFProtect()
limiter = Limiter(who)
"""Without rate-limit headers, which cost two more look-ups."""


def retry_after() -> int:
    """Seconds until the reached limit is reset."""
    reached = limiter.current_limit
    return max(1, reached.reset_at - int(time.time())) if reached is not None else 1


POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-src 'self'; frame-ancestors 'none'"
)
"""Loads nothing from other hosts; never framed."""
FRAMED_POLICY = POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
"""The same for a page that the house's own pages frame."""
LETTER_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-top-navigation-by-user-activation"
)
"""For a letter's HTML in the mailbox: inline styles only, framed by the mailbox."""

NO_DOCUMENTS = frozenset(("text/css", "text/javascript", "font/woff2"))
"""Subresources, sent without headers for documents."""

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
"""Defaults; a response may set its own."""

RENEWED = "day"
"""Session field: day of the last renewal."""
LONGEST_FORM = 64 * 1024
LONGER_FORMS = {"options.choose_options": 1024 * 1024, "options.rows": 1024 * 1024, "open_log.upload": 1600 * 1024}
"""Endpoints with file uploads, and the size of their forms."""
MOST_PARTS = 400
MONTHS_SIGNED_IN = 60 * 60 * 24 * 90


def protect(app: Flask, settings: Settings) -> None:
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
        # ItsDangerous signs with the last key and accepts all, so forms survive a key rotation.
        WTF_CSRF_SECRET_KEY=list(reversed(settings.keys)),
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=True,
        # Counted in the broker for all processes; per process while it is down.
        RATELIMIT_STORAGE_URI=broker.unix_url(settings).replace("unix://", "redis+unix://"),
        RATELIMIT_STORAGE_OPTIONS={"socket_connect_timeout": 1, "socket_timeout": 1},
        RATELIMIT_IN_MEMORY_FALLBACK_ENABLED=True,
        # The first request that finds it down switches to memory; concurrent ones aren't counted.
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
        """Reject foreign Host headers (DNS rebinding)."""
        host = host_asked(request)
        ours = host == settings.host or (settings.local and host in LOOPBACK)
        if not ours and not _for_machines(settings, host):
            counters.refused("host_name")
            known = settings.base_url
            abort(400, description=gettext("Writ doesn’t answer to that name; it is at %(address)s.", address=known))

    csrf.init_app(app)
    limiter.init_app(app)

    @app.after_request
    def stay_signed_in(response: Response) -> Response:
        """Renew the session cookie daily; `SESSION_REFRESH_EACH_REQUEST` would with every response."""
        today = now().toordinal()
        if request.endpoint != "static" and cookie.permanent and cookie.get(RENEWED) != today:
            cookie[RENEWED] = today
        return response

    @app.after_request
    def seal(response: Response) -> Response:
        _set_headers(response, request.endpoint != "static", secure)
        return response


def framed(response: BaseResponse) -> BaseResponse:
    """Allow the site's own pages to frame a response."""
    response.headers["Content-Security-Policy"] = FRAMED_POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def unlisted(page: str | BaseResponse | tuple[str | BaseResponse, int]) -> Response:
    """Hide a page from search engines, and its secret URL from other sites."""
    response = make_response(page)
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _for_machines(settings: Settings, host: str) -> bool:
    """Whether a monitoring endpoint accepts a Host: any; without a metrics token only loopback (DNS rebinding)."""
    if request.endpoint == "operators.figures" and not settings.metrics_token:
        return host in LOOPBACK
    return request.endpoint in FOR_MACHINES


def _set_headers(response: Response, is_page: bool, secure: bool) -> None:
    headers, wanted = response.headers, [*OF_ALL]
    if is_page or response.mimetype not in NO_DOCUMENTS:
        wanted += OF_DOCUMENTS
        if "frame-ancestors 'none'" in headers.setdefault("Content-Security-Policy", POLICY):
            wanted.append(("X-Frame-Options", "DENY"))
    if secure:
        wanted.append(("Strict-Transport-Security", "max-age=31536000"))
    if is_page:
        wanted.append(("Cache-Control", "no-store"))
    there = {name.lower() for name, _ in headers}  # one pass: each look-up scans all headers
    for name, value in wanted:
        if name.lower() not in there:
            headers.add(name, value)
