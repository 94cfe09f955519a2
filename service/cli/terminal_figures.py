"""Show figures on a terminal."""

from __future__ import annotations

import sys
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from thirdcard.service.analytics.figures import Estimate, Figure, Figures

RIGHT = ("Rounds", "Errors", "Open", "Alerts", "Rate", "95 %", "Shrunken", "95 %", "Above", "False", "Unseen")
PLAIN_WIDTH = 120
"""The width when output goes to a file."""


def show_figures(figures: Figures, axis: str, console: Console | None = None) -> None:
    """Print a table: each figure, then their total where it is not the house's, then the house's."""
    table = Table(title=f"Errors by {axis}, per 1000 rounds", title_justify="left")
    table.add_column(axis.capitalize(), no_wrap=True, min_width=8)
    for head in RIGHT:
        table.add_column(head, justify="right", no_wrap=True)
    for figure in figures.items:
        table.add_row(*_cells(figure), style=None if figure.is_ranked else "dim")
    table.add_section()
    if figures.total != figures.house:
        table.add_row(*_cells(figures.total), style="bold")
    table.add_row(*_cells(replace(figures.house, name="house")), style="bold")
    console = console or open_console()
    console.print(table)
    if any(not figure.is_ranked for figure in figures.items):
        console.print("Dim: too few rounds to be ranked.", style="dim")


def open_console() -> Console:
    """A console for the terminal, or of a fixed width for a file."""
    return Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH)


def _cells(figure: Figure) -> tuple[str, ...]:
    drawn = figure.shrunken
    return (
        figure.name,
        f"{figure.rounds:,}",
        f"{figure.errors:,}",
        f"{figure.undecided:,}",
        f"{figure.alerts:,}",
        f"{figure.raw.per_1000:.2f}" if figure.rounds else "",
        _interval(figure.raw) if figure.rounds else "",
        "" if drawn is None else f"{drawn.per_1000:.2f}",
        "" if drawn is None else _interval(drawn),
        "" if figure.above_house is None else f"{figure.above_house:.0%}",
        f"{figure.false_alerts} of {figure.decided}" if figure.decided else "",
        f"{figure.unseen_s / 3600:.1f} h" if figure.unseen_s else "",
    )


def _interval(estimate: Estimate) -> str:
    return f"{estimate.low:.1f}–{estimate.high:.1f}"
