"""The artwork decks: which may be used, where their packages install them, and which of them are never trained on.

Checked face by face on contact sheets: all fifteen have the international indices on all 52 faces. `ornamental` is the
same drawing as `white` on another paper, so both are held out. `oxygen-white` has its index in the top right corner
only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from thirdcard.datasets.decks.cards import RANKS

GNOME_FOLDER = Path("/usr/share/aisleriot/cards")
KDE_FOLDER = Path("/usr/share/carddecks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Artwork:
    """One deck of Debian's `gnome-cards-data` (GPL-3+) or `kdegames-card-data-kf5` (GPL-2+)."""

    family: str
    """`gnome` or `kde`."""
    title: str
    path: Path
    held_out: bool
    """True if it is never trained on."""
    ranks: tuple[str, ...] = RANKS
    """The ranks whose indices are the international letters."""

    @property
    def name(self) -> str:
        """The name under which `load_deck` loads it."""
        return f"{self.family}:{self.title}"


def _gnome(title: str, *, held_out: bool = False, ranks: tuple[str, ...] = RANKS) -> Artwork:
    path = GNOME_FOLDER / f"{title}.svgz"
    return Artwork(family="gnome", title=title, path=path, held_out=held_out, ranks=ranks)


def _kde(title: str, file: str, *, held_out: bool = False, ranks: tuple[str, ...] = RANKS) -> Artwork:
    return Artwork(family="kde", title=title, path=KDE_FOLDER / file, held_out=held_out, ranks=ranks)


_DECKS = (
    _gnome("anglo_modern"),
    _gnome("anglo_modern_4_color"),
    _gnome("atlasnye"),
    _gnome("neoclassical", held_out=True),
    _gnome("neoclassical_4_color", held_out=True),
    _gnome("dondorf"),
    _gnome("orell"),
    _gnome("plastic"),
    _gnome("simplistic"),
    _gnome("tango"),
    _kde("standard", "svg-standard/standard.svgz"),
    _kde("white", "svg-nicu-white/white.svgz", held_out=True),
    _kde("ornamental", "svg-nicu-ornamental/ornamental.svgz", held_out=True),
    _kde("oxygen-white", "svg-oxygen-white/oxygen-white.svgz"),
    _kde("jolly-royal", "svg-jolly-royal/jolly-royal.svgz", held_out=True),
)
ARTWORK = {artwork.name: artwork for artwork in _DECKS}
