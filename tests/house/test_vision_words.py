"""Vision says what is to be seen: no name and no sentence of it is a word of the game."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.house.source_tree import SourceFile, source_files

GAME = frozenset(
    re.findall(
        r"\w+",
        """
        baccarat game games coup shoe shoes deal dealt dealing dealer dealers croupier banker bankers player
        players patron patrons punto banco seat seats bet bets betting bettor wager wagers wagered stake stakes
        payout payouts pay pays paid payment commission tie ties win wins winner winning lose loses loser
        insurance rulebook rulebooks rule rules referee verdict alert alerts violation burn burns burned discard
        discards nmb rank ranks suit suits tens ace aces queen queens king kings court courts
        """,
    )
)
"""Not among them: cards, chips, decks, faces and backs, which are seen; a hand, which is an arm's; a cutting card, an
object that the detector finds; a house, whose deck and chips look as they do; and words that mostly mean something
else: a round, a draw, a natural, a third, a pair, a push, a ten and a pip."""
SAID = {
    "vision/__init__.py": {"game"},
    "vision/observations.py": {"game"},
    "vision/video/film_index.py": {"discard"},
    "vision/video/packets.py": {"discard"},
    "vision/inference/index_crops.py": {"rank"},
    "vision/inference/index_finder.py": {"rank", "suit"},
}
"""Where a word is meant otherwise: vision says that it knows no game; an index is a rank above the sign of a suit;
FFmpeg discards packets that an edit list leaves out."""


def words_of(text: str) -> set[str]:
    """The words of a name or a sentence, in small letters."""
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    return {word.lower() for word in re.findall(r"[A-Za-z]+", parted)}


def names(file: SourceFile) -> Iterator[str]:
    """What a file defines, takes, sets and reads."""
    for node in file.nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                yield name


def sentences(file: SourceFile) -> Iterator[str]:
    """A file's docstrings, those of its fields and constants, and its comments."""
    for node in file.nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value
    for token in tokenize.generate_tokens(io.StringIO(file.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def words_of_the_game(file: SourceFile) -> set[str]:
    """Those that a file uses."""
    used = set[str]().union(*(words_of(text) for text in (file.path, *names(file), *sentences(file))))
    return used & GAME


def test_vision_uses_no_word_of_the_game() -> None:
    used = {file.path: words_of_the_game(file) - SAID.get(file.path, set()) for file in source_files("vision")}
    assert {path: words for path, words in used.items() if words} == {}


def test_words_that_are_allowed_somewhere_are_used_there() -> None:
    used = {file.path: words_of_the_game(file) for file in source_files("vision")}
    assert {path: words - used.get(path, set()) for path, words in SAID.items()} == {path: set() for path in SAID}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        pytest.param("class PaidWagers: ...", "wagers", id="name in capitals"),
        pytest.param("def take(*, third_seat: int) -> None: ...", "seat", id="parameter"),
        pytest.param("at_mm = 1\n'''Where a player sits.'''", "player", id="docstring of a constant"),
        pytest.param("at_mm = 1  # as dealers do", "dealers", id="comment"),
    ],
)
def test_word_of_the_game_is_found(text: str, word: str) -> None:
    tree = ast.parse(text)
    file = SourceFile(path="vision/x.py", text=text, tree=tree, nodes=tuple(ast.walk(tree)))
    assert word in words_of_the_game(file)
