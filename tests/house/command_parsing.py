"""Whether a command line that is only shown could be run: its command, options, choices, module or target exist.

Nothing is executed. `thirdcard` is parsed by the command's own parser. Of `python -m` the module must exist and know
the options. Of `make` the target must exist.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from tests.house.shown_commands import thirdcard_commands, without_assignments
from tests.repository import ROOT
from thirdcard.service.cli.commands import export, train
from thirdcard.service.cli.entry import WRONG_USE, app

OPERATOR = re.compile(r"[|&;()<>]+")
AND_MORE = ("...", "…")
"""Words of the documentation for "and more of these"."""
OURS = ("thirdcard.", "tests.")
TARGET = re.compile(r"^([a-z][\w-]*):(?!=)", re.MULTILINE)


def faults_of(line: str, stands_for: Mapping[str, str]) -> list[str]:
    """What is wrong with a command line; empty if it could be run.

    Args:
        line: As shown. Programs that are not ours are not examined.
        stands_for: A value for each placeholder that stands where only certain words are allowed.
    """
    faults = []
    for words in _simple_commands(line):
        if words[0] == "sudo":
            words = words[3:]  # sudo -u USER
        program, rest = Path(words[0]).name, [stands_for.get(word, word) for word in words[1:] if word not in AND_MORE]
        if program == "thirdcard":
            faults += _thirdcard_faults(rest)
        elif program in ("python", "python3") and rest[:1] == ["-m"]:
            faults += _module_faults(rest[1], rest[2:])
        elif program == "make":
            faults += [f"make has no target {word}" for word in rest if word not in _targets()]
    return faults


def _simple_commands(line: str) -> Iterator[Sequence[str]]:
    """The commands that a shell would start, each as its words."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in (*lexer, ";"):
        if not OPERATOR.fullmatch(word):
            words.append(word)
            continue
        if command := without_assignments(words):
            yield command
        words = []


def _thirdcard_faults(words: list[str]) -> list[str]:
    if words[0].startswith("-"):
        known = {option for parameter in get_command(app).params for option in parameter.opts}
        return [f"thirdcard has no option {words[0]}"] if words[0] not in known else []
    if words[0] not in thirdcard_commands():
        return [f"thirdcard has no command {words[0]}"]
    try:
        _parse(thirdcard_commands()[words[0]], words[0], words[1:])
    except typer.Exit:  # --help
        pass
    except WRONG_USE as error:
        return [error.format_message()]  # type: ignore[attr-defined]
    script = {"train": train.SCRIPTS, "export": export.SCRIPTS}.get(words[0], {})
    if "--" in words and words[1] in script:
        return _module_faults(script[train.Trained(words[1])], words[words.index("--") + 1 :])
    return []


def _parse(command: Any, name: str, words: list[str], parent: Any = None) -> None:
    """Parse the words as Typer does before it calls the command."""
    context = command.make_context(name, list(words), parent=parent)
    if hasattr(command, "commands"):
        subname, subcommand, rest = command.resolve_command(context, list(words))
        _parse(subcommand, subname, rest, context)


def _module_faults(module: str, words: Sequence[str]) -> list[str]:
    if find_spec(module) is None:
        return [f"there is no module {module}"]
    if not module.startswith(OURS):
        return []
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    return [f"{module} has no option {option}" for option in options if option not in _options(module) | {"--help"}]


@cache
def _options(module: str) -> frozenset[str]:
    """The options of the module's parser, and of the parsers in those of our modules that it imports."""
    tree = _tree(module)
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    trees = [tree, *(_tree(name) for name in sorted(imported) if name.startswith(OURS))]
    return frozenset(
        word.value
        for each in trees
        for call in ast.walk(each)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument"
        for word in call.args
        if isinstance(word, ast.Constant) and isinstance(word.value, str)
    )


@cache
def _tree(module: str) -> ast.Module:
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None, module
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


@cache
def _targets() -> frozenset[str]:
    return frozenset(TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8")))
