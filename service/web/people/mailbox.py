"""The mailbox page: shows the Maildir for a local trial without SMTP."""

from __future__ import annotations

import email
import email.policy
import html
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

from flask import Blueprint, Response, abort, render_template, request

from service.common.dates import stamp
from service.common.i18n import gettext
from service.web import context
from service.web.security import LETTER_POLICY, at_this_machine

bp = Blueprint("mailbox", __name__)

SHOWN = 200
FOLDERS = ("new", "cur")


@dataclass(frozen=True)
class Letter:
    key: str
    subject: str
    sender: str
    to: str
    at: datetime | None
    text: str = ""
    html: str = ""
    headers: str = ""
    links: list[str] = field(default_factory=list)

    @property
    def when(self) -> str:
        return stamp(self.at) if self.at else gettext("no date")


@bp.before_request
def _only_here() -> None:
    if context.settings().smtp_url:
        abort(404, description=gettext("This host sends its letters by e-mail; look into your own mailbox."))
    if not at_this_machine(context.settings()):
        abort(404)


@bp.get("/mailbox")
def mailbox() -> str:
    to = context.fields(request.args, to=254)["to"]
    files = _files()
    letters = [found for path in files[: SHOWN * 5] if (found := _peek(path))]
    letters.sort(key=lambda letter: letter.at or datetime.min.replace(tzinfo=UTC), reverse=True)
    addresses = sorted({letter.to for letter in letters})
    if to:
        letters = [letter for letter in letters if letter.to == to]
    return render_template(
        "pages/mailbox.html",
        letters=letters[:SHOWN],
        addresses=addresses,
        to=to,
        more=len(files) > SHOWN or len(letters) > SHOWN,
    )


@bp.get("/mailbox/<id:key>")
def letter(key: str) -> str:
    return render_template("pages/letter.html", letter=_open(key))


@bp.get("/mailbox/<id:key>/html")
def letter_html(key: str) -> Response:
    found = _open(key).html
    if not found:
        abort(404, description=gettext("That letter has no such part."))
    return framed(found)


def framed(page: str) -> Response:
    """A letter's HTML for a frame, under a CSP without scripts; its links leave the frame."""
    response = Response(
        re.sub(r"(<head[^>]*>)", r'\1<base target="_top">', page, count=1, flags=re.IGNORECASE), mimetype="text/html"
    )
    response.headers["Content-Security-Policy"] = LETTER_POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def _files() -> list[Path]:
    """Newest first."""
    folder = context.settings().maildir
    paths = [path for part in FOLDERS if (folder / part).is_dir() for path in (folder / part).iterdir()]
    return sorted(paths, key=_moment, reverse=True)


def _moment(path: Path) -> tuple[int, str]:
    try:
        return path.stat().st_mtime_ns, path.name
    except OSError:
        return 0, path.name


def _key(path: Path) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "-", path.name.partition(":")[0])[-64:]


def _peek(path: Path) -> Letter | None:
    try:
        with path.open("rb") as file:
            head = file.read(16_000).partition(b"\n\n")[0]
    except OSError:
        return None
    return _heading(path, email.message_from_bytes(head + b"\n\n", policy=email.policy.default))


def _heading(path: Path, message: EmailMessage) -> Letter:
    at = getattr(message["Date"], "datetime", None)
    return Letter(
        key=_key(path),
        subject=str(message["Subject"] or gettext("(no subject)")),
        sender=str(message["From"] or ""),
        to=str(message["To"] or ""),
        at=at.replace(tzinfo=at.tzinfo or UTC) if at is not None else None,  # `-0000` is UTC without a zone
    )


def _open(key: str) -> Letter:
    path = next((path for path in _files() if _key(path) == key), None)
    if path is None:
        abort(404, description=gettext("There is no such letter in the mailbox."))
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    text, page = _part(message, "plain"), _part(message, "html")
    return replace(
        _heading(path, message),
        text=text,
        html=page,
        headers="\n".join(f"{name}: {value}" for name, value in message.items()),
        links=_own_links(text or html.unescape(page)),
    )


def _part(message: EmailMessage, kind: str) -> str:
    part = message.get_body(preferencelist=(kind,))
    if part is None:
        return ""
    content = part.get_content()
    return content if isinstance(content, str) else ""


def _own_links(text: str) -> list[str]:
    base = re.escape(context.settings().base_url.rstrip("/"))
    return list(dict.fromkeys(re.findall(base + r"(/[A-Za-z0-9._~/-]+)", text)))[:4]
