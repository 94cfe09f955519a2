"""The commands that the documentation shows, page by page in the order in which they stand.

A block without a language holds commands, one a line. A line that ends with a backslash goes on in the next one. What
follows two spaces and a # is a comment. In running text, what stands in backticks is a command where it begins with a
program's name and has an argument: `thirdcard watch` only names a command, `thirdcard watch mine` is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from typer.main import get_command

from tests.repository import ROOT
from thirdcard.service.cli.entry import app

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`]+)`")
COMMENT = re.compile(r"(^|\s\s)\s*#.*$")
ASSIGNMENT = re.compile(r"[A-Z_][A-Z0-9_]*=")
FILE_NAME = re.compile(r"# ([\w/.-]+\.\w+)\n")
"""The first line of a block that a reader saves as a file."""
PROGRAMS = frozenset(
    {"cp", "curl", "git", "install", "journalctl", "ln", "make", "mkdir", "mkdocs", "mosquitto_pub", "mosquitto_sub"}
    | {
        "mypy",
        "openssl",
        "pip",
        "podman",
        "pytest",
        "python",
        "python3",
        "ray",
        "rsync",
        "ruff",
        "sha256sum",
        "sqlite3",
    }
    | {"sudo", "systemctl", "thirdcard", "useradd"}
)
"""Programs whose name begins a command in running text."""
MODES = {"enrol": ("cards", "chips")}
"""Commands whose first argument is as good as the name of a subcommand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFile:
    """A file that the page asks its reader to save."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCommand:
    """A command line of a page."""

    page: str
    """The page's path in the repository."""
    line: int
    """Where it begins in the page, counted from 1."""
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"


@cache
def steps_of(page: Path) -> tuple[ShownCommand | ShownFile, ...]:
    """What a reader of the page types and saves, in order."""
    text, name = page.read_text(encoding="utf-8"), page.relative_to(ROOT).as_posix()
    steps: list[ShownCommand | ShownFile] = []
    end = 0
    for block in BLOCK.finditer(text):
        steps += _inline(text, name, end, block.start())
        begin = text.count("\n", 0, block.start(2)) + 1
        if not block[1]:
            steps += [ShownCommand(page=name, line=begin + i, text=line) for i, line in _lines(block[2])]
        elif file := FILE_NAME.match(block[2]):
            steps.append(ShownFile(name=file[1], text=block[2]))
        end = block.end()
    return (*steps, *_inline(text, name, end, len(text)))


def commands_of(page: Path) -> list[ShownCommand]:
    """The page's command lines, in order."""
    return [step for step in steps_of(page) if isinstance(step, ShownCommand)]


def languages_of(page: Path) -> set[str]:
    """The languages of the page's blocks; the empty text for those without one."""
    return {block[1] for block in BLOCK.finditer(page.read_text(encoding="utf-8"))}


def without_assignments(words: Sequence[str]) -> Sequence[str]:
    """A command's words without the variables that are set before it."""
    first = next((i for i, word in enumerate(words) if not ASSIGNMENT.match(word)), len(words))
    return words[first:]


def _lines(block: str) -> Iterator[tuple[int, str]]:
    """Each command line with the number of its first line in the block."""
    begun, began = "", 0
    for i, line in enumerate(block.splitlines()):
        text = COMMENT.sub("", line).rstrip()
        began = began if begun else i
        if text.endswith("\\"):
            begun += text[:-1].rstrip() + " "
        elif begun or text:
            yield began, begun + (text.lstrip() if begun else text)
            begun = ""


def _inline(text: str, page: str, begin: int, end: int) -> Iterator[ShownCommand]:
    for found in INLINE.finditer(text, begin, end):
        command = " ".join(found[1].split())
        if _is_command(without_assignments(command.split(" "))):
            yield ShownCommand(page=page, line=text.count("\n", 0, found.start()) + 1, text=command)


def _is_command(words: Sequence[str]) -> bool:
    if not words or Path(words[0]).name not in PROGRAMS:
        return False
    return len(words) > 1 if Path(words[0]).name != "thirdcard" else len(words) > len(command_path(words[1:])) + 1


@cache
def thirdcard_commands() -> dict[str, Any]:
    """All commands of `thirdcard` by name, as Typer builds them."""
    return dict(get_command(app).load_all())  # type: ignore[attr-defined]


def command_path(words: Sequence[str]) -> Sequence[str]:
    """Those of the words at the beginning that name a command and its subcommand."""
    if not words or words[0] not in thirdcard_commands():
        return ()
    subcommands = MODES.get(words[0], getattr(thirdcard_commands()[words[0]], "commands", {}))
    return words[:2] if len(words) > 1 and words[1] in subcommands else words[:1]
