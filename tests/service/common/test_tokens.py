"""The token scanner finds private links however a mail program, a gateway or a person has quoted them."""

from __future__ import annotations

import base64
import time
from urllib.parse import quote

import pytest
from itsdangerous import URLSafeSerializer

from service.common import tokens

ID = "01a218af43ed761ab6298e67f57355d2"
SEAT = str(URLSafeSerializer("any key", salt="writ link").dumps(ID))
LEAVE = str(URLSafeSerializer("any key", salt="writ leave").dumps([ID, "b", 1]))
KEY = "aB3_" * 8
URL = f"https://writ.test/t/{SEAT}"
REPLY = f"writ+r.{ID}.94dee697454bfb53@writ.test"


def proofpoint(url: str) -> str:
    whole = quote(url, safe="").replace("-", "%2D").replace("_", "%5F").replace("%2F", "_").replace("%", "-")
    return f"https://urldefense.proofpoint.com/v2/url?u={whole}&d=DwMFaQ&c=x"


QUOTED = {
    "plain": URL,
    "another page of the seat": f"{URL}?to=talk/{ID}",
    "bare": SEAT,
    "other host and scheme": URL.replace("https://writ.test", "http://10.0.0.7:8080"),
    "angle brackets, full stop": f"<{URL}>.",
    "markdown": f"[my page]({URL})",
    "no space around": f"see{SEAT}now",
    "wrapped": f"{URL[:40]}\n{URL[40:90]}\n{URL[90:]}",
    "wrapped and quoted": f"> {URL[:60]}\n> {URL[60:]}",
    "a space between all letters": " ".join(SEAT),
    "soft break": f"{URL[:60]}=\r\n{URL[60:]}",
    "quoted-printable": URL.replace(".", "=2E").replace("/", "=2f"),
    "HTML attribute": f'<a href="{URL}" target="_blank">page</a>',
    "HTML attribute, quoted-printable": f'<a href=3D"{URL}">page</a>',
    "HTML entities": SEAT.replace(".", "&#46;"),
    "percent-encoded": quote(URL, safe=""),
    "percent-encoded twice": quote(quote(URL, safe=""), safe=""),
    "Outlook": f"https://eur01.safelinks.protection.outlook.com/?url={quote(URL, safe='')}&amp;data=05%7C02%7C&amp;reserved=0",
    "Proofpoint 2": proofpoint(URL),
    "Proofpoint 3": f"https://urldefense.com/v3/__{URL}__;!!Abc123!xYz$",
    "Barracuda": f"https://linkprotect.cudasvc.com/url?a={quote(URL, safe='').replace('%2F', '%2f')}&c=E,1,x",
    "Cisco": f"https://secure-web.cisco.com/1Abc/{quote(URL, safe='')}",
    "Sophos": f"https://eu.protection.sophos.com/?d=writ.test&u={base64.b64encode(URL.encode()).decode()}&i=1",
    "a search engine": f"https://www.google.com/url?q={quote(URL)}&sa=D",
    "zero width": "\u200b".join(SEAT),
    "soft hyphens": "\u00ad".join(SEAT),
    "full width": "".join(chr(ord(c) + 0xFEE0) for c in SEAT),
    "blank letters": "\u3164".join((URL[:50], URL[50:])),
    "control characters": "\x01".join((URL[:50], URL[50:])),
    "dashes of typographers": SEAT.replace("-", "\u2011") + " " + f"{URL[:60]}\u2011\n{URL[60:]}",
    "divided with hyphens": f"{URL[:60]}-\n{URL[60:]}",
    "a list": f"- {URL[:60]}\n- {URL[60:]}",
    "a numbered list": f"1. {URL[:60]}\n2. {URL[60:]}",
    "commas": f"{URL[:60]}, {URL[60:]}",
    "tags within": f"{URL[:60]}<wbr>{URL[60:]}",
    "entities without a shape": f"{URL[:60]}&zwnj;{URL[60:]}",
    "escapes": "".join(f"\\u{ord(c):04x}" for c in URL),
    "base64, wrapped": base64.encodebytes(URL.encode()).decode(),
    "base64 of the token": base64.b64encode(SEAT.encode()).decode(),
    "base64 of base64": base64.b64encode(base64.b64encode(URL.encode())).decode(),
    "base64 of a calendar": base64.b64encode(f"https://writ.test/calendar/{KEY}".encode()).decode(),
    "Proofpoint 2, capitals": proofpoint(f"mailto:{REPLY}").replace("urldefense", "URLDEFENSE"),
    "Proofpoint 2, wrapped": proofpoint(f"mailto:{REPLY}")[:70] + "\n" + proofpoint(f"mailto:{REPLY}")[70:],
    "leave": f"https://writ.test/leave/{LEAVE}",
    "leave, bare": LEAVE,
    "reply address": f"To: <{REPLY}>",
    "reply address, other case": REPLY.upper(),
    "reply address, percent-encoded": f"mailto:{quote(REPLY, safe='')}",
    "reply address, wrapped": f"{REPLY[:30]}\n{REPLY[30:]}",
    "reply address, other inbox": REPLY.replace("writ+", "games+"),
    "any address of the inbox": "writ+x@writ.test",
    "shortened by hand": "writ+…@writ.test",
    "calendar": f"webcal://writ.test/calendar/{KEY}.ics",
    "mangled": "https://writ.test/in/XjAxYTIxOGFmNDNlZDc2.sjVHUBKokbL7abYfYcgaHG",
}


@pytest.mark.parametrize("quoted", QUOTED.values(), ids=QUOTED.keys())
def test_a_token_is_found_however_it_is_quoted_and_cut_with_its_line(quoted: str) -> None:
    text = f"Peace until spring.\nAgreed?\n{quoted}\nAnna"
    assert tokens.find(quoted) and tokens.find(text)
    kept, left_out = tokens.cut(text)
    assert kept == "Peace until spring.\nAgreed?" and left_out.endswith("\nAnna")
    assert not tokens.find(kept)


@pytest.mark.parametrize(
    "text",
    [
        "Peace until spring?",
        f"Watch us at https://writ.test/watch/{KEY}",
        f"Join at https://writ.test/s/{KEY[:24]}",
        f"https://writ.test/g/{ID}/table and https://writ.test/rules",
        f"The log's head is {ID}{ID}.",
        "https://example.org/in/some-report.2026-11.pdf",
        "1+r.2 = 3; write to anna+games@example.org",
        "100 % sure, a=b&c=d; &amp; =?",
        "",
    ],
)
def test_public_links_and_plain_words_pass(text: str) -> None:
    assert not tokens.find(text) and tokens.cut(text) == (text, "")


def test_words_that_may_be_keys_of_a_calendar_are_named_for_the_database() -> None:
    assert tokens.words_like_keys(f"look: {KEY}, {ID}, {'a' * 32}") == {KEY}


@pytest.mark.parametrize(
    "text", ["Ij" * 30_000, "%25" * 20_000, "=\n" * 30_000, "aHR0c" * 12_000, "Ij." * 20_000, "r." * 30_000]
)
def test_no_text_keeps_the_scanner_busy(text: str) -> None:
    began = time.perf_counter()
    tokens.find(text)
    assert time.perf_counter() - began < 5
