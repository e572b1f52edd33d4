"""Words about colours and bots for the pages: what stands beside a name to help choosing."""

from __future__ import annotations

from flask_babel import lazy_gettext
from flask_babel.speaklater import LazyString

COLOURS: dict[str, LazyString] = {
    "red": lazy_gettext("red"),
    "blue": lazy_gettext("blue"),
    "green": lazy_gettext("green"),
    "yellow": lazy_gettext("yellow"),
    "purple": lazy_gettext("purple"),
    "black": lazy_gettext("black"),
}

BOTS: dict[str, LazyString] = {
    "steady": lazy_gettext("Plays with sense and a plan."),
    "random": lazy_gettext("Does anything that the rules allow."),
}
