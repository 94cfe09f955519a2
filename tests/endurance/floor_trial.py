"""Simulate floors whose truth is known: do intervals contain it, and which list finds the dealers who err most?

    python -m tests.endurance.floor_trial docs/figures-floor.svg

Each of sixty floors has two hundred dealers. Their rates are drawn from a Gamma distribution with a mean of four errors
in a thousand rounds, and they deal between a few rounds and tens of thousands. The bars show how many of the twenty
dealers with the highest true rates each list finds.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from thirdcard.service.analytics.figures import LEAST_ROUNDS
from thirdcard.service.analytics.rates import Floats, Interval, exact_interval, mid_p_interval
from thirdcard.service.analytics.shrinkage import shrink

DEALERS, WORST, TRIALS = 200, 20, 60
MEAN, SHAPE = 0.004, 4.0
BAR, GAP, LEFT = 26, 16, 170


def deal(dice: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return one floor: true rates, rounds dealt, errors made; one value for each dealer."""
    truth = dice.gamma(SHAPE, MEAN / SHAPE, DEALERS)
    rounds = np.clip(np.round(dice.lognormal(8.0, 1.3, DEALERS)), 3, 40_000)
    return truth, rounds, dice.poisson(truth * rounds).astype(np.float64)


def covered(truth: Floats, interval: Interval) -> float:
    """Return the share of true values that lie within their intervals."""
    return float(np.mean((interval.low <= truth) & (truth <= interval.high)))


def trial(dice: np.random.Generator) -> dict[str, float]:
    """Return the figures of one simulated floor, by name."""
    truth, rounds, errors = deal(dice)
    found = shrink(errors, rounds)
    ranked = np.where(rounds >= LEAST_ROUNDS, found.rate, 0.0)
    told = {
        "exact interval holds the truth": covered(truth, exact_interval(errors, rounds)),
        "mid-P interval holds the truth": covered(truth, mid_p_interval(errors, rounds)),
        "shrunken interval holds the truth": covered(truth, found.interval),
    }
    worst = set(np.argsort(-truth)[:WORST])
    for name, score in (("count", errors), ("raw rate", errors / rounds), ("shrunken rate", ranked)):
        order = np.argsort(-score, kind="stable")
        told[f"hits by {name}"] = len(worst & set(order[:WORST])) / WORST
        told[f"order by {name}"] = float(spearmanr(score, truth).statistic)
        told[f"fewest rounds of a top dealer by {name}"] = float(rounds[order[0]])
    return told


def draw(hits: Mapping[str, float]) -> str:
    """Return an SVG with a bar for each way to rank."""
    height = len(hits) * (BAR + GAP) + GAP
    frame = f'viewBox="0 0 720 {height}" font-family="sans-serif" font-size="14"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {frame}>',
             f'<rect width="720" height="{height}" fill="#fff"/>']  # fmt: skip
    for i, (name, share) in enumerate(hits.items()):
        y = GAP + i * (BAR + GAP)
        colour = "#1d7f68" if name == "shrunken rate" else "#9aa7ae"
        parts.append(f'<text x="{LEFT - 10}" y="{y + 18}" text-anchor="end" fill="#172027">by {name}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{share * 460:.0f}" height="{BAR}" rx="3" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + share * 460 + 8:.0f}" y="{y + 18}" fill="#172027">{share:.0%}</text>')
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    """Simulate all floors, print their figures, and draw how many of the worst dealers each list finds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drawing", type=Path, help="the SVG to write")
    path: Path = parser.parse_args().drawing
    trials = [trial(np.random.default_rng(seed)) for seed in range(TRIALS)]
    for name in trials[0]:
        values = [one[name] for one in trials]
        print(f"{name:48} mean {np.mean(values):10.3f}  least {np.min(values):10.3f}  most {np.max(values):10.3f}")
    ways = ("count", "raw rate", "shrunken rate")
    hits = {name: float(np.mean([one[f"hits by {name}"] for one in trials])) for name in ways}
    path.write_text(draw(hits), encoding="utf-8")


if __name__ == "__main__":
    main()
