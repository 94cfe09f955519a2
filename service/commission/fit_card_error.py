"""Fit the error rate of faces by their confidence to recordings with known truth.

    python -m thirdcard.service.commission.fit_card_error RECORDINGS RUNS --write

RECORDINGS holds recordings at any depth, RUNS the outputs of `thirdcard watch` at the same relative places. Scale,
floor and the spread between tables maximise the likelihood of the observed errors, with each table's factor integrated
out. Priors draw them toward the reader's own confidence (scale 1), and away from a spread of zero, which a few dozen
tables cannot show (Y. Chung and others, A nondegenerate penalized likelihood estimator for variance parameters in
multilevel models, Psychometrika 78, 2013). Recordings used here are no longer blind.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np
import yaml
from scipy.optimize import minimize
from scipy.special import roots_hermitenorm

from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.log.events import Event
from thirdcard.service.commission.card_error import CARD_ERROR, SURE, CardErrorPrior, Floats
from thirdcard.service.config.table_file import load_table
from thirdcard.service.evaluate.accounts import load_found, load_truth
from thirdcard.service.evaluate.cards import FollowedCard, pair_cards
from thirdcard.service.evaluate.fit_sureness import FINISHED
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.watch.result import unseen_stretches

HEADING = """# How often a face is wrong that was read with such confidence.
# Written by python -m thirdcard.service.commission.fit_card_error.
# Hash: of the sorted hashes of all logs and truths. Bands: how many faces were read with that confidence or more, and
# how many of them were wrong.
"""
BANDS = (0.0, 0.8, 0.95, 0.99, SURE, 0.9999)
NODES = 21
"""Nodes of the Gauss-Hermite rule over a table's factor."""
SCALE_SPREAD, FLOOR_LOG, FLOOR_SPREAD, SIGMA_RATE = 0.5, -8.0, 2.0, 2.0
"""The priors: scale e**(+-0.5); odds of a wrong face without doubt e**(-8 +-2); for sigma a Gamma of shape 2 with its
mode at 0.5. Chosen by hand."""
LOG, TRUTH = "events.jsonl", "truth.jsonl"


class CardErrorFitError(ServiceError):
    """There is no data to fit to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldFace:
    """A face in a log."""

    confidence: float
    is_wrong: bool
    changes_value: bool
    """Whether it is wrong and has another point value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCards:
    """The cards of one recording, compared with its truth."""

    told: tuple[ToldFace, ...]
    misplaced: int
    """Cards that were not found, or were placed in another hand."""
    shown: int
    """Cards that lay open."""
    unread: int
    """Open cards without a face in the log."""

    def wrong(self, least: float = 0.0) -> tuple[int, int]:
        """The number of wrong faces with at least that confidence, and the number of all such faces."""
        told = [face for face in self.told if face.confidence >= least]
        return sum(face.is_wrong for face in told), len(told)


def judge_cards(truth: Iterable[Event], found: Iterable[Event]) -> JudgedCards:
    """Compare a log with its truth.

    A face that was read in another hand of its round counts as right, but misplaced. Cards that came while the table
    could not be seen, by the log, are left out.
    """
    found = list(found)
    blind = unseen_stretches(found, inf)
    pairs = [
        (true, said, closed)
        for true, said, closed in pair_cards(truth, found)
        if said is not None or not any(one.from_s <= true.t <= one.to_s for one in blind if true is not None)
    ]
    lost = Counter((closed, true.face) for true, said, closed in pairs if true is not None and said is None)
    told, misplaced, unread = [], 0, 0
    for true, said, closed in pairs:
        shown = true is not None and true.was_shown
        misplaced += int(said is None and shown)
        if said is None:
            continue
        if said.face is None:
            unread += int(shown)
            continue
        face = None if true is None or not shown else true.face
        if true is None and lost[closed, said.face] > 0:
            lost[closed, said.face] -= 1
            face = said.face
        told.append(_told(said, face))
    of = sum(true is not None and true.was_shown for true, _, _ in pairs)
    return JudgedCards(told=tuple(told), misplaced=misplaced, shown=of, unread=unread)


def _told(said: FollowedCard, face: str | None) -> ToldFace:
    values = [None if each is None else parse_card(each).point_value for each in (said.face, face)]
    return ToldFace(
        confidence=1.0 if said.confidence is None else said.confidence,
        is_wrong=said.face != face,
        changes_value=said.face != face and values[0] != values[1],
    )


def fit_prior(tables: Sequence[JudgedCards]) -> CardErrorPrior:
    """The prior that maximises the likelihood of these tables' errors."""
    nodes, weights = roots_hermitenorm(NODES)
    doubts = [np.array([1.0 - face.confidence for face in each.told]) for each in tables]
    wrong = [np.array([face.is_wrong for face in each.told], bool) for each in tables]
    every = [face for each in tables for face in each.told]
    value = (sum(face.changes_value for face in every) + 1.0) / (sum(face.is_wrong for face in every) + 2.0)
    misplaced = (sum(each.misplaced for each in tables) + 1.0) / (sum(each.shown for each in tables) + 2.0)

    def prior(parts: Floats) -> CardErrorPrior:
        scale, floor, sigma = (float(np.exp(part)) for part in parts)
        return CardErrorPrior(scale=scale, floor=floor, sigma=sigma, value_share=value, misplaced=misplaced)

    def cost(parts: Floats) -> float:
        known = prior(parts)
        total = -0.5 * (parts[0] / SCALE_SPREAD) ** 2 - 0.5 * ((parts[1] - FLOOR_LOG) / FLOOR_SPREAD) ** 2
        total += float(parts[2]) - SIGMA_RATE * known.sigma
        for doubt, is_wrong in zip(doubts, wrong, strict=True):
            odds = np.exp(known.sigma * nodes)[:, None] * known.odds(doubt)[None, :]
            logs = np.where(is_wrong, np.log(odds), 0.0).sum(axis=1) - np.log1p(odds).sum(axis=1)
            total += float(np.log(np.sum(weights * np.exp(logs - logs.max()))) + logs.max())
        return float(-total)

    found = minimize(cost, np.array([0.0, FLOOR_LOG, np.log(0.5)]), method="Nelder-Mead")
    return prior(found.x)


def find_tables(recordings: Path, runs: Path) -> list[tuple[JudgedCards, tuple[Path, Path]]]:
    """The cards of each recording with a finished watch, and the files that were read.

    Raises:
        CardErrorFitError: There is none.
    """
    folders = sorted(path.parent for path in runs.rglob(FINISHED))
    if not folders:
        raise CardErrorFitError(f"{runs}: no finished watch is in it; must hold folders with {FINISHED}")
    found = []
    for left in folders:
        recording = recordings / left.relative_to(runs)
        table = load_table(recording / "table.yaml")
        truth, log = load_truth(recording, table), load_found(left, table)
        found.append((judge_cards(truth.events, log.events), (left / LOG, recording / TRUTH)))
    return found


def written(prior: CardErrorPrior, tables: Sequence[JudgedCards], files: Iterable[Path], *, date: str) -> str:
    """The text of `card_error.yaml`."""
    digests = sorted(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
    fitted = {
        "date": date,
        "recordings": len(tables),
        "cards": sum(each.shown for each in tables),
        "unread": sum(each.unread for each in tables),
        "misplaced": sum(each.misplaced for each in tables),
        "sha256": hashlib.sha256("".join(digests).encode()).hexdigest(),
    }
    rows = "".join(
        f"  - {{from: {low}, told: {of}, wrong: {wrong}}}\n"
        for low, high in zip(BANDS, (*BANDS[1:], 2.0), strict=True)
        for wrong, of in [_band(tables, low, high)]
    )
    values = {name: round(float(getattr(prior, name)), 6) for name in CardErrorPrior.__dataclass_fields__}
    return f"{HEADING}{yaml.safe_dump({'fitted': fitted, 'prior': values}, sort_keys=False)}bands:\n{rows}"


def _band(tables: Iterable[JudgedCards], low: float, high: float) -> tuple[int, int]:
    told = [face for each in tables for face in each.told if low <= face.confidence < high]
    return sum(face.is_wrong for face in told), len(told)


def main(write: Callable[[str], object] = CARD_ERROR.write_text) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", type=Path, help="folder of recordings")
    parser.add_argument("runs", type=Path, help="folder of what watches of them left")
    parser.add_argument("--write", action="store_true", help=f"write {CARD_ERROR.name} anew")
    given = parser.parse_args()
    try:
        found = find_tables(given.recordings, given.runs)
    except CardErrorFitError as error:
        raise SystemExit(str(error)) from error
    tables, files = [cards for cards, _ in found], [file for _, pair in found for file in pair]
    text = written(fit_prior(tables), tables, files, date=now_utc().date().isoformat())
    print(text, end="")
    if given.write:
        write(text)


if __name__ == "__main__":
    main()
