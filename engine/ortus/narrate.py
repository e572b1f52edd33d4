"""The words of Ortus Regni: events, questions and choices as sentences, from the message catalogue in `lore`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine import words as kernel
from engine.asks import Ask, Seat
from engine.ortus.pieces import VIKINGS
from engine.views import Event
from engine.words import Labels, Names, capital

WORDS = kernel.catalogue("engine.ortus", "lore/words.en.toml")
PHRASE = WORDS["phrase"]


def name(seat: str, names: Names) -> str:
    """A seat's name; the Vikings have one too."""
    return PHRASE["vikings"] if seat == VIKINGS else kernel.name(seat, names)


def card_name(card: str | None, names: Names, home: Seat = "") -> str:
    """A card as people call it; the owner is added where he is not `home`."""
    if not card:
        return PHRASE["none"]
    what, slash, owner = card.partition("/")
    words = WORDS["kind"].get(what, what)
    if slash and home and owner != home:
        return PHRASE["foreign"].format(kind=words, owner=name(owner, names))
    return words


def card_list(cards: Iterable[str], names: Names, home: Seat = "") -> str:
    """Cards as a list in words, like ones counted: `2 Knight, Vassal`."""
    return kernel.counted((card_name(c, names, home) for c in cards), PHRASE["none"])


def _aim(facts: Mapping[str, Any], names: Names) -> str:
    return PHRASE["aim_" + str(facts["aim"])].format(number=facts.get("number"), target=name(str(facts["target"]), names))


def _attack(facts: Mapping[str, Any], names: Names) -> str:
    return PHRASE[str(facts["what"])].format(fief=facts.get("fief"), defender=name(str(facts["defender"]), names))


SEATS = ("seat", "target", "attacker", "defender", "captor", "loser", "king", "starter", "actor")


def _facts(facts: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """Facts of an event or an ask as words: seats as names (and `Seat` with a capital), cards as lists."""
    words: dict[str, Any] = dict(facts)
    home = str(facts.get("seat") or facts.get("defender") or "")
    for key in SEATS:
        if isinstance(facts.get(key), str):
            words[key] = name(facts[key], names)
            words[key.capitalize()] = capital(words[key])
    for key in ("card", "lord"):
        if key in facts:
            words[key] = card_name(facts[key], names, home)
    if isinstance(facts.get("cards"), list):
        words["cards"] = card_list(facts["cards"], names, home)
    if "aim" in facts:
        words["aim"] = _aim(facts, names)
    if "what" in facts and "defender" in facts:
        words["attack"] = _attack(facts, names)
    return words


def tell(event: Event, names: Names, reader: Seat | None) -> str:
    """An event as a sentence."""
    facts, kind = event.facts, event.kind
    words = _facts(facts, names)
    home = str(facts.get("seat", ""))
    match kind:
        case "monastery":
            words["cards"] = card_list(facts["cards"], names, str(facts["target"]))
        case "prize":
            words["card"] = card_name(facts["card"], names, str(facts["loser"]))
        case "installed":
            words["bumped"] = f" ({card_name(facts['bumped'], names, home)} leaves)" if facts["bumped"] else ""
        case "garrisoned":
            words["slot"] = PHRASE["slot_" + str(facts["slot"]).partition(":")[0]]
        case "anted":
            words["tilts"] = PHRASE["tilts_" + str(facts["tilts"])].format(lord=card_name(facts["lord"], names, home))
        case "tilters":
            pairs = zip(facts["seats"], facts["cards"], strict=True)
            words["tilters"] = "; ".join(f"{name(s, names)}: {card_name(c, names)}" for s, c in pairs)
        case "joust_hands":
            words["hands"] = "; ".join(f"{name(s, names)}: {card_list(c, names)}" for s, c in facts["hands"].items())
        case "sudden_death":
            words["hands"] = "; ".join(f"{name(s, names)}: {card_name(c, names)}" for s, c in facts["cards"].items())
        case "vassal":
            words["vassal"] = vassal_name(str(facts["id"]), names, home)
        case "struggle_over":
            words["result"] = f"{words['seat'] if facts['won'] else words['target']} prevails"
        case "removed":
            kind = f"removed_{facts['how']}"
        case "church_decided":
            words["result"] = WORDS["kind"][facts["result"]]
    return WORDS["event"][kind].format(**words)


def chapter(event: Event) -> str:
    """A Round is a chapter of the journal."""
    return PHRASE["round"].format(number=event.facts["number"]) if event.kind == "round" else ""


def vassal_name(id: str, names: Names, home: Seat) -> str:
    """A committed Vassal in words."""
    by, _, rest = id.partition(":")
    return f"{card_name(rest, names, home)} from the Hand" if by == "hand" else f"the Vassal Lord of Fief {rest[1:]}"


def title_of(ask: Ask, names: Names) -> str:
    """The question of an ask."""
    kind = ask.kind
    if kind == "turn" and ask.about.get("action_used"):
        kind = "turn_used"
    if kind == "defender_hits":
        field = ask.options[0].fields[0].name
        kind = kind if field == "cards" else f"defender_{field}"
    return WORDS["ask"][kind].format(**_facts(ask.about, names))


def option_label(ask: Ask, option: str, names: Names) -> str:
    """An option of an ask."""
    return WORDS["option"][option]


def field_label(ask: Ask, option: str, field: str, names: Names) -> str:
    """A field of an option."""
    return WORDS["field"][field]


def choice_label(ask: Ask, option: str, field: str, choice: str, names: Names) -> str:
    """A choice, by the form of its id."""
    head, colon, rest = choice.partition(":")
    number = choice.partition("+")[2]
    again = f" ({number})" if number else ""
    if field == "towers":
        faces = ask.about["towers"]
        assert isinstance(faces, list)
        return f"Tower {choice[1:]}: {card_name(faces[int(choice[1:]) - 1], names, ask.seat)}"
    if choice == "yes":
        return "Yes, I concede"
    if field in ("target", "aim") and colon:
        return capital(_target(head, rest, names))
    if field == "target":
        return name(choice, names)
    if head == "lord":
        return f"Lord of Fief {rest[1:]}"
    if head == "hand":
        return f"{card_name(rest, names, ask.seat)} from the Hand"
    if head in ("reserve", "royal", "force"):
        where = {"reserve": "Reserve", "royal": "Royal Army", "force": "Vikings"}[head]
        return f"{card_name(rest, names)} ({where})"
    if head == "mercenary":
        return f"Mercenary {rest}"
    if head == "garrison":
        return f"Garrison of Mercenary {rest}"
    if head == "new":
        return f"The new Fief of the {card_name(rest, names, ask.seat)}"
    if choice == "king":
        return WORDS["kind"]["King"]
    if choice == "royal":
        return capital(PHRASE["slot_royal"])
    if choice[0] == "F" and choice[1:2].isdigit():
        fief, _, card = choice.partition(".")
        return f"{card_name(card, names, ask.seat)} of Fief {fief[1:]}" if card else f"Fief {fief[1:]}"
    return card_name(choice.partition("+")[0], names, ask.seat) + again


def _target(head: str, rest: str, names: Names) -> str:
    seat, _, where = rest.partition(":")
    who = name(seat, names)
    match head:
        case "siege":
            return f"siege of Fief {where[1:]} of {who}"
        case "raid":
            return f"raid on Fief {where[1:]} of {who}"
        case "tower":
            return f"attack on the Towers of {who}"
        case "mercenary":
            return PHRASE["aim_mercenary"].format(number=where, target=who)
        case _:
            return PHRASE["aim_" + head].format(number=where.removeprefix("F"), target=who)


LABELS = Labels(title_of, option_label, field_label, choice_label)
