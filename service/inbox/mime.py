"""MIME parser in linear time, for hostile input: nested parts can keep the standard library's busy for minutes. Ignores input
beyond the limits.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

DEEPEST = 6
MOST_PARTS = 60
MOST_FIELDS = 500
LONGEST_HEAD = 128 * 1024
LONGEST_FIELD = 16 * 1024
LONGEST_TYPE = 1000

FIELD = re.compile(rb"[!-9;-~]{1,100}")
PARAMETER = re.compile(r';\s*(boundary|charset)\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))', re.I)
FILE_NAME = re.compile(r";\s*(?:file)?name\s*(?:\*\d{0,3}\*?)?\s*=", re.I)
NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")
CHARSET = re.compile(
    r"utf-?8|utf-?16(?:le|be)?|(?:us-)?ascii|latin-?1|iso-?8859-[0-9]{1,2}|(?:windows-|cp)125[0-8]|koi8-[ru]|gb2312|gbk|gb18030"
    r"|big5|euc-(?:jp|kr)|shift_jis|iso-2022-(?:jp|kr)|macintosh|tis-620|iso-8859-8-i|windows-(?:31j|874)|cp9(?:32|49)|x-sjis"
    r"|ks_c_5601-1987",
    re.I,
)
"""Allowed charsets: some of Python's others are slow, and it caches every name."""

WIDER = {
    "iso-8859-1": "cp1252",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "tis-620": "cp874",
    "windows-874": "cp874",
}
"""Charsets that mail programs mean by a label (WHATWG Encoding Standard)."""

Fields = dict[str, list[str]]


@dataclass(frozen=True)
class Part:
    """A message or part: headers (lower-case names), raw body, parts."""

    fields: Fields
    body: bytes
    parts: tuple[Part, ...] = ()

    def get(self, name: str) -> str:
        return next(iter(self.fields.get(name, ())), "")

    @property
    def kind(self) -> str:
        """Content type without parameters and comments; default `text/plain`."""
        return self.get("content-type").partition(";")[0].partition("(")[0].strip().lower() or "text/plain"

    @property
    def is_file(self) -> bool:
        """Whether it is an attachment or named file, inline or not."""
        disposition = self.get("content-disposition").lower()
        return self.is_attached or any(
            FILE_NAME.search(field[:LONGEST_TYPE]) for field in (";" + disposition, ";" + self.get("content-type"))
        )

    @property
    def is_attached(self) -> bool:
        return self.get("content-disposition").lower().startswith("attachment")

    def parameter(self, name: str) -> str:
        found = PARAMETER.finditer(self.get("content-type")[:LONGEST_TYPE])
        return next((hit[2] or hit[3] for hit in found if hit[1].lower() == name), "")


def read(data: bytes) -> Part:
    """Parse a message; never raises."""
    return _read(data.replace(b"\r\n", b"\n") if b"\n" in data else data.replace(b"\r", b"\n"), 1, [MOST_PARTS])


def _read(data: bytes, depth: int, left: list[int]) -> Part:
    left[0] -= 1
    if data.startswith(b"\n"):
        head, body = b"", data[1:]
    else:
        head, _, body = data.partition(b"\n\n")
    part = Part(fields(head), body)
    boundary = part.parameter("boundary") if part.kind.startswith("multipart/") and depth < DEEPEST else ""
    if not boundary:
        return part
    inner = []
    for piece in _pieces(body, boundary.encode(errors="replace")):
        if left[0] <= 0:
            break
        inner.append(_read(piece, depth + 1, left))
    return Part(part.fields, body, tuple(inner))


def fields(head: bytes) -> Fields:
    """Parse headers: lower-case names, unfolded; ignores invalid lines."""
    found: list[tuple[str, list[bytes]]] = []
    for line in head[:LONGEST_HEAD].split(b"\n"):
        if line[:1] in (b" ", b"\t"):
            if found:
                found[-1][1].append(line)
            continue
        name, colon, value = line.partition(b":")
        if len(found) == MOST_FIELDS:
            break
        if colon and FIELD.fullmatch(name.rstrip()):
            found.append((name.rstrip().decode("ascii").lower(), [value]))
    kept: Fields = {}
    for name_, lines in found:
        text = b" ".join(line.strip() for line in lines)[:LONGEST_FIELD].decode(errors="replace").strip()
        kept.setdefault(name_, []).append(text)
    return kept


def _pieces(body: bytes, boundary: bytes) -> Iterator[bytes]:
    text, mark = b"\n" + body, b"\n--" + boundary
    begin, at = -1, text.find(mark)
    while at >= 0:
        end = at + len(mark)
        stop = text.find(b"\n", end)
        stop = len(text) if stop < 0 else stop
        rest = text[end:stop].strip()
        if rest not in (b"", b"--"):
            at = text.find(mark, end)  # the boundary is only a prefix of the line
            continue
        if begin >= 0:
            yield text[begin:at]
        if rest:
            return
        begin, at = stop + 1, text.find(mark, stop)
    if begin >= 0:
        yield text[begin:]


ENCODED = re.compile(r"=\?([A-Za-z0-9-]{1,30})(?:\*[^?]{0,20})?\?([bBqQ])\?([^?\s]{0,800})\?=")
BETWEEN_ENCODED = re.compile(r"(\?=)\s+(?==\?)")


def words_of(field: str) -> str:
    """Decode RFC 2047 encoded words; undecodable ones stay."""
    return ENCODED.sub(_decoded_word, BETWEEN_ENCODED.sub(r"\1", field))


def _decoded_word(found: re.Match[str]) -> str:
    charset, coding, raw = found.groups()
    data = raw.encode("ascii", "replace")
    return _decoded(_base64(data) if coding in "bB" else binascii.a2b_qp(data, header=True), charset)


def _base64(data: bytes) -> bytes:
    """Decode base64, also without padding or cut off."""
    clean = NOT_BASE64.sub(b"", data)
    clean = clean[: len(clean) - (len(clean) % 4 == 1)]
    return binascii.a2b_base64(clean + b"=" * (-len(clean) % 4))


def _decoded(data: bytes, charset: str, other: str = "utf-8") -> str:
    """Decode; without a known charset as UTF-8, or else as `other`."""
    known = CHARSET.fullmatch(charset) is not None and charset.lower() not in ("ascii", "us-ascii")
    try:
        if known:
            return data.decode(WIDER.get(charset.lower(), charset), errors="replace")
        return data.decode()
    except (LookupError, ValueError):
        return data.decode("utf-8" if known else other, errors="replace")


def leaves(part: Part) -> Iterator[Part]:
    if not part.parts:
        yield part
    for inner in part.parts:
        yield from leaves(inner)


def text(part: Part) -> str:
    """Decoded text of a part, with replacement characters."""
    data, encoding = part.body, part.get("content-transfer-encoding").lower()
    if encoding == "base64":
        data = _base64(data)
    elif encoding == "quoted-printable":
        data = binascii.a2b_qp(data)
    return _decoded(data, part.parameter("charset"), "cp1252" if part.kind.startswith("text/") else "utf-8")
