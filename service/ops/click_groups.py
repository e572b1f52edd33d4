"""Click groups and commands: lazy loading, refusals as a sentence."""

from __future__ import annotations

import errno
import importlib
from collections.abc import Mapping
from typing import Any

import click


class Words(click.Group):
    """Command group that shows a refusal without a traceback. `elsewhere`: lazily imported commands, name -> `MODULE:NAME`."""

    def __init__(self, *args: Any, elsewhere: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.elsewhere = elsewhere or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self.elsewhere})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
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
            words = self.words_for(problem)
            if not words:
                raise
            raise click.ClickException(words) from None

    def words_for(self, problem: Exception) -> str:
        if isinstance(problem, OSError) and problem.strerror and (problem.filename or problem.errno == errno.ENOSPC):
            return f"{problem.filename or 'A file'} can't be used: {problem.strerror}."
        from engine.core.asks import Refused  # so that `--help` and `--version` don't import the engine

        return str(problem) if isinstance(problem, Refused) else ""


class Serving(click.Command):
    """A command that configures logging and names invalid settings."""

    def invoke(self, ctx: click.Context) -> object:
        from pydantic import ValidationError

        from service.ops import logs

        logs.configure()
        try:
            return super().invoke(ctx)
        except ValidationError as error:
            faults = []
            for fault in error.errors():
                variable = f"WRIT_{'_'.join(map(str, fault['loc'])).upper()}: " if fault["loc"] else ""
                faults.append(variable + fault["msg"].removeprefix("Value error, "))
            raise click.ClickException("Settings can't be read. " + "; ".join(faults)) from None
