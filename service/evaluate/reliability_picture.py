"""Draw the reliability of predictions, and the results of every threshold, as one SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thirdcard.service.evaluate.panels import GREEN, INK, Panel, PanelAxis, draw_panels, share_ticks
from thirdcard.service.evaluate.rates import ROUNDS_AN_HOUR
from thirdcard.service.evaluate.reliability import PredictedPlay, Prediction, bands, line_figure
from thirdcard.service.evaluate.reliability_sheets import band_name

NOTE = "Dots: how often it was true, with 95 % intervals. Rings: how sure it was said to be, on the mean."
NEAR = 0.08
"""Points nearer to each other than this share of the panel have one name."""
_NAME = (0.26, 0.06)
"""Width and height of a line's name, as shares of the panel: "line at 99 %" in the panel's letters."""
_LEAST_HOURLY = 1.0
"""The smallest range of the false alert axis, per hour."""


def draw_reliability(play: PredictedPlay) -> str:
    """Panels for findings, for rounds, and for the share of faults found against false alerts."""
    panels = [
        _bands_panel("Findings", play.predictions.findings),
        _bands_panel("Rounds: the likeliest cards", play.predictions.rounds),
        _lines_panel(play),
    ]
    return draw_panels(panels, note=NOTE)


def _bands_panel(title: str, claims: Sequence[Prediction]) -> Panel:
    told = bands(claims)
    places = [(i + 0.5) / len(told) for i in range(len(told))]
    names = [band_name(band).replace(" to ", "–").replace(" and more", "+").replace(" %", "") for band in told]
    x = PanelAxis(title="How sure it was said to be, in percent", ticks=tuple(zip(places, names, strict=True)))
    panel = Panel(title, x, PanelAxis(title="How often it was true", ticks=share_ticks()))
    for place, band in zip(places, told, strict=True):
        if band.share is None or band.said is None or band.interval is None:
            continue
        panel.bar(place, *band.interval)
        panel.point((place, band.share))
        panel.point((place, band.said), INK, is_hollow=True)
        panel.text((place + 0.025, min(max(band.share, 0.09), 0.97) - 0.06), f"{len(band.claims)}")
    return panel


def _lines_panel(play: PredictedPlay) -> Panel:
    lines = sorted({each.confidence for each in play.predictions.findings}, reverse=True)
    figures = [line_figure(line, play) for line in lines]
    most = max([_LEAST_HOURLY, *(each.hourly.per_hour or 0.0 for each in figures)])
    ticks = tuple((i / 4, f"{most * i / 4:.2g}") for i in range(5))
    which = "clean play" if play.clean_rounds else "this play"
    x = PanelAxis(title=f"False alerts in {ROUNDS_AN_HOUR} rounds of {which}", ticks=ticks)
    panel = Panel(
        "The lower the line, the more is found", x, PanelAxis(title="Share of faults found", ticks=share_ticks())
    )
    places = [
        ((each.hourly.per_hour or 0.0) / most, each.found / each.n_true if each.n_true else 0.0) for each in figures
    ]
    panel.line([(0.0, 0.0), *_stairs(places)], GREEN)
    named: list[tuple[float, float]] = []
    texts: list[tuple[float, float]] = []
    for line in (0.5, 0.9, 0.99):
        i = next((i for i, one in reversed(list(enumerate(lines))) if one >= line), None)
        if i is not None:
            panel.point(places[i])
            if any(math.dist(places[i], other) < NEAR for other in named):
                continue
            named.append(places[i])
            texts.append(_beside(places[i], texts))
            panel.text(texts[-1], f"line at {line:.0%}".replace("%", " %"))
    return panel


def _beside(place: tuple[float, float], others: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The position of a text beside a point, clear of the others: to the left where there is no room to the right."""
    x, y = place
    width, height = _NAME
    left, bottom = (x + 0.03 if x < 0.7 else x - width), y - 0.07
    while any(abs(left - a) < width and abs(bottom - b) < height for a, b in others):
        bottom -= height / 4
    return left, max(bottom, 0.03)


def _stairs(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """A staircase through the points: first across, then up."""
    corners: list[tuple[float, float]] = []
    for x, y in places:
        corners += [(x, corners[-1][1] if corners else 0.0), (x, y)]
    return corners
