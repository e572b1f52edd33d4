"""The words of a reply as mail programs send it."""

from __future__ import annotations

import base64

import pytest

from service.inbox import mime, replies

OURS = ("writ@writ.test", "games@writ.test")


@pytest.mark.parametrize(
    "below",
    [
        "On Tue, Nov 24, 2026 at 9:00 AM Writ <games@writ.test> wrote:\n> x",
        "On Tue, Nov 24, 2026 at 9:00 AM Writ\n<somebody@else.test> wrote:\n> x",
        "On Tue, Nov 24, 2026 at 9:00 AM Writ of the\nmany games <somebody@else.test>\nwrote:\n> x",
        "Am Di., 24. Nov. 2026 um 09:00 Uhr schrieb Writ:\n> x",
        "Am 24.11.26 um 09:00 schrieb Writ:\n\nx",
        "Le mar. 24 nov. 2026 à 09:00, Writ a écrit :\nx",
        "Il giorno mar 24 nov 2026 alle ore 09:00 Writ ha scritto:\nx",
        "El mar, 24 nov 2026 a las 9:00, Writ escribió:\nx",
        "Op di 24 nov 2026 om 09:00 schreef Writ:\nx",
        "W dniu 24.11.2026 o 09:00, Writ napisał(a):\nx",
        "> quoted without a word before it",
        "-----Original Message-----\nx",
        "-------- Ursprüngliche Nachricht --------\nx",
        "________________________________\nFrom: Writ\nSent: Tuesday",
        "From: Writ\nSent: Tuesday\nTo: Anna\nSubject: War",
        "*Von:* Writ\n*Gesendet:* Dienstag",
        "-- \nAnna of Ely",
        "mailto:writ+r.1.2@writ.test writ@writ.test",
    ],
)
def test_what_stands_above_the_quoted_letter_is_the_reply(below: str) -> None:
    text = f"\r\n  end  \r\n\r\n\r\n\r\nOn we march.\u200b\r\n\r\n{below}\r\n"
    assert replies.above(text, OURS) == "end\n\nOn we march."


@pytest.mark.parametrize(
    "text", ["On my word: I come.", "From: here to there", "- one\n- two", "a -> b", "Am I asked:", "--- what ---"]
)
def test_words_that_only_look_like_it_are_kept(text: str) -> None:
    assert replies.above(text, OURS) == text


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<p>end</p><blockquote>Writ wrote</blockquote>", "end"),
        ("<div>end<br>and <b>so</b> on</div><div class='gmail_quote'>On Tue wrote</div><p>below</p>", "end\nand so on"),
        ("<html><head><title>x</title><style>p {}</style></head><body>\n<p>a &lt; b &amp; c</p></body>", "a < b & c"),
        ("end<!-- <p>hidden</p> --><script>x</script>", "end"),
        ("attack <i>now</i> if 1 < 2", "attack now if 1 < 2"),
        ("end<div id=divRplyFwdMsg>x", "end"),
        ("<blockquote>a<blockquote>b</blockquote>c</blockquote>end", "end"),
        ("a<p", "a"),
        ("&#99999999999;end", "\ufffdend"),
        ("<a title='gmail'>end</a>", "end"),
        ("x" * 5 + "<STYLE>y</STYLE>end", "xxxxxend"),
    ],
)
def test_html_is_read_as_text(page: str, said: str) -> None:
    assert replies.above(replies.plain(page), OURS) == said


def message(*parts: str) -> mime.Part:
    head = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n boundary="b b"\r\n\r\nPreamble\r\n'
    return mime.read((head + "".join(f"--b b\r\n{part}\r\n" for part in parts) + "--b b--\r\nepilogue\r\n").encode())


def test_parts_are_found_decoded_and_attachments_left_alone() -> None:
    attached = "Content-Disposition: attachment\r\n\r\nnot this"
    words = base64.b64encode("zähl\n".encode("iso-8859-1")).decode()
    coded = f'content-type: TEXT/Plain; charset="ISO-8859-1"\r\nContent-Transfer-Encoding: BASE64\r\n\r\n{words}'
    assert replies.words(message(attached, coded), OURS) == "zähl"
    quoted = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nz=C3=A4hl=\r\n mich"
    assert replies.words(message(quoted), OURS) == "zähl mich"
    assert replies.words(message("\r\n  ", "Content-Type: text/html\r\n\r\n<p>end"), OURS) == "end"
    assert replies.words(message(), OURS) == ""


def test_parts_in_parts_are_in_order_and_a_like_boundary_is_none() -> None:
    inner = "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\none\r\n--bb\r\n--b\r\n\r\ntwo\r\n--b--"
    found = message(inner, "\r\nthree")
    assert [mime.text(part) for part in mime.leaves(found)] == ["one\n--bb", "two", "three"]


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "zip", "rot13", "no-such", "utf-16", "hz", "\x00"])
def test_an_encoding_that_is_none_of_mails_is_read_as_utf_8(charset: str) -> None:
    assert isinstance(mime.text(mime.read(f"Content-Type: text/plain; charset={charset}\n\nend".encode())), str)


def test_headers_are_unfolded_and_bounded() -> None:
    found = mime.fields(b"From x\nTo: a\n b\n\tc\nTo : d\nno header\nX: " + b"y" * 100_000 + b"\n" + b"Z: 1\n" * 1000)
    assert found["to"] == ["a b c", "d"] and len(found["x"][0]) == mime.LONGEST_FIELD
    assert sum(len(values) for values in found.values()) == mime.MOST_FIELDS
