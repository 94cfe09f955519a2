"""The school of chips' faces, and the floors that the shipped reader keeps: `models/metrics.yaml`."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.models.publishing import floors_of, shortfalls
from thirdcard.models.stacks.chip_faces_evaluate import SchoolStack, draw_exam, exam_figures, figures_of
from thirdcard.models.stacks.chip_faces_school import MOST_CHIPS
from thirdcard.vision.inference.chip_faces import ChipFaceReader
from thirdcard.vision.inference.model_spec import load_model_spec


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[list[SchoolStack]]:
    """Some held-out worlds that nothing was set on."""
    worlds = draw_exam(tmp_path_factory.mktemp("faces"))
    assert {len(stack.colours) <= MOST_CHIPS for world in worlds for stack in world} == {True}
    return worlds


def test_school_says_which_chip_lies_on_top(worlds: list[list[SchoolStack]]) -> None:
    stacks = [stack for world in worlds for stack in world]
    assert len(stacks) > 50
    assert all(0 <= stack.top < len(stack.colours) for stack in stacks)
    assert {len(stack.shown()) - len(stack.colours) for stack in stacks} == {0}
    assert all(30 < level <= 255 for stack in stacks for level in stack.white)


def test_shipped_reader_keeps_its_floors(worlds: list[list[SchoolStack]]) -> None:
    figures = exam_figures(worlds, ChipFaceReader.open())
    assert shortfalls(figures, floors_of("chip_faces")) == [], figures


def test_registry_declares_a_small_reader() -> None:
    spec = load_model_spec("chip_faces")
    spec.check_weights()
    assert spec.weights.stat().st_size < 1_000_000


def test_figures_count_what_is_sure_apart() -> None:
    figures = figures_of([np.array([0.99, 0.01]), np.array([0.6, 0.4]), np.array([0.03, 0.97])], [0, 1, 0])
    assert (figures.faces, figures.right, figures.sure, figures.right_when_sure) == (3, 1 / 3, 2 / 3, 0.5)
