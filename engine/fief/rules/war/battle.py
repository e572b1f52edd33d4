"""Battles (chapter BAT), including those of Cavalcades, with Ambush (ABS) and Secret Passage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from engine.core.asks import Answer, Ask, Cell, Field, Number, Option, PickOne, PickSome, Seat, Value, choices, illegal_if
from engine.core.procedure import Call, Done, Next, Procedure
from engine.fief.rules.court.deaths import Deaths
from engine.fief.rules.realm.control import Settling, cede, let_go
from engine.fief.rules.realm.pieces import AMBUSH, PASSAGE
from engine.fief.rules.realm.table import RIDE, Lord, Person, Place, Table, take
from engine.fief.rules.war.captives import capture
from engine.fief.rules.war.forces import Side, behind_walls, by_titles, doomed, hits, penalty, sets, within
from engine.fief.rules.war.shield import SHIELDED, Shield

ATTACK, DEFEND, NEUTRAL = "attack", "defend", "neutral"
AS_IS = "as_is"
LEAVE = "leave"
"""Truce terms: `as_is`; `leave`, the Cavalcade passes; `cede:x`, x gets control (FF-BAT-17)."""
BLANK = 3
"""Consecutive rolls without a loss that end a battle (FF-BAT-13)."""


class Hit(msgspec.Struct):
    hits: int = 0
    maa: dict[Seat, int] = {}
    knights: dict[Seat, int] = {}
    lords: list[Lord] = []


class Taken(msgspec.Struct):
    """Captured Lords before a captor is named."""

    lords: list[Lord]
    attacking: bool
    side: list[Seat]
    """The losers' seats, who may inherit relics."""


class Battle(Procedure):
    """A battle. Returns `won`, `lost`, `leave` (for the attackers) or `over`."""

    at: Place = ""
    declarer: Seat = ""
    attackers: list[Seat] = []
    defenders: list[Seat] = []
    named: list[Seat] = []
    """Seats attacked by the declarer; other fighters joined by choice."""
    cavalcade: bool = False
    walls: bool = False
    """The defenders have walls (FF-BAT-5)."""
    outside: list[Seat] = []
    """Seats without walls for this battle: they attacked or came out (FF-BAT-5)."""
    mustered: bool = False
    """Sides are fixed and all Troops shown (FF-OPT-10)."""
    passage: bool = False
    """A Secret Passage cancels all wall penalties (FF-BAT-8)."""
    blank: int = 0
    rolls: int = 0
    faces: list[list[int]] = []
    """Last roll: attackers' dice, defenders' dice."""
    lost: dict[str, Hit] = {}
    """Side -> losses of the last roll."""
    safe: list[Lord] = []
    """Captives freed in this battle, immune to capture in it (FF-CAP-4)."""
    plots: list[tuple[Seat, Lord]] = []
    """Ambushes to resolve: (player, target)."""
    back: str = "roll"
    """The step after the ambushes."""
    caller_off: Seat = ""
    """Who may end the battle after ambushing a player's last free Lord (FF-ABS-2)."""
    ended: str = ""
    taken: list[Taken] = []
    """Groups of captured Lords that still need a captor."""
    said: dict[Seat, Answer] = {}
    """Answers after a roll, kept while their cards resolve."""

    def waits(self, table: Any, seat: Seat, kind: str) -> bool:
        """No cards between roll and losses (FF-OPP-2, FF-UPR-10)."""
        return self.step in ("losses", "captors", "go_on")

    # --- sides ---

    def sides(self) -> tuple[Side, Side]:
        return Side(self.at, self.attackers, self.cavalcade), Side(self.at, self.defenders)

    def dice(self, table: Table) -> tuple[int, int]:
        """Dice of attackers and defenders (FF-BAT-7)."""
        attack, defence = self.sides()
        fine = penalty(table, attack) if self.walled(table) and not self.passage else 0
        return attack.dice(table, fine), defence.dice(table)

    def _attack(self) -> Side:
        return self.sides()[0]

    def _defence(self) -> Side:
        return self.sides()[1]

    def _of(self, seat: Seat) -> Side:
        return self._attack() if seat in self.attackers else self._defence()

    def _against(self, seat: Seat) -> Side:
        return self._defence() if seat in self.attackers else self._attack()

    def _in(self) -> list[Seat]:
        return [*self.attackers, *self.defenders]

    def _about(self) -> dict[str, str | list[str]]:
        return {"at": self.at, "attackers": self.attackers, "defenders": self.defenders}

    def begin(self, table: Table) -> Next:
        self.attackers = self.attackers or [self.declarer]
        self.named = list(self.defenders)
        event = "cavalcade" if self.cavalcade else "battle"
        table.tell(event, seat=self.declarer, village=self.at, against=list(self.defenders))
        return "side"

    def who_side(self, table: Table) -> list[Seat]:
        """D-BAT-2, D-CAV-1: all others present, with hidden answers."""
        present = [s for s in table.armies(self.at) if s not in self._in()]
        return [s for s in present if table.has_troops(s, self.at)] if self.cavalcade else present

    def ask_side(self, table: Table, seat: Seat) -> Ask:
        ways = [DEFEND, NEUTRAL] if self.cavalcade else [ATTACK, DEFEND, NEUTRAL]
        row = "D-CAV-1" if self.cavalcade else "D-BAT-2"
        return Ask(seat, "side", tuple(Option(way) for way in ways), Answer(NEUTRAL), row, self._about())

    def take_side(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            if answer.option != NEUTRAL:
                (self.attackers if answer.option == ATTACK else self.defenders).append(seat)
            table.tell("side", seat=seat, side=answer.option, village=self.at)
        if not self._defence().has_troops(table):
            return "after"
        self.outside = list(self.attackers)
        self.walls = not self.cavalcade and behind_walls(table, self.defenders, self.at)
        self.mustered = True
        armies = {s: list(self._of(s).troops(table, s)) for s in self._in()}
        table.tell("mustered", village=self.at, attackers=self.attackers, defenders=self.defenders, armies=armies)
        return "muster"

    def walled(self, table: Table) -> bool:
        """Whether walls protect the defenders: one inside is enough (FF-BAT-5)."""
        if table.ruled("FF-BAT-5") == "inside":
            return self.walls and any(self._inside(table, s) for s in self.defenders)
        kept = table.ruled("FF-BAT-5") == "kept" or table.villages[self.at].controller in self.defenders
        return self.walls and kept

    def _decided(self, table: Table) -> bool:
        """Whether a side has no Troops (FF-BAT-13)."""
        if table.ruled("FF-BAT-13") == "asked":
            return False
        return not (self._attack().has_troops(table) and self._defence().has_troops(table))

    # --- walls and cards (D-BAT-3, D-BAT-4) ---

    def _inside(self, table: Table, seat: Seat) -> bool:
        return seat not in self.outside and within(table, seat, self.at)

    def _may_come_out(self, table: Table, seat: Seat) -> bool:
        """Each defender inside may (D-BAT-3)."""
        if table.ruled("FF-BAT-5") == "inside":
            return self.walled(table) and seat in self.defenders and self._inside(table, seat)
        return self.walled(table) and table.villages[self.at].controller == seat

    def _may_play(self, table: Table, seat: Seat) -> bool:
        """Whether to ask about cards, by public facts: a grey back and a possible use (FF-ASY-3)."""
        led = any(p.seat == seat for p in self._of(seat).lords(table))
        if led and table.ruled("FF-RND-3") == "skipped":
            led = bool(self._ambushable(table, seat))
        return table.grey(seat) and ((self.walled(table) and seat in self.attackers and not self.passage) or led)

    def _ambushable(self, table: Table, seat: Seat) -> list[Lord]:
        """Opposing Lords, except captives freed in this battle (FF-ABS-1, FF-CAP-4)."""
        safe = self.safe if table.ruled("FF-ABS-1") == "safe" else ()
        return [p.id for p in self._against(seat).lords(table) if p.id not in safe]

    def _cards(self, table: Table, seat: Seat) -> tuple[Field, ...]:
        hand = table.families[seat].hand
        prey = self._ambushable(table, seat)
        led = any(p.seat == seat for p in self._of(seat).lords(table))
        passage = self.walled(table) and seat in self.attackers and not self.passage
        cards = [PASSAGE] * passage + [AMBUSH] * (led and bool(prey))
        cards = [card for card in cards if card in hand]
        if not cards:
            return ()
        on = (PickOne("lord", choices(prey), optional=True),) if AMBUSH in cards else ()
        return (PickOne("card", choices(cards), optional=True), *on)

    def who_muster(self, table: Table) -> list[Seat]:
        if self._decided(table):
            return []
        return [s for s in table.in_order() if s in self._in() and (self._keeps_gate(table, s) or self._may_play(table, s))]

    def ask_muster(self, table: Table, seat: Seat) -> Ask:
        cards = self._cards(table, seat)
        options = [Option("ready", cards)]
        if self._may_come_out(table, seat):
            options.append(Option("out", cards))
        row = "D-BAT-3" if self._may_come_out(table, seat) else "D-BAT-4"
        return Ask(seat, "muster", tuple(options), Answer("ready"), row, self._about())

    def vet_muster(self, table: Table, seat: Seat, answer: Answer) -> None:
        card = answer.pick("card")
        illegal_if(card == AMBUSH and not answer.pick("lord"), "fief.ambush_whom")
        illegal_if(answer.pick("lord") and card != AMBUSH, "fief.lord_for_ambush")

    def take_muster(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        self._come_out(table, [s for s, answer in answers.items() if answer.option == "out"])
        self._play(table, answers)
        self.back = "roll" if self._attack().has_troops(table) and self._defence().has_troops(table) else "after"
        return "ambush"

    def _keeps_gate(self, table: Table, seat: Seat) -> bool:
        """D-BAT-3 at muster: an ally inside gains nothing before the roll."""
        return self._may_come_out(table, seat) and table.villages[self.at].controller == seat

    def _come_out(self, table: Table, seats: Sequence[Seat]) -> None:
        if not seats:
            return
        if table.ruled("FF-BAT-5") != "inside":
            self.walls = False
            table.tell("came_out", seat=table.villages[self.at].controller, village=self.at)
            return
        for seat in [s for s in seats if self._may_come_out(table, s)]:
            self.outside.append(seat)
            table.tell("came_out", seat=seat, village=self.at)
        self.walls = self.walled(table)

    def _play(self, table: Table, answers: dict[Seat, Answer]) -> None:
        """The first Secret Passage in turn order is used, others stay hidden."""
        for seat in table.in_order():
            card = answers[seat].pick("card") if seat in answers else ""
            if card == PASSAGE and self.walled(table) and not self.passage:
                table.spend(seat, PASSAGE)
                self.passage = True
                table.tell("passage", seat=seat, use="battle", lords=[])
            elif card == AMBUSH:
                table.spend(seat, AMBUSH)
                self.plots.append((seat, answers[seat].pick("lord")))
                table.tell("ambush", seat=seat, lord=answers[seat].pick("lord"), village=self.at)

    # --- Ambush (FF-ABS) ---

    def ambush(self, table: Table) -> Next:
        while self.plots and not self._prey(table):
            self.plots.pop(0)
        if not self.plots:
            return self.back
        by, lord = self.plots[0]
        return Call(Shield(by=by, lord=lord, card=AMBUSH), "sprung")

    def _prey(self, table: Table) -> Person | None:
        lord = table.lords.get(self.plots[0][1])
        return lord if lord is not None and lord.free and lord.at == self.at and lord.seat in self._in() else None

    def sprung(self, table: Table) -> Next:
        by, lord = self.plots.pop(0)
        if self.came == SHIELDED:
            return "ambush"
        prey = table.lords[lord]
        capture(table, prey, by, self._strongest_first(table, self._of(prey.seat)))
        last = not any(p.seat == prey.seat for p in self._of(prey.seat).lords(table))
        self.caller_off = by if last else ""
        return Call(Settling(), "go_on")

    def who_go_on(self, table: Table) -> list[Seat]:
        return [self.caller_off] if self.caller_off else []

    def ask_go_on(self, table: Table, seat: Seat) -> Ask:
        return Ask(seat, "go_on", (Option("continue"), Option("end")), Answer("continue"), "D-AMB-2", self._about())

    def take_go_on(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        self.caller_off = ""
        if any(answer.option == "end" for answer in answers.values()):
            return self._over(table, "called_off")
        return "ambush"

    # --- a roll ---

    def roll(self, table: Table) -> Next:
        """FF-BAT-9: both sides roll at once; 0 dice count as a roll (FF-AMB-65)."""
        attack, defence = self.sides()
        self.walls = self.walled(table)
        sides = zip(self.dice(table), ("attack", "defence"), strict=True)
        faces = [table.battle_dice(n, f"battle/{side}") for n, side in sides]
        starter = self.declarer if table.ruled("FF-OPT-5") == "others" else ""
        dealt = (
            hits(table, faces[0], attack, defence, True, starter=starter),
            hits(table, faces[1], defence, attack, False, int(self.cavalcade)),
        )
        self.rolls += 1
        self.faces = faces
        table.tell("battle_roll", village=self.at, roll=self.rolls, attack=faces[0], defence=faces[1], hits=list(dealt))
        self.lost = {ATTACK: Hit(dealt[1]), DEFEND: Hit(dealt[0])}
        return "losses"

    def _choosing(self, table: Table) -> dict[Seat, str]:
        """Chooser -> side, if several loss sets are legal (D-BAT-5)."""
        found = {}
        for name, side in ((ATTACK, self._attack()), (DEFEND, self._defence())):
            if self.lost[name].hits and self._has_choice(table, side, self.lost[name].hits):
                found[side.chooser(table, self.declarer)] = name
        return found

    def _has_choice(self, table: Table, side: Side, hit: int) -> bool:
        maa, knights = side.total(table)
        possible = sets(maa, knights, hit)
        if len(possible) > 1:
            return True
        m, k = possible[0]
        several = len([s for s in side.seats if any(side.troops(table, s))]) > 1
        if several and (0 < m < maa or 0 < k < knights):
            return True
        dead = doomed(table, side, hit)
        return 0 < dead < len(side.lords(table))

    def _hit(self, table: Table, seat: Seat) -> tuple[Side, int]:
        name = self._choosing(table)[seat]
        return self._attack() if name == ATTACK else self._defence(), self.lost[name].hits

    def who_losses(self, table: Table) -> list[Seat]:
        return list(self._choosing(table))

    def ask_losses(self, table: Table, seat: Seat) -> Ask:
        side, hit = self._hit(table, seat)
        default = self._by_house(table, side, hit)
        fields: list[Field] = []
        for s in side.seats:
            for kind, most, lost in zip(("maa", "knights"), side.troops(table, s), (default.maa, default.knights), strict=True):
                fields += [Number(f"{kind}_{s}", 0, most, lost[s])] if most else []
        dead = doomed(table, side, hit)
        if dead:
            fields.append(PickSome("lords", choices(by_titles(table, side.lords(table))), dead, dead))
        values: dict[str, Value] = {f.name: f.usual or 0 for f in fields if isinstance(f, Number)}
        if dead:
            values["lords"] = list(default.lords)
        about: dict[str, Cell] = {"hits": hit, "sets": [f"{m}+{k}" for m, k in sets(*side.total(table), hit)]}
        return Ask(seat, "losses", (Option("lose", tuple(fields)),), Answer("lose", values), "D-BAT-5", about)

    def vet_losses(self, table: Table, seat: Seat, answer: Answer) -> None:
        side, hit = self._hit(table, seat)
        maa, knights = _chosen(side, answer, "maa"), _chosen(side, answer, "knights")
        possible = sets(*side.total(table), hit)
        legal = (sum(maa.values()), sum(knights.values())) in possible
        illegal_if(not legal, "fief.losses", n=hit, sets=[f"{m}+{k}" for m, k in possible])

    def take_losses(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        choosing = self._choosing(table)
        for name, side in ((ATTACK, self._attack()), (DEFEND, self._defence())):
            hit = self.lost[name].hits
            answer = next((answers[s] for s, of in choosing.items() if of == name and s in answers), None)
            if answer is None:
                self.lost[name] = self._by_house(table, side, hit)
            else:
                maa, knights = _chosen(side, answer, "maa"), _chosen(side, answer, "knights")
                self.lost[name] = Hit(hit, maa, knights, answer.some("lords"))
        return self._bleed(table)

    def _by_house(self, table: Table, side: Side, hit: int) -> Hit:
        """Default losses: fewest Knights, the chooser's own last; untitled Lords first (D-BAT-5)."""
        m, k = sets(*side.total(table), hit)[0]
        chosen = Hit(hit)
        chooser = side.chooser(table, self.declarer)
        for s in [*(s for s in side.seats if s != chooser), chooser]:
            maa, knights = side.troops(table, s)
            chosen.maa[s], chosen.knights[s] = min(m, maa), min(k, knights)
            m, k = m - chosen.maa[s], k - chosen.knights[s]
        chosen.lords = by_titles(table, side.lords(table))[: doomed(table, side, hit)]
        return chosen

    def _bleed(self, table: Table) -> Next:
        """Apply both sides' losses at once (FF-BAT-9)."""
        dying, cost, armed = [], 0, self._armed(table)
        for side, lost in ((self._attack(), self.lost[ATTACK]), (self._defence(), self.lost[DEFEND])):
            for s in side.seats:
                maa, knights = lost.maa.get(s, 0), lost.knights.get(s, 0)
                if maa or knights:
                    _remove(table, side, s, maa, knights)
                    table.tell("losses", seat=s, village=self.at, maa=maa, knights=knights)
                cost += maa + knights
            dying += lost.lords
            cost += len(lost.lords)
        self.blank = 0 if cost else self.blank + 1
        self._free_captives(table, armed)
        sides = [self._strongest_first(table, side) for side in self.sides()]
        return Call(Deaths(dying=dying, cause="battle", sides=sides), "after")

    def _strongest_first(self, table: Table, side: Side) -> list[Seat]:
        left, found = list(side.seats), []
        while left:
            found.append(Side(self.at, left, side.riding).chooser(table, self.declarer))
            left = [s for s in left if s != found[-1]]
        return found

    def _armed(self, table: Table) -> list[Seat]:
        """Fighters that lose their captives with their last Troops here (FF-CAP-4); a Lord alone keeps his."""
        if table.ruled("FF-CAP-4") == "none":
            return self._in()
        return [s for s in self._in() if table.has_troops(s, self.at)]

    def _free_captives(self, table: Table, armed: Sequence[Seat]) -> None:
        """FF-CAP-4; they can't be retaken in this battle."""
        for p in table.at(self.at):
            if p.captor in armed and not table.has_troops(p.captor, self.at):
                let_go(table, p)
                self.safe.append(p.id)

    # --- after a roll ---

    def after(self, table: Table) -> Next:
        attack, defence = self.sides()
        standing = attack.has_troops(table), defence.has_troops(table)
        if not all(standing):
            if standing[0]:
                return self._take_all(table, defence, attack)
            if standing[1]:
                return self._take_all(table, attack, defence)
            return self._over(table, "both_gone")
        self._leave_walls(table)
        if self.blank == BLANK:
            return self._over(table, "blank")
        return "battle_next"

    def who_battle_next(self, table: Table) -> list[Seat]:
        """D-BAT-6, D-BAT-3, D-BAT-4: all involved (FF-BAT-14)."""
        if self._decided(table):
            return []
        return [s for s in table.in_order() if s in self._in() and table.occupies(s, self.at)]

    def ask_battle_next(self, table: Table, seat: Seat) -> Ask:
        cards, side = self._cards(table, seat), self._of(seat)
        options = [Option("continue", cards)]
        if any(side.troops(table, seat)):
            options.append(Option("surrender", grave=True))
        terms = [AS_IS, *([LEAVE] if self.cavalcade else [])]
        if not self.cavalcade:
            controller = table.villages[self.at].controller
            there = self._in() if table.ruled("FF-BAT-17") == "any" else [s for s in self._in() if table.occupies(s, self.at)]
            terms += [f"cede:{s}" for s in there if s != controller and controller in there]
        options.append(Option("truce", (PickOne("terms", choices(terms)), *cards)))
        walled = self.walled(table)
        stopping = walled and seat in self.attackers
        if stopping and seat == self._attack().chooser(table, self.declarer):
            options.append(Option("stop", cards))
        if self._may_come_out(table, seat):
            options += [Option("out", cards), Option("out_if_stop", cards)]
        if len(self._together(table, side)) > 1:
            shut = self.cavalcade and table.ruled("FF-CAV-5") == "leave"  # riders can't be joined
            options += [Option(NEUTRAL)] if shut else [Option("turn"), Option(NEUTRAL)]
        default = "stop" if any(option.id == "stop" for option in options) else "continue"
        about = {**self._about(), "roll": self.rolls, "walls": int(walled)}
        return Ask(seat, "battle_next", tuple(options), Answer(default), "D-BAT-6", about)

    vet_battle_next = vet_muster

    def take_battle_next(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        """Reveal the wishes, play their cards (FF-BAT-14)."""
        if answers:
            wishes = {s: [answer.option, answer.pick("terms")] for s, answer in answers.items()}
            table.tell("wished", village=self.at, wishes=wishes)
        self._play(table, answers)
        self.said, self.back = answers, "decide"
        return "ambush"

    def decide(self, table: Table) -> Next:
        """Changes of sides and surrenders (FF-BAT-14)."""
        answers, self.said = self.said, {}
        chosen = {s: answer.option for s, answer in answers.items()}
        self._change_sides(table, chosen)
        self._surrender(table, [s for s in self._in() if chosen.get(s) == "surrender"])
        self.said = answers
        return "captors"

    def resolve(self, table: Table) -> Next:
        """Apply truce, coming out or stop, else roll again."""
        answers, self.said = self.said, {}
        chosen = {s: answer.option for s, answer in answers.items()}
        self.back = "roll"
        stop = "stop" in chosen.values()
        out = [s for s, way in chosen.items() if way == "out" or (way == "out_if_stop" and stop)]
        if not self.attackers or not self.defenders or not all(s.has_troops(table) for s in self.sides()):
            self.back = "after" if self.attackers and self.defenders else "deserted"
        elif terms := self._agreed(table, answers):
            return self._truce(table, terms)
        elif out and not (stop and self._stays_walled(table, out)):
            if self.walled(table):
                self._come_out(table, out)
        elif stop:
            return self._over(table, "stopped")
        return Call(Settling(), self.back) if table.fallen else self.back

    def _stays_walled(self, table: Table, out: Sequence[Seat]) -> bool:
        """Whether a partner inside keeps the walls when these come out, so that they forbid no stop (FF-BAT-15)."""
        return table.ruled("FF-BAT-15") == "open" and any(self._inside(table, s) and s not in out for s in self.defenders)

    def deserted(self, table: Table) -> Next:
        """All of a side have surrendered or left. Troops on the other win: a Cavalcade rides on (FF-BAT-16, FF-CAV-7)."""
        attack, defence = (side.has_troops(table) for side in self.sides())
        if attack == defence or table.ruled("FF-BAT-16") == "over":
            return self._over(table, "deserted")
        return self._over(table, "won" if attack else "lost")

    def _together(self, table: Table, side: Side) -> list[Seat]:
        """Partners of a combined side who have an army left; by ruling all who joined it (FF-BAT-14)."""
        return [s for s in side.seats if table.ruled("FF-BAT-14") == "all" or table.occupies(s, self.at)]

    def _change_sides(self, table: Table, chosen: dict[Seat, str]) -> None:
        """Partners may betray each other, but not end the battle so: of those who want to leave, the strongest stays."""
        for side in self.sides() if table.ruled("FF-BAT-14") == "stays" else ():
            together = self._together(table, side)
            if together and all(chosen.get(s) in ("turn", NEUTRAL) for s in together):
                last = Side(self.at, together, side.riding).chooser(table, self.declarer)
                chosen = {s: option for s, option in chosen.items() if s != last}
                table.tell("changed_side", seat=last, side="stays", village=self.at)
        for seat, option in chosen.items():
            if option in ("turn", NEUTRAL):
                attacking = seat in self.attackers
                (self.attackers if attacking else self.defenders).remove(seat)
                self.outside.append(seat)
                if option == "turn":
                    (self.defenders if attacking else self.attackers).append(seat)
                table.tell("changed_side", seat=seat, side=option, village=self.at)
        self._leave_walls(table)

    def _leave_walls(self, table: Table) -> None:
        """Drop the walls once no defender is inside (FF-BAT-5)."""
        inside = table.ruled("FF-BAT-5") == "inside"
        if self.walls and not (self.walled(table) if inside else table.villages[self.at].controller in self.defenders):
            self.walls = False

    def _surrender(self, table: Table, seats: Sequence[Seat]) -> None:
        """FF-BAT-16: Troops return to stock; Lords are captured if the other side has Troops."""
        sides, armed = {seat: (self._of(seat), seat in self.attackers) for seat in seats}, self._armed(table)
        for seat, (side, _) in sides.items():
            maa, knights = side.troops(table, seat)
            _remove(table, side, seat, maa, knights)
            table.tell("surrendered", seat=seat, village=self.at)
        self._free_captives(table, armed)
        for seat, (side, attacking) in sides.items():
            lords = [p.id for p in side.lords(table) if p.seat == seat and p.id not in self.safe]
            self.taken.append(Taken(lords, not attacking, self._strongest_first(table, side)))
        self.attackers = [s for s in self.attackers if s not in seats]
        self.defenders = [s for s in self.defenders if s not in seats]

    def _agreed(self, table: Table, answers: dict[Seat, Answer]) -> str:
        """Truce terms offered by all with an army; '' if none."""
        terms = {answer.pick("terms") for s, answer in answers.items() if s in self._in()}
        agreed = terms.pop() if len(terms) == 1 else ""
        to = agreed.removeprefix("cede:")
        if to == agreed or table.ruled("FF-BAT-17") != "agreed":
            return agreed
        both = (table.villages[self.at].controller, to)  # one may have left the fight since (FF-CTL-4)
        return agreed if all(s in self._in() and table.occupies(s, self.at) for s in both) else ""

    def _truce(self, table: Table, terms: str) -> Next:
        table.tell("truce", village=self.at, terms=terms)
        if terms.startswith("cede:"):
            cede(table, self.at, terms.removeprefix("cede:"))
        return self._over(table, "leave" if terms == LEAVE else "truce")

    # --- the end ---

    def _take_all(self, table: Table, losers: Side, winners: Side) -> Next:
        """Capture the Lords of a side without Troops (FF-BAT-3, 12)."""
        self.ended = "won" if winners.seats == self.attackers else "lost"
        lords = [p.id for p in losers.lords(table) if p.id not in self.safe]
        self.taken = [Taken(lords, self.ended == "won", self._strongest_first(table, losers))]
        return "captors"

    def _takers(self) -> Side:
        return self._attack() if self.taken[0].attacking else self._defence()

    def _captors(self, table: Table) -> list[Seat]:
        """FF-CAP-1, chooser first."""
        side = self._takers()
        return [s for s in self._strongest_first(table, side) if any(side.troops(table, s))]

    def who_captors(self, table: Table) -> list[Seat]:
        if not self.taken or not self.taken[0].lords or len(self._captors(table)) < 2:
            return []
        return [self._takers().chooser(table, self.declarer)]

    def ask_captors(self, table: Table, seat: Seat) -> Ask:
        captors = self._captors(table)
        first = seat if seat in captors else captors[0]
        fields = tuple(PickOne(f"of_{id.lower()}", choices(captors)) for id in self.taken[0].lords)
        default = Answer("hold", {field.name: first for field in fields})
        return Ask(seat, "captors", (Option("hold", fields),), default, "D-BAT-7", {"lords": self.taken[0].lords})

    def take_captors(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        if self.taken:
            captors = self._captors(table)
            taken = self.taken.pop(0)
            for id in taken.lords if captors else ():
                named = next((answer.pick(f"of_{id.lower()}") for answer in answers.values()), captors[0])
                capture(table, table.lords[id], named, taken.side)
        if self.taken:
            return "captors"
        return self._over(table, self.ended) if self.ended else "resolve"

    def _over(self, table: Table, how: str) -> Next:
        self.ended = how
        table.tell("battle_over", village=self.at, how=how)
        return Call(Settling(), "done")

    def done(self, table: Table) -> Next:
        return Done(self.ended)


def _chosen(side: Side, answer: Answer, what: str) -> Counter[Seat]:
    return Counter({s: answer.number(f"{what}_{s}") for s in side.seats if f"{what}_{s}" in answer.values})


def _remove(table: Table, side: Side, seat: Seat, maa: int, knights: int) -> None:
    if not side.riding:
        table.lose(seat, side.at, maa, knights)
        return
    take((g for g in table.villages[side.at].troops.get(seat, []) if g.road == RIDE), maa, knights)
    table.tidy(seat, side.at)
