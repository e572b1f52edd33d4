"""The web pages: a Flask app made by `create_app`. Pages parse, call a use case and render; nothing is decided here."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from flask import Flask, request, url_for
from flask_babel import Babel, get_locale, gettext
from werkzeug.middleware.proxy_fix import ProxyFix

from service.settings import Settings, load
from service.web import account, decks, desk, downloads, errors, lobby, mailbox, security, site, turn

ROOT = Path(__file__).resolve().parents[2]
STATIC = Path(__file__).with_name("static")
TRANSLATIONS = ROOT / "translations"
"""Message catalogues as `pybabel` keeps them; a language is offered as soon as its catalogue is there."""

BLUEPRINTS = (site.bp, account.bp, lobby.bp, decks.bp, mailbox.bp, downloads.bp, turn.bp)

babel = Babel()


def create_app(settings: Settings | None = None) -> Flask:
    """The app for these settings (default: those of the environment). Makes no tables and starts no workers."""
    settings = settings or load()
    app = Flask("service.web", static_folder=str(STATIC), template_folder=str(ROOT / "templates"))
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = 60 * 60 * 24 * 365
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions["writ.settings"] = settings
    if settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.proxies, x_proto=settings.proxies)  # type: ignore[method-assign]
    security.protect(app, settings)
    desk.register(app)
    errors.register(app)
    app.url_map.converters.update(id=desk.IdConverter, token=desk.TokenConverter)
    for bp in BLUEPRINTS:
        app.register_blueprint(bp)
    babel.init_app(app, locale_selector=_locale, default_translation_directories=str(TRANSLATIONS))
    app.jinja_env.globals.update(asset=asset, places=places, get_locale=get_locale)
    app.context_processor(lambda: {"mailbox_open": not settings.smtp_url, "me": desk.me()})
    return app


def asset(name: str) -> str:
    """Address of a static file, with a mark that changes when the file does."""
    return url_for("static", filename=name, v=_mark(name))


@cache
def _mark(name: str) -> str:
    return hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:10]


def places() -> list[tuple[str, str]]:
    """Names and addresses of the main pages, for the masthead."""
    if desk.me() is None:
        return [(gettext("Open games"), "/games/open"), (gettext("Rules"), "/help"), (gettext("Sign in"), "/sign-in")]
    return [
        (gettext("My games"), "/games"),
        (gettext("Open games"), "/games/open"),
        (gettext("Decks"), "/decks"),
        (gettext("Account"), "/account"),
    ]


def _locale() -> str:
    return request.accept_languages.best_match(languages(), "en") or "en"


def languages() -> list[str]:
    """Languages that there are message catalogues for; English is the language of the texts themselves."""
    return ["en", *sorted(p.parent.parent.name for p in TRANSLATIONS.glob("*/LC_MESSAGES/messages.mo"))]
