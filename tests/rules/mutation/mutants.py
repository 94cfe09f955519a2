"""The mutants of a paragraph: from where its rulebook cites it, and those named in the paragraphs' file.

A mutant is active while its context is open: then tests get another rulebook, or the engine's code is changed. It is
killed if a test of the paragraph fails, by an assertion or because a lawful log is refused; a crash of the engine kills
nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import pytest

from tests.rules.mutation.broken_code import BROKEN_CODE, replaced, untold
from tests.rules.mutation.numbered import NumberedTest, content_of, is_part
from tests.rules.mutation.places import Broken, Content, Place, broken_at, broken_within, path_of, places_of, rows_of
from thirdcard.rules.errors import EquipmentError, OptionError, RulebookError
from thirdcard.rules.rulebook import load, parse
from thirdcard.rules.rulebook.model import Rulebook
from thirdcard.rules.rulebook.yaml_reader import Report

Holding = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One broken thing."""

    what: str
    holding: Holding


@dataclass(frozen=True, slots=True)
class Target:
    """A part of a paragraph that can be broken in one or several ways; one detected mutant is enough."""

    name: str
    mutants: Sequence[Callable[[], Mutant | None]]
    """Made on request; None where the engine refuses such a rulebook."""


@contextmanager
def instead(rulebook_id: str, broken: Rulebook) -> Iterator[None]:
    """Return the broken rulebook to everyone who loads it."""
    loaded = load.load_rulebook

    def load_broken(asked: str) -> Rulebook:
        return broken if asked == rulebook_id else loaded(asked)

    holders = [one for name, one in sys.modules.items() if name.startswith(("tests.rules", "thirdcard.rules"))]
    with replaced([(one, "load_rulebook", load_broken) for one in holders if hasattr(one, "load_rulebook")]):
        yield


def mutant_of(rulebook_id: str, broken: Broken) -> Mutant | None:
    """The mutant with that file, even if its parts contradict each other; None where it is not a valid rulebook."""
    try:
        with replaced([(parse, "find_contradictions", _accept)]):
            book = parse.parse_rulebook(broken.content, rulebook_id)
    except RulebookError:
        return None
    return Mutant(broken.what, lambda: instead(rulebook_id, book))


def _accept(_book: Rulebook, _report: Report) -> None:
    """Accept contradictions in a rulebook."""


def targets_of(rulebook_id: str, number: str, named_mutants: Collection[str]) -> Iterator[Target]:
    """The parts of a paragraph that can be broken.

    Each place that cites the paragraph itself, each row of a table there and each mutant named in the paragraphs' file
    is a target. Without any of these, all places that cite the rule that the paragraph is a part of form one target.
    """
    content = content_of(rulebook_id)
    places = list(places_of(content))
    own = [place for place in places if place.rule == number]
    for place in own:
        yield Target(place.name, _at(rulebook_id, content, place))
        yield from (Target(name, _by_name(rulebook_id, content, name)) for name in rows_of(content, place))
    for name in named_mutants:
        yield Target(name, _by_name(rulebook_id, content, name))
    if not own and not named_mutants:
        wider = [place for place in places if is_part(number, place.rule)]
        yield Target("what it is a part of", [one for place in wider for one in _at(rulebook_id, content, place)])


def _at(rulebook_id: str, content: Content, place: Place) -> list[Callable[[], Mutant | None]]:
    return [_made(rulebook_id, broken) for broken in broken_at(content, place)]


def _by_name(rulebook_id: str, content: Content, name: str) -> list[Callable[[], Mutant | None]]:
    if name in BROKEN_CODE:
        return [lambda: Mutant(name, BROKEN_CODE[name])]
    if name in content["faults"]:
        return [lambda: Mutant(f"{name} untold", lambda: untold(name))]
    try:
        path = path_of(name, content)
    except KeyError:
        return []
    return [_made(rulebook_id, broken) for broken in broken_within(content, path)]


def _made(rulebook_id: str, broken: Broken) -> Callable[[], Mutant | None]:
    return lambda: mutant_of(rulebook_id, broken)


def survivors(targets: Collection[Target], tests: Collection[NumberedTest]) -> list[str]:
    """The targets that no test detects when they are broken."""
    return [target.name for target in targets if not is_noticed(target, tests)] if targets else ["nothing to break"]


def is_noticed(target: Target, tests: Collection[NumberedTest]) -> bool:
    """Whether a test fails when the target is broken."""
    return any(mutant is not None and is_killed(mutant, tests) for mutant in (make() for make in target.mutants))


def is_killed(mutant: Mutant, tests: Collection[NumberedTest]) -> bool:
    """Whether a test fails while the mutant is active."""
    with mutant.holding():
        return any(_fails(test) for test in tests)


def _fails(test: NumberedTest) -> bool:
    try:
        test.call()
    except (AssertionError, pytest.fail.Exception, OptionError, EquipmentError):
        return True
    except Exception:  # the mutant broke the engine or the test's log: that shows nothing about the rule
        return False
    return False
