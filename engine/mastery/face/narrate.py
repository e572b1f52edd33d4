"""Wording of Medieval Mastery: events, asks and choices, from its catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from engine.core.asks import Ask, Seat, picks
from engine.core.views import Event
from engine.language.words import Catalogue, Names, addressed, name
from engine.mastery.rules import ids
from engine.mastery.rules.pieces import CALL_TO_ARMS
from engine.text.labels import Labels, questions, shortened

THINGS = ("kind", "artefact", "tile", "castle")
"""Sections of names; a host's own file may have others."""


def _called(id: str, n: int = 1) -> str:
    for section in THINGS:
        if WORDS.has(section, id):
            return WORDS.text(section, id, {"n": n})
    return id if n == 1 else WORDS.text("phrase", "several", {"n": n, "what": id})


def _thing(value: Any, _names: Names) -> Any:
    if isinstance(value, str):
        return _called(value) if value else WORDS.text("phrase", "none")
    return [_called(id) for id in value]


def _counted(value: Any, _names: Names) -> list[str]:
    return [_called(id, n) for id, n in Counter(value).items()]


def _short(value: Any, _names: Names) -> str:
    return WORDS.first("short", value) or str(value)


WORDS = Catalogue("engine.mastery", forms={"thing": _thing, "counted": _counted, "short": _short})


def word(id: str, names: Names, _home: Seat = "") -> str:
    use = ids.read_use(id)
    if use:
        return WORDS.text("use", use)
    return WORDS.first("ability", id) or str(_thing(id, names))


def listed(ids: Iterable[str], _names: Names, _home: Seat = "") -> str:
    """Counted cards, or a tile's abilities."""
    found = list(Counter(ids).elements())
    return WORDS.text("phrase", "abilities" if found and WORDS.has("ability", found[0]) else "pile", {"n": found})


def _place(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Place of an event or ask: `Fort (C2)`, or a lord's castle."""
    slot, tile, lord = facts.get("slot"), facts.get("tile"), facts.get("defender")
    return {"kind": "tile" if tile else "castle" if lord else "slot", "slot": slot, "tile": tile, "lord": lord}


def tell(event: Event, names: Names, reader: Seat | None) -> str:
    kind, facts = event.kind, {**event.facts, "place": _place(event.facts)}
    match kind:
        case "conquered":
            facts.setdefault("marched", 0)
        case "redistributed":
            facts["changed"] = [{"slot": slot, "n": n} for slot, n in facts["changed"].items()]
        case "crown":
            own = facts["lord"] == facts["seat"]
            facts["aim"] = "own" if own else next((aim for aim in ("target", "lord", "card") if facts[aim]), "")
        case "peeked" | "left" | "removed":
            facts["own"] = facts["lord"] == facts["seat"]
        case "arena":
            facts["a"], facts["d"] = facts["rolls"]
            facts["n"] = len(facts["losers"])
        case "conflict":
            rolls = dict(facts["rolls"])
            sides = enumerate(zip(facts["seats"], facts["cards"], strict=True))
            facts["shown"] = [{**_shown(seat, card, rolls), "place": "other" if i else "first"} for i, (seat, card) in sides]
        case "result":
            facts["tie"] = facts["scores"][0] == facts["scores"][1]
        case "retreated":
            facts["way"] = ("both" if facts["retreat"] else "none_left") if facts["lost"] else "all"
        case "won":
            facts["n"] = len(facts["seats"])
    more = next((more for fact, more in MERGED.get(kind, {}).items() if fact in facts), "")
    return WORDS.text("event", kind + more, facts, addressed(names, reader))


MERGED: Mapping[str, Mapping[str, str]] = {
    "attacked": {"scores": "_at"},
    "conflict": {"scores": "_at"},
    "supported": {"scores": "_at"},
    "authority": {"cards": "_own", "drew": "_drew"},
    "drew": {"artefact": "_by_orb"},
    "drew_own": {"artefact": "_by_orb"},
    "killed": {"artefact": "_by_orb"},
    "corrupted": {"crown": "_by_crown"},
    "fractured": {"early": "_early"},
    "sceptre_discard": {"card": "_of"},
}
"""Kind -> fact that `merge` adds -> suffix of its entry."""


def merge(one: Event, then: Event) -> Event | None:
    """Merge events told by one sentence: a march and its conquest, a card and what it brings, an attack and its score."""
    first, facts = one.facts, then.facts
    match one.kind, then.kind:
        case "attacked" | "conflict" | "supported", "score":
            return Event(one.kind, {**first, "scores": facts["scores"]})
        case "orb", "killed":
            return Event("killed", {**facts, "artefact": first["artefact"], "owner": first["seat"]})
        case "sceptre_discard", "lost_card" if first["rival"] == facts["seat"]:
            return Event("sceptre_discard", {**first, "card": facts["card"]})
        case "fractured", "negated" if first["artefact"] == facts["artefact"]:
            return Event("fractured", {**first, "early": True})
        case "support_passed", "result":
            return then
    return _of_one_lord(one, then) if first.get("seat") == facts.get("seat") else None


def _of_one_lord(one: Event, then: Event) -> Event | None:
    first, facts = one.facts, then.facts
    match one.kind, then.kind:
        case "crown", "peeked" | "reclaimed":
            return one
        case ("crown", "corrupted"):
            return Event("corrupted", {**facts, "crown": first["artefact"]})
        case "authority", "drew" | "drew_own":
            return Event("authority", {**facts, "drew": True})
        case "orb", "drew" | "drew_own":
            return Event(then.kind, {**facts, "artefact": first["artefact"]})
        case "orb", "gained" if facts["why"] == "orb":
            return Event("gained", {**facts, "why": "orb_sent", "artefact": first["artefact"]})
        case "advanced", "conquered" if first["slot"] == facts["slot"]:
            return Event("conquered", {**facts, "marched": first["count"]})
        case "turn", "gained" if facts["why"] == "turn":
            return Event("gained", {**facts, "why": "opening", "number": first["number"]})
        case "played", "gained" if first["card"] == CALL_TO_ARMS and facts["why"] == "card":
            return Event("gained", {**facts, "why": "called"})
    return None


def _shown(seat: Seat, card: str, rolls: Mapping[Seat, int]) -> dict[str, Any]:
    kind = "none" if not card else "rolled" if seat in rolls else "card"
    return {"kind": kind, "seat": seat, "card": card, "roll": rolls.get(seat)}


def chapter(event: Event) -> str:
    opens = event.kind == "turn" and event.facts["opens"]
    return WORDS.text("phrase", "round", {"n": event.facts["round"]}) if opens else ""


# --- asks -------------------------------------------------------------------------------------------------------------


def _asked(ask: Ask, _names: Names) -> tuple[str, dict[str, Any]]:
    facts: dict[str, Any] = {**ask.about, "place": _place(ask.about)}
    if ask.kind == "fracture":
        facts.setdefault("what", "crown")  # from an older version
        # A Fracture never breaks an artefact of the lord who plays it.
        aims = [{"artefact": a, "owner": owner} for a, owner in facts["owners"].items()]
        facts["aims"] = [aim for aim in aims if aim["owner"] != ask.seat] or aims
    if ask.kind == "support":
        attacks, ahead = facts["for"] == facts["attacker"], int(facts["own"]) - int(facts["other"])
        facts["rival"] = facts["defender" if attacks else "attacker"]
        facts["stands"] = "leads" if ahead > 0 else "trails" if ahead < 0 else "loses_tie" if attacks else "wins_tie"
    if ask.kind == "early":
        facts["points"] = int(facts["points"])
    return ask.kind, facts


title_of, heading_of, subject_of = questions(WORDS, _asked, you=True)


def option_label(ask: Ask, option: str, _names: Names) -> str:
    key = "keep_discard" if option == "keep" and ask.kind == "discard" else option
    if option == "pass" and ask.kind == "support":
        key = "pass_support" if len(ask.options) > 1 else "pass_alone"
    elif option == "end" and ask.kind == "early":
        key = "end_early"
    return WORDS.text("option", key, {"crown": ask.about.get("crown")})


def field_label(ask: Ask, _option: str, field: str, _names: Names) -> str:
    asked, aims, tiles = ids.read_field(field), ask.about.get("aims"), ask.about.get("tiles")
    if asked.kind == "in" and isinstance(tiles, dict):
        return WORDS.text("field", "in", {"place": _place({"slot": asked.of, "tile": tiles.get(asked.of)})})
    if asked.kind == "without" and isinstance(aims, list):
        gone = next(aim for aim in aims if ids.without(aim) == field)
        return WORDS.text("field", "without", {"artefact": gone})
    if field == "first" and isinstance(aims, list):
        return WORDS.text("field", "first", {"n": 2 if _may_be_broken(ask) else 1})
    if field == "match":
        return WORDS.text("field", "match", ask.about)
    return WORDS.text("field", "order" if ask.kind == "arrange" else field)


def _may_be_broken(ask: Ask) -> bool:
    return bool(ask.about.get("broken"))


def open_label(ask: Ask, option: str, field: str, _names: Names) -> str:
    if field == "match":
        own, other = (int(str(ask.about[key])) for key in ("own", "other"))
        return WORDS.text("open", "match", {"usual": "yes" if other > own else "no"})
    if field == "first" and not _may_be_broken(ask) and ask.about.get("open") == "standing":
        return WORDS.text("open", "aim")
    if field == "then" and "more" in picks(ask, option, field):
        return WORDS.text("open", "then_quiet")
    return WORDS.first("open", ids.read_field(field).kind, facts={"open": ask.about.get("open", "pass")})


def choice_label(ask: Ask, _option: str, field: str, choice: str, names: Names) -> str:
    if WORDS.has("choice", choice):
        return WORDS.text("choice", choice)
    if field == "lord":
        return name(choice, names)
    tiles, castles, owners, works = (ask.about.get(key) for key in ("tiles", "castles", "owners", "works"))
    if field == "target" and isinstance(tiles, dict) and isinstance(castles, dict):
        place = _place({"slot": choice, "tile": tiles.get(choice), "defender": castles.get(choice)})
        return WORDS.text("phrase", "target", {"place": place}, names)
    if isinstance(owners, dict) and choice in owners:
        # None: a card played on one's own turn, or a question of an older version.
        facts = {"artefact": choice, "owner": owners[choice], "works": not isinstance(works, list) or choice in works}
        return WORDS.text("phrase", "owned", facts, addressed(names, ask.seat))
    return word(choice, names)


LABELS = Labels(
    title_of,
    option_label,
    field_label,
    choice_label,
    heading=heading_of,
    public=subject_of,
    short=shortened(WORDS),
    open=open_label,
)
