"""Signing in by letter, the account page, signing out."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request
from flask import session as cookie
from flask_babel import gettext
from flask_limiter.util import get_remote_address
from sqlmodel import col, select
from werkzeug.wrappers import Response

from engine.asks import Refused
from service import accounts, links
from service.models import Link
from service.web import desk
from service.web.security import limiter

bp = Blueprint("account", __name__)

Page = str | Response | tuple[str, int]


@bp.get("/sign-in")
def sign_in() -> Page:
    """The form that asks for an address."""
    if desk.me():
        return redirect("/games", 303)
    return render_template("pages/sign_in.html", email="")


@bp.post("/sign-in")
@limiter.limit("60 per minute; 600 per hour", key_func=get_remote_address)
def ask_sign_in() -> Page:
    """Queue the letter with the link. The page says the same whether or not there is an account."""
    email = desk.fields(request.form, email=400)["email"]
    try:
        with desk.writing() as session:
            accounts.ask_sign_in(session, email)
    except Refused as refused:
        return render_template("pages/sign_in.html", email=email[:254], fault=str(refused)), 422
    cookie["asked"] = email
    return redirect("/sign-in/sent", 303)


@bp.get("/sign-in/sent")
def sent() -> Page:
    """Where to look for the letter."""
    if not cookie.get("asked"):
        return redirect("/sign-in", 303)
    return render_template("pages/sent.html", email=cookie["asked"])


def _sign_in_link(token: str) -> Link:
    return links.open(desk.settings(), desk.db(), token, links.SIGN_IN)


@bp.get("/in/<token:token>")
def at_the_door(token: str) -> Page:
    """The button behind a sign-in link. Opening it changes nothing."""
    link = _sign_in_link(token)
    account = accounts.by_id(desk.db(), link.account_id)
    return render_template(
        "pages/token.html",
        title=gettext("Sign in to Writ"),
        sentences=[gettext("You are about to sign in as %(email)s.", email=account.email)],
        ask_name=not account.name,
        name="",
        buttons=[("enter", gettext("Sign in"), "primary")],
    )


@bp.post("/in/<token:token>")
@limiter.limit("120 per minute", key_func=get_remote_address)
def enter(token: str) -> Page:
    """Sign in, and leave the token behind."""
    given = desk.fields(request.form, name=400, choice=20)
    link = _sign_in_link(token)
    with desk.writing() as session:
        account = accounts.sign_in(session, link)
        if given["name"]:
            accounts.rename(session, account, given["name"])
    onward = desk.onward()
    desk.enter_as(account)
    return redirect(onward or "/games", 303)


@bp.get("/account")
def account() -> Page:
    """Name, address, signing out."""
    return render_template("pages/account.html", name=desk.need_account().name)


@bp.post("/account")
def rename() -> Page:
    """Keep a new name."""
    desk.need_account()
    name = desk.fields(request.form, name=400)["name"]
    try:
        with desk.writing() as session:
            accounts.rename(session, desk.me_in(session), name)
    except Refused as refused:
        return render_template("pages/account.html", name=name[:60], fault=str(refused)), 422
    flash(gettext("You are called %(name)s now.", name=name), "good")
    return redirect("/account", 303)


@bp.post("/sign-out")
def sign_out() -> Page:
    """Forget this browser, or all of them."""
    where = desk.fields(request.form, where=20)["where"]
    if desk.me() and where == "everywhere":
        with desk.writing() as session:
            me = desk.me_in(session)
            accounts.sign_out_everywhere(session, me)
            for link in session.exec(select(Link).where(Link.account_id == me.id, col(Link.revoked_at).is_(None))).all():
                links.revoke(session, link)
    cookie.clear()
    flash(gettext("You are signed out."), "good")
    return redirect("/", 303)
