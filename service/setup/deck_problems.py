"""Find faults of an enrolled deck."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from thirdcard.service.setup.problems import SetupProblem, refused
from thirdcard.vision.inference.enrolled_deck import HouseDeckError, load_house_deck


def deck_problems(path: Path, sides: Sequence[str]) -> list[SetupProblem]:
    """The faults of a deck's files; empty where it can be used.

    Args:
        path: the deck, as written by `thirdcard enrol cards`.
        sides: the names of the faces, and of the back.
    """
    try:
        load_house_deck(path, tuple(sides))
    except HouseDeckError as error:
        return [refused(error)]
    return []
