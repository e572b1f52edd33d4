"""The Flask app. Views parse a form, call a use case and render."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from uuid import uuid4

import structlog
from flask import Flask, Response
from jinja2 import Environment, TemplateNotFound
from werkzeug.middleware.proxy_fix import ProxyFix

from engine.language.i18n import language
from service.common.dates import ahead
from service.common.i18n import for_templates, gettext
from service.games.decks import builders
from service.ops import logs
from service.people import accounts
from service.seat import chances
from service.settings import Settings, load
from service.store.models import LetterStatus, MatchStatus, SeatStatus, now
from service.web import (
    context,
    errors,
    files,
    fragments,
    games,
    once,
    operators,
    packed,
    people,
    replay,
    request_metrics,
    security,
    site,
    table,
)
from service.web.games import practice
from service.web.table import rows

ROOT = Path(__file__).resolve().parents[2]
PAGES = (site, operators, *games.PAGES, *people.PAGES, *replay.PAGES, *table.PAGES)
"""Modules with a blueprint `bp`."""


def create_app(settings: Settings | None = None) -> Flask:
    """Create the app; creates no tables, starts no workers."""
    settings = settings or load()
    logs.configure(prints_letters=not settings.smtp_url)
    app = pages_alone()
    app.extensions["writ.settings"] = settings
    request_metrics.register(app)
    packed.register(app)
    _number_requests(app)
    files.register(app)
    if settings.proxies:
        behind = ProxyFix(app.wsgi_app, x_for=settings.proxies, x_proto=settings.proxies)
        app.wsgi_app = behind  # type: ignore[method-assign]  # as Flask's documentation has it
    context.speak(app)
    security.protect(app, settings)
    context.register(app)
    once.register(app)
    errors.register(app)
    app.url_map.converters.update(id=context.IdConverter, token=context.TokenConverter)
    for pages in PAGES:
        app.register_blueprint(pages.bp)
    club = settings.club

    def known() -> dict[str, object]:
        me = context.me()
        return {
            "mailbox_open": not settings.smtp_url and security.at_this_machine(settings),
            "me": me,
            "club": club,
            "guest": context.guest(),
            "may_open": me is None or settings.may_open(me.email),
        }

    app.context_processor(known)
    return app


def pages_alone() -> Flask:
    """An app with only page templates and their globals."""
    app = Flask("service.web", static_folder=None, template_folder=str(ROOT / "templates"))
    app.jinja_options = {
        **app.jinja_options,
        "trim_blocks": True,
        "lstrip_blocks": True,
        "auto_reload": False,
        "cache_size": -1,  # unlimited
    }
    for_templates(app.jinja_env)
    app.jinja_env.globals.update(places=places, language=language, unread_talk=context.unread_talk)
    app.jinja_env.globals.update(
        bot_tables=practice.bot_tables, ahead=ahead, seconds_to=lambda at: (at - now()).total_seconds()
    )
    app.jinja_env.globals.update(form_key=once.form_key, zones=accounts.zones)
    for kept in (fragments.kept_part, fragments.kept_pieces, fragments.mark_of):
        app.jinja_env.globals[kept.__name__] = kept
    app.jinja_env.globals.update(rows_shown=rows.shown, rows_sums=rows.sums, rows_notes=rows.notes)
    app.jinja_env.globals["at_stake"] = chances.at_stake
    app.jinja_env.globals["fields_template"] = cache(lambda *names: fields_template(app.jinja_env, *names))
    app.jinja_env.globals.update(MatchStatus=MatchStatus, SeatStatus=SeatStatus, LetterStatus=LetterStatus)
    return app


def fields_template(env: Environment, game: str, kind: str, option: str) -> str:
    """Name of a game's own template for an option's fields; "" if it has none."""
    name = f"{game}/fields_{kind}_{option}.html"
    try:
        env.get_template(name)
    except TemplateNotFound:
        return ""
    return name


def _number_requests(app: Flask) -> None:
    @app.before_request
    def number() -> None:
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request=uuid4().hex[:12])

    @app.after_request
    def tell(response: Response) -> Response:
        response.headers["X-Request-Id"] = structlog.contextvars.get_contextvars().get("request", "")
        return response


def places() -> list[tuple[str, str]]:
    """Navigation: (name, URL)."""
    me = context.me()
    if me is None:
        own = [(gettext("My games"), "/games")] if context.holds_links() or context.guest() else []
        return [*own, (gettext("Open games"), "/games/open"), (gettext("Rules"), "/help"), (gettext("Sign in"), "/sign-in")]
    found = [
        (gettext("My games"), "/games"),
        (gettext("Open games"), "/games/open"),
        *([(gettext("Decks"), "/decks")] if builders() else []),
        (gettext("Rules"), "/help"),
        (gettext("Account"), "/account"),
    ]
    return [*found, (gettext("The house"), "/host")] if me.email in context.settings().operators else found
