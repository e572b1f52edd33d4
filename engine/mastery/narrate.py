"""The words of Medieval Mastery: events, questions and choices as sentences, from the message catalogue in `lore`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.asks import Ask, Seat
from engine.mastery import ids
from engine.mastery.pieces import lore_of
from engine.views import Event
from engine.words import Labels, Names, capital, catalogue, counted, name

WORDS = catalogue("engine.mastery", "lore/words.en.toml")
PHRASE = WORDS["phrase"]
SEATS = ("seat", "attacker", "defender", "winner", "loser", "owner", "lord", "rival", "for")


def card_name(id: str | None, names: Names, home: Seat = "") -> str:
    """A card, artefact or tile as people call it."""
    if not id:
        return PHRASE["none"]
    for section in ("kind", "artefact", "tile"):
        if id in WORDS[section]:
            return WORDS[section][id]
    return id


def _amount(n: int, one: str, many: str) -> str:
    return PHRASE[one] if n == 1 else PHRASE[many].format(n=n)


def knights(n: int) -> str:
    """A number of knights."""
    return _amount(n, "knight", "knights")


def points(n: int) -> str:
    """A number of victory points."""
    return _amount(n, "point", "points")


def _list(items: Iterable[str]) -> str:
    *most, last = list(items) or [PHRASE["none"]]
    return PHRASE["and"].format(list=", ".join(most), last=last) if most else last


def _cards(cards: Iterable[str], names: Names) -> str:
    return counted((card_name(c, names) for c in cards), PHRASE["none"])


def place(slot: str, tile: str, defender: str = "") -> str:
    """`Fort (C2)`; a castle by its lord."""
    if tile:
        return f"{WORDS['tile'].get(tile, tile)} ({slot})"
    return f"{PHRASE['castle_of'].format(name=defender)} ({slot})" if defender else slot


def _facts(facts: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """Facts of an event or an ask as words: seats as names (and `Seat` with a capital), cards as lists."""
    words: dict[str, Any] = dict(facts)
    for key in SEATS:
        if isinstance(facts.get(key), str) and facts[key]:
            words[key] = name(facts[key], names)
            words[key.capitalize()] = capital(words[key])
    for key in ("card", "artefact"):
        if isinstance(facts.get(key), str):
            words[key] = card_name(facts[key], names)
    if isinstance(facts.get("cards"), list):
        words["cards"] = _cards(facts["cards"], names)
    if isinstance(facts.get("artefacts"), list):
        words["artefacts"] = _list(card_name(a, names) for a in facts["artefacts"])
    if isinstance(facts.get("tile"), str):
        words["place"] = place(str(facts.get("slot", "")), facts["tile"], words.get("defender", ""))
        words["tile"] = card_name(facts["tile"], names)
    if isinstance(facts.get("scores"), list):
        words["scores"] = "–".join(str(s) for s in facts["scores"])
    return words


KNIGHTS = frozenset(("gained", "attacked", "advanced", "killed", "cut_off"))
"""Events whose count is of knights."""


def tell(event: Event, names: Names, reader: Seat | None) -> str:
    """An event as a sentence; nothing for what needs no words."""
    facts, kind = event.facts, event.kind
    words = _facts(facts, names)
    if kind in KNIGHTS:
        words["count"] = knights(facts["count"])
    if kind in ("conquered", "won"):
        words["points"] = points(facts["points"])
    match kind:
        case "seated":
            words["order"] = ", ".join(name(s, names) for s in facts["order"])
        case "gained":
            kind = f"gained_{facts['why']}"
            lost = facts["lost"]
            words["lost"] = PHRASE["lost" if lost == 1 else "lost_many"].format(knights=knights(lost)) if lost else ""
        case "drew" | "authority" | "insight":
            words["count"] = _amount(facts["count"], "card_one", "cards")
            words["under"] = PHRASE["under"] if facts.get("under") else ""
        case "insight_own":
            words["cards"] = ", ".join(card_name(c, names) for c in facts["cards"]) or PHRASE["none"]
            words["under"] = PHRASE["under"] if facts["under"] else ""
        case "swallowed" if not facts["left"]:
            kind = "swallowed_last"
        case "redistributed":
            words["changed"] = ", ".join(f"{slot} {n}" for slot, n in facts["changed"].items())
            words["castle"] = knights(facts["castle"])
        case "crown":
            words["aim"] = _aim(facts, names)
        case "score":
            kind = f"score_{facts['why']}"
        case "arena":
            words["a"], words["d"] = facts["rolls"]
            words["losers"] = _list(name(s, names) for s in facts["losers"])
        case "conflict":
            words["shown"] = "; ".join(_shown(facts, i, names) for i in range(2))
        case "mayhem":
            words["rolls"] = ", ".join(str(r) for r in facts["rolls"])
            words["dead"] = knights(facts["dead"])
            kind = "mayhem" if facts["dead"] else "mayhem_none"
        case "retreated":
            words["lost"], words["retreat"] = knights(facts["lost"]), knights(facts["retreat"])
            kind = "retreated" if facts["lost"] and facts["retreat"] else f"retreated_{'none' if facts['lost'] else 'all'}"
        case "won":
            words["seats"] = _list(name(s, names) for s in facts["seats"])
            kind = f"won_{facts['how']}" + ("_team" if len(facts["seats"]) > 1 else "")
    return WORDS["event"][kind].format(**words)


def _aim(facts: Mapping[str, Any], names: Names) -> str:
    if facts["target"]:
        return PHRASE["aim_artefact"].format(artefact=card_name(facts["target"], names), owner=name(facts["owner"], names))
    if facts["lord"]:
        return PHRASE["aim_lord"].format(name=name(facts["lord"], names))
    return PHRASE["aim_card"].format(card=card_name(facts["card"], names)) if facts["card"] else ""


def _shown(facts: Mapping[str, Any], i: int, names: Names) -> str:
    seat, card = facts["seats"][i], facts["cards"][i]
    rolls = [str(value) for who, value in facts["rolls"] if who == seat]
    shown = card_name(card, names) if card else PHRASE["no_card"]
    return f"{name(seat, names)} {shown}" + (f" ({rolls[0]})" if rolls else "")


def chapter(event: Event) -> str:
    """A round of turns is a chapter of the journal."""
    opens = event.kind == "turn" and event.facts["opens"]
    return PHRASE["round"].format(number=event.facts["round"]) if opens else ""


def title_of(ask: Ask, names: Names) -> str:
    """The question of an ask."""
    kind, words = ask.kind, _facts(ask.about, names)
    if kind == "discard":
        kind = f"discard_{ask.about['why']}"
    if kind == "fracture":
        owners = ask.about["owners"]
        assert isinstance(owners, dict)
        words["aims"] = " / ".join(f"{card_name(a, names)} ({name(s, names)})" for a, s in owners.items())
    if kind == "early":
        words["points"] = points(int(words["points"]))
    return WORDS["ask"][kind].format(**words)


def option_label(ask: Ask, option: str, names: Names) -> str:
    """An option of an ask."""
    if option == "keep" and ask.kind == "discard":
        return WORDS["option"]["keep_discard"]
    return WORDS["option"][option].format(crown=card_name(str(ask.about.get("crown", "")), names))


def field_label(ask: Ask, option: str, field: str, names: Names) -> str:
    """A field of an option."""
    words = WORDS["field"]
    asked, aims = ids.read_field(field), ask.about.get("aims")
    if asked.kind == "in":
        tiles = ask.about.get("tiles")
        return words["in"].format(place=place(asked.of, tiles.get(asked.of, "") if isinstance(tiles, dict) else ""))
    if asked.kind == "without" and isinstance(aims, list):
        gone = next(aim for aim in aims if ids.without(aim) == field)
        return words["without"].format(artefact=card_name(gone, names))
    if field == "first" and isinstance(aims, list):
        return words["first" if len(aims) > 1 else "first_only"]
    if ask.kind == "arrange":
        return words["order"]
    return words[field]


def choice_label(ask: Ask, option: str, field: str, choice: str, names: Names) -> str:
    """A choice of a field."""
    if choice in WORDS["choice"]:
        return WORDS["choice"][choice]
    if field == "lord":
        return name(choice, names)
    if field == "target":
        tiles, castles = ask.about["tiles"], ask.about["castles"]
        assert isinstance(tiles, dict) and isinstance(castles, dict)
        return capital(place(choice, tiles.get(choice, ""), name(castles[choice], names) if choice in castles else ""))
    owners = ask.about.get("owners")
    if isinstance(owners, dict) and choice in owners:
        return f"{card_name(choice, names)} ({name(owners[choice], names)})"
    return card_name(choice, names)


def options_told(options: Mapping[str, Any]) -> list[str]:
    """The optional rules of a header, a sentence each; nothing for the base game."""
    words, rules = WORDS["variant"], options.get("rules", [])
    victory = lore_of(str(options.get("own", ""))).victory
    size, skirmish = options.get("allegiance", 0), "skirmish" in rules
    told = []
    if size:
        target = victory["allegiance_with_skirmish" if skirmish else "allegiance"][f"team_of_{size}"]
        told.append(words["allegiance"].format(size=size, target=target))
    for rule in rules:
        if rule == "skirmish" and size:
            continue
        told.append(words[rule].format(target=victory["skirmish"]["individual"]))
    if options.get("seating") == "fixed":
        told.append(words["fixed"])
    if options.get("own"):
        told.append(words["own"].format(mark=str(options.get("data", ""))[:12]))
    return told


LABELS = Labels(title_of, option_label, field_label, choice_label)
