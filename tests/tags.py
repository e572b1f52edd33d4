"""HTML read as `html.parser` reads it, in a part of its time: tests read thousands of pages, and each has hundreds of tags.

It knows what stands on Writ's pages: values in double quotes, comments, scripts and styles. From whatever else it meets, the
rest of the page is read by `html.parser` itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from html.parser import HTMLParser

GIVEN = re.compile(r"\s+([^\s\"'<>/=]+)(?:=\"([^\"]*)\")?")
TAG = re.compile(r"<(?:([a-zA-Z][\w:-]*)((?:\s+[^\s\"'<>/=]+(?:=\"[^\"]*\")?)*)\s*(/?)>|/([a-zA-Z][\w:-]*)\s*>)")
ASIDE = re.compile(r"<!--.*?-->|<!doctype html>", re.DOTALL | re.IGNORECASE)


@lru_cache(1 << 14)
def pairs(given: str) -> list[tuple[str, str | None]]:
    """The names and values of a tag; the same list for the same text, so that nobody may change it."""
    return [(m[1].lower(), unescape(m[2]) if m[2] is not None else None) for m in GIVEN.finditer(given)]


class Tags(HTMLParser):
    """Calls `handle_starttag`, `handle_endtag` and `handle_data` as `HTMLParser` does for a whole page."""

    def feed(self, html: str) -> None:
        """Read the page."""
        at = 0
        while (begin := html.find("<", at)) >= 0:
            found = TAG.match(html, begin)
            if found is None and (aside := ASIDE.match(html, begin)) is None:
                break
            if begin > at:
                self.handle_data(unescape(html[at:begin]))
            if found is None:
                assert aside is not None
                at = aside.end()
                continue
            at = found.end()
            name, given, alone, ended = found.groups()
            if ended is not None:
                self.handle_endtag(ended.lower())
                continue
            tag = name.lower()
            self.handle_starttag(tag, pairs(given))
            if alone:
                self.handle_endtag(tag)
            elif tag in self.CDATA_CONTENT_ELEMENTS:
                end = html.find(f"</{tag}>", at)
                if end < 0:
                    break
                if end > at:
                    self.handle_data(html[at:end])
                at = end
        if at < len(html):
            super().feed(html[at:])
