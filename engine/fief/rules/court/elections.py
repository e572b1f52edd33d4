"""Elections (chapters ELE, BIS, POP, KNG)."""

from __future__ import annotations

import msgspec

from engine.core.asks import Answer, Ask, NotLegal, Option, PickOne, Seat, choices, illegal_if
from engine.core.procedure import Done, Next, Procedure
from engine.fief.rules.realm.table import Lord, Person, Table, titles_of
from engine.fief.rules.realm.titles import crown, make_bishop
from engine.language.words import say

BISHOP, POPE, KING = "bishop", "pope", "king"


def to_be_elected(table: Table, office: str, see: int) -> bool:
    """Whether an election is due, candidates or not (FF-BIS-1, FF-POP-1, FF-KNG-1)."""
    if office == BISHOP:
        for v in table.lore.sees[see].villages:
            if not table.villages[v].controller:
                return False
        return table.who("bishop", see) is None
    if office == POPE:
        return table.who("pope") is None and sum(bool(p.cardinal) and p.free for p in table.lords.values()) >= 2
    return table.who("king") is None


def may_stand(lord: Person, office: str) -> bool:
    """Eligibility (FF-BIS-2, FF-POP-1, FF-KNG-2)."""
    if not lord.free or lord.female or lord.excommunicated:
        return False
    if office == BISHOP:
        return not lord.spouse and not lord.bishop and not lord.king
    if office == POPE:
        return bool(lord.bishop or lord.cardinal)
    return lord.titled and not lord.churchman


def votes(table: Table, seat: Seat, office: str, see: int) -> int:
    """Votes of a marker (FF-BIS-3, FF-POP-2, FF-KNG-3)."""
    electors = [p for p in table.free(seat) if not p.excommunicated]
    if office == POPE:
        return sum(bool(p.cardinal) for p in electors)
    if office == KING:
        return sum(titles_of(table, p) > 0 for p in electors)
    bishopric = table.lore.sees[see]
    lands = sum(table.villages[v].controller == seat for v in bishopric.villages)
    lands += table.villages[bishopric.principal].controller == seat
    return lands + sum(_bishop_votes(p, table.round) for p in electors)


def _bishop_votes(lord: Person, round: int) -> int:
    if lord.cardinal or lord.pope:
        return 3
    return 2 if lord.bishop and lord.bishop_since < round else 0


def validates(table: Table, seats: list[Seat]) -> bool:
    """Whether a King's voters include two Bishops, a Cardinal or the Pope (FF-KNG-4)."""
    church = [p for s in seats for p in table.free(s) if not p.excommunicated and p.churchman]
    return any(p.cardinal or p.pope for p in church) or len(church) >= 2


class Ballot(msgspec.Struct):
    for_: Lord = ""
    decoy: Lord = ""

    @property
    def placed(self) -> list[Lord]:
        """Lords with markers, sorted so that faces stay hidden."""
        return sorted(id for id in (self.for_, self.decoy) if id)


class Election(Procedure):
    """An election from candidacies to tally (FF-ELE-1 to 8)."""

    office: str = BISHOP
    see: int = 0
    declared: list[Seat] = []
    candidates: list[Lord] = []
    turn: Seat = ""
    """The seat voting, in sequential ballots."""
    polled: list[Seat] = []
    """Seats already called to vote, able to or not (FF-AMB-14)."""
    voted: list[Seat] = []
    ballots: dict[Seat, Ballot] = {}

    def begin(self, table: Table) -> Next:
        if not to_be_elected(table, self.office, self.see) or not any(may_stand(p, self.office) for p in table.lords.values()):
            return Done()
        table.tell("election", office=self.office, see=self.see)
        return "stand"

    def _fit(self, table: Table, seat: Seat) -> list[Lord]:
        return [p.id for p in table.free(seat) if may_stand(p, self.office)]

    # candidacies (FF-ELE-2)

    def who_stand(self, table: Table) -> list[Seat]:
        return [s for s in table.in_order() if s not in self.declared and self._fit(table, s)][:1]

    def ask_stand(self, table: Table, seat: Seat) -> Ask:
        options = (Option("stand", (PickOne("lord", choices(self._fit(table, seat))),)), Option("none"))
        return Ask(seat, "stand", options, Answer("none"), self._row(1), {**self._about(), "candidates": self.candidates})

    def explain_stand(self, table: Table, seat: Seat, answer: Answer) -> None:
        lord = table.lords.get(answer.pick("lord"))
        if lord is None or lord.id in self._fit(table, seat):
            return
        illegal_if(lord.captor, "fief.captive_in_election", lord=lord.id)
        illegal_if(lord.excommunicated, "fief.banned_in_election", lord=lord.id)
        raise NotLegal(say("fief.no_candidate_of_yours", lord=lord.id, office=self.office))

    def take_stand(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            self.declared.append(seat)
            if answer.option == "stand":
                self.candidates.append(answer.pick("lord"))
                table.tell("stands", seat=seat, lord=answer.pick("lord"), office=self.office, see=self.see)
        if answers:
            return "stand"
        if not self.candidates:
            table.tell("no_candidate", office=self.office, see=self.see)
            return Done()
        at_once = table.options.simultaneous_ballots or table.ruled("FF-ELE-3") == "asked"
        return "vote" if at_once else "poll"

    # votes (FF-ELE-3, 8)

    def poll(self, table: Table) -> Next:
        """The next seat with a vote now (FF-AMB-14)."""
        for seat in table.in_order():
            if seat not in self.polled:
                self.polled.append(seat)
                if votes(table, seat, self.office, self.see):
                    self.turn = seat
                    return "vote"
        return "tally"

    def _fitting(self, table: Table) -> list[Lord]:
        """Candidates still alive and eligible (FF-ELE-6)."""
        return [id for id in self.candidates if id in table.lords and may_stand(table.lords[id], self.office)]

    def who_vote(self, table: Table) -> list[Seat]:
        if not self._fitting(table):
            return []
        left = [s for s in table.in_order() if s not in self.voted and votes(table, s, self.office, self.see)]
        if self.turn:
            return [s for s in left if s == self.turn]
        return left if table.options.simultaneous_ballots else left[:1]

    def ask_vote(self, table: Table, seat: Seat) -> Ask:
        on = choices(self._fitting(table))
        marked = (PickOne("for", on, optional=True), PickOne("decoy", on, optional=True))
        own = votes(table, seat, self.office, self.see)
        placed = [f"{s}:{id}" for s, ballot in self.ballots.items() for id in ballot.placed]
        about = {**self._about(), "votes": own, "candidates": self._fitting(table), "placed": placed}
        return Ask(seat, "vote", (Option("vote", marked), Option("none")), Answer("none"), self._row(2), about)

    def take_vote(self, table: Table, answers: dict[Seat, Answer]) -> Next:
        for seat, answer in answers.items():
            self.voted.append(seat)
            self.ballots[seat] = Ballot(answer.pick("for"), answer.pick("decoy"))
            table.tell("voted", seat=seat, on=self.ballots[seat].placed)
        if self.turn:
            return "poll"
        return "vote" if answers and not table.options.simultaneous_ballots else "tally"

    def tally(self, table: Table) -> Next:
        """FF-ELE-4 to 6: weights and eligibility as of now."""
        standing = self._fitting(table)
        casts: dict[Lord, list[Seat]] = {id: [] for id in standing}
        for seat, ballot in self.ballots.items():
            if ballot.for_ in casts and votes(table, seat, self.office, self.see):
                casts[ballot.for_].append(seat)
        counts = {id: sum(votes(table, s, self.office, self.see) for s in seats) for id, seats in casts.items()}
        shown = {s: [b.for_, b.decoy] for s, b in self.ballots.items()}
        table.tell("tally", office=self.office, see=self.see, counts=counts, shown=shown)
        winner = self._winner(table, counts, casts)
        if not winner:
            table.tell("nobody_elected", office=self.office, see=self.see)
            return Done()
        lord = table.lords[winner]
        table.tell("elected", office=self.office, see=self.see, lord=winner, seat=lord.seat)
        if self.office == BISHOP:
            make_bishop(table, lord, self.see)
        elif self.office == POPE:
            lord.pope = True
        else:
            crown(table, lord)
        return Done("elected")

    def _winner(self, table: Table, counts: dict[Lord, int], casts: dict[Lord, list[Seat]]) -> Lord:
        best = max(counts.values(), default=0)
        ahead = [id for id, n in counts.items() if n == best]
        if best == 0 or len(ahead) > 1:
            return ""
        if self.office == POPE and 2 * best <= sum(counts.values()):
            return ""
        if self.office == KING and (best < 3 or not validates(table, casts[ahead[0]])):
            return ""
        return ahead[0]

    def _row(self, n: int) -> str:
        return f"D-{ {BISHOP: 'BIS', POPE: 'POP', KING: 'KNG'}[self.office] }-{n}"

    def _about(self) -> dict[str, str | int]:
        return {"office": self.office, "see": self.see}
