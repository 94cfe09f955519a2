"""Draw figures as SVG: panels side by side, each with two axes, points, lines and bars.

Positions in a panel are 0 to 1 along its axes, y upwards; the caller converts values to positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 300, 230
"""The inner size of a panel, SVG units."""
LEFT, RIGHT, TOP, BOTTOM = 74, 18, 44, 76
INK, PALE, GREEN, RED = "#172027", "#d5dce0", "#1d7f68", "#b4472f"
_TITLE_PX, _TICK_PX = 14, 12

Place = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelAxis:
    """An axis with its title and ticks."""

    title: str
    ticks: tuple[tuple[float, str], ...]
    """Positions, each with its text."""


@dataclass(slots=True)
class Panel:
    """One panel of a figure."""

    title: str
    x: PanelAxis
    y: PanelAxis
    marks: list[str] = field(default_factory=list)

    def point(self, at: Place, colour: str = GREEN, *, is_hollow: bool = False) -> None:
        """Draw a dot, or a ring."""
        x, y = _inside(at)
        fill = f'fill="none" stroke="{colour}" stroke-width="2"' if is_hollow else f'fill="{colour}"'
        self.marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" {fill}/>')

    def line(self, places: Sequence[Place], colour: str = GREEN, *, is_dashed: bool = False) -> None:
        """Draw a line through positions."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(_inside, places))
        dash = ' stroke-dasharray="5 4"' if is_dashed else ""
        self.marks.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')

    def bar(self, x: float, low: float, high: float, colour: str = GREEN) -> None:
        """Draw a thin vertical bar, for an interval."""
        self.line([(x, low), (x, high)], colour)

    def text(self, at: Place, words: str, colour: str = INK) -> None:
        """Write a text beside a position."""
        x, y = _inside(at)
        self.marks.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{_TICK_PX}" fill="{colour}">{escape(words)}</text>'
        )

    def drawn(self, left: float) -> str:
        """The panel as SVG, at that distance from the left."""
        parts = [f'<g transform="translate({left + LEFT:g} {TOP})">', _text(0, -18, self.title, "start", bold=True)]
        for place, words in self.y.ticks:
            y = _inside((0.0, place))[1]
            parts.append(f'<line x1="0" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="{PALE}"/>')
            parts.append(_text(-8, y + 4, words, "end"))
        for place, words in self.x.ticks:
            parts.append(_text(_inside((place, 0.0))[0], HEIGHT + 18, words, "middle"))
        parts.append(f'<path d="M0 0V{HEIGHT}H{WIDTH}" fill="none" stroke="{INK}"/>')
        parts.append(_text(WIDTH / 2, HEIGHT + 40, self.x.title, "middle"))
        turn = f'transform="rotate(-90)" x="{-HEIGHT / 2:g}" y="-52"'
        parts.append(
            f'<text {turn} text-anchor="middle" font-size="{_TICK_PX}" fill="{INK}">{escape(self.y.title)}</text>'
        )
        return "\n".join([*parts, *self.marks, "</g>"])


def draw_panels(panels: Sequence[Panel], *, note: str = "") -> str:
    """An SVG of panels side by side, with a note below."""
    each = LEFT + WIDTH + RIGHT
    width, height = each * len(panels), TOP + HEIGHT + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        *(panel.drawn(each * i) for i, panel in enumerate(panels)),
        _text(LEFT, height - 12, note, "start"),
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def share_ticks(shares: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 1.0)) -> tuple[tuple[float, str], ...]:
    """Ticks for shares on an axis from 0 to 100 %."""
    return tuple((share, f"{100 * share:g} %") for share in shares)


def _inside(at: Place) -> Place:
    return at[0] * WIDTH, (1.0 - at[1]) * HEIGHT


def _text(x: float, y: float, words: str, anchor: str, *, bold: bool = False) -> str:
    size = f'font-size="{_TITLE_PX}" font-weight="bold"' if bold else f'font-size="{_TICK_PX}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {size} fill="{INK}">{escape(words)}</text>'
