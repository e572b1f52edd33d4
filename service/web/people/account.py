"""Sign-in by letter, account page, change of address, sign-out."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request
from flask import session as cookie
from flask_limiter.util import get_remote_address

from engine.core.asks import NotLegal, NotUnderstood, Refused
from engine.language.i18n import languages
from service.common.addresses import shown
from service.common.dates import day
from service.common.i18n import called, gettext, speaking_to
from service.common.messages import Listed
from service.errors import LinkUsed
from service.people import accounts, address_changes, browsers
from service.people.accounts import LONGEST_NAME
from service.post import links
from service.store import limits
from service.store.models import Account, AddressChange, Link
from service.web import context
from service.web.context import Page
from service.web.once import once
from service.web.security import limiter

bp = Blueprint("account", __name__)


@bp.get("/sign-in")
def sign_in() -> Page:
    if context.me():
        return redirect("/games", 303)
    return _sign_in_page()


def _sign_in_page(email: str = "", fault: str = "") -> Page:
    return context.form_page(
        "pages/sign_in.html",
        fault,
        email=email,
        held=len(context.held_links()),
        onward=bool(cookie.get("onward")),
        # A redirect with this mark has set a cookie.
        no_cookies=request.args.get("sent") == "back" and not request.cookies,
        host=context.settings().host,
        registration=context.settings().registration,
        domains=Listed([domain.removeprefix(".") for domain in context.settings().registration_domains]),
    )


@bp.post("/sign-in")
@limiter.limit("60 per minute; 600 per hour", key_func=get_remote_address)
def ask_sign_in() -> Page:
    """Queue the sign-in letter. The response reveals neither accounts nor limits."""
    email = context.fields(request.form, email=400)["email"]
    try:
        found = _send_link(email)
    except Refused as refused:
        return _sign_in_page(email[:254], str(refused))
    cookie["asked"] = email  # a browser drops the cookies of an aborted response
    return found


@once
def _send_link(email: str) -> Page:
    # Return to the share link from which the visitor came.
    onward = str(cookie.get("onward", ""))
    share = onward.removeprefix("/s/") if onward.startswith("/s/") else ""
    with context.writing() as session:
        owner = accounts.owner_of(session, accounts.clean_email(email))
        by = limits.OWN if owner is not None and context.is_known(owner) else limits.BY_OTHERS
        accounts.ask_sign_in(session, email, limits.network_of(request.remote_addr), by, share)
    return redirect("/sign-in/sent", 303)


@bp.get("/sign-in/sent")
def sent() -> Page:
    if not cookie.get("asked"):
        return redirect("/sign-in", 303)
    return render_template("pages/sent.html", email=cookie["asked"], registration=context.settings().registration)


def _sign_in_link(token: str) -> Link:
    return links.verify(context.settings(), context.db(), token, links.SIGN_IN)


@bp.get("/in/<token:token>")
def at_the_door(token: str) -> Page:
    """GET changes nothing: mail programs open links."""
    link = _sign_in_link(token)
    account = accounts.by_id(context.db(), link.account_id)
    if link.used_at is not None and _here(account):
        return redirect("/games", 303)
    links.check_unused(link, context.browser_secret())
    return _door(account)


def _here(account: Account) -> bool:
    me = context.me()
    return me is not None and me.id == account.id


def _door(account: Account, fault: str = "", name: str = "", zone: str = "") -> Page:
    sentences = [gettext("You are about to sign in as %(email)s.", email=account.email)]
    if context.guest() is not None:
        sentences.append(gettext("Your game against bots comes with you."))
    buttons = [("enter", gettext("Sign in"), "primary")]
    if context.me() and not _here(account):
        sentences = [
            gettext("This link signs in %(email)s. You are here as %(me)s.", email=account.email, me=context.signed_in_name()),
            gettext("Signing in with it signs %(me)s out of this browser.", me=context.signed_in_name()),
        ]
        buttons = [
            ("stay", gettext("Stay as you are"), "primary"),
            ("switch", gettext("Sign in as %(email)s", email=account.email), ""),
        ]
    asked = {"ask_name": not account.name, "name": name, "ask_zone": not account.zone_chosen, "zone": zone}
    return context.link_page(gettext("Sign in to Writ"), sentences, buttons, fault, **asked)


@bp.post("/in/<token:token>")
@limiter.limit("120 per minute", key_func=get_remote_address)
def enter(token: str) -> Page:
    """Sign in, using up the one-time link."""
    given = context.fields(request.form, name=400, choice=20, zone=80, pronoun=10)
    if given["choice"] == "stay":
        return redirect("/games", 303)
    link = _sign_in_link(token)
    account = accounts.by_id(context.db(), link.account_id)
    if context.me() and not _here(account) and given["choice"] != "switch":
        return _door(account)
    try:
        with context.writing() as session:
            links.use(session, link, context.browser_secret())
            account = accounts.sign_in(session, link)
            if given["name"]:
                accounts.rename(session, account, given["name"])
            if given["pronoun"]:
                accounts.set_pronoun(session, account, given["pronoun"])
            accounts.take_zone(session, account, given["zone"])
            onward = context.pop_return_path()
            if not _here(account):
                context.sign_in_as(session, account, link.generation)
    except LinkUsed:
        if _here(account):
            return redirect("/games", 303)
        raise
    except NotUnderstood as refused:
        return _door(
            accounts.by_id(context.db(), link.account_id), str(refused), given["name"][:LONGEST_NAME], given["zone"][:60]
        )
    return redirect(onward or "/games", 303)


@bp.get("/account")
def account(name: str | None = None, fault: str = "", address_typed: str = "", address_fault: str = "") -> Page:
    me = context.need_account()
    here = context.browser()
    page = render_template(
        "pages/account.html",
        name=me.name if name is None else name,
        fault=fault,
        address_typed=address_typed,
        address_fault=address_fault,
        change=address_changes.pending(context.db(), me),
        shown_address=shown,
        browsers=browsers.listed(context.db(), me),
        here=here.id if here is not None else "",
        day=day,
        languages=[(language, called(language)) for language in languages()],
        spoken=accounts.spoken(me),
    )
    return (page, 422) if fault or address_fault else page


@bp.post("/account")
def rename() -> Page:
    given = context.fields(request.form, ("name",), name=400, pronoun=10)
    name = given["name"]
    try:
        with context.writing() as session:
            accounts.rename(session, context.me_in(session), name)
            if "pronoun" in request.form:
                accounts.set_pronoun(session, context.me_in(session), given["pronoun"])
    except Refused as refused:
        return account(name[:60], str(refused))
    return context.done("/account", gettext("You are called %(name)s now.", name=name))


@bp.post("/account/language")
def speak() -> Page:
    chosen = context.fields(request.form, language=20)["language"]
    with context.writing() as session:
        me = context.me_in(session)
        accounts.set_language(session, me, chosen)
        reader = me.language, me.zone
    with speaking_to(*reader):
        flash(gettext("Pages and letters are in this language from now on."), "good")
    return redirect("/account", 303)


@bp.post("/account/address")
@limiter.limit("20 per hour")
@once
def ask_address() -> Page:
    """Request or withdraw a change of address. The response doesn't reveal accounts."""
    context.need_account()
    given = context.fields(request.form, email=400, choice=10)
    try:
        with context.writing() as session:
            if given["choice"] == "withdraw":
                address_changes.withdraw(session, context.me_in(session))
            else:
                address_changes.ask(session, context.me_in(session), given["email"])
    except Refused as refused:
        return account(address_typed=given["email"][:254], address_fault=str(refused))
    if given["choice"] == "withdraw":
        flash(gettext("The change is withdrawn."), "good")
    else:
        flash(gettext("Letters are on their way to both addresses; open both and press the button."), "good")
    return redirect("/account", 303)


@bp.get("/account/address/<token:token>")
def address_change(token: str) -> Page:
    """GET changes nothing: mail programs open links."""
    change_id, side = links.address_change(context.settings(), token)
    return _address_page(address_changes.find(context.db(), change_id, side), side)


def _address_page(change: AddressChange, side: str, fault: str = "") -> Page:
    old, new = shown(change.old_email), shown(change.new_email)
    if side == address_changes.UNDO:
        title = gettext("Undo the change of your address?")
        sentences = [gettext("Your letters will go to %(old)s again, and no longer to %(new)s.", old=old, new=new)]
        buttons = [("undo", gettext("Undo"), "primary")]
    elif change.done_at is not None:
        title = gettext("Your address has changed")
        sentences, buttons = [gettext("Your letters go to %(new)s now. Sign in with that address.", new=new)], []
    else:
        title = gettext("Change your address?") if side == address_changes.OLD else gettext("Is this your address?")
        yes = gettext("Change it") if side == address_changes.OLD else gettext("It is mine")
        sentences = [
            gettext("Your letters will go to %(new)s instead of %(old)s.", old=old, new=new)
            if side == address_changes.OLD
            else gettext("Letters from Writ will come to %(new)s.", new=new)
        ]
        sentences.append(gettext("You are then signed out everywhere, and links in older letters no longer work."))
        buttons = [("confirm", yes, "primary"), ("refuse", gettext("Don’t change it"), "")]
        agreed = change.old_confirmed_at if side == address_changes.OLD else change.new_confirmed_at
        if agreed is not None:
            sentences = [gettext("You have agreed. The change is made once the other address has agreed, too.")]
            buttons = [("refuse", gettext("Don’t change it"), "")]
    return context.link_page(title, sentences, buttons, fault)


@bp.post("/account/address/<token:token>")
@limiter.limit("120 per minute", key_func=get_remote_address)
def answer_address(token: str) -> Page:
    """Confirm, refuse or undo a change of address, authorised by the token."""
    choice = context.fields(request.form, choice=10)["choice"]
    change_id, side = links.address_change(context.settings(), token)
    try:
        with context.writing() as session:
            if choice == "confirm" and side in (address_changes.OLD, address_changes.NEW):
                done = address_changes.confirm(session, change_id, side).done_at is not None
            elif choice == "refuse" and side in (address_changes.OLD, address_changes.NEW):
                address_changes.refuse(session, change_id, side)
                done = False
            elif choice == "undo" and side == address_changes.UNDO:
                done = address_changes.undo(session, change_id).done_at is not None
            else:
                context.bad(gettext("Press one of the buttons."))
    except NotLegal as refused:
        return _address_page(address_changes.find(context.db(), change_id, side), side, str(refused))
    if choice == "refuse":
        return context.done("/", gettext("The change is withdrawn; nothing has changed."))
    if not done:
        return redirect(f"/account/address/{token}", 303)
    return context.done("/sign-in", gettext("Your address has changed. Sign in with it."))


@bp.post("/account/browsers")
def end_browser() -> Page:
    context.need_account()
    id = context.fields(request.form, browser=32)["browser"]
    here = context.browser()
    if here is not None and here.id == id:
        return _out()
    with context.writing() as session:
        browsers.end(session, context.me_in(session), id)
    return context.done("/account", gettext("That browser is signed out."))


@bp.post("/sign-out")
def sign_out() -> Page:
    where = context.fields(request.form, where=20)["where"]
    if context.me() and where == "everywhere":
        with context.writing() as session:
            accounts.sign_out_everywhere(session, context.me_in(session))
    return _out()


def _out() -> Page:
    context.sign_out()
    return context.done("/", gettext("You are signed out."))
