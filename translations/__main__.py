"""Extracts all messages to `writ.pot`, updates the PO catalogues of all languages, and checks them.

`python -m translations` does all of it (`make words`); with the name of a language it creates that catalogue. With `--game
PACKAGE` it does the same for an installed game, whose catalogues are `PACKAGE/lore/LANG.po`.
"""

from __future__ import annotations

import argparse
import gettext
import importlib
import io
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from babel.core import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_keywords, parse_mapping_cfg
from babel.messages.pofile import read_po, write_po

from engine.games import GAMES
from engine.language import i18n
from engine.language.i18n import Entry, Miswritten
from engine.language.words import CATALOGUES, Catalogue, Tables
from service.log.characters import CHARACTERS
from translations.examples import example

HERE = Path(__file__).parent
ROOT = HERE.parent
TEMPLATE = HERE / "writ.pot"
KEYWORDS = ("_", "gettext", "ngettext:1,2", "sentence", "nsentence:1,2", "mark")
"""Functions whose literals are messages; see `service.common.i18n` and `service.common.messages`."""
HINT = "Translators:"
"""Prefix of comments for translators."""
HEAD = """# Messages of Writ. Made by `make words`; don't change it by hand.
msgid ""
msgstr ""
"Project-Id-Version: Writ\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""
FIRST = ("templates", "service", "workers")
"""Order of folders in catalogues, by what players read first; then the kernel, then the games."""
STRAY = re.compile(r"%(?!\(\w+\)s|%)")
"""A percent sign that would be parsed as the beginning of a fact."""
Key = tuple[str | None, str]
"""A message's context and English text."""


@dataclass(frozen=True)
class Known:
    """Facts and variants that a translation may have."""

    tables: Tables | None
    """Of a game's message."""
    facts: set[str]
    needed: set[str]

    def compiled(self, text: str, language: str) -> str | Entry:
        return i18n.compiled(text, self.tables.way if self.tables else i18n.no_way, language)


@dataclass
class Source:
    """The messages of the source."""

    catalogue: Catalog = field(default_factory=Catalog)
    known: dict[Key, Known] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def add(
        self,
        ids: tuple[str, ...],
        file: str,
        known: set[str],
        tables: Tables | None = None,
        context: str | None = None,
        hints: Iterable[str] = (),
    ) -> None:
        facts = [i18n.facts_of(text) for text in ids]
        needed = set.union(*facts)
        if len(ids) > 1:  # a number may be omitted: “one seat”
            needed -= known | {"num"}
        shown = example(ids[-1], tables)
        comments = [*hints, *([f"Example: {shown}"] if shown else [])]
        self.catalogue.add(ids if len(ids) > 1 else ids[0], locations=[(file, 0)], auto_comments=comments, context=context)
        self.known.setdefault((context, ids[0]), Known(tables, set.union(known, *facts), needed))


class _Gathered(Tables):
    """Compiles a game's catalogue, and adds its texts to the source."""

    def __init__(self, catalogue: Catalogue, source: Source) -> None:
        self.found = source
        self.file = f"{catalogue.package.replace('.', '/')}/lore/{catalogue.name}.{i18n.ENGLISH}.toml"
        super().__init__(catalogue, i18n.ENGLISH, gettext.NullTranslations())
        for section in ("list", "range"):
            for key, parts in self.raw.get(section, {}).items():
                if isinstance(parts, dict):
                    self.parts(f"{section}.{key}", parts)

    def text(self, english: str, where: str, known: set[str]) -> str | Entry:
        self._add((english,), where, known)
        return super().text(english, where, known)

    def plurals(self, one: str, other: str, where: str, known: set[str]) -> object:  # type: ignore[override]  # `object` is wider than the type that it overrides
        self._add((one, other), where, known)
        return super().plurals(one, other, where, known)

    def _add(self, ids: tuple[str, ...], where: str, known: set[str]) -> None:
        context = f"{self.catalogue.domain}.{where}"
        if any(re.search(r"\w", text) for text in ids) and (context, ids[0]) not in self.found.known:
            self.found.add(ids, self.file, known, self.catalogue.tables(), context)


# --- gathering --------------------------------------------------------------------------------------------------------


def gathered(package: str = "") -> Source:
    """The messages of Writ, or of an installed game's package."""
    found = Source()
    list(GAMES.values())  # loads the games
    if package:
        importlib.import_module(package)
    else:
        _of_service(found)
    for catalogue in sorted(CATALOGUES.values(), key=lambda words: words.domain):
        own = catalogue.package == i18n.OWN or catalogue.package.startswith(f"{i18n.OWN}.")
        own = own and not catalogue.package.startswith(f"{i18n.OWN}.tools.")  # the skeleton is copied, not played
        if catalogue.package.partition(".")[0] == package if package else own:
            _Gathered(catalogue, found)
    return found


def _of_service(found: Source) -> None:
    with (ROOT / "babel.cfg").open() as file:
        ways, options = parse_mapping_cfg(file)  # type: ignore[no-untyped-call]  # Babel has no types there
    for folder in sorted({way.partition("/")[0] for way, _ in ways}, key=FIRST.index):
        own = [(way.removeprefix(f"{folder}/"), kind) for way, kind in ways if way.startswith(f"{folder}/")]
        inner = {way.removeprefix(f"{folder}/"): given for way, given in options.items()}
        messages = extract_from_dir(ROOT / folder, own, inner, parse_keywords(KEYWORDS), [HINT], strip_comment_tags=True)
        for name, _, message, comments, _ in sorted(messages, key=lambda m: (m[0], m[1])):
            texts = _texts(message)
            found.faults += _stray(f"{folder}/{name}", texts)
            found.add(tuple(map(i18n.braced, texts)), f"{folder}/{name}", set(), hints=comments)
    for one in CHARACTERS:
        for line in (one.line, *one.talk.values()):
            found.add(
                (i18n.braced(line),), "service/log/characters.toml", set(), hints=[f"Said of, or by, the bot {one.name}."]
            )


def _stray(where: str, texts: list[str]) -> Iterator[str]:
    if any("%(" in text and STRAY.search(text.replace("%%", "")) for text in texts):
        yield f"{where}: “{texts[0]}” has a percent sign beside its facts; write it as %%."
    one, *many = [i18n.facts_of(i18n.braced(text)) for text in texts]
    if many and one - many[0]:
        yield f"{where}: “{texts[0]}” has facts that its plural lacks."


def as_text(source: Source) -> str:
    """The text of `writ.pot`; changes only with messages or their files."""
    return HEAD + _written(source.catalogue, omit_header=True)


def _written(catalogue: Catalog, **how: bool) -> str:
    for message in catalogue:
        message.flags.discard("python-format")
        # Tools that know this flag, such as msgfmt, would refuse our variants and forms.
        texts = [*_texts(message.id), *_texts(message.string)]
        if any(re.search(r"\{\w+[.:]|\n\[", text) for text in texts):
            message.flags.discard("python-brace-format")
    file = io.BytesIO()
    write_po(file, catalogue, width=120, include_lineno=False, **how)
    return file.getvalue().decode()


def update(path: Path, source: Source) -> bool:
    """Update a language's catalogue from the source; returns whether that changed anything."""
    before, kept = path.read_text("utf-8"), _read(path)
    made_at = kept.creation_date
    kept.update(source.catalogue, no_fuzzy_matching=False)
    kept.creation_date = made_at
    after = _written(kept, ignore_obsolete=True)
    path.write_text(after, "utf-8")
    return after != before


def begin(language: str, source: Source, folder: Path) -> Path:
    """Create a language's catalogue. Raises UnknownLocaleError, or FileExistsError if there is one."""
    locale = Locale.parse(language, sep="-")
    fresh = Catalog(locale, header_comment=f"# Words of Writ: {locale.english_name}.\n#", project="Writ", fuzzy=False)
    for message in source.catalogue:
        if message.id:
            fresh.add(message.id, locations=message.locations, auto_comments=message.auto_comments, context=message.context)
    path = folder / f"{language}.po"
    with path.open("x", encoding="utf-8") as file:
        file.write(_written(fresh))
    return path


def _read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.stem.replace("-", "_"))


# --- checking ---------------------------------------------------------------------------------------------------------


def faults(path: Path, source: Source) -> Iterator[str]:
    """Faults of a language's catalogue: unknown facts, variants, forms and plurals, and missing facts."""
    catalogue, language = _read(path), path.stem
    said = [m for m in catalogue if m.id and any(_texts(m.string)) and not m.fuzzy]
    forms = {v.form for m in said for text in _texts(m.string) for v in i18n.variants(text)} - {""}
    plurals = {*Locale.parse(language, sep="-").plural_form.tags, "other"}
    for message in said:
        where = f"{path.name}:{message.lineno}: “{_texts(message.id)[0]}”{f' ({message.context})' if message.context else ''}"
        known = source.known.get((message.context, _texts(message.id)[0]))
        message.flags.discard("python-format")
        problems = [str(problem) for problem in message.check(catalogue)]
        if known is not None:
            for text in filter(None, _texts(message.string)):
                problems += _wrong(text, known, language, forms, plurals)
        yield from (f"{where}: {problem}." for problem in dict.fromkeys(problems))


def _wrong(text: str, known: Known, language: str, forms: set[str], plurals: set[str]) -> Iterator[str]:
    try:
        yield from i18n.unfit(text, known.facts)
        known.compiled(text, language)
        for form, conditions, words in i18n.variants(text):
            given = {fact for fact, _ in conditions}
            if not form and (lost := known.needed - i18n.facts_of(words) - given):
                yield f"“{words}” lacks the facts {', '.join(sorted(lost))}"
            asked = [fact for _, fact, _ in i18n.pieces(words) if fact] + [*given]
            for strange in sorted({fact.partition(".")[2] for fact in asked} - forms - {""}):
                yield f"no message has a form “{strange}”"
            for strange in sorted({value for _, value in conditions if value in CATEGORIES} - plurals):
                yield f"“{strange}” is no plural of this language, which has {', '.join(sorted(plurals))}"
    except Miswritten as problem:
        yield str(problem)


CATEGORIES = {"zero", "one", "two", "few", "many", "other"}


def _texts(given: str | Iterable[str] | None) -> list[str]:
    return [given] if isinstance(given, str) else list(given or ())


# --- the command ------------------------------------------------------------------------------------------------------


def catalogues(folder: Path | None = None) -> list[Path]:
    """The catalogues of all languages."""
    return sorted((folder or HERE).glob("*.po"))


def main(arguments: list[str]) -> int:
    """Extract, update, check; returns the exit code, 1 for faults."""
    parser = argparse.ArgumentParser(prog="python -m translations")
    parser.add_argument("languages", nargs="*")
    parser.add_argument("--game", default="", metavar="PACKAGE")
    given = parser.parse_args(arguments)
    source = gathered(given.game)
    folder = HERE
    if given.game:
        folder = Path(importlib.import_module(given.game).__path__[0]) / "lore"
    else:
        TEMPLATE.write_text(as_text(source), "utf-8")
    for language in given.languages:
        print(f"{begin(language, source, folder)} is there, with nothing said in it yet.")
    found = list(source.faults)
    for path in catalogues(folder):
        update(path, source)
        done = [m for m in _read(path) if m.id]
        said = sum(all(_texts(m.string)) and not m.fuzzy for m in done)
        print(f"{path}: {said} of {len(done)} messages are said, {sum(m.fuzzy for m in done)} are guesses.")
        found += faults(path, source)
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{len(source.known)} messages.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
