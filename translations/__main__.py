"""Gathers the messages of the source in `writ.pot`, brings the catalogues of all languages up to it, and checks them.

`python -m translations` does all of it (that is `make words`); with the name of a language it begins a catalogue for that one.
"""

from __future__ import annotations

import io
import re
import string
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from babel.core import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_keywords, parse_mapping_cfg
from babel.messages.pofile import read_po, write_po

HERE = Path(__file__).parent
ROOT = HERE.parent
TEMPLATE = HERE / "writ.pot"
KEYWORDS = ("_", "gettext", "ngettext:1,2", "sentence", "nsentence:1,2", "mark")
"""Functions whose literals are messages; see `service.common.i18n` and `service.common.messages`."""
HINT = "Translators:"
"""What a comment for translators begins with."""
HEAD = """# Messages of Writ. Made by `make words`; don't change it by hand.
msgid ""
msgstr ""
"Project-Id-Version: Writ\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""
FACT = re.compile(r"%\((\w+)\)[a-z]")
STRAY = re.compile(r"%(?!\(\w+\)s|%)")
"""A percent sign that would be read as the beginning of a fact."""


# --- gathering --------------------------------------------------------------------------------------------------------


def gathered() -> Catalog:
    """The messages of the source, in the order of its files."""
    with (ROOT / "babel.cfg").open() as file:
        ways, options = parse_mapping_cfg(file)  # type: ignore[no-untyped-call]  # Babel has no types there
    found = Catalog()
    folders = sorted({way.partition("/")[0] for way, _ in ways})
    for folder in folders:
        own = [(way.removeprefix(f"{folder}/"), kind) for way, kind in ways if way.startswith(f"{folder}/")]
        inner = {way.removeprefix(f"{folder}/"): given for way, given in options.items()}
        messages = extract_from_dir(ROOT / folder, own, inner, parse_keywords(KEYWORDS), [HINT], strip_comment_tags=True)
        for name, line, message, comments, _ in sorted(messages, key=lambda m: (m[0], m[1])):
            found.add(message, locations=[(f"{folder}/{name}", line)], auto_comments=comments)
    return found


def as_text(catalogue: Catalog) -> str:
    """The text of `writ.pot`: nothing in it changes unless messages or their files do."""
    return HEAD + _written(catalogue, omit_header=True, sort_by_file=True)


def _written(catalogue: Catalog, **how: bool) -> str:
    file = io.BytesIO()
    write_po(file, catalogue, width=120, include_lineno=False, **how)
    return file.getvalue().decode()


def update(path: Path, template: Catalog) -> bool:
    """Bring a language's catalogue up to the messages of the source; whether that changed anything."""
    before, kept = path.read_text("utf-8"), _read(path)
    made_at = kept.creation_date
    kept.update(template, no_fuzzy_matching=False)
    kept.creation_date = made_at
    after = _written(kept, ignore_obsolete=True, sort_by_file=True)
    path.write_text(after, "utf-8")
    return after != before


def begin(language: str, template: Catalog) -> Path:
    """Begin a catalogue for a language. Raises UnknownLocaleError for one that there isn't, FileExistsError if it is begun."""
    locale = Locale.parse(language, sep="-")
    fresh = Catalog(locale, header_comment=f"# Words of Writ: {locale.english_name}.\n#", project="Writ", fuzzy=False)
    for message in template:
        if message.id:
            fresh.add(message.id, locations=message.locations, auto_comments=message.auto_comments)
    path = HERE / f"{language}.po"
    with path.open("x", encoding="utf-8") as file:
        file.write(_written(fresh, sort_by_file=True))
    return path


def _read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.stem.replace("-", "_"))


# --- checking ---------------------------------------------------------------------------------------------------------


def faults_of_source(catalogue: Catalog) -> Iterator[str]:
    """What is wrong with messages of the source."""
    for message in catalogue:
        texts = _texts(message.id)
        where = message.locations[0][0] if message.locations else "?"
        if any(FACT.search(text) and STRAY.search(text) for text in texts):
            yield f"{where}: “{texts[0]}” has a percent sign beside its facts; write it as %%."
        if any(_facts(text) - _facts(texts[-1]) for text in texts):
            yield f"{where}: “{texts[0]}” has facts that its plural lacks."


def faults(path: Path) -> Iterator[str]:
    """What is wrong with the catalogue of a language: facts that the message doesn't have, or that got lost; bad plurals."""
    catalogue = _read(path)
    for message in catalogue:
        said = [text for text in _texts(message.string) if text]
        if not message.id or not said or message.fuzzy:
            continue
        for problem in message.check(catalogue):
            yield f"{path.name}: “{_texts(message.id)[0]}”: {problem}"
        yield from (f"{path.name}: {problem}" for problem in _lost(message, said))


def _lost(message: Message, said: list[str]) -> Iterator[str]:
    wanted = set().union(*map(_facts, _texts(message.id)))
    # The number itself may be left out: “one seat”.
    for text in said:
        if _facts(text) - wanted or wanted - _facts(text) - ({"num"} if len(said) > 1 else set()):
            yield f"“{_texts(message.id)[0]}” has the facts {sorted(wanted)}, its translation {sorted(_facts(text))}."
        if wanted and STRAY.search(text):
            yield f"“{text}” has a percent sign beside its facts; write it as %%."


def faults_of_lore() -> Iterator[str]:
    """What is wrong with the games' own words, `lore/NAME.LANG.toml`: entries and facts that the English file doesn't have."""
    for path in sorted((ROOT / "engine").glob("**/lore/*.*.toml")):
        name, language = path.stem.rsplit(".", 1)
        if language == "en":
            continue
        english = tomllib.loads(path.with_name(f"{name}.en.toml").read_text("utf-8"))
        for section, entries in tomllib.loads(path.read_text("utf-8")).items():
            for key, entry in entries.items():
                known = english.get(section, {}).get(key)
                if known is None:
                    yield f"{path.relative_to(ROOT)}: {section}.{key} is no entry of {name}.en.toml."
                elif strange := _slots(entry) - _slots(known):
                    yield f"{path.relative_to(ROOT)}: {section}.{key} has facts that the English one lacks: {sorted(strange)}."


def _slots(entry: Any) -> set[str]:
    if isinstance(entry, dict):
        return set().union({entry["by"]} if "by" in entry else {"n"}, *map(_slots, entry.values()))
    return {fact for _, fact, _, _ in string.Formatter().parse(str(entry)) if fact}


def _texts(given: str | Iterable[str] | None) -> list[str]:
    return [given] if isinstance(given, str) else list(given or ())


def _facts(text: str) -> set[str]:
    return set(FACT.findall(text))


# --- the command ------------------------------------------------------------------------------------------------------


def catalogues() -> list[Path]:
    """The catalogues of all languages."""
    return sorted(HERE.glob("*.po"))


def main(languages: list[str]) -> int:
    """Gather, bring up to date, check. Says what there is, and gives 1 where something is wrong."""
    template = gathered()
    TEMPLATE.write_text(as_text(template), "utf-8")
    for language in languages:
        print(f"{begin(language, template).relative_to(ROOT)} is there, with nothing said in it yet.")
    found = [*faults_of_source(template), *faults_of_lore()]
    for path in catalogues():
        update(path, template)
        done = [m for m in _read(path) if m.id]
        said = sum(all(_texts(m.string)) and not m.fuzzy for m in done)
        print(f"{path.relative_to(ROOT)}: {said} of {len(done)} messages are said, {sum(m.fuzzy for m in done)} are guesses.")
        found += faults(path)
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{TEMPLATE.relative_to(ROOT)}: {len(template)} messages.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
