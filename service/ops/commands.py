"""What the groups of the `writ` command share: loading others when they are asked for, and refusals that end in a sentence."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class Words(click.Group):
    """A group of commands in which a refusal ends with its sentence and not with a traceback.

    `elsewhere`: commands that stand in other modules, as `MODULE:NAME`; such a module is loaded when one is asked for.
    """

    def __init__(self, *args: Any, elsewhere: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.elsewhere = elsewhere or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the alphabet."""
        return sorted({*super().list_commands(ctx), *self.elsewhere})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, loaded if need be; None if there is none."""
        module, _, name = self.elsewhere.get(cmd_name, "").partition(":")
        if not module:
            return super().get_command(ctx, cmd_name)
        found: click.Command = getattr(importlib.import_module(module), name)
        return found

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as problem:
            from engine.asks import Refused  # here: who asks for help or for a number needs no engine

            if not isinstance(problem, Refused):
                raise
            raise click.ClickException(str(problem)) from None


class Serving(click.Command):
    """A command that has to do with the service: its logs are set up first, and settings that can't be read are named."""

    def invoke(self, ctx: click.Context) -> object:
        from pydantic import ValidationError

        from service.ops import logs

        logs.configure()
        try:
            return super().invoke(ctx)
        except ValidationError as error:
            faults = [f"{_variable(e['loc'])}{_words(e['msg'])}" for e in error.errors()]
            raise click.ClickException("Settings can't be read. " + "; ".join(faults)) from None


def _variable(loc: tuple[int | str, ...]) -> str:
    """The variable of a setting that can't be read; nothing where it is about the whole environment."""
    return f"WRIT_{'_'.join(map(str, loc)).upper()}: " if loc else ""


def _words(message: str) -> str:
    """What pydantic says, without the name of the exception."""
    return message.removeprefix("Value error, ")
