"""Commands whose modules are imported when they are called; the group's own help and completion import none of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group


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
        return get_group(host).commands[name]


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
