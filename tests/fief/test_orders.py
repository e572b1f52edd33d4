"""Standing orders (FF-SO): what they say to powers and proposals, how long they hold, and that nobody's hand decides whether
he is asked. What they answer to questions is shown by the cases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.core import offers, procedure
from engine.core.asks import Answer, NotLegal, NotUnderstood, Seat, read, write
from engine.core.chance import Chance, guess
from engine.fief import FIEF
from engine.fief.orders import ANSWERS
from engine.fief.orders.script import setting
from engine.fief.rules.realm.pieces import MAP
from engine.fief.rules.types import FiefState
from engine.language.words import say
from engine.play import orders
from engine.play.match import run_offer
from engine.ui.forms import RowsField, choices_of, describe
from tests.fief import wild
from tests.fief.recorded import stays
from tests.shape import shape


def scene(text: str, seats: str = "a b c") -> FiefState:
    """A position, run to its first ask."""
    state: FiefState = FIEF.rules.notation.read(f"fief: 1\nseats: {seats}\n{text}")
    procedure.begin(state)
    return state


def answer(state: FiefState, seat: Seat, **given: str) -> str:
    """What the orders answer, as text; `ask` where they leave it to their owner. `SO_1` stands for `SO-1`."""
    found = orders.answer(FIEF, state, seat, _ids(given), Chance("x"))
    return "ask" if found is None else write(found)


def use(state: FiefState, seat: Seat, kind: str, **given: str) -> str:
    """How the orders use a power, as text; `-` where they leave it alone."""
    ask = next(a for a in offers.powers(state, FIEF.rules.powers.open(state, seat)) if a.kind == kind)
    found = orders.use(FIEF, state, seat, ask, _ids(given), Chance("x"))
    return "-" if found is None else write(found)


def answer_offer(state: FiefState, seat: Seat, **given: str) -> str:
    """What the orders say to the first proposal that lies before the seat."""
    number, ask = offers.proposals(state, seat)[0]
    found = orders.answer_offer(FIEF, state, seat, ask, number, _ids(given), Chance("x"))
    return "ask" if found is None else write(found)


def _ids(given: dict[str, str]) -> dict[str, str]:
    return {id.replace("_", "-", 1): text for id, text in given.items()}


def offer(state: FiefState, seat: Seat, kind: str, text: str) -> FiefState:
    run_offer(FIEF, state, seat, kind, read(text))
    return state


def test_orders_of_another_table_are_refused_with_a_sentence_and_answer_nothing() -> None:  # FF-SO-16, FF-SO-19, FF-MAP-5
    title = "on items=[(what=title,at=bourg,n=1,lord=Arthur)] keep=0 seize=all gift=none"
    foreign = "on triggers=[(if=winning,who=f,play=justice)]"
    own = json.dumps(renamed("bourg", "ys"))
    state = scene(
        f"lore: {own}\nround: 3\nphase: 4b\nfirst: a\nArthur: a ys\nys: a stronghold\nys.a: 2 maa\na.hand: justice\n"
        "Thierry: b blaye assassin"
    )
    with pytest.raises(NotLegal, match="Line 1: “at” can't be “bourg”"):
        orders.check(FIEF, state, "a", "SO-16", read(title))
    with pytest.raises(NotLegal, match="Line 1: “who” can't be “f”"):
        orders.check(FIEF, state, "a", "SO-19", read(foreign))
    assert answer(state, "a", SO_16=title) == "done"
    assert use(state, "a", "justice", SO_19=foreign) == "-"


def renamed(old: str, new: str) -> dict[str, Any]:
    """The shipped map with another id for one village."""
    found: dict[str, Any] = json.loads(MAP.replace(f'"{old}"', f'"{new}"'))
    return {key: found[key] for key in ("villages", "roads", "fiefs", "bishoprics")}


# --- forms and limits -------------------------------------------------------------------------------------------------


def test_what_every_standing_order_can_say() -> None:  # FF-SO-1 to 24
    state = scene("round: 3\nphase: 4b\nArthur: a blaye")
    told = [shape(ask) for ask in FIEF.orders.asks(state, "a")]
    assert "\n".join(told) + "\n" == (Path(__file__).parent / "order_forms.txt").read_text("utf-8")
    assert {ask.seat for ask in FIEF.orders.asks(state, "a")} == {"a"}


def test_an_order_may_be_limited_to_a_round_and_to_a_phase() -> None:  # FF-SO-18
    state = scene("rulings: FF-PIL-1=all\nround: 3\nphase: 6b\nblaye: a mills=1\nblaye.a: 1 maa\nfirst: a")
    assert answer(state, "a", SO_18="never round=round_3 phase=phase_6") == "none"
    assert answer(state, "a", SO_18="never round=round_4") == "ask"
    assert answer(state, "a", SO_18="never phase=phase_5") == "ask"
    given = {"SO-18": "never round=round_2", "SO-17": "on held=turn start=no round=round_3", "SO-20": "pass"}
    assert FIEF.orders.after(state, "a", [], given) == {id: given[id] for id in ("SO-17", "SO-20")}


def test_a_window_belongs_to_the_phase_before_it() -> None:  # FF-SO-20
    state = scene("rulings: FF-ASY-9=everybody\nround: 3\nphase: cp1\nblaye.a: 1 maa")
    assert answer(state, "a", SO_20="pass phase=phase_2") == "pass"
    assert answer(state, "a", SO_20="pass phase=phase_3") == "ask"


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ("Henri: a sigy\nblaye: b\n", "pass"),
        ("a.hand: Henri\n", "pass"),
        ("a.hand: taxes\n", "ask"),
        ("Henri: a sigy pope\n", "ask"),
        ("Henri: a sigy pope captor=b\nsigy: b\nsigy.b: 1 maa\n", "pass"),
        ("Henri: a sigy relic=grail\n", "ask"),
        ("Henri: a sigy bishop=5\nsigy: b relic=grail\n", "ask"),
        ("sigy.a: 1 maa\nsigy: b stronghold engine=a/1\nsigy.b: 1 maa\n", "ask"),
        ("sigy.a: 1 maa\nsigy: b guest=a/b\nCharles: b bourg fief=sigy\n", "ask"),
    ],
    ids=[
        "nothing",
        "a-lord",
        "a-fortune-back",
        "the-pope",
        "a-captive-pope",
        "a-relic",
        "a-relic-to-take",
        "a-siege",
        "a-guest",
    ],
)
def test_at_a_checkpoint_who_can_do_nothing_about_it_isn_t_asked(own: str, said: str) -> None:  # FF-ASY-9, FF-SO-20
    winning = "Arthur: c blaye fief=blaye fief=bourg king\n"
    state = scene(f"phase: cp3\n{winning}{own}")
    assert answer(state, "a") == said
    assert answer(state, "a", SO_20="concerned") == "ask" and answer(state, "a", SO_20="pass") == "pass"
    assert answer(scene(f"phase: cp3\n{own}"), "a") == "pass", "it concerns nobody"


def test_who_is_away_waits_for_nothing_until_that_round_is_over() -> None:  # FF-SO-24
    state = scene("round: 3\nphase: 5\nfirst: a\nArthur: a blaye")
    assert answer(state, "a", SO_24="on until=round_3") == "done"
    assert answer(state, "a", SO_24="on until=round_2") == "ask"
    assert FIEF.orders.after(state, "a", [], {"SO-24": "on until=round_2"}) == {}
    assert answer(state, "a", SO_24="on until=round_5", PRE_2="on moves=[(lords=[Arthur],to=charolles)] effort=whole") != "done"


def test_who_is_away_until_a_date_is_so_to_the_end_of_that_day() -> None:  # FF-SO-24
    state = scene("round: 3\nphase: 5\nfirst: a\nArthur: a blaye")
    away = {"SO-24": "date day=3 month=dec year=2026", "SO-13": "always"}
    assert answer(state, "a", SO_24=away["SO-24"]) == "done"
    assert orders.of_day(FIEF, away, date(2026, 12, 3)) == away
    assert orders.of_day(FIEF, away, date(2026, 12, 4)) == {"SO-13": "always"}
    with pytest.raises(NotLegal, match="no such day"):
        orders.check(FIEF, state, "a", "SO-24", read("date day=31 month=nov year=2026"))


def test_a_setting_that_says_too_little_is_refused() -> None:  # FF-SO-3, FF-SO-16
    state = scene("phase: 4b\nArthur: a blaye")
    with pytest.raises(NotLegal, match="name a family; “with” and “against” need one"):
        orders.check(FIEF, state, "a", "SO-3", read("on rules=[(join=against)] otherwise=ask"))
    with pytest.raises(NotLegal, match="in which village"):
        orders.check(FIEF, state, "a", "SO-16", read("on items=[(what=mill)] keep=0 seize=all gift=none"))
    with pytest.raises(NotUnderstood):
        orders.check(FIEF, state, "a", "SO-25", read("on"))


def test_the_preset_can_be_set_and_leaves_nobodys_turn_to_a_script() -> None:  # FF-SO-16
    state = scene("phase: 4b\nArthur: a blaye\na.deniers: 5\nfirst: a")
    preset = orders.preset(FIEF)
    for id, text in preset.items():
        assert orders.check(FIEF, state, "a", id, read(text))
    assert orders.answer(FIEF, state, "a", preset, Chance("x")) is None
    assert not {"SO-16", "SO-4", "SO-19", "PRE-2", "PRE-3"} & preset.keys()


def test_the_preset_defends_and_leaves_the_attack_to_its_owner() -> None:  # FF-SO-5, FF-SO-4
    state = scene(
        "phase: 6a\nfirst: a\nArthur: a blaye on=charolles\nblaye.a: 8 maa on charolles\nblaye: b stronghold\nblaye.b: 5 maa"
    )
    preset = orders.preset(FIEF)
    assert orders.answer(FIEF, state, "a", preset, Chance("x")) is None
    procedure.play(state, "a", read("attack at=blaye against=[b]"))
    assert state.waiting == ["b"] and orders.answer(FIEF, state, "b", preset, Chance("x")) == read("ready")
    procedure.play(state, "b", read("ready"))
    assert state.waiting == ["a", "b"] and orders.answer(FIEF, state, "a", preset, Chance("x")) is None
    assert orders.answer(FIEF, state, "b", preset, Chance("x")) == read("truce terms=as_is")


# --- powers and proposals ---------------------------------------------------------------------------------------------

KINGS = "phase: cp1\na.hand: assassination\nHenri: a blaye\nCharles: a blaye\nPhilippe: b bourg king\nOthon: c sigy fief=sigy"


def test_a_trigger_plays_a_card_when_what_all_can_see_has_come_about() -> None:  # FF-SO-19
    kill = "on triggers=[(if=crowned,who=b,play=assassination,sponsor=Charles)]"
    assert use(scene(KINGS), "a", "assassination", SO_19=kill) == "play lord=Philippe sponsor=Charles"
    assert use(scene(KINGS.replace(" king", "")), "a", "assassination", SO_19=kill) == "-"
    assert use(scene(KINGS), "a", "assassination", SO_19=kill.replace("who=b", "who=c")) == "-"
    assert use(scene(KINGS), "a", "assassination", SO_19=kill.replace("=Charles", "=Gauvain")) == "-"
    named = "on triggers=[(if=cp1,play=assassination,lord=Othon)]"
    assert use(scene(KINGS), "a", "assassination", SO_19=named) == "play lord=Othon sponsor=Henri"
    assert use(scene(KINGS.replace("cp1", "cp2")), "a", "assassination", SO_19=named) == "-"
    assert use(scene(KINGS), "a", "assassination", SO_19="on triggers=[(if=always,play=justice)]") == "-"


@pytest.mark.parametrize(
    ("event", "comes", "not_yet"),
    [
        ("one_more", "Othon: c sigy fief=sigy fief=bourg", "Othon: c sigy fief=sigy"),
        ("winning", "Othon: c sigy fief=sigy fief=bourg king", "Othon: c sigy fief=sigy fief=bourg"),
        ("pope", "Othon: c sigy bishop=5 pope", "Othon: c sigy bishop=5"),
        ("marked", "Othon: c sigy assassin", "Othon: c sigy"),
        ("captive", "Othon: c sigy\nsigy.c: 1 maa\nLambert: a sigy captor=c", "Othon: c sigy\nLambert: a sigy"),
        ("taxed", "Othon: c sigy fief=sigy\nsigy: c city\ntaxes: b Othon fief sigy", "Othon: c sigy"),
        ("famine", "Othon: c sigy\nsigy: c\nweather: famine 5", "Othon: c sigy\nsigy: c\nweather: famine 1"),
        (
            "besieged",
            "Othon: c bourg on=st_vivien\nbourg: a stronghold engine=c/1\nbourg.a: 1 maa\nbourg.c: 1 maa on st_vivien",
            "Othon: c bourg on=st_vivien\nbourg: a stronghold\nbourg.a: 1 maa\nbourg.c: 1 maa on st_vivien",
        ),
    ],
)
def test_the_events_that_set_a_trigger_off(event: str, comes: str, not_yet: str) -> None:  # FF-SO-19
    rest = "phase: cp3\na.hand: assassination\nHenri: a blaye\n"
    given = f"on triggers=[(if={event},who=c,play=assassination)]"
    assert use(scene(rest + comes), "a", "assassination", SO_19=given).startswith("play lord=Othon")
    assert use(scene(rest + not_yet), "a", "assassination", SO_19=given) == "-"


def test_what_a_trigger_may_play_and_on_whom() -> None:  # FF-SO-19
    church = "phase: cp1\nHenri: a blaye bishop=1 cardinal=card pope\nOthon: a bourg bishop=4\nPhilippe: b tournus bishop=2\n"
    hand = "a.hand: cardinal, secret_passage, justice\nLambert: a sigy captor=c\nsigy.c: 1 maa\nThierry: c sigy assassin"
    state = scene(church + hand)
    assert use(state, "a", "cardinal", SO_19="on triggers=[(if=always,play=cardinal)]") == "play lord=Othon"
    assert use(state, "a", "cardinal", SO_19="on triggers=[(if=always,play=cardinal,lord=Philippe)]") == "play lord=Philippe"
    assert use(state, "a", "cardinal", SO_19="on triggers=[(if=pope,play=cardinal)]") == "-", "the Pope is a's own"
    assert use(state, "a", "justice", SO_19="on triggers=[(if=marked,play=justice)]") == "play lord=Thierry"
    assert use(state, "a", "escape", SO_19="on triggers=[(if=captive,who=c,play=escape)]") == "play from=sigy/c"
    assert use(state, "a", "escape", SO_19="on triggers=[(if=captive,play=escape,at=bourg)]") == "-"
    banned = "on triggers=[(if=always,who=b,play=excommunicate)]"
    assert use(state, "a", "excommunicate", SO_19=banned) == "ban lord=Philippe"
    offer(state, "a", "excommunicate", "ban lord=Philippe")
    assert use(state, "a", "lift_ban", SO_19="on triggers=[(if=always,play=lift_ban)]") == "lift"
    maid = scene("phase: cp1\na.hand: d_arc\nJeanne: a blaye\nBlanche: b bourg")
    assert use(maid, "a", "d_arc", SO_19="on triggers=[(if=always,play=d_arc)]") == "play lord=Jeanne"
    guest = scene("phase: cp1\nOthon: b sigy fief=blaye\nblaye: b city guest=a/b\nHenri: a blaye on=charolles")
    assert use(guest, "a", "control", SO_19="on triggers=[(if=cp1,play=control,at=blaye)]") == "take village=blaye"


def test_an_uprising_by_trigger_is_for_the_emptiest_village_and_joins_one_that_others_begin() -> None:  # FF-SO-19
    text = "phase: cp1\na.hand: 2 uprising\nb.hand: uprising\nweather: famine 2\ntournus.c: 2 maa\nmazilles.c: 1 maa"
    rise = "on triggers=[(if=famine,who=c,play=uprising)]"
    state = scene(text)
    assert use(state, "a", "uprising", SO_19=rise) == "play at=mazilles cards=2"
    assert use(state, "a", "uprising", SO_19=rise.replace("play=", "at=tournus,play=")) == "play at=tournus cards=2"
    offer(state, "b", "uprising", "play at=tournus cards=1")
    assert answer(state, "a", SO_19=rise) == "join cards=2"
    assert answer(state, "a", SO_19=rise.replace("who=c", "who=b"), SO_20="pass") == "none"
    without = offer(scene(text.replace("2 uprising", "ambush")), "b", "uprising", "play at=tournus cards=1")
    assert answer(without, "a", SO_19=rise) == "none", "who has none isn't asked either"
    taxed = "phase: cp1\na.hand: uprising\nb.hand: uprising\nOthon: a tournus bishop=2\ntaxes: a Othon bishop 2\nmazilles: c\n"
    own = offer(scene(f"{taxed}mazilles.c: 1 maa"), "b", "uprising", "play at=mazilles cards=1")
    assert answer(own, "a", SO_19="on triggers=[(if=taxed,who=c,play=uprising)]") == "none", "against his own tax he can't"


def test_a_siege_is_lifted_at_once() -> None:  # FF-SO-17
    state = scene("phase: cp1\nblaye: b stronghold engine=a/1\nblaye.b: 1 maa\nblaye.a: 1 maa on charolles")
    assert use(state, "a", "lift_siege", SO_17="on held=lift start=no") == "lift village=blaye"
    assert use(state, "a", "lift_siege", SO_17="on held=turn start=no") == "-"


def test_the_pope_answers_requests_for_annulment_by_player() -> None:  # FF-SO-10
    text = "phase: cp1\nHenri: a blaye bishop=1 pope\nOthon: b bourg spouse=Jeanne\nJeanne: c sigy spouse=Othon"
    state = offer(scene(text, "a b c d"), "b", "annulment", "ask lord=Othon")
    assert answer_offer(state, "a", SO_10="on rules=[(what=annul,who=b,say=yes)] otherwise=no") == "accept"
    assert answer_offer(state, "a", SO_10="on rules=[(what=annul,who=c,say=yes)] otherwise=no") == "refuse"
    assert answer_offer(state, "a", SO_10="on rules=[(what=consent,say=yes)] otherwise=ask") == "ask"
    assert answer_offer(state, "a", SO_24="on until=round_9") == "refuse", "the safe outcome"


def test_the_best_bishop_is_no_prince_and_has_few_fiefs_and_the_best_king_has_many_titles() -> None:  # FF-SO-9
    best = "on stands=[(candidate=best)] otherwise=never"
    see = "tournus: a\ntournus.a: 1 maa\nchateauneuf.a: 1 maa\nmazilles.a: 1 maa\nst_andromy.a: 1 maa\n"
    lords = "Charles: a blaye fief=blaye{}\nArthur: a bourg{}\n"
    for prince, fief in ((" prince", ""), ("", ""), (" prince", " fief=bourg fief=sigy")):
        state = scene(f"phase: 1b\nfirst: c\n{see}{lords.format(prince, fief)}")
        assert answer(state, "a", SO_9=best) == "stand lord=Arthur"
    assert (
        answer(scene(f"phase: 1d\nfirst: a\n{lords.format(' prince', ' fief=sigy')}"), "a", SO_9=best) == "stand lord=Charles"
    )


def test_ceded_villages_are_taken_by_player() -> None:  # FF-SO-22
    state = scene("phase: cp1\nblaye: b\nblaye.b: 1 maa\nblaye.a: 1 maa on charolles")
    offer(state, "b", "cede", "cede village=blaye/a")
    assert answer_offer(state, "a", SO_22="on rules=[(what=village,who=b,say=yes)] otherwise=no") == "accept"
    assert answer_offer(state, "a", SO_22="on rules=[(what=title,say=yes)] otherwise=no") == "refuse"
    assert answer_offer(state, "a", SO_22="on rules=[(what=village,say=ask)] otherwise=no") == "ask"


def test_relics_are_taken_used_and_lent_by_order() -> None:  # FF-SO-23
    keep = "on take=no use=no leave=no receive=no teeth=none pass_on=house"
    give = "on take=yes use=yes leave=yes receive=yes teeth=none pass_on=house"
    text = "options: holy_relics\nphase: cp1\ntournus: b relic=grail\ntournus.b: 1 maa\nHenri: a tournus on=pugnac bishop=2\n"
    state = scene(text)
    assert use(state, "a", "take_relic", SO_23=give) == "take relic=grail/Henri"
    assert use(state, "a", "take_relic", SO_23=keep) == "-"
    offer(state, "a", "take_relic", "take relic=grail/Henri")
    assert [answer_offer(state, "b", SO_23=how) for how in (give, keep)] == ["accept", "refuse"]
    assert answer_offer(state, "b", SO_23=give.replace("leave=yes", "leave=ask")) == "ask"
    lent = scene(
        "options: holy_relics\nphase: cp1\nblaye: b\nblaye.b: 1 maa\nOthon: b blaye relic=grail\nHenri: a blaye on=charolles"
    )
    offer(lent, "b", "give_relic", "give relic=grail/Henri")
    assert [answer_offer(lent, "a", SO_23=how) for how in (give, keep)] == ["accept", "refuse"]
    assert answer_offer(lent, "a", SO_23=give.replace("receive=yes", "receive=no")) == "refuse"


def test_eyes_and_bone_help_where_ones_own_villages_suffer_most() -> None:  # FF-SO-23
    give = "on take=yes use=yes leave=yes receive=yes teeth=none pass_on=house"
    relics = "Henri: a blaye relic=eyes_of_st_roseline relic=bone_of_st_rhadegund\n"
    text = (
        f"options: holy_relics\nphase: cp1\n{relics}bourg.a: 1 maa\nst_vivien.a: 1 maa\ntournus: a mills=1\ntournus.a: 1 maa\n"
    )
    state = scene(f"{text}weather: heavy_rain 1, heavy_rain 4, famine 2, famine 4")
    assert use(state, "a", "eyes", SO_23=give) == "pray at=bourg"
    assert use(state, "a", "bone", SO_23=give) == "pray at=tournus"
    assert use(state, "a", "bone", SO_23=give.replace("use=yes", "use=no")) == "-"
    assert use(scene(f"{text}weather: famine 4"), "a", "bone", SO_23=give) == "-", "no Mill of his suffers"


def test_who_has_joined_a_battle_leaves_it_again_by_order() -> None:  # FF-SO-3, FF-SO-4
    text = "phase: 6a\nfirst: a\nArthur: a blaye on=charolles\nblaye: b\nblaye.a: 9 maa on charolles\nblaye.b: 13 maa\n"
    state = scene(f"{text}blaye.c: 10 maa on la_salle")
    procedure.play(state, "a", read("attack at=blaye against=[b]"))
    procedure.play(state, "c", read("attack"))
    for seat in "abc":  # a roll may be answered before
        if seat in state.waiting and procedure.ask_of(state, seat).kind == "losses":
            procedure.play(state, seat, procedure.ask_of(state, seat).default)
    assert procedure.ask_of(state, "c").kind == "battle_next"
    assert answer(state, "c", SO_3="on rules=[(at=blaye,join=defend)] otherwise=ask") == "turn"
    assert answer(state, "c", SO_3="on rules=[(at=blaye,join=neutral)] otherwise=ask") == "neutral"
    assert answer(state, "c", SO_3="on rules=[(at=blaye,join=ask)] otherwise=ask") == "ask"
    attack = "on dice=0 own=0 foes=0 rolls=0 then=ask passage=never ambush=never ambushed=end captors=self"
    assert answer(state, "c", SO_3="on rules=[(at=blaye,join=attack)] otherwise=ask", SO_4=attack) == "continue"
    assert answer(state, "a", SO_3="on rules=[(at=blaye,join=neutral)] otherwise=ask") == "ask", "it is his own battle"


def test_who_can_not_stop_at_walls_fights_on_by_order() -> None:  # FF-SO-4, FF-BAT-15
    text = "phase: 6a\nfirst: a\nArthur: a blaye on=charolles\nblaye: b stronghold\nblaye.a: 9 maa on charolles\n"
    state = scene(f"{text}blaye.b: 13 maa\nblaye.c: 4 maa on la_salle\nHenri: c blaye on=la_salle")
    procedure.play(state, "a", read("attack at=blaye against=[b]"))
    procedure.play(state, "c", read("attack"))
    for _ in range(9):
        seat = state.waiting[0]
        if procedure.ask_of(state, seat).kind == "battle_next":
            break
        procedure.play(state, seat, procedure.ask_of(state, seat).default)
    stop = "on dice=4 own=60 foes=0 rolls=1 then=stop passage=never ambush=never ambushed=end captors=self"
    assert [answer(state, seat, SO_4=stop) for seat in "ac"] == ["stop", "continue"]


# --- answers in advance (FF-ASY-2) ------------------------------------------------------------------------------------

MARCH = "round: 2\nphase: 5\nfirst: a\nArthur: a blaye\nblaye.a: 2 maa\nHenri: a bourg"
LIST = "on moves=[(lords=[Arthur],maa=1,to=charolles),(lords=[Henri],maa=4,to=villeneuve)] effort="


def test_a_setting_that_can_t_be_read_any_more_is_off() -> None:  # FF-ASY-2
    assert setting("move moves=[(") == Answer("off") and setting("on keep=maa") == read("on keep=maa")


def test_a_list_in_advance_is_carried_out_when_it_is_wholly_legal() -> None:  # FF-ASY-2
    state = scene(MARCH)
    good = LIST.replace("maa=4,", "") + "whole"
    first, second = "(lords=[Arthur],maa=1,knights=0,to=charolles)", "(lords=[Henri],maa=0,knights=0,to=villeneuve)"
    assert answer(state, "a", PRE_2=good) == f"move moves=[{first},{second}]"
    assert answer(state, "a", PRE_2=LIST + "whole") == "ask", "any part illegal: the whole is dropped"
    assert answer(state, "a", PRE_2=LIST + "best") == f"move moves=[{first}]"
    assert answer(state, "a", PRE_2="on moves=[(lords=[Henri],maa=4,to=villeneuve)] effort=best") == "done"


def test_a_list_that_was_carried_out_ends_its_turn_and_one_that_was_dropped_is_gone() -> None:  # FF-ASY-2
    state = scene(MARCH)
    given = {"PRE-2": LIST + "best"}
    found = orders.answer(FIEF, state, "a", given, Chance("x"))
    assert found is not None
    procedure.play(state, "a", found)
    left = FIEF.orders.after(state, "a", [f"movement:{write(found)}"], given)
    assert left == {"PRE-2+": "on"} and answer(state, "a", **{"PRE_2+": "on"}) == "done"
    assert FIEF.orders.after(state, "a", ["movement:done"], left) == {}
    by_hand = FIEF.orders.after(state, "a", ["movement:move moves=[(lords=[Henri],to=bourg)]"], {"PRE-2": LIST + "whole"})
    assert by_hand == {}, "he was asked, and has answered himself"
    assert answer(state, "a", PRE_2=LIST + "whole") == "ask", "a list that comes after his first is for another turn"


def test_battles_in_advance_are_fought_one_after_the_other() -> None:  # FF-ASY-2
    text = (
        "phase: 6a\nfirst: a\nArthur: a blaye on=charolles\nblaye: b stronghold\nblaye.b: 1 maa\nblaye.a: 13 maa on charolles\n"
    )
    state = scene(text)
    fight = "on fights=[(at=blaye,against=[b]){}] start=[blaye] effort="
    assert answer(state, "a", PRE_3=fight.format("") + "whole") == "attack at=blaye against=[b]"
    assert answer(state, "a", PRE_3=fight.format(",(at=bourg,against=[c])") + "whole") == "ask"
    assert answer(state, "a", PRE_3=fight.format(",(at=bourg,against=[c])") + "best") == "attack at=blaye against=[b]"
    assert answer(state, "a", PRE_3="on start=[blaye] effort=whole") == "done start=[blaye]"
    assert answer(state, "a", PRE_3="on start=[bourg] effort=whole") == "ask"
    assert answer(state, "a", PRE_3="on start=[bourg] effort=best") == "done"
    given = {"PRE-3": fight.format("") + "whole"}
    assert FIEF.orders.after(state, "a", ["battles:attack at=blaye against=[b]"], given) == given
    assert FIEF.orders.after(state, "a", ["battles:attack at=bourg against=[b]"], given) == {}
    assert FIEF.orders.after(state, "a", ["battles:done"], given) == {}


def test_the_first_village_is_chosen_from_a_ranked_list() -> None:  # FF-ASY-2
    state = wild.fresh(3, "village")
    first, second = state.table.first, state.table.in_order()[1]
    ranked = "on places=[(at=blaye),(at=sigy)]"
    assert answer(state, first, PRE_1=ranked) == "found at=blaye"
    procedure.play(state, first, read("found at=blaye"))
    assert answer(state, second, PRE_1=ranked) == "found at=sigy"
    assert answer(state, second, PRE_1="on places=[(at=blaye)]") == "ask"
    assert FIEF.orders.after(state, second, ["village:found at=sigy"], {"PRE-1": ranked}) == {}


def test_every_turn_of_the_round_that_is_still_to_come_can_be_answered_in_advance() -> None:  # FF-ASY-2
    text = "round: 2\nfirst: a\nArthur: b blaye\nblaye: b mills=1\nblaye.b: 2 maa\na.deniers: 5\nHenri: a bourg\n"
    text += "b.hand: taxes, justice, ambush"
    kinds = {
        phase: [ask.kind for ask in FIEF.orders.coming(scene(f"phase: {phase}\n{text}"), "b")] for phase in ("2a", "4b", "6b")
    }
    assert kinds == {
        "2a": ["discard", "purchase", "movement", "pillage"],
        "4b": ["purchase", "movement", "pillage"],
        "6b": [],
    }
    state = scene(f"phase: 4b\n{text}")
    assert FIEF.orders.coming(state, "a") == [], "he is asked"
    ask = next(ask for ask in FIEF.orders.coming(state, "b") if ask.kind == "movement")
    assert "lords[1..1]=Arthur" in shape(ask)
    before = FIEF.orders.stance(state, "b")
    procedure.play(state, "a", read("buy items=[(what=maa,at=bourg,n=1)]"))
    procedure.play(state, "a", read("done"))
    assert FIEF.orders.stance(state, "b") == before, "it holds for the round, whatever happens"
    state.table.round += 1
    assert FIEF.orders.stance(state, "b") != before


def test_nothing_that_was_promised_binds_but_an_exchange_that_was_carried_out() -> None:  # FF-ASY-13
    text = "phase: 5\nfirst: a\nArthur: a blaye\ncharolles: b\ncharolles.b: 1 maa\nOthon: b charolles"
    march = read("move moves=[(lords=[Arthur],to=charolles,then=lepervier,refused=stay)]")
    promised = offer(scene(text), "a", "exchange", "propose to=b give_deniers=3 want_passage=[charolles]")
    procedure.play(promised, "a", march)
    assert promised.waiting == ["b"], "an offer that lies there gives no leave, and b is free to refuse"
    procedure.play(promised, "b", read("no"))
    assert promised.table.lords["Arthur"].at == "charolles" and promised.table.families["b"].deniers == 5
    bound = offer(scene(text), "a", "exchange", "propose to=b give_deniers=3 want_passage=[charolles]")
    number, ask = offers.proposals(bound, "b")[0]
    run_offer(FIEF, bound, "b", ask.kind, Answer("accept"), number)
    assert "revoke" not in [a.kind for a in FIEF.rules.powers.open(bound, "b")]
    procedure.play(bound, "a", march)
    assert bound.table.lords["Arthur"].at == "lepervier" and bound.table.families["b"].deniers == 8


# --- what holds in whole games ----------------------------------------------------------------------------------------

LIVELY = {
    "SO-1": "on rules=[(who=a,say=ask)] otherwise=yes",
    "SO-2": "on keep=order units=[own_maa,other_knights,own_knights,other_maa]",
    "SO-3": "on rules=[(who=b,join=against),(join=ally)] otherwise=ask",
    "SO-4": "on dice=1 own=4 foes=2 rolls=3 then=ask passage=no_dice ambush=losing ambushed=end captors=self",
    "SO-5": "on walls=out_if_stop sally=twice surrender=2 truce=yes",
    "SO-6": "on rules=[(lord=Arthur,say=ask)] otherwise=yes",
    "SO-7": "on bishop=own cardinal=listed for=[b]",
    "SO-8": "on ballots=[(marker=decoy,candidate=ally),(marker=for,candidate=own)] otherwise=ask",
    "SO-9": "on stands=[(office=king,candidate=best)] otherwise=ask",
    "SO-10": "on rules=[(who=a,say=no)] otherwise=yes",
    "SO-14": "on first=lords_room second=fortune black=stop discards=[(card=lord,when=always),(card=taxes,when=full)]",
    "SO-15": "on lords=yes bonus=yes taxes=[(title=best)] least=1",
    "SO-16": "on items=[(what=title),(what=knight,at=blaye,n=2),(what=maa,at=bourg,n=4)] keep=1 seize=none gift=own",
    "SO-17": "on held=hold start=yes",
    "SO-18": "list places=[(at=own)]",
    "SO-20": "concerned",
    "SO-21": "on offers=[(sum=2)] accept=[(least=2)] otherwise=ask",
    "SO-22": "on rules=[(what=lord,say=yes)] otherwise=ask",
    "SO-23": "on take=yes use=yes leave=ask receive=ask teeth=own pass_on=house",
}


@pytest.mark.parametrize("given", [LIVELY, dict(orders.preset(FIEF))], ids=["lively", "preset"])
def test_whether_anybody_is_asked_depends_on_what_all_can_see(given: dict[str, str]) -> None:  # FF-ASY-3
    answered, looked = Counter[str](), Counter[str]()
    for options in ({}, {"holy_relics": True, "hidden_deniers": True}):
        state = wild.fresh(4, f"asked/{len(options)}", **{**options, "rounds": 6})

        def watch(state: FiefState) -> None:
            looked["moves"] += 1
            for seat in state.waiting:
                kind = procedure.ask_of(state, seat).kind
                found = orders.answer(FIEF, state, seat, given, Chance("x"))
                # who looks on deals the hands anew by their backs
                other = FIEF.rules.redeal(state, None, guess(looked["moves"]))
                again = orders.answer(FIEF, other, seat, given, Chance("x"))
                assert (found is None) == (again is None), f"{kind}: {found} and {again}"
                answered[kind] += found is not None

        wild.play(state, f"asked/{len(options)}", watch)
    assert looked["moves"] > 300 and all(answered[kind] for kind in ("window", "draw", "discard", "play"))


def test_each_player_s_list_is_bought_once_in_his_own_turn() -> None:  # FF-SO-16
    homes = "phase: 4b\nfirst: a\nArthur: a blaye\nblaye: a stronghold\na.deniers: 9\n"
    state = scene(f"{homes}Henri: b bourg\nbourg: b stronghold\nb.deniers: 9\n")
    assert answer(state, "a", SO_16="on items=[(what=maa,at=blaye,n=1)]").startswith("buy items=")
    procedure.play(state, "a", read("buy items=[(what=maa,at=blaye,n=1)]"))
    assert answer(state, "a", SO_16="on items=[(what=maa,at=blaye,n=1)]") == "done"
    procedure.play(state, "a", read("done"))
    assert answer(state, "b", SO_16="on items=[(what=maa,at=bourg,n=1)]").startswith("buy items=")


def test_an_order_answers_what_its_step_allows_and_nothing_else() -> None:  # FF-SO-15
    answered = Counter[str]()
    state = wild.fresh(5, "legal", rounds=9, holy_relics=True, fog_of_war=True)

    def watch(state: FiefState) -> None:
        for seat in state.waiting:
            ask = procedure.ask_of(state, seat)
            found = orders.answer(FIEF, state, seat, LIVELY, Chance("x"))
            if found is not None:
                assert found == procedure.vet(state, seat, found)
                assert any(option.id == found.option for option in ask.options)
                answered[ask.kind] += 1

    wild.play(state, "legal", watch)
    assert len(answered) > 10 and answered.keys() <= ANSWERS.keys()


def order_words() -> Iterator[str]:
    """What every standing order, its fields and its choices are called in their forms."""
    state, names = scene("Arthur: a blaye\nHenri: b bourg\n"), {"a": "Ann", "b": "Bob", "c": "Cy"}
    for ask in FIEF.orders.asks(state, "a"):
        form = describe(FIEF, ask, names, 0)
        yield f"{ask.rule} {form.title}: {FIEF.orders.sheet.about(ask.rule)}"
        for option in form.options:
            yield f"{ask.rule} {option.id}: {option.label}"
            for field in (x for f in option.fields for x in (f, *(f.fields if isinstance(f, RowsField) else ()))):
                yield f"{ask.rule} {option.id}.{field.name}: {field.label}"
                for choice in () if isinstance(field, RowsField) else choices_of(field):
                    yield f"{field.name}={choice.id}: {choice.label}"


def test_the_forms_of_standing_orders_read_as_recorded() -> None:  # FF-SO-1 to 24
    changed = stays(Path(__file__).with_name("order_words.txt"), list(dict.fromkeys(order_words())))
    assert not changed, "\n".join(changed)


@pytest.mark.parametrize(
    ("id", "text", "code"),
    [
        ("SO-3", "on rules=[(who=b,join=with),(join=against)] otherwise=ask", "fief.so_whom"),
        ("SO-16", "on items=[(what=maa,at=blaye,n=1),(what=knight,n=1)] seize=none gift=none", "fief.so_where"),
    ],
)
def test_a_row_of_an_order_that_lacks_its_aim_is_refused_by_its_number(id: str, text: str, code: str) -> None:  # FF-SO-3, 16
    state = scene("phase: 4b\nArthur: a blaye\n")
    with pytest.raises(NotLegal) as refused:
        orders.check(FIEF, state, "a", id, read(text))
    assert refused.value.said == say(code, n=2)
