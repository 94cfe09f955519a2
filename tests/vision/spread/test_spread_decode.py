"""What lies at each place of a row: the sequence helps where reading is doubtful, and explains nothing away."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from thirdcard.vision.spread.spread_decode import any_order, cut_row, decode_row, succession

RUNS = [list(range(13 * suit, 13 * suit + 13)) for suit in range(4)]
GIVEN = succession(RUNS)
COUNT = 52


def reading(label: int | None, confidence: float = 0.97) -> NDArray[np.float64]:
    """One place that reads as `label`, or as nothing at all."""
    row = np.full(COUNT, np.log((1 - confidence) / (COUNT - 1)))
    if label is None:
        return np.full(COUNT, -4.0 - np.log(COUNT))
    row[label] = np.log(confidence)
    return row


def decoded(labels: list[int | None], *, confidence: float = 0.97, strange: float = -1.7) -> list[int | None]:
    rows = np.array([reading(label, confidence) for label in labels])
    return [place.label for place in decode_row(rows, GIVEN, np.full(len(rows), strange))[0]]


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param(list(range(52)), id="whole deck, rising"),
        pytest.param([*range(12, -1, -1), *range(26, 39), *range(25, 12, -1), *range(39, 52)], id="some suits falling"),
        pytest.param([*range(6), *range(7, 52)], id="one missing"),
        pytest.param([*range(10), 9, *range(10, 52)], id="one doubled"),
        pytest.param([*range(3, 52)], id="the first three missing"),
        pytest.param([*range(12), *range(13, 52)], id="a king missing"),
    ],
)
def test_row_is_told_as_it_reads(labels: list[int]) -> None:
    assert decoded([*labels]) == labels


def test_doubtful_reading_is_settled_by_its_neighbours() -> None:
    rows = np.array([reading(label) for label in range(13)])
    rows[6] = np.log(0.02 / 50)
    rows[6, [6, 45]] = np.log([0.38, 0.60])

    place = decode_row(rows, GIVEN, np.full(13, -3.0))[0][6]

    assert place.label == 6 and place.confidence > 0.9


def test_face_that_is_none_of_them_is_strange_and_says_what_was_expected() -> None:
    rows = np.array([reading(None if label == 5 else label) for label in range(13)])

    places, _ = decode_row(rows, GIVEN, np.full(13, -1.7))

    assert places[5].label is None and places[5].expected == 5
    assert [place.label for n, place in enumerate(places) if n != 5] == [n for n in range(13) if n != 5]


def test_card_in_the_place_of_another_is_strange_there() -> None:
    assert decoded([*range(20), 48, *range(21, 52)]) == [*range(20), None, *range(21, 52)]


def test_cards_in_no_order_read_better_without_one() -> None:
    shuffled = np.random.default_rng(3).permutation(52)
    rows = np.array([reading(int(label)) for label in shuffled])

    ordered, free = (decode_row(rows, given, np.full(52, -1.7))[1] for given in (GIVEN, any_order(COUNT)))
    sorted_score = decode_row(rows[np.argsort(shuffled)], GIVEN, np.full(52, -1.7))[1]

    assert free > ordered and sorted_score > free


def test_nothing_read_gives_nothing() -> None:
    assert decode_row(np.empty((0, COUNT)), GIVEN, np.empty(0)) == ([], 0.0)


@pytest.mark.parametrize("doubled", [pytest.param(None, id="plain"), pytest.param(6, id="doubled")])
def test_row_is_cut_at_the_edges_that_make_sense_of_distances_and_faces(doubled: int | None) -> None:
    rng = np.random.default_rng(5)
    labels = [*range(13)] if doubled is None else [*range(doubled + 1), *range(doubled, 13)]
    true = np.cumsum([0.0, *rng.normal(30.0, 2.5, len(labels) - 1)])
    false = true[:-1] + rng.uniform(9.0, 20.0, len(true) - 1)
    u = np.concatenate([true, false])
    told = np.array([reading(label, 0.9) for label in labels] + [reading(label, 0.4) for label in labels[:-1]])
    edge = np.concatenate([rng.normal(0.5, 1.0, len(true)), rng.normal(-0.5, 1.0, len(false))])
    order = np.argsort(u)
    states = np.where(GIVEN.is_strange[None], -1.7, told[:, GIVEN.label])

    begins, _ = cut_row(
        u[order], edge[order], states[order], GIVEN, pitch_mm=30.0, is_last=np.abs(u[order] - true[-1]) < 1.0
    )

    assert [int(order[n]) for n in begins] == list(range(len(true)))
