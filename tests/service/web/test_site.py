"""Front page, rules, health, headers, and pages for what went wrong."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from flask import Flask, request

from service.settings import Settings
from service.web import create_app, files
from service.web.security import limiter
from tests.service.web.conftest import TOKEN, Visitor

New = Callable[[str], Visitor]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Writ as one tries it out on one's own machine."""
    return settings.model_copy(update={"base_url": "http://127.0.0.1:8080"})


@pytest.mark.parametrize("path", ["/", "/help", "/help/ortus", "/sign-in", "/games/open", "/decks", "/mailbox"])
def test_pages_for_everybody_have_landmarks_and_no_foreign_requests(visitor: New, path: str) -> None:
    page = visitor("").page(path)
    assert '<html lang="en">' in page and 'href="#main"' in page and '<main id="main"' in page
    assert page.count("<h1") == 1
    assert "style=" not in page and "<script>" not in page and "onclick" not in page
    for mark in ('src="http', 'href="http', 'src="//', "@import"):
        assert mark not in page


def test_the_words_of_a_pace_are_explained_one_link_away(anna: Visitor) -> None:
    game = anna.post(
        "/games/new", {"name": "War", "game": "ortus", "seats": 2, "access": "open", "preset": "daily"}, follow=False
    ).location
    assert "time banks of up to" in anna.page(game) and 'href="/help#time"' in anna.page(game)
    section = anna.page("/help").partition('<section id="time">')[2].partition("</section>")[0]
    for word in ("reaction", "grace", "time bank", "quiet hours", "steward", "safe answer"):
        assert word in section


@pytest.mark.parametrize("path", ["/", "/games", "/nowhere", "/healthz", "/mailbox"])
def test_every_answer_carries_the_protecting_headers(visitor: New, path: str) -> None:
    headers = visitor("").get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"
    assert "Strict-Transport-Security" not in headers


def test_what_no_window_shows_is_sent_without_the_rules_for_documents(visitor: New) -> None:
    browser = visitor("")
    for name, document in (("writ.css", False), ("board.js", False), ("alegreya-bold.woff2", False), ("parts.svg", True)):
        headers = browser.get(f"/static/{name}").headers
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert ("Content-Security-Policy" in headers, "X-Frame-Options" in headers) == (document, document), name


def test_remarks_in_scripts_and_styles_stay_at_home(visitor: New) -> None:
    browser = visitor("")
    for file in files.FOLDER.glob("*.[cj]s*"):
        sent = browser.get(f"/static/{file.name}").text
        assert "/*" not in sent and not re.search(r"^\s*//", sent, re.MULTILINE), file.name
        # A text of several lines in a script could begin one like a remark.
        assert file.suffix != ".js" or all(line.count("`") % 2 == 0 for line in file.read_text("utf-8").splitlines()), file.name


def test_static_files_are_kept_by_browsers_and_marked_by_content(visitor: New) -> None:
    anna = visitor("")
    page = anna.page("/")
    names = re.findall(r'"(/static/[^"#]+)', page)
    assert any(name.startswith("/static/writ.css?v=") for name in names)
    for name in names:
        assert "max-age=31536000" in anna.get(name).headers["Cache-Control"], name
        # A page from before a change must not have the file of after it kept for a year under the old mark.
        for other in (name.partition("?")[0], name[:-1] + "~"):
            found = anna.get(other)
            assert found.status_code == 200 and found.headers["Cache-Control"] == "no-cache"
            again = anna.client.get(other, base_url=anna.settings.base_url, headers={"If-None-Match": found.headers["ETag"]})
            assert again.status_code == 304 and not again.data


def test_files_that_a_style_sheet_names_are_marked_by_content_too(visitor: New) -> None:
    anna = visitor("")
    for sheet in ("writ.css", "turn.css", "mastery.css"):
        named = re.findall(r"url\(([^)]+)\)", anna.get(f"/static/{sheet}").text)
        assert named or sheet != "writ.css"
        for name in named:
            assert "max-age=31536000" in anna.get(f"/static/{name}").headers["Cache-Control"], name


def test_text_is_compressed_for_who_takes_it_and_says_the_same(visitor: New) -> None:
    anna = visitor("")
    for path in ("/help", "/sign-in", "/static/writ.css", "/static/miniature.svg"):
        plain = anna.get(path)
        small = anna.client.get(path, base_url=anna.settings.base_url, headers={"Accept-Encoding": "br, gzip;q=0.8"})
        refused = anna.client.get(path, base_url=anna.settings.base_url, headers={"Accept-Encoding": "gzip;q=0, *;q=0.1"})
        assert "Content-Encoding" not in plain.headers and "Content-Encoding" not in refused.headers
        assert small.headers["Content-Encoding"] == "gzip" and "Accept-Encoding" in small.headers["Vary"]
        assert "Accept-Encoding" in plain.headers["Vary"]
        told = TOKEN.sub("", gzip.decompress(small.data).decode())
        assert told == TOKEN.sub("", plain.text) and len(small.data) < len(plain.data) * 0.6, path


def test_the_length_of_a_compressed_page_tells_little_and_a_file_s_is_always_the_same(visitor: New) -> None:
    anna = visitor("")

    def lengths(path: str) -> set[int]:
        asked = {"Accept-Encoding": "gzip"}
        return {len(anna.client.get(path, base_url=anna.settings.base_url, headers=asked).data) for _ in range(20)}

    assert len(lengths("/help")) > 5
    assert len(lengths("/static/writ.css")) == 1


def test_the_session_cookie_is_for_http_alone_and_secure_under_https(settings: Settings) -> None:
    for base, secure in (("http://writ.test", False), ("https://writ.test", True)):
        app = create_app(settings.model_copy(update={"base_url": base}))
        found = app.test_client().get("/sign-in", base_url=base)
        cookie = found.headers["Set-Cookie"]
        assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
        assert ("Secure" in cookie) is secure
        assert ("Strict-Transport-Security" in found.headers) is secure


def test_a_form_without_its_token_is_refused(anna: Visitor) -> None:
    for data in ({"name": "Eve"}, {"name": "Eve", "csrf_token": "made-up"}):
        found = anna.client.post("/account", data=data, base_url=anna.settings.base_url)
        assert found.status_code == 400 and "reload the page and send the form again" in found.text
    assert 'value="Anna"' in anna.page("/account")


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nowhere", 404, "no such page"),
        ("/g/none", 404, "no such game"),
        ("/g/%00", 404, "no such page"),
        ("/in/%00%ff", 404, "no such page"),
        ("/decks/../../etc/passwd", 404, ""),
        ("/sign-out", 405, "only takes a form"),
        ("/mailbox/none", 404, "no such letter"),
        ("/static/../site.py", 404, ""),
    ],
)
def test_what_is_not_there_gets_a_page_that_helps(visitor: New, path: str, status: int, words: str) -> None:
    found = visitor("").get(path)
    assert found.status_code == status
    assert words in found.text and 'href="/games"' in found.text


def test_unknown_repeated_and_enormous_fields_are_refused(anna: Visitor) -> None:
    token = anna.token()

    def send(data: object) -> tuple[int, str]:
        found = anna.client.post("/account", data=data, base_url=anna.settings.base_url)
        return found.status_code, found.text

    assert send({"csrf_token": token, "name": "Eve", "host": "yes"})[0] == 400
    status, text = send({"csrf_token": token, "name": ["Eve", "Eva"]})
    assert status == 400 and "2 times" in text
    status, text = send({"csrf_token": token, "name": "x" * 5000})
    assert status == 400 and "5000 characters" in text
    assert send({"csrf_token": token, "name": "x" * 300_000})[0] == 413
    assert send({"csrf_token": token} | {f"f{n}": "x" for n in range(3000)})[0] == 400
    assert send(b"\xff\xfe\x00 not a form")[0] == 400
    assert 'value="Anna"' in anna.page("/account")


def test_what_goes_wrong_in_a_game_leads_back_to_it(anna: Visitor, bert: Visitor) -> None:
    """Also who comes to the address of a form by a bookmark, or by the way back after a sign-in; and who sits there and follows
    a link that leads nowhere. Nobody else is told that there is a game."""
    game = str(
        anna.post("/games/new", {"name": "Lent", "game": "ortus", "seats": "3", "access": "open"}, follow=False).location
    )
    way = f'<a class="button primary" href="{game}">To the game</a>'
    wrong = anna.client.post(game + "/leave", data={"csrf_token": "x"}, base_url=anna.settings.base_url)
    asked, long = anna.get(game + "/leave"), anna.post(game + "/word", {"word": "x" * 300_000})
    assert [x.status_code for x in (wrong, asked, long)] == [400, 405, 413]
    assert all(way in x.text for x in (wrong, asked, long))
    assert way in anna.get(game + "/nothing").text and "To the game" not in anna.get("/sign-out").text
    strange = [bert.get(game + "/nothing"), bert.get(game + "/host")]
    bert.post(game + "/join")
    own = [bert.get(game + "/nothing"), bert.get(game + "/host")]
    assert [x.status_code for x in (*strange, *own)] == [404, 403] * 2
    assert all(way in x.text for x in own) and not any("To the game" in x.text for x in strange)


PRIMARY = re.compile(r'<a class="button primary" href="([^"]*)">([^<]*)</a>')


def test_each_error_leads_on_to_where_its_reader_can_go(anna: Visitor, visitor: New) -> None:
    stranger = visitor("")
    assert PRIMARY.findall(stranger.get("/nothing").text) == [("/", "To the front page")]
    assert PRIMARY.findall(anna.get("/nothing").text) == [("/games", "My games")]
    assert PRIMARY.findall(stranger.get("/in/abc").text) == [("/sign-in", "Sign in by e-mail")]
    assert PRIMARY.findall(anna.get("/in/abc").text) == [("/games", "My games")], "who is signed in need not do it again"
    assert PRIMARY.findall(stranger.get("/s/abcdefgh").text) == [("/games/open", "Games that look for players")]


def test_a_form_that_fails_leads_back_to_the_page_of_ours_that_it_was_on(anna: Visitor) -> None:
    def ways(referrer: str) -> list[tuple[str, str]]:
        home = anna.settings.base_url
        sent = anna.client.post("/account", data={"name": "x" * 5000}, base_url=home, headers={"Referer": referrer})
        assert sent.status_code == 400
        return PRIMARY.findall(sent.text)

    home = anna.settings.base_url
    assert ways(f"{home}/account?a=1&b=2") == [("/account?a=1&amp;b=2", "Back to that page")]
    for foreign in ("", "http://elsewhere.test/account", f"{home}//elsewhere.test/", "javascript:alert(1)", f"{home}.test/"):
        assert ways(foreign) == [("/games", "My games")], foreign


def test_who_has_no_seat_reads_nothing_of_the_game_and_as_whom_they_came(anna: Visitor, bert: Visitor) -> None:
    """A seat is often that of another address of one's own."""
    game = str(anna.post("/games/new", {"name": "Lenten", "game": "ortus", "seats": "3", "access": "invited"}).request.path)
    for path in (game, f"{game}/table", f"{game}/talk", f"{game}/journal"):
        found = bert.get(path)
        assert (
            found.status_code == 403 and "Lenten" not in found.text and "You are signed in as bert@example.org." in found.text
        )


def test_before_there_is_a_table_its_pages_lead_to_the_lobby(anna: Visitor) -> None:
    """The page of the turn said for ever that it would look again in a moment."""
    game = str(
        anna.post("/games/new", {"name": "Lent", "game": "ortus", "seats": "3", "access": "open"}, follow=False).location
    )
    pages = [f"{game}/{page}" for page in ("table", "orders", "advance")]
    assert [anna.get(page).location for page in pages] == 3 * [game]
    anna.post(f"{game}/cancel", {"sure": "yes"})
    assert [anna.get(page).location for page in pages] == 3 * [game] and "called off" in anna.get(game).text


def test_a_mishap_is_a_page_without_a_traceback(app: Flask, visitor: New, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object) -> None:
        raise RuntimeError("secret of the kitchen")

    monkeypatch.setattr("service.games.listings.open_games", broken)
    found = visitor("").get("/games/open")
    assert found.status_code == 500
    assert PRIMARY.findall(found.text) == [("/games/open", "Try again")]
    assert "broke on our side" in found.text and "kitchen" not in found.text and "Traceback" not in found.text


def test_a_message_catalogue_is_used_for_readers_of_its_language(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = Catalog(locale="de")
    catalogue.add("Skip to the content", "Zum Inhalt")
    with open(tmp_path / "de.po", "wb") as file:
        write_po(file, catalogue)
    monkeypatch.setattr("engine.language.i18n.TRANSLATIONS", tmp_path)
    client = create_app(settings).test_client()
    german = client.get("/help", headers={"Accept-Language": "de-AT,de;q=0.9"}).text
    assert "Zum Inhalt" in german and '<html lang="de">' in german
    assert "Skip to the content" in client.get("/help", headers={"Accept-Language": "fr"}).text


def test_health_says_whether_the_database_answers(visitor: New) -> None:
    found = visitor("").get("/healthz")
    assert (found.status_code, found.json) == (200, {"status": "ok"})


def test_too_many_letters_asked_for_are_refused_for_a_while(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiter, "enabled", True)
    stranger = Visitor(create_app(settings).test_client(), settings)
    statuses = [stranger.post("/sign-in", {"email": "nobody"}).status_code for _ in range(62)]
    assert statuses[0] == 422 and statuses[-1] == 429
    refused = stranger.post("/sign-in", {"email": "nobody"})
    assert re.search(r"Nothing was changed; try again in (\d+ (s|min|h) ?)+\.", refused.text) and int(
        refused.headers["Retry-After"]
    )


def test_behind_a_proxy_visitors_have_their_own_addresses(settings: Settings) -> None:
    for proxies, address in ((0, "127.0.0.1"), (1, "198.51.100.7")):
        app = create_app(settings.model_copy(update={"proxies": proxies}))
        app.before_request(lambda: request.remote_addr or "")
        found = app.test_client().get("/who", headers={"X-Forwarded-For": "203.0.113.9, 198.51.100.7"})
        assert found.text == address


def test_a_phone_can_put_writ_on_its_home_screen(visitor: New) -> None:
    guest = visitor("")
    assert '<link rel="manifest" href="/manifest.webmanifest">' in guest.page("/")
    found = guest.get("/manifest.webmanifest")
    assert found.mimetype == "application/manifest+json" and "manifest-src 'self'" in found.headers["Content-Security-Policy"]
    manifest = found.get_json()
    assert manifest["short_name"] == "Writ" and guest.get(manifest["start_url"]).status_code in (200, 303)
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    for icon in manifest["icons"]:
        assert guest.get(icon["src"]).mimetype == icon["type"], icon
    touch = re.findall(r'<link rel="apple-touch-icon" href="([^"]+)"', guest.page("/"))
    assert guest.get(touch[0]).mimetype == "image/png"


def test_who_is_signed_in_finds_the_rules_and_is_welcomed_by_name_or_without_one(visitor: New) -> None:
    nameless = visitor("carl@example.org").sign_in()
    page = nameless.page("/")
    assert ">Welcome</h2>" in page and '<a href="/help">Rules</a>' in page
    for address, place in (("/help/ortus", "/help"), ("/games/open", "/games/open"), ("/games/new", "/games")):
        how = "page" if address == place else "true"
        head = nameless.page(address).partition("</header>")[0]
        assert re.findall(r'href="([^"]+)" aria-current="(\w+)"', head) == [(place, how)]
    assert ">Welcome, Carl</h2>" in visitor("carl2@example.org").sign_in("Carl").page("/")
