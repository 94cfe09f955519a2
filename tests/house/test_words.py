"""Nothing that a person reads uses a phrase that the glossary retires."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.house.source_tree import PACKAGES, SourceFile, source_files
from tests.repository import ROOT

GLOSSARY = ROOT / "docs" / "glossary.md"
HEADING = "## Retired phrases"
READ = (".md", ".html", ".js", ".yaml", ".toml", ".css", ".mako")
"""Besides Python: all text of such files is read, since comments and messages stand in it."""
FOLDERS = ("docs", "tests", "deploy", *PACKAGES)
EXEMPT = {"docs/glossary.md", "tests/house/test_words.py", "CHANGELOG.md"}
"""They name the phrases."""


@cache
def retired() -> tuple[str, ...]:
    """The phrases in the left column of the glossary's table."""
    table = GLOSSARY.read_text(encoding="utf-8").split(HEADING, 1)[1]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return tuple(phrase for row in rows for phrase in re.findall(r"`([^`]+)`", row))


@cache
def pattern() -> re.Pattern[str]:
    """Finds any of them, whatever its case and over line breaks and comment signs."""
    phrases = (r"[\s#]+".join(re.escape(word) for word in phrase.split()) for phrase in retired())
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.IGNORECASE)


def found_in(text: str) -> list[str]:
    """The retired phrases that a text uses, with one space between words."""
    return [re.sub(r"[\s#]+", " ", found).lower() for found in pattern().findall(text)]


def prose_of(file: SourceFile) -> Iterator[str]:
    """A file's docstrings, messages and comments; comments that follow each other as one text."""
    for node in file.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
    comments: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(file.text).readline):
        if token.type == tokenize.COMMENT:
            comments.append(token.string)
        elif token.type not in (tokenize.NL, tokenize.NEWLINE):
            yield " ".join(comments)
            comments = []
    yield " ".join(comments)


def texts() -> Iterator[Path]:
    """All files of text besides Python."""
    for folder in FOLDERS:
        yield from (path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in READ)
    yield from sorted(ROOT.glob("*.md"))
    yield from (ROOT / "Makefile", ROOT / "pyproject.toml")


def test_glossary_names_phrases() -> None:
    assert {"is told", "held against", "between what and what"} <= set(retired())


def test_python_files_use_no_retired_phrase() -> None:
    used = {
        file.path: [phrase for text in prose_of(file) for phrase in found_in(text)]
        for file in source_files(*PACKAGES, "tests")
        if file.path not in EXEMPT
    }
    assert {path: phrases for path, phrases in used.items() if phrases} == {}


def test_documents_pages_and_settings_use_no_retired_phrase() -> None:
    used = {
        path.relative_to(ROOT).as_posix(): found_in(path.read_text(encoding="utf-8", errors="replace"))
        for path in texts()
    }
    assert {path: phrases for path, phrases in used.items() if phrases and path not in EXEMPT} == {}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('"""What\n    is told of it."""', id="over a line break"),
        pytest.param("# a card that\n# Is Told", id="in a comment"),
    ],
)
def test_retired_phrase_is_found(text: str) -> None:
    tree = ast.parse(text)
    file = SourceFile(path="x.py", text=text, tree=tree, nodes=tuple(ast.walk(tree)))
    assert [phrase for prose in prose_of(file) for phrase in found_in(prose)] == ["is told"]


def test_honest_words_are_left_alone() -> None:
    assert found_in("He told the supervisor. The house is tolerant; the log is what the camera saw.") == []
