"""Words about colours and bots for the pages: what stands beside a name to help choosing."""

from __future__ import annotations

from service.ground.phrases import Phrase, sentence

COLOURS: dict[str, Phrase] = {
    "red": sentence("red"),
    "blue": sentence("blue"),
    "green": sentence("green"),
    "yellow": sentence("yellow"),
    "purple": sentence("purple"),
    "black": sentence("black"),
}

BOTS: dict[str, Phrase] = {
    "steady": sentence("Plays with sense and a plan."),
    "random": sentence("Does anything that the rules allow."),
}
