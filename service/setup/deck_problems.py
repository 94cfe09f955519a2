"""An enrolled deck that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from thirdcard.service.setup.problems import SetupProblem, refused
from thirdcard.vision.inference.enrolled_deck import HouseDeckError, load_house_deck


def deck_problems(path: Path, sides: Sequence[str]) -> list[SetupProblem]:
    """What is wrong with a deck's files; nothing where it can be used.

    Args:
        path: the deck, as `thirdcard enrol cards` wrote it.
        sides: the faces that there are, and the back.
    """
    try:
        load_house_deck(path, tuple(sides))
    except HouseDeckError as error:
        return [refused(error)]
    return []
