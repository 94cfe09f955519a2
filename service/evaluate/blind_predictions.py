"""Keep what was predicted in blind draws, and whether it was true, to show the reliability over all of them.

One line of `datasets/blind_predictions.csv` per finding (with its code) and per round. A round with an unread card has
no confidence.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from thirdcard.service.evaluate.reliability import Prediction, Predictions

COLUMNS = ("seed", "recording", "code", "confidence", "true", "clean")
ROUND = "round"
"""Stands in the place of a code in the line of a round."""
_YES, _NO = "yes", "no"


def predictions_in(figures: Iterable[Mapping[str, Any]]) -> Predictions:
    """The predictions in the output of `thirdcard evaluate --json`, one mapping per recording."""
    return reduce(add, (_of_recording(one) for one in figures), Predictions())


def append_predictions(path: Path, seed: int, predictions: Predictions) -> None:
    """Add the predictions of one draw to the file, which is made if it does not exist."""
    is_new = not path.is_file()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
        writer.writerows(_rows(seed, predictions))


def load_predictions(path: Path) -> dict[int, Predictions]:
    """The predictions by seed; empty without the file."""
    if not path.is_file():
        return {}
    by_seed: dict[int, Predictions] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            seed = int(row["seed"])
            by_seed[seed] = by_seed.get(seed, Predictions()) + _of_row(row)
    return by_seed


def _of_recording(figures: Mapping[str, Any]) -> Predictions:
    reliability, name, is_clean = figures["reliability"], figures["recording"], not figures["alerts"]["true"]
    return Predictions(
        findings=tuple(_predictions(reliability["findings"]["predictions"], name, is_clean=is_clean)),
        rounds=tuple(_predictions(reliability["rounds"]["predictions"], name, is_clean=is_clean)),
        rounds_unread=reliability["rounds"]["unread"],
    )


def _predictions(written: Sequence[Mapping[str, Any]], recording: str, *, is_clean: bool) -> Iterator[Prediction]:
    for each in written:
        yield Prediction(
            confidence=each["confidence"],
            is_true=each["true"],
            recording=recording,
            is_clean=is_clean,
            code=each.get("code"),
        )


def _rows(seed: int, predictions: Predictions) -> Iterator[tuple[object, ...]]:
    for each in (*predictions.findings, *predictions.rounds):
        confidence, is_clean = round(each.confidence, 5), _YES if each.is_clean else _NO
        yield seed, each.recording, each.code or ROUND, confidence, _YES if each.is_true else _NO, is_clean
    for _ in range(predictions.rounds_unread):
        yield seed, "", ROUND, "", "", ""


def _of_row(row: Mapping[str, str]) -> Predictions:
    if not row["confidence"]:
        return Predictions(rounds_unread=1)
    is_round = row["code"] == ROUND
    prediction = Prediction(
        confidence=float(row["confidence"]),
        is_true=row["true"] == _YES,
        recording=f"{row['seed']} {row['recording']}",
        is_clean=row["clean"] == _YES,
        code=None if is_round else row["code"],
    )
    return Predictions(rounds=(prediction,)) if is_round else Predictions(findings=(prediction,))
