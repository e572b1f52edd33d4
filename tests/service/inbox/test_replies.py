"""The words of a reply as mail programs send it."""

from __future__ import annotations

import base64
import textwrap
import time

import pytest

from engine.core.asks import NotUnderstood
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
        "SINCE YOUR LAST MOVE\n- Bert marched.",
        "WHAT HAPPENED\n\n  - Bert marched.",
        "*WHAT HAPPENED*\n- Bert marched.",
        "What happened\n* Bert marched.",
        "What happened all of it\n• Bert marched.",
    ],
)
def test_what_stands_above_the_quoted_letter_is_the_reply(below: str) -> None:
    text = f"\r\n  end  \r\n\r\n\r\n\r\nOn we march.\u200b\r\n\r\n{below}\r\n"
    assert replies.above(text, OURS) == "end\n\nOn we march."


@pytest.mark.parametrize(
    "text",
    [
        "On my word: I come.",
        "From: here to there",
        "- one\n- two",
        "a -> b",
        "Am I asked:",
        "--- what ---",
        "What happened?\n- a\n- b",
        "What happened\nto my knights",
    ],
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
        ("<s>1</s> 2", "~~1~~ 2"),
        ("<p><strike>A <b>Lords</b> card</strike></p><p>none</p>", "~~A Lords card~~\n\nnone"),
        ("<del><p>1</p></del>2", "~~1~~\n2"),
        ("<span style='text-decoration:line-through'>1<span>2</span></span>3", "~~12~~3"),
        ("<s>never closed", "~~never closed~~"),
        ("<small>s</small><script>x</script>", "s"),
        ("<div style='display:none'>1<div>2</div>3</div>end", "end"),
        ("<img style='display: none'>end", "end"),
        ("<i style='DISPLAY : none'>1</i>end", "end"),
        ("<p style='display:none'>never closed</div>end", ""),
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


@pytest.mark.parametrize(
    ("charset", "coded", "said"),
    [
        ("us-ascii", "Châteauneuf".encode("cp1252"), "Châteauneuf"),
        ("us-ascii", "Châteauneuf".encode(), "Châteauneuf"),
        ("x-unknown", "Châteauneuf".encode("cp1252"), "Châteauneuf"),
        ("iso-8859-1", "“Oui” – 3 €".encode("cp1252"), "“Oui” – 3 €"),
        ("ks_c_5601-1987", "동맹 똠".encode("cp949"), "동맹 똠"),
        ("gb2312", "鎔基".encode("gbk"), "鎔基"),
        ("windows-31j", "①進軍".encode("cp932"), "①進軍"),
        ("ISO-8859-8-I", "שלום".encode("iso-8859-8"), "שלום"),
    ],
)
def test_a_charset_is_read_as_mail_programs_mean_it(charset: str, coded: bytes, said: str) -> None:
    assert mime.text(mime.read(f"Content-Type: text/plain; charset={charset}\n\n".encode() + coded)) == said


def test_a_content_type_may_have_a_comment() -> None:
    """RFC 2045, 5.1."""
    found = mime.read(b"Content-Type: text/plain (plain text); charset=utf-8\n\nend")
    assert found.kind == "text/plain" and replies.words(found, OURS) == "end"


def test_headers_are_unfolded_and_bounded() -> None:
    found = mime.fields(b"From x\nTo: a\n b\n\tc\nTo : d\nno header\nX: " + b"y" * 100_000 + b"\n" + b"Z: 1\n" * 1000)
    assert found["to"] == ["a b c", "d"] and len(found["x"][0]) == mime.LONGEST_FIELD
    assert sum(len(values) for values in found.values()) == mime.MOST_FIELDS


LETTER = """Dear Bert,

At the table of “Harvest war”:

Anna, Thu 26 Nov 2026, 16:27 UTC
Well met, neighbours. I bring four Knights to the siege of your Palace, and a Mercenary besides.

Answer in this conversation:

https://writ.test/t/x?to=talk/1

--\x20
Writ, https://writ.test
A reply to this letter goes to the whole table.
No more letters of this game: https://writ.test/leave/y
"""
AGREED = "Agreed!\n\nUntil spring, then."
HEADS = {
    "Swedish": "Från: Writ\nSkickat: 2026-11-26 10:00\nTill: Bert\nÄmne: Harvest war",
    "Danish": "Fra: Writ\nSendt: torsdag\nTil: Bert\nEmne: Harvest war",
    "Finnish": "Lähettäjä: Writ\nLähetetty: torstai 26. marraskuuta\nVastaanottaja: Bert\nAihe: Harvest war",
    "Polish": "Od: Writ\nWysłano: czwartek\nDo: Bert\nTemat: Harvest war",
    "Czech": "Od: Writ\nOdesláno: čtvrtek\nKomu: Bert\nPředmět: Harvest war",
    "Hungarian": "Feladó: Writ\nKüldve: csütörtök\nCímzett: Bert\nTárgy: Harvest war",
    "Turkish": "Kimden: Writ\nGönderildi: Perşembe\nKime: Bert\nKonu: Harvest war",
    "Russian": "От: Writ\nОтправлено: 26 ноября\nКому: Bert\nТема: Harvest war",
    "Greek": "Από: Writ\nΣτάλθηκε: Πέμπτη\nΠρος: Bert\nΘέμα: Harvest war",
    "Hebrew": "מאת: Writ\nנשלח: יום חמישי\nאל: Bert\nנושא: Harvest war",
    "Arabic": "من: Writ\nتاريخ الإرسال: الخميس\nإلى: Bert\nالموضوع: Harvest war",
    "Japanese": "差出人: Writ\n送信日時: 木曜日\n宛先: Bert\n件名: Harvest war",
    "Chinese": "发件人：Writ\n发送时间：星期四\n收件人：Bert\n主题：Harvest war",
    "Korean": "보낸 사람: Writ\n보낸 날짜: 목요일\n받는 사람: Bert\n제목: Harvest war",
    "Vietnamese": "Từ: Writ\nĐã gửi: Thứ Năm\nĐến: Bert\nChủ đề: Harvest war",
    "French, bold": "*De :* Writ\n*Envoyé :* jeudi\n*À :* Bert\n*Objet :* Harvest war",
    "values on lines of their own": "Von:\nWrit\nGesendet:\nDonnerstag\nAn:\nBert\nBetreff:\nHarvest war",
    "a line between": "From: Writ\n\nSent: Thursday\n\nTo: Bert\n\nSubject: Harvest war",
    "another order": "Subject: Harvest war\nDate: Thursday\nTo: Bert\nFrom: Writ",
    "two lines with an address": "Afzender: Writ <x@else.test>\nAan: Bert",
    "one line with an address": "Expéditeur : Writ <x@else.test>",
    "Notes": "Writ <x@else.test>\n26.11.2026 16:27\n\nTo\nBert",
    "forwarded": "Begin forwarded message:\n\nFrom: Writ\nSubject: Harvest war\nDate: Thursday",
}
ATTRIBUTIONS = {
    "Danish": "Den tor. 26. nov. 2026 kl. 16.27 skrev Writ <x@else.test>:",
    "Norwegian, no address": "tor. 26. nov. 2026 kl. 16:27 skrev Writ:",
    "Finnish": "to 26. marrask. 2026 klo 16.27 Writ (x@else.test) kirjoitti:",
    "Portuguese": "Em qui., 26 de nov. de 2026 às 16:27, Writ <x@else.test> escreveu:",
    "Czech": "čt 26. 11. 2026 v 16:27 odesílatel Writ <x@else.test> napsal:",
    "Hungarian": "Writ <x@else.test> ezt írta (időpont: 2026. nov. 26., Cs, 16:27):",
    "Turkish": "Writ <x@else.test>, 26 Kas 2026 Per, 16:27 tarihinde şunu yazdı:",
    "Russian": "чт, 26 нояб. 2026 г. в 16:27, Writ <x@else.test>:",
    "Russian, no address": "26.11.2026 16:27, Writ пишет:",
    "Ukrainian": "чт, 26 лист. 2026 р. о 16:27 Writ пише:",
    "Greek": "Στις Πέμ 26 Νοε 2026 στις 4:27 μ.μ., ο χρήστης Writ έγραψε:",
    "Hebrew": "‫בתאריך יום ה׳, 26 בנוב׳ 2026 ב-16:27 מאת ‪Writ‬‏:‬",
    "Arabic": "في الخميس، ٢٦ نوفمبر ٢٠٢٦ في ٤:٢٧ م تمت كتابة ما يلي بواسطة Writ <x@else.test>:",
    "Chinese": "2026年11月26日 16:27，Writ 写道：",
    "Japanese": "2026年11月26日(木) 16:27 Writ:",
    "Korean": "2026년 11월 26일 (목) 오후 4:27, Writ님이 작성:",
    "Thai": "ในวันที่ พฤ. 26 พ.ย. 2026 เวลา 16:27 Writ เขียนว่า:",
    "wrapped": "Den tor. 26. nov. 2026 kl. 16.27 skrev Writ of the many games\n<x@else.test>:",
    "wrapped twice": "El jue, 26 nov 2026 a las 16:27, Writ\nof the many games\n(<x@else.test>) escribió:",
    "our name alone": "Writ kirjoitti:",
    "Zoho": "---- On Thu, 26 Nov 2026 16:27:00 +0100 Writ <x@else.test> wrote ----",
}
RULES = {
    "Portuguese": "----- Mensagem original -----",
    "Czech": "-------- Původní zpráva --------",
    "Chinese": "------------------ 原始邮件 ------------------",
    "short": "--- Original message ---",
    "underscores": "____________ Opprinnelig melding ____________",
    "long dashes": "———— Ursprungligt meddelande ————",
    "a rule above a header": "-----\nVerzender: Writ\nx",
    "a phone's signature": "Skickat från min iPhone\n\nx",
    "quoted with bars": "| Dear Bert,\n| At the table",
    "quoted with initials": "Writ> Dear Bert,\nWrit> At the table",
}


@pytest.mark.parametrize(
    "head", [*HEADS.values(), *ATTRIBUTIONS.values(), *RULES.values()], ids=[*HEADS, *ATTRIBUTIONS, *RULES]
)
def test_a_quoted_head_ends_the_reply_in_every_language(head: str) -> None:
    for below in ("\n\nx", "\n"):
        assert replies.above(f"{AGREED}\n\n{head}{below}", OURS) == AGREED


@pytest.mark.parametrize("head", ["", "\n(quoted by my own program)\n"])
@pytest.mark.parametrize("wide", [30, 72, 500])
@pytest.mark.parametrize("mark", ["", "  ", "# "])
def test_the_letter_that_is_answered_ends_the_reply_however_it_is_wrapped(head: str, wide: int, mark: str) -> None:
    quoted = "\n\n".join(
        textwrap.fill(part, wide, initial_indent=mark, subsequent_indent=mark) for part in LETTER.split("\n\n")
    )
    said = replies.above(f"{AGREED}\n{head}\n{quoted}", (), letter=LETTER.splitlines())
    assert said == AGREED + (f"\n{head.rstrip()}" if head else "")


@pytest.mark.parametrize("line", LETTER.splitlines()[11:14])
def test_lines_of_every_letter_end_a_reply_where_the_letter_is_kept_no_more(line: str) -> None:
    assert replies.above(f"{AGREED}\n\n{line}\nx", ("games@writ.test",)) == AGREED


@pytest.mark.parametrize(
    "text",
    [
        "My terms:\n- one Fief\n- two Knights",
        "Anna: I come.\nBert: so do I.",
        "We meet at 10:30 at the Palace.",
        "On Monday I march, and on Tuesday I shall be there.",
        "I bring four Knights to the siege of your Palace",
        "Three of us | none of them",
        "De facto, peace.",
        "My answer to the King is:\nno",
        "https://writ.test/rules: read it",
        "I sent my Monk from the Palace",
        "~~~",
        "12:30 or 14:00?",
    ],
)
def test_what_players_say_is_not_cut(text: str) -> None:
    assert replies.above(text, OURS, letter=LETTER.splitlines()) == text


def test_a_file_is_never_the_body_even_where_it_is_shown_inline() -> None:
    for head in (
        'Content-Type: text/plain; name="note.txt"\r\nContent-Disposition: inline; filename="note.txt"',
        "Content-Type: text/plain\r\nContent-Disposition: inline; filename*=utf-8''note.txt",
        "Content-Type: text/plain; name=note.txt",
        "Content-Type: text/plain; charset=utf-8;\r\n name*0=note;\r\n name*1=.txt",
        'Content-Type: text/html\r\nContent-Disposition: INLINE;\r\n FILENAME="x.html"',
        "Content-Type: text/plain\r\nContent-Disposition: attachment",
    ):
        assert (
            replies.words(message(f"{head}\r\n\r\n2", "Content-Type: text/plain\r\n\r\nI am not sure yet."), OURS)
            == "I am not sure yet."
        )
        assert replies.words(message(f"{head}\r\n\r\n2"), OURS) == ""


def test_a_signed_message_is_read_without_its_armour() -> None:
    text = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n2\n-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----"
    )
    assert replies.above(text, OURS) == "2"
    # Lines that begin with a dash are escaped (RFC 9580, 7.2).
    escaped = text.replace("\n2\n", "\nmove\n- - group=F1\n\n- -- \nAnna\n3\n")
    assert replies.above(escaped, OURS) == "move\n- group=F1"


@pytest.mark.parametrize(
    "mail",
    [
        "Content-Type: text/plain\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n",
        "Content-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\nx\n--b--\n",
        "Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\n\nMIAGCSqGSIb3DQEHAqCA\n",
    ],
)
def test_what_is_encrypted_comes_back_with_that_reason(mail: str) -> None:
    with pytest.raises(NotUnderstood, match="encrypted"):
        replies.words(mime.read(mail.encode()), OURS)


@pytest.mark.parametrize(
    "packed",
    [
        "Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\r\n\r\nMIAG",
        "Content-Type: application/octet-stream; name=smime.p7m\r\nContent-Disposition: attachment\r\n\r\nMIAG",
        "Content-Type: multipart/encrypted; boundary=c\r\n\r\n--c\r\nContent-Type: application/pgp-encrypted\r\n\r\nx\r\n--c--",
        'Content-Type: application/ms-tnef; name="winmail.dat"\r\n\r\nx',
        'Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="WINMAIL.DAT"\r\n\r\nx',
    ],
)
def test_a_footer_below_what_is_encrypted_or_packed_is_not_the_reply(packed: str) -> None:
    footer = "Content-Type: text/plain\r\n\r\nend"
    for parts in ((packed,), (packed, footer)):
        with pytest.raises(NotUnderstood, match=r"encrypted or packed .S/MIME, winmail\.dat."):
            replies.words(message(*parts), OURS)
    # Outlook's copy of a text that is readable.
    assert replies.words(message(footer, packed), OURS) == "end"


def test_a_text_that_goes_on_below_an_image_is_read_whole() -> None:
    """Apple Mail splits it there, and “No, wait” stood in the second part."""
    image = "Content-Type: image/png; name=x.png\r\nContent-Disposition: inline\r\n\r\nx"
    first, second = "Content-Type: text/plain\r\n\r\n2", "Content-Type: text/plain\r\n\r\nNo, wait"
    assert replies.words(message(first, image, second), OURS) == "2\n\nNo, wait"
    nested = (
        "Content-Type: multipart/{}; boundary=c\r\n\r\n" + "".join(f"--c\r\n{p}\r\n" for p in (first, image, second)) + "--c--"
    )
    assert replies.words(message(nested.format("related")), OURS) == "2\n\nNo, wait"
    assert replies.words(message(nested.format("alternative")), OURS) == "2"
    assert replies.words(message(first, second, image), OURS) == "2", "a footer of a server"
    file = "Content-Type: text/plain; name=x.txt\r\n\r\n3"
    assert replies.words(message(first, image, file), OURS) == "2"
    assert replies.words(message(image, first), OURS) == "2"


def test_the_first_part_with_text_is_the_reply_not_a_footer_that_a_server_appends() -> None:
    page = "Content-Type: text/html\r\n\r\n<p>2</p>"
    footer = "Content-Type: text/plain\r\n\r\nDone"
    blank = "Content-Type: text/plain\r\n\r\n \r\n"
    both = "Content-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\n{}\r\n--c\r\n{}\r\n--c--"
    amp = "Content-Type: text/x-amp-html\r\n\r\n<p>3</p>"
    plain = "Content-Type: text/plain\r\n\r\n2"
    for parts in (
        (page, footer),
        (blank, page, footer),
        (both.format(page, plain), footer),
        (both.format(amp, plain), footer),
        (both.format(blank, page), footer),
    ):
        assert replies.words(message(*parts), OURS) == "2"


@pytest.mark.parametrize(
    "page", ["<p>end</p><hr><p><b>Von:</b> Writ</p>", "<div>end</div><div class='ms-outlook-mobile-reference-message'>x</div>"]
)
def test_a_rule_and_what_outlook_holds_the_letter_in_end_a_page(page: str) -> None:
    assert replies.above(replies.plain(page), OURS) == "end"


@pytest.mark.parametrize(
    "line", ["a:", "Word: x", "| x", "-----", "26.11.2026 " * 30 + ":", "<a@b.c>" * 60, "Dear Bert, at the table of"]
)
def test_no_lines_keep_the_reader_busy(line: str) -> None:
    began = time.perf_counter()
    replies.above("\n".join(f"{line} {n % 7}" for n in range(60_000 // (len(line) + 3))), OURS, letter=LETTER.splitlines())
    assert time.perf_counter() - began < 5


SIGNED = """\
Get Outlook for iOS<https://aka.ms/x>
Outlook für iOS beziehen<https://aka.ms/x>
Télécharger Outlook pour Android
Von meinem/meiner Galaxy gesendet
Von Yahoo Mail auf Android gesendet
Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.
Verstuurd vanaf mijn iPhone
Lähetetty iPhonesta
iPhoneから送信
发自我的iPhone
나의 iPhone에서 보냄
Sent with Tuta; enjoy secure & ad-free emails.
Sent from Spark
Yahoo Mail: Search, Organize, Conquer
iPhone’umdan gönderildi
Yahoo Mail'den gönderildi
iOS için Outlook'u edinin<https://aka.ms/x>
Galaxyから送信
Yahoo!メール から送信
Mit [Proton Mail](https://proton.me/mail/home) gesendet.
Von Proton Mail für Android gesendet
Von FairEmail gesendet
Sent from my Apple Watch
Sent from my Pixel
Sent from eM Client
Get BlueMail for Android
Virenfrei.www.avast.com""".splitlines()
HEADINGS = [
    "---- On Tue, 24 Nov 2026 09:00:00 +0100 Writ <x@else.test> wrote ---",
    "Message du 24/11/26 09:00\nDe : Writ\nA : Bert\nObjet : x",
    "  Original Message  \nFrom: Writ\nSent: Tuesday\nTo: Bert\nSubject: x",
    "&gt; Dear Bert,\n&gt; x",
]


@pytest.mark.parametrize("below", [*SIGNED, *HEADINGS])
def test_the_signature_of_a_program_and_headings_without_a_colon_are_not_said(below: str) -> None:
    assert replies.above(f"{AGREED}\n\n{below}\n\n> x", OURS) == AGREED


@pytest.mark.parametrize("text", ["Sent from my castle, with love.", "I sent you mail.", "See the original message."])
def test_words_like_those_of_a_signature_are_kept(text: str) -> None:
    assert replies.above(text, OURS) == text


def test_flowed_lines_are_joined_and_quoted_ones_end_the_reply() -> None:
    def flowed(text: str, more: str = "") -> str:
        head = f"Content-Type: text/plain; charset=utf-8; format=flowed{more}\n\n"
        return replies.words(mime.read(f"{head}{text}".encode()), OURS)

    assert flowed("I march at dawn \nand bring four \nKnights.\n\nWill you?\n> x \n> y\n") == (
        "I march at dawn and bring four Knights.\n\nWill you?"
    )
    assert flowed("I march at da \nwn.\n", "; DelSp=yes") == "I march at dawn."
    assert flowed(" From here \n to there.\nOn 11/24/26 9:00 AM, Writ wrote:\n") == "From here to there."
    assert flowed("Agreed! \nOn 11/24/26 9:00 AM, Writ wrote:\n> x\n") == "Agreed!"


def test_lines_of_preformatted_html_stay_lines() -> None:
    page = "<pre>Agreed!\n\nAt dawn.\n\nOn 11/24/26 Writ wrote:\n&gt; x</pre>"
    assert replies.above(replies.plain(page), OURS) == "Agreed!\n\nAt dawn."


QUOTED = "On 11/24/26 9:00 AM, Writ wrote:\n> Well met.\n\n{answer}\n\n> Answer in this conversation:\n"


@pytest.mark.parametrize(
    "text",
    [
        "Hello all.\n\n" + QUOTED.format(answer="Yes, agreed; the ford is mine."),
        "See below.\n\nOn 11/24/26 9:00 AM, Writ wrote:\n> Well met.\n\nYes, agreed.",
        "Hi Anna,\n\n> Well met.\n\nYes, agreed.\n",
    ],
)
def test_answers_between_quoted_lines_come_back_and_are_not_lost(text: str) -> None:
    with pytest.raises(NotUnderstood, match="above the quoted letter"):
        replies.above(text, OURS)


def test_answers_between_quotes_in_html_come_back_too() -> None:
    page = "<p>2</p><p>On 11/24/26 Writ wrote:</p><blockquote>a<blockquote>b</blockquote></blockquote>"
    assert replies.above(replies.plain(page), OURS) == "2"
    assert replies.above(replies.plain(f"{page}<blockquote>c</blockquote>"), OURS) == "2"
    with pytest.raises(NotUnderstood, match="above the quoted letter"):
        replies.above(replies.plain(f"{page}<p>Wait, no: 3</p><blockquote>c</blockquote>"), OURS)


@pytest.mark.parametrize("below", ["\n-- \nBert\n", "\nThis mail is confidential.\n", "\nOn 11/23/26 Anna wrote:\n>> x\n"])
def test_what_programs_put_below_the_quoted_letter_hinders_nothing(below: str) -> None:
    assert replies.above(f"{AGREED}\n\nOn 11/24/26 9:00 AM, Writ wrote:\n> a long line\nwrapped\n> x\n{below}", OURS) == AGREED
