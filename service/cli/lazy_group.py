"""Commands whose modules are imported only when they are called; the group's help and completion import none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from thirdcard.rules.errors import brief

NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyCommand:
    """Where a command is defined, and its line in the group's help."""

    module: str
    name_in_module: str
    """The name of a function, or of a `typer.Typer` with subcommands."""
    help: str
    """The first paragraph of the command's help."""

    def load(self, name: str) -> Any:
        """Import the command and build it with Typer."""
        found = getattr(import_module(self.module), self.name_in_module)
        host = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False)
        if isinstance(found, typer.Typer):
            host.add_typer(found, name=name)
        else:
            host.command(name)(found)
        command = get_group(host).commands[name]
        _read_plain_numbers(command)
        return command


def _read_plain_numbers(command: Any) -> None:
    """Accept numbers in ASCII digits only; Python would also accept digits of other scripts, and `nan`."""
    for inner in getattr(command, "commands", {}).values():
        _read_plain_numbers(inner)
    for parameter in command.params:
        parameter.process_value = _with_plain_numbers(parameter, parameter.process_value)


def _with_plain_numbers(parameter: Any, process: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def process_plain(context: Any, value: Any) -> Any:
        processed = process(context, value)
        is_number = isinstance(processed, int | float) and not isinstance(processed, bool)
        if is_number and isinstance(value, str) and not NUMBER.fullmatch(value):
            raise typer.BadParameter(f"{brief(value)!r} is not a valid number.", ctx=context, param=parameter)
        return processed

    return process_plain


class LazyGroup(TyperGroup):
    """Lists its commands by name and help, and imports only the one that is called or completed."""

    lazy_commands: ClassVar[Mapping[str, LazyCommand]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=lazy.help) for name, lazy in self.lazy_commands.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The typed name, its command, and the remaining arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, None if name is None or command is None else self.lazy_commands[name].load(name), rest

    def load_all(self) -> dict[str, Any]:
        """All commands by name, imported."""
        return {name: lazy.load(name) for name, lazy in self.lazy_commands.items()}
