"""Wording of Ortus: events, asks and choices, from its catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from engine.core.asks import Ask, Seat
from engine.core.views import Event
from engine.language import words as kernel
from engine.language.i18n import Late
from engine.language.words import NOBODY, Catalogue, Names, addressed, seat_ways
from engine.ortus.rules.pieces import VIKINGS, Id, parse
from engine.text.labels import Labels, questions, shortened


def name(seat: str, names: Names) -> str:
    return WORDS.text("phrase", "vikings") if seat == VIKINGS else kernel.name(seat, names)


WORDS = Catalogue("engine.ortus", forms=seat_ways(name))


def card_name(card: str | None, names: Names, home: Seat = "", n: int = 1, counted: bool = False) -> str:
    """`n` equal cards, with the owner if not `home`. `counted`: write the number even for one."""
    if not card:
        return WORDS.text("phrase", "none")
    told = parse(card)
    words = WORDS.first("kind", told.kind, facts={"n": n}) or told.kind
    if counted and n == 1:
        words = WORDS.text("phrase", "single", {"what": words})
    if home and told.owner and told.owner != home:
        form = "counted" if counted or n > 1 else "bare"
        return WORDS.text("phrase", "foreign", {"kind": words, "owner": told.owner, "form": form}, names)
    return words


def a_card(card: str | None, names: Names, home: Seat, article: str = "article") -> str:
    """A card with an article, or its owner's name."""
    said, owner = card_name(card, names, home), parse(card or "").owner
    if not card or (owner and owner != home):
        return said
    return WORDS.text("phrase", article, {"kind": parse(card).kind, "what": said})


def cards_told(cards: Iterable[str], names: Names, home: Seat = "") -> str:
    """Cards in a sentence: `2 Knights, a Vassal and an Intrigue`."""
    said = [card_name(card, names, home, n) if n > 1 else a_card(card, names, home) for card, n in Counter(cards).items()]
    return WORDS.listed("and", said)


def card_list(cards: Iterable[str], names: Names, home: Seat = "") -> str:
    """Counted cards: `2 Knights, Vassal`; a mapping numbers single ones too."""
    counted = isinstance(cards, Mapping)
    return WORDS.listed("comma", [card_name(card, names, home, n, counted) for card, n in Counter(cards).items()])


SEATS = ("seat", "target", "attacker", "defender", "captor", "loser", "king", "starter", "actor")


def _facts(facts: Mapping[str, Any], names: Names) -> dict[str, Any]:
    words: dict[str, Any] = dict(facts)
    # In an attack `home` is the attacker, for every reader.
    home = str(facts.get("loser") or facts.get("seat") or facts.get("attacker") or facts.get("defender") or "")
    for key in ("card", "lord"):
        if key in facts:
            words[key] = Late(partial(card_name, facts[key], names, home))
            words[f"a_{key}"] = Late(partial(a_card, facts[key], names, home))
            words[f"the_{key}"] = Late(partial(a_card, facts[key], names, home, "the"))
    if isinstance(facts.get("cards"), list):
        words["cards"] = Late(partial(cards_told, facts["cards"], names, home))
        words.setdefault("n", len(facts["cards"]))
    return words


def tell(event: Event, names: Names, reader: Seat | None) -> str:
    facts, names = event.facts, addressed(names, reader)
    kind = f"{event.kind}_bare" if "bare" in facts else event.kind
    words = _facts(facts, names)
    words.setdefault("drew", "none")
    match kind:
        case "monastery" | "properties_stolen":
            words["cards"] = Late(partial(cards_told, facts["cards"], names, str(facts["target"])))
        case "prize" if "prizes" in facts:
            kind = "prizes"
            words["prizes"] = [{"a_card": a_card(p["card"], names, p["loser"]), "loser": p["loser"]} for p in facts["prizes"]]
        case "installed" if facts["bumped"]:
            kind = "installed_over"
            words["bumped"] = Late(partial(a_card, facts["bumped"], names, str(facts["seat"])))
        case "raided" | "raided_bare" | "towers_fell" | "hand_damaged" if not facts["cards"]:
            kind = f"{kind}_none"
        case "garrisoned":
            words["slot"] = parse(str(facts["slot"])).where
        case "tilters":
            words["hands"] = _shown(((s, [c]) for s, c in zip(facts["seats"], facts["cards"], strict=True)), names)
        case "joust_hands":
            words["hands"] = _shown(facts["hands"].items(), names)
        case "sudden_death":
            words["hands"] = _shown(((s, [c]) for s, c in facts["cards"].items()), names)
        case "vassal":
            told = parse(str(facts["id"]))
            words |= {"where": told.where, "fief": told.number, "a_card": a_card(told.card, names, str(facts["seat"]))}
        case "struggle_over":
            words["result"] = "won" if facts["won"] else "lost"
        case "church_decided":
            words["result"] = WORDS.text("kind", facts["result"], {"n": 1})
    return WORDS.text("event", kind, words, names)


DRAWN = {"card_drawn": "open", "card_drawn_closed": "closed", "card_drawn_own": "own"}
SUCCEEDED = frozenset((
    "assassinated", "prince_slain", "hand_damaged", "mercenary_removed", "mercenary_stolen", "properties_stolen",
    "armies_stolen", "armies_stolen_own",
))  # fmt: skip
UNRESISTED = frozenset(("held", "raided", "fell"))
RECRUITED = {"army_drawn": "open", "army_drawn_own": "own"}


def merge(one: Event, then: Event) -> Event | None:
    """Merge events told by one sentence: a Banquet and its cards, an unresisted attack and its end, a Joust's prizes."""
    first, facts = one.facts, then.facts
    if one.kind == "no_allies" and then.kind in SUCCEEDED:
        return then
    if first.get("seat") != facts.get("seat"):
        return None
    if one.kind == "undefended" and then.kind in UNRESISTED:
        return Event(then.kind, {**facts, "bare": True})
    if one.kind == then.kind and one.kind in ("towers", "towers_own"):
        more = {"cards": [*first["cards"], *facts["cards"]]} if "cards" in facts else {}
        return Event(then.kind, {**facts, "count": first["count"] + facts["count"], **more})
    if one.kind == then.kind == "prize":
        return Event("prize", {**facts, "prizes": [*first.get("prizes", [first]), facts]})
    if one.kind == "banquet" and then.kind in DRAWN:
        cards = [*first.get("cards", ()), *([facts["card"]] if "card" in facts else [])]
        return Event("banquet", {**facts, "drew": DRAWN[then.kind], "n": first.get("n", 0) + 1, "cards": cards})
    if one.kind == "recruited" and then.kind in RECRUITED:
        return Event("recruited", {**facts, "drew": RECRUITED[then.kind]})
    return None


OF_TOWERS = frozenset(("towers", "towers_own", "towers_fell"))
OF_RESERVE = frozenset(("army_drawn", "army_drawn_own", "recruited", "levied"))


def places(event: Event) -> Iterator[str]:
    """Board places: `b:F2`, `b:towers`, the Reserve."""
    facts = event.facts
    whose = next((facts[of] for of in ("defender", "target", "seat") if isinstance(facts.get(of), str)), "")
    number = facts.get("fief") or (
        facts.get("number") if event.kind == "politics" and facts.get("aim") in ("lord", "properties") else 0
    )
    if number:
        yield f"{whose}:F{number}"
    elif event.kind in OF_TOWERS or (event.kind == "attack" and facts.get("what") == "tower"):
        yield f"{whose}:towers"
    elif event.kind in OF_RESERVE:
        yield f"{whose}:reserve"


def _shown(hands: Iterable[tuple[Seat, list[str]]], names: Names) -> list[dict[str, str]]:
    return [{"seat": seat, "cards": card_list(cards, names)} for seat, cards in hands]


def chapter(event: Event) -> str:
    return WORDS.text("phrase", "round", {"number": event.facts["number"]}) if event.kind == "round" else ""


def _asked(ask: Ask, names: Names) -> tuple[str, dict[str, Any]]:
    """Key, and facts as words; `you` is the fact naming the asked seat."""
    kind = ask.kind
    if kind == "defender_hits":
        field = ask.options[0].fields[0].name
        kind = kind if field == "cards" else f"defender_{field}"
    if kind == "deck" and ask.about:
        kind = "deck_role"
    you = next((fact for fact in SEATS if ask.about.get(fact) == ask.seat), "")
    return kind, _facts(ask.about, names) | {"you": you, "battle": you}


title_of, heading_of, subject_of = questions(WORDS, _asked)


def choice_label(ask: Ask, option: str, field: str, choice: str, names: Names) -> str:
    told = parse(choice)
    if ask.kind == "variant":
        return _variant(field, choice, names)
    if field == "towers":
        faces = ask.about["towers"]
        assert isinstance(faces, list)
        return _choice("tower", told, card=card_name(faces[told.number - 1], names, ask.seat))
    if choice == "yes":
        return _choice("yes", told)
    if field in ("target", "aim"):
        return _aim_label(ask, told, names) if told.seat else name(choice, names)
    return _held_label(ask, field, choice, told, names)


ATTACKED = {"siege": "siege", "raid": "raid", "tower": "towers", "canterbury": "canterbury"}


def _aim_label(ask: Ask, told: Id, names: Names) -> str:
    known = _known(ask, told, told.seat, names)
    key = ATTACKED.get(told.where, "aim")
    return _choice(f"{key}_of" if known else key, told, names, target=told.seat, known=known)


def _held_label(ask: Ask, field: str, choice: str, told: Id, names: Names) -> str:
    if choice == "king":
        return card_name("King", names)
    if choice == "royal":
        return _choice("royal_slot", told)
    known = _known(ask, told, ask.seat, names) if told.number and not told.card else ""
    if known:
        return _choice(f"{told.where or 'fief'}_of", told, known=known) + _price(ask, field, told)
    card = card_name(told.card, names, ask.seat)
    if told.where in ("reserve", "royal", "force"):
        card = card_name(told.card, names)
    if told.where:
        return _choice(told.where, told, card=card)
    if told.number:
        return _choice("holding" if told.card else "fief", told, card=card)
    return _choice("copy", told, card=card) if told.copy > 1 else card


def _known(ask: Ask, told: Id, seat: Seat, names: Names) -> str:
    """Name behind a number: Lord, Anchor or garrison."""
    lies = ask.about.get("lies")
    if not isinstance(lies, dict):
        return ""
    if told.where in ("mercenary", "garrison"):
        garrison = lies.get(f"{seat}:M{told.number}")
        return "" if garrison is None else card_name(garrison, names) if garrison else WORDS.text("phrase", "no_garrison")
    key = f"{seat}:F{told.number}" + (".lord" if told.where == "lord" else "")
    return card_name(lies[key], names, seat) if key in lies else ""


def _price(ask: Ask, field: str, told: Id) -> str:
    """What a staked or paid Anchor also costs."""
    lies = ask.about.get("lies")
    if field not in ("ante", "payments", "holding") or told.where or not isinstance(lies, dict):
        return ""
    anchors = [key for key in lies if key.startswith(f"{ask.seat}:F") and "." not in key]
    if len(anchors) == 1 and field != "payments":
        return WORDS.text("phrase", "last_anchor")
    return WORDS.text("phrase", "loaded") if f"{ask.seat}:F{told.number}.load" in lies else ""


def _variant(field: str, choice: str, names: Names) -> str:
    if field == "roles":
        return WORDS.text("choice", f"role_{choice}")
    return WORDS.text("choice", "seat", {"seat": name(choice, names)}) if len(choice) == 1 else WORDS.text("option", choice)


def _choice(key: str, told: Id, names: Names = NOBODY, **words: str) -> str:
    return WORDS.text("choice", key, {"number": told.number, "copy": told.copy, "aim": told.where, **words}, names)


LABELS = Labels(
    title=title_of,
    option=lambda _ask, option, _names: WORDS.text("option", option),
    field=lambda _ask, _option, field, _names: WORDS.text("field", field),
    choice=choice_label,
    heading=heading_of,
    public=subject_of,
    short=shortened(WORDS),
)
