"""Preview of an answer's certain effects; nothing hidden or random."""

from __future__ import annotations

from engine.core.asks import Answer, Seat
from engine.core.chance import Chance
from engine.core.procedure import ask_of
from engine.language.words import NOBODY, Names
from engine.ortus.face.narrate import WORDS, card_list, card_name
from engine.ortus.face.view import OrtusState, battle_left, redeal
from engine.ortus.rules.combat import ARMY, Battle, field_forces, picked_cards
from engine.ortus.rules.pieces import MARKERS, SEND, VIKINGS, kind, owner, parse, strength
from engine.ortus.rules.politics import Politics, Struggle
from engine.ortus.rules.roles import CONTESTS, UNIQUE, holder, king_role
from engine.ortus.rules.table import Earl, Fief, Table, closed
from engine.ortus.rules.turn import CUBES, recruits


def certain_effects(state: OrtusState, seat: Seat, answer: Answer, names: Names = NOBODY) -> str:
    step = state.stack[-1].step
    if step == "turn":
        earl = state.table.earls[seat]
        return grave(state, seat, answer) or _at_court(state.table, earl, answer) or _on_turn(state, earl, answer)
    if step == "role":
        return _role(state.table, seat, answer, names)
    if step == "bid":
        return _bid(state, seat, answer)
    if step == "vikings" and answer.option == "attack":
        return _vikings(state, seat, answer)
    if step == "defend" and answer.option == "field":
        battle = state.stack[-1]
        assert isinstance(battle, Battle)
        points, cards = battle.sent(battle.attacking), len(picked_cards(answer))
        said = _say("absorbed", absorbed=min(points, cards), points=points, left=max(0, points - cards))
        how = "defended" if draws_card(state.table, answer) else "bare"
        return f"{said} {_defended(state.table.earls[seat], battle, max(0, points - cards), how)}"
    return _let_be(state, seat, answer) or _settled(state, seat, answer)


def _role(table: Table, seat: Seat, answer: Answer, names: Names) -> str:
    """A pick may still be contested (OR-ROLE-42)."""
    if answer.option in CONTESTS:
        held = holder(table, CONTESTS[answer.option])
        assert held is not None
        return WORDS.text("preview", "contest", {"target": held.seat, "left": table.earls[seat].legacy}, names)
    return _say("role_contested" if table.roles == "contested" and answer.option in UNIQUE else "role")


def _bid(state: OrtusState, seat: Seat, answer: Answer) -> str:
    held = ask_of(state, seat).about["holder"] == seat
    return _say("bid_kept" if held else "bid", points=answer.number("points"))


def draws_card(table: Table, answer: Answer) -> bool:
    """Whether a defence draws a Battle Card (OR-BAT-2), or by ruling only one with Army Cards (OR-AMB-58)."""
    troops = answer.some("reserve") or any(parse(id).where in ARMY for id in answer.some("others"))
    return bool(troops) or table.ruled("OR-AMB-58") != "army"


def _let_be(state: OrtusState, seat: Seat, answer: Answer) -> str:
    table, process = state.table, state.stack[-1]
    match process:
        case Battle() if process.step == "defend":
            return _defended(table.earls[seat], process, process.sent(process.attacking), "bare")
        case Battle() if process.step == "church":
            return _say(f"church_{answer.option}")
        case Battle() if process.step == "church_asset":
            return _say(f"asset_{answer.option}")
        case Battle() if process.step == "ransom" and answer.option == "none":
            lords = [f.lord for f in table.earls[seat].fiefs if f.number in process.captured and f.lord is not None]
            return _say("no_ransom", cards=card_list(lords, {}, seat))
        case Politics() if process.step == "allies":
            return _say("let_pass" if answer.option == "decline" else "struggle")
        case Struggle() if answer.option == "pass":
            ours, theirs = (len(process.committed[s]) for s in (process.attacker, process.defender))
            return _say("struggle_won" if ours > theirs else "struggle_lost", attackers=ours, defenders=theirs)
    if process.step == "vikings":
        return _say("vikings_held")
    return _say(answer.option) if process.step == "enter" and answer.option in ("opt_out", "stand_aside") else ""


SETTLED = {
    "attacker_hits": "hit",
    "defender_hits": "hit",
    "attach": "attach",
    "give_properties": "given",
    "give_armies": "given_armies",
    "levy": "levy",
    "commit": "committed",
    "counter": "committed",
}


def _settled(state: OrtusState, seat: Seat, answer: Answer) -> str:
    step, process = state.stack[-1].step, state.stack[-1]
    if step == "spoils" and isinstance(process, Battle):
        return _say("spoils" if process.destroyed else "attach")
    if not answer.values:
        return ""
    if step in ("ransom", "canterbury"):
        # By another ruling the Anchor's cards go along.
        alone = [_say("paid_alone")] if state.table.ruled("OR-AMB-68") == "alone" else []
        return " ".join([_say("paid"), *alone, *([_say("ransomed")] if step == "ransom" else [])])
    if towers := answer.some("towers"):
        return _say("lost_towers", left=state.table.earls[seat].walls - len(towers))
    if step == "defender_hits" and answer.some("properties"):
        return _say("lost_properties")
    if step == "enter":
        return _say("tilted" if answer.option == "tilt" else "anted")
    return _say(SETTLED[step]) if step in SETTLED else ""


def grave(state: OrtusState, seat: Seat, answer: Answer) -> str:
    """Warning of one's own elimination (OR-DEC-12, OR-TURN-4)."""
    earl = state.table.earls[seat]
    if state.stack[-1].step != "turn":
        return ""
    if len(earl.deck) == 1 and answer.option in HOSTILE and owes_card(state.table, earl, answer):
        return _say("emptied")
    if answer.option not in DRAWS:
        return ""
    if len(earl.deck) < DRAWS[answer.option]:
        return _say("too_few")
    return _say("emptied") if answer.option == "banquet" and len(earl.deck) == DRAWS["banquet"] else ""


HOSTILE = {"attack": "target", "treachery": "aim", "intrigue": "aim"}
"""The field of each hostile act that names its target (OR-ROLE-5)."""


def owes_card(table: Table, earl: Earl, answer: Answer) -> bool:
    king = king_role(table)
    return king is not None and earl.loyal and parse(answer.pick(HOSTILE[answer.option])).seat == king.seat


DRAWS = {"banquet": 2, "end": 1}
"""Cards drawn from the Earl Deck (OR-BANQ-1, OR-TURN-4)."""


def _on_turn(state: OrtusState, earl: Earl, answer: Answer) -> str:
    table = state.table
    match answer.option:
        case "attack":
            battle = Battle.on(answer.pick("target"), earl.seat, earl.seat)
            return _sent(table, battle, sent_by(state, earl.seat, answer))
        case "tower":
            placed = answer.some("cards")
            return _say("towers", walls=earl.walls + len(placed), hand=len(earl.hand) - len(placed))
        case "garrison":
            facts = {"slot": parse(answer.pick("slot")).where, "points": SEND[answer.pick("card")]}
            return _say("garrison", reserve=len(earl.reserve) - 1, **facts)
        case "castle":
            card = answer.pick("card")
            return _say("castle", fief=earl.fiefs_founded + 1, needed=strength(card))
        case "place":
            return _place(table, earl, answer)
        case "install":
            return _install(earl, answer)
        case "mercenary":
            return _say("mercenary", points=SEND["Mercenary"], count=len(earl.mercenaries) + 1)
        case "recruit":
            due = min(recruits(table, earl), len(table.army.deck) + len(table.army.discard))
            # Don't reveal a shortage of a closed Army Deck (OR-AMB-5).
            if closed(table):
                return _say("recruits", count=recruits(table, earl))
            return _say("recruit", count=due, reserve=len(earl.reserve) + due, capacity=earl.capacity())
        case "banquet" | "end":
            return _say(answer.option, left=len(earl.deck) - DRAWS[answer.option])
        case _:
            return ""


def _at_court(table: Table, earl: Earl, answer: Answer) -> str:
    match answer.option:
        case "emissary":
            cubes = CUBES[kind(answer.pick("card"))]
            facts = {"cubes": cubes, "all": earl.cubes + cubes, "black": table.black + 1, "markers": MARKERS}
            nearer = not table.arrived and table.black < MARKERS
            return _say("emissary" if nearer else "emissary_landed", **facts)
        case "bequeath" | "bequeath_church":
            fief = earl.prince_home()
            assert fief is not None and fief.lord is not None
            spent = answer.pick("card") or earl.in_hand("Banner") or ""
            more = sum(owner(card) == earl.seat for card in (fief.lord, spent))
            # Don't reveal how many cards lie in a closed discard pile (OR-AMB-5).
            deck = len(earl.deck) + len(earl.discard) + more
            return _say(answer.option, closed=closed(table), fief=fief.number, deck=deck)
        case "display":
            return _display(table, earl)
        case "joust" | "enter" | "leave":
            return _say(answer.option)
        case "monastery" | "monastery_church":
            return _say(answer.option, hand=len(table.earls[answer.pick("target")].hand))
        case "treachery" | "intrigue":
            return _politics(table, answer)
        case _:
            return ""


def _politics(table: Table, answer: Answer) -> str:
    """OR-TRE-4 to 6, OR-INT-4 to 6."""
    told = parse(answer.pick("aim"))
    target = table.earls[told.seat]
    fief = target.fief(told.number)
    match told.where:
        case "lord" if fief is not None and fief.lord is not None:
            if kind(fief.lord) == "Prince":
                return _say("aim_prince", fief=told.number)
            return _say("aim_lord", fief=told.number, cards=card_list([fief.anchor, *fief.properties], {}, told.seat))
        case "properties" if fief is not None:
            return _say("aim_properties", count=min(2, len(fief.properties)), all=len(fief.properties))
        case "armies":
            return _say("aim_armies", count=min(2, len(target.reserve)))
        case "hand":
            return _say("aim_hand")
        case _:
            return _say(f"aim_{answer.option}_mercenary")


def _say(key: str, **facts: object) -> str:
    return WORDS.text("preview", key, facts)


def _place(table: Table, earl: Earl, answer: Answer) -> str:
    card, fief = answer.pick("card"), earl.held_fief(parse(answer.pick("fief")).number)
    after = Fief(fief.number, fief.anchor, fief.lord, [*fief.properties, card])
    what = kind(card)
    facts = {"fief": fief.number, "capacity": earl.capacity() - fief.capacity() + after.capacity()}
    if what == "Land":
        due = 2 if fief.has("MarketTown") else 1
        left = len(table.army.deck) + len(table.army.discard)
        # Don't reveal a shortage of a closed Army Deck (OR-AMB-5).
        return _say("land_closed", count=due, **facts) if closed(table) else _say("land", count=min(due, left), **facts)
    return _say({"MarketTown": "market", "Church": "church", "Cathedral": "cathedral"}[what], **facts)


def _install(earl: Earl, answer: Answer) -> str:
    card, fief = answer.pick("card"), earl.held_fief(parse(answer.pick("fief")).number)
    said = _say("lord", card=card_name(card, {}), fief=fief.number, points=SEND[kind(card)])
    if fief.lord is not None:
        said = f"{said} {_say('bumped', lord=card_name(fief.lord, {}))}"
    return said


def _display(table: Table, earl: Earl) -> str:
    """A lead of two crowns at once (OR-KING-2)."""
    shown = len(earl.banners) + 1
    most = max((len(e.banners) for e in table.others(earl.seat)), default=0)
    return _say("crowned" if shown >= 2 and shown - most >= 2 else "display", shown=shown, most=most)


def sent_by(state: OrtusState, seat: Seat, answer: Answer) -> int:
    # On a copy: fielding changes the table.
    table = redeal(state, seat, Chance("preview")).table
    return Battle.sent(field_forces(table, table.earls[seat], answer))


def _vikings(state: OrtusState, seat: Seat, answer: Answer) -> str:
    points = sum(SEND[card] for card in state.table.force)
    return _sent(state.table, Battle.on(answer.pick("target"), VIKINGS, seat), points)


def _sent(table: Table, battle: Battle, points: int) -> str:
    defender = table.earls[battle.defender]
    towers, fief = defender.walls, defender.fief(battle.number)
    spare = points - battle.needs(defender)
    match battle.what:
        case "tower":
            # Count only what can fall: not a Duke's permanent Tower (OR-ROLE-32).
            falling = min(points, len(defender.towers))
            said = _say("tower", points=points, falling=falling, towers=towers)
            spare = spare if falling else -1
        case "canterbury":
            said = _say("canterbury", points=points)
        case "raid":
            falling = min(max(0, points - towers), len(fief.properties) if fief else 0)
            said = _say("raid", points=points, towers=towers, falling=falling)
            spare = spare if falling else -1
        case _:
            needed = strength(fief.anchor) if fief else 2
            said = _say("siege_falls" if spare >= 0 else "siege_holds", points=points, towers=towers, needed=needed)
    # Just enough: it falls only undefended; the message says so.
    if spare < 1:
        return said
    return f"{said} {_spared(table, battle.what, spare)}"


def _defended(earl: Earl, battle: Battle, left: int, how: str) -> str:
    """Effect of points beyond the fielded cards (OR-OBJ-2 to 4, OR-BAT-2)."""
    fief = earl.fief(battle.number)
    match battle.what:
        case "tower":
            lost = min(left, len(earl.towers))
        case "raid":
            lost = min(max(0, left - earl.walls), len(fief.properties) if fief else 0)
        case _:
            lost = int(left >= battle.needs(earl))
    return _say(f"{how}_lost" if lost else f"{how}_kept", what=battle.what, fief=battle.number, lost=lost)


def _spared(table: Table, what: str, spare: int) -> str:
    """Points to spare, and the Battle Cards that save the defender (OR-BAT-5)."""
    said = _say("spare", what=what, spare=spare)
    left = battle_left(table)
    return said if left is None else f"{said} {_say('risk', left=left.total(), wins=left['DW'], church=left['CD'])}"
