"""Commands whose modules are imported when they are called; the group's own help and completion import none of them."""

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
    """Where a command is, and what the group's help says of it."""

    module: str
    name_in_module: str
    """A function, or a `typer.Typer` with commands of its own."""
    help: str
    """The first paragraph of its own help."""

    def load(self, name: str) -> Any:
        """The command itself, as Typer makes it."""
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
    """Let every number be typed in plain digits alone; Python would read digits of any script, and `nan`."""
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
    """Lists its commands by name and help, and loads the one that is called or completed."""

    lazy_commands: ClassVar[Mapping[str, LazyCommand]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=lazy.help) for name, lazy in self.lazy_commands.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The name that was typed, its command, and what is left to read."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, None if name is None or command is None else self.lazy_commands[name].load(name), rest

    def load_all(self) -> dict[str, Any]:
        """Every command itself, by name."""
        return {name: lazy.load(name) for name, lazy in self.lazy_commands.items()}
