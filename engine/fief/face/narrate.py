"""Wording of Fief: events, asks and choices, from its catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from engine.core.asks import Ask, Seat
from engine.core.views import Event
from engine.fief.rules.realm.pieces import Lore, lore_of
from engine.language.words import NOBODY, Catalogue, Named, Names, addressed
from engine.text.labels import Labels, questions

Told = dict[str, Any]


def _each(told: Callable[[Any, Names], str]) -> Callable[[Any, Names], Any]:
    return lambda value, names: told(value, names) if isinstance(value, str | int) else [told(one, names) for one in value]


def lore_in(names: Names) -> Lore:
    return lore_of(names.own) if isinstance(names, Named) else lore_of()


def lord(id: str, names: Names = NOBODY) -> str:
    one = lore_in(names).people.get(id)
    return called("person", id, one.name) if one is not None else id.replace("_", " ")


def village(id: str, names: Names = NOBODY) -> str:
    site = lore_in(names).sites.get(id)
    return called("site", id, site.name) if site is not None else id.replace("_", " ").title()


def fief(id: str, names: Names = NOBODY) -> str:
    """A Fief with rank: `the Duchy of Bourg`."""
    land = lore_in(names).lands.get(id)
    if land is None:
        return id.replace("_", " ").title()
    return WORDS.text("place", "fief", {"rank": WORDS.text("rank", land.rank), "name": called("land", id, land.name)})


def see(number: int, names: Names = NOBODY) -> str:
    return WORDS.text("place", "see", {"name": diocese(number, names)})


def diocese(number: int, names: Names = NOBODY) -> str:
    found = lore_in(names).sees.get(number)
    return called("diocese", str(number), found.name) if found is not None else str(number)


def called(section: str, id: str, name: str) -> str:
    """Translate a shipped name; names of a host's file stay."""
    return WORDS.text(section, id) if name == _shipped(section).get(id) else name


@cache
def _shipped(section: str) -> dict[str, str]:
    lore = lore_of()
    things: Mapping[str, Mapping[Any, Any]] = {
        "person": lore.people, "site": lore.sites, "land": lore.lands, "diocese": lore.sees,
    }  # fmt: skip
    return {str(id): thing.name for id, thing in things[section].items()}


def card(id: str, names: Names = NOBODY, n: int = 1) -> str:
    return WORDS.first("kind", id, facts={"n": n}) or lord(id, names)


def _counted(value: Any, names: Names) -> list[str]:
    return [card(id, names, n) for id, n in Counter(value).items()]


def _pair(id: str) -> str:
    """`3+1` as Men-at-Arms and Knights, without zeros."""
    maa, knights = (int(n) for n in id.split("+"))
    return WORDS.text(
        "phrase", "set" if maa and knights else "set_knights" if knights else "set_maa", {"maa": maa, "knights": knights}
    )


def _lost(facts: Told) -> None:
    facts["lost"] = f"{facts['maa']}+{facts['knights']}"


WORDS = Catalogue(
    "engine.fief",
    forms={
        "lord": _each(lord),
        "village": _each(village),
        "fief": _each(fief),
        "see": _each(see),
        "diocese": _each(diocese),
        "card": _each(card),
        "counted": _counted,
        "set": _each(lambda value, _names: _pair(value)),
    },
)


def word(id: str, names: Names, _home: Seat = "") -> str:
    lore = lore_in(names)
    if id in names:
        return names[id]
    if id in lore.people or WORDS.has("kind", id):
        return card(id, names)
    return village(id, names) if id in lore.sites else lord(id, names)


def listed(ids: Iterable[str], names: Names, _home: Seat = "") -> str:
    return WORDS.listed("comma", _counted(ids, names))


def names_for(options: Mapping[str, Any], names: Mapping[Seat, str]) -> dict[Seat, str]:
    """Seat names, and the host's file for villages and Lords."""
    own = str(options.get("own", ""))
    return Named.by(names, own) if own else dict(names)


# --- events -----------------------------------------------------------------------------------------------------------


def tell(event: Event, names: Names, reader: Seat | None) -> str:
    facts: Told = dict(event.facts)
    shape = _SHAPES.get(event.kind)
    if shape is not None:
        shape(facts)
    kind = f"{event.kind}_to" if event.kind in ("ransomed", "released") and "to" in facts else event.kind
    return WORDS.text("event", kind, facts, addressed(names, reader))


def _of_seats(facts: Told, key: str, held: Mapping[Seat, Any], name: str) -> None:
    facts[key] = [{"seat": seat, name: n} for seat, n in held.items()]


def _income(facts: Told) -> None:
    amounts = [*facts["gained"].values()]
    facts |= {"same": len(amounts) > 1 and len({*amounts}) == 1, "n": amounts[0] if amounts else 0}
    _of_seats(facts, "gains", facts["gained"], "n")


def armies_told(armies: Mapping[Seat, tuple[int, int]]) -> list[Told]:
    """Armies for a sentence, the first apart."""
    sides = enumerate(armies.items())
    return [{"seat": s, "troops": f"{m}+{k}", "n": "other" if n else "first"} for n, (s, (m, k)) in sides]


def _exchanged(facts: Told) -> None:
    """An exchange's public facts: Deniers, card counts by back, markers (FF-DIP-9)."""
    lines: list[Told] = []
    for seat in facts["seats"]:
        backs = Counter(facts["backs"].get(seat, ()))
        counts = {"deniers": facts["deniers"].get(seat, 0), **backs, "markers": facts["spent"].get(seat, 0)}
        lines += [{"seat": seat, "kind": kind, "n": n} for kind, n in counts.items() if n]
    facts.update(lines=lines, parts=len(lines))


def _control(facts: Told) -> None:
    facts["change"] = "moved" if "left" in facts else "lost" if not facts["seat"] else "passed" if facts["old"] else "taken"


def merge(one: Event, then: Event) -> Event | None:
    """Merge events told by one sentence: a Move and what it takes, a Disaster and its place, several captives."""
    if then.kind == "control":
        return _with_control(one, then)
    first, facts = one.facts, then.facts
    same = {key for key, fact in facts.items() if first.get(key) == fact}
    match one.kind, then.kind:
        case ("elected", "king") | ("ransomed", "released") if "lord" in same:
            return one
        case ("disaster", "false_alarm" | "disaster_skipped") | ("disaster_again", "disaster_again"):
            return then
        case ("disaster", "disaster_lies"):
            return Event("disaster_lies", {**facts, "at_once": True})
        case ("plague_roll", "plague_roll"):
            rolls = first.get("rolls") or [{"lord": first["lord"], "roll": first["roll"]}]
            return Event("plague_roll", {"rolls": [*rolls, {"lord": facts["lord"], "roll": facts["roll"]}]})
        case ("died", "died") if "cause" in same:
            fallen = first.get("fallen") or [{"seat": first["seat"], "lord": first["lord"]}]
            return Event("died", {"cause": facts["cause"], "fallen": [*fallen, {"seat": facts["seat"], "lord": facts["lord"]}]})
        case ("captured", "captured") if {"seat", "captor"} <= same:
            return Event("captured", {**facts, "lords": [*first.get("lords", [first["lord"]]), facts["lord"]]})
        case ("ransomed" | "released", "placed") if "lord" in same and facts.get("freed"):
            return Event(one.kind, {**first, "to": facts["village"]})
        case ("fortune_played", "fortune_played") if {"seat", "see"} <= same:
            return Event("fortune_played", {**facts, "cards": [*first.get("cards", [first["card"]]), facts["card"]]})
    return None


def _with_control(one: Event, then: Event) -> Event | None:
    first, facts = one.facts, then.facts
    seat, village = facts["seat"], facts["village"]
    if not seat or facts["old"]:
        return None
    match one.kind:
        case "moved" if (first["seat"], first["to"]) == (seat, village):
            return Event("moved", {**first, "took": "yes"})
        case "founded" if (first["seat"], first["village"]) == (seat, village):
            return one
        case "control" if (first["seat"], first["old"]) == ("", seat):
            return Event("control", {**facts, "left": first["village"]})
    return None


def _tally(facts: Told) -> None:
    """Votes by candidate, most first, and decoys (FF-ELE-4)."""
    shown, counts = facts["shown"].items(), sorted(facts["counts"].items(), key=lambda count: -count[1])
    casts = {id: [seat for seat, (for_, _) in shown if for_ == id] for id, _ in counts}
    voted = [{"lord": id, "n": n, "seats": casts[id]} for id, n in counts if n and casts[id]]
    decoys = [{"seat": seat, "lord": decoy} for seat, (_, decoy) in shown if decoy]
    shape = "both" if voted and decoys else "votes" if voted else "decoys" if decoys else "none"
    facts.update(shape=shape, votes=voted, decoys=decoys)


def _round_end(facts: Told) -> None:
    scores = [{"seat": seat, "n": n} for seat, n in facts["points"].items() if n]
    facts.update(scores=scores, n=len(scores))


def _died(facts: Told) -> None:
    lords: dict[Seat, list[str]] = {}
    for one in facts.get("fallen", [facts]):
        lords.setdefault(one["seat"], []).append(one["lord"])
    _of_seats(facts, "fallen", lords, "lords")


def _wished(facts: Told) -> None:
    """Wishes after a roll; a truce is split into terms and addressee (FF-BAT-14)."""
    wishes = [(seat, *wish) for seat, wish in facts["wishes"].items()]
    facts["wishes"] = [
        {"seat": s, "wish": terms.partition(":")[0] or way, "to": terms.partition(":")[2]} for s, way, terms in wishes
    ]


def _joined(facts: Told) -> None:
    facts["cards"] = "passage" if not facts["n"] else "both" if facts["passage"] else "uprisings"


def _uprising_over(facts: Told) -> None:
    if facts["how"] == "fallen":
        facts["how"] = f"fallen_{facts['burns']}"


def _won(facts: Told) -> None:
    """Winning points, an alliance's together (FF-VIC-5)."""
    seats, scored = facts["seats"], facts["points"]
    facts["n"], sides = len(seats), len(seats) // 2 if facts["how"] == "allied" else len(seats)
    facts["most"] = sum(scored[s] for s in seats) // sides


_SHAPES: Mapping[str, Any] = {
    "voted": lambda facts: facts.update(n=len(facts["on"])),
    "tally": _tally,
    "wished": _wished,
    "uprising_joined": _joined,
    "uprising_over": _uprising_over,
    "placed": lambda facts: facts.setdefault("freed", False),  # missing in old events
    "annulment_lapsed": lambda facts: facts.setdefault("how", "over"),  # likewise
    "income": _income,
    "round_end": _round_end,
    "disaster_lies": lambda facts: facts.setdefault("at_once", False),  # `merge` sets these
    "plague_roll": lambda facts: facts.update(n=len(facts.get("rolls", [1]))),
    "died": _died,
    "captured": lambda facts: facts.setdefault("lords", [facts["lord"]]),
    "fortune_played": lambda facts: facts.setdefault("cards", [facts["card"]]),
    "losses": _lost,
    "plague_losses": _lost,
    "mustered": lambda facts: facts.update(armies=armies_told(facts["armies"])),
    "control": _control,
    "moved": lambda facts: facts.setdefault("took", "no"),
    "exchanged": _exchanged,
    "bought": lambda facts: facts.update(what={"what": facts["what"], "n": facts["n"]}),
    "taxed": lambda facts: facts.update(on="fief" if facts["fief"] else "sees"),
    "battle_roll": lambda facts: facts.update(dealt=facts["hits"][0], taken=facts["hits"][1]),
    "freed": lambda facts: facts.update(village=facts["at"]),
    "gift_offered": lambda facts: facts.update(own=facts["seat"] == facts["to"]),
    "siege": lambda facts: facts.setdefault("of", ""),  # likewise
    "won": _won,
    "exchanged_cards": lambda facts: _of_seats(facts, "given", facts["cards"], "cards"),
}


def chapter(event: Event) -> str:
    return WORDS.text("phrase", "round", {"n": event.facts["n"]}) if event.kind == "round" else ""


# --- asks -------------------------------------------------------------------------------------------------------------


def _asked(ask: Ask, names: Names) -> tuple[str, Told]:
    facts: Told = {"by": "", **ask.about}
    if ask.kind == "exchange" and facts["by"]:
        facts["offer"] = bargain(facts, names)
    if ask.kind == "court":
        pairs = [(id.split("+"), seat) for id, seat in facts["suitors"].items()]
        facts["offers"] = [{"seat": seat, "lord": lord, "other": other} for (lord, other), seat in pairs]
        facts["n"] = len(pairs)
    if ask.kind in ("ransom", "ransom_which"):
        facts["due"] = [{"lord": id, "n": int(n)} for id, n in facts["due"].items()]
    if ask.kind == "movement":
        facts["rain"] = [o.id for o in ask.options] == ["done"]
    if "attackers" in facts:
        facts["part"] = next((part for part in ("attackers", "defenders") if ask.seat in facts[part]), "beside")
    return ask.kind, facts


title_of, heading_of, subject_of = questions(WORDS, _asked)


def bargain(facts: Mapping[str, Any], names: Names) -> str:
    sides = []
    for side in ("give", "want"):
        parts = []
        for name in ("deniers", "cards", "villages", "passage", "ransom", "captives", "title", "annul", "consent"):
            value = facts[f"{side}_{name}"]
            if value:
                told = _gift(str(value)) if name == "title" else {"n": value}
                parts.append(WORDS.text("bargain", name, told, names))
        sides.append(WORDS.listed("and", parts))
    whole = {"give": sides[0], "want": sides[1], "lord": facts["lord"], "other": facts["other"]}
    return WORDS.text("bargain", "wedding" if facts["lord"] else "both", whole, names)


def _gift(id: str) -> Told:
    return dict(zip(("fief", "lord", "village"), id.split("/"), strict=False))


def option_label(ask: Ask, option: str, names: Names) -> str:
    own = f"{ask.kind}.{option}"
    if own == "battles.done" and next(o.fields for o in ask.options if o.id == option):
        own = "battles.sieges"
    return WORDS.first("option_of", own) or WORDS.text("option", option)


def field_label(ask: Ask, _option: str, field: str, names: Names) -> str:
    if ask.kind == "plague":
        lost = ask.about["lost"]
        assert isinstance(lost, dict)
        return WORDS.text("field_of", "plague", {"village": field, "n": int(lost[field])}, names)
    kind, _, of = field.partition("_")
    if field == "passage" and ask.kind in ("grant", "revoke"):
        return WORDS.text("field_of", "leave", {}, names)
    if ask.kind in ("losses", "uprising_losses") and kind in ("maa", "knights"):
        return WORDS.text("field_of", kind, {"seat": of}, names)
    if ask.kind == "captors":
        named = next(id for id in ask.listed("lords") if f"of_{id.lower()}" == field)
        return WORDS.text("field_of", "of", {"lord": named}, names)
    return WORDS.text("field", field, {}, names)


def choice_label(ask: Ask, _option: str, field: str, choice: str, names: Names) -> str:
    a, _, b = choice.partition("/")
    match field:
        case "circle" | "suit":
            ids = choice.split("+")
            return WORDS.text("choice_of", field, {"seats": ids, "lord": ids[0], "other": ids[1]}, names)
        case "levy":
            return _levy(choice, names)
        case "terms" if choice.startswith("cede:"):
            return WORDS.text("choice_of", "cede", {"seat": choice.removeprefix("cede:")}, names)
        case "from":
            return WORDS.text("choice_of", "held", {"village": a, "seat": b}, names)
        case "village" | "passage" if b:
            return WORDS.text("choice_of", "place" if field == "village" else "passage", {"village": a, "seat": b}, names)
        case "title" | "give_title" | "want_title":
            return WORDS.text("choice_of", "gift_at" if "/" in b else "gift", _gift(choice), names)
        case "start" if isinstance(of := ask.about.get("of"), dict):
            return WORDS.text("choice_of", "held", {"village": choice, "seat": of[choice]}, names)
        case "relic":
            return WORDS.text("choice_of", "relic", {"relic": a, "lord": b}, names)
        case "fief":
            return fief(choice, names)
        case "on":
            sites = lore_in(names).sites
            return see(sites[choice].bishopric, names) if choice in sites else choice
        case "what" | "refused" | "guest" | "after" | "terms" | "rules" | "battle_die":
            return WORDS.text("choice", choice, {}, names)
    return word(choice, names)


def _levy(choice: str, names: Names) -> str:
    one, title, on = choice.split("/")
    sites = lore_in(names).sites
    facts: Told = {"lord": one, "fief": on, "see": sites[on].bishopric if on in sites else 0}
    return WORDS.text("choice_of", title, facts, names)


def open_label(_ask: Ask, _option: str, field: str, names: Names) -> str:
    return WORDS.text("open", field, {}, names) if field == "after" else ""


LABELS = Labels(title_of, option_label, field_label, choice_label, heading=heading_of, public=subject_of, open=open_label)
