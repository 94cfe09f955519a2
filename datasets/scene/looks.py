"""Choose the appearance of a world: colours, print, light, lens and noise, from its style and seed.

Colours are BGR. What a world's style names is used; everything else is drawn from the seed. The split "held_out" draws
from palettes, print families and ranges that the split "train" never uses.

A style may name: `split` (train, held_out); colours as "#rrggbb" (`*_colour`, see `COLOUR_KEYS`); `print` (a family of
`_FAMILIES`), `outline` (straight, rounded, arched), `title`; `words` (usual: each area bears its bet's word; other: it
bears words that name no bet; none: it bears none) and `facing` (players, dealer: from where words are read); and the
numbers of `NUMBER_KEYS`. `words` and `facing` are drawn from no seed: cloths that do not name them stay as they were.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thirdcard.datasets.scene.errors import StyleError
from thirdcard.datasets.scene.raster import bgr_from_hex

Colour = tuple[float, float, float]

NUMBER_KEYS = (
    "light", "warmth", "shadow", "gloss", "noise", "defocus", "sharpen", "caption", "flicker", "clutter", "pattern",
    "fill", "weave", "wear",
)  # fmt: skip
COLOUR_KEYS = tuple(
    f"{name}_colour" for name in ("cloth", "print", "player", "banker", "tie", "pair", "bonus", "rail", "floor", "shoe")
)

_CLOTHS = {
    "train": (
        "#0f5a35", "#14683f", "#1c7a4a", "#0b4429", "#2c7f5c", "#225a45", "#12559a", "#1b6cb8", "#0d3b73", "#2a4f8f",
        "#7a1420", "#8f2430", "#5f1018", "#a33a3a", "#3b3f46", "#54595f", "#24282e", "#6b5a3e", "#8a7754", "#b39a6c",
        "#0f6f78", "#138a8a", "#2d8fa8", "#5a2d7a", "#75489a", "#c2b28c", "#6a7f3a", "#40602a", "#9a4a20", "#2f3f2f",
    ),
    "held_out": ("#1f8f3f", "#33206b", "#0a2f4f", "#8c1f4a", "#4a4a2a", "#1d4d4d", "#a9a08f", "#7b3f1d"),
}  # fmt: skip
_PRINTS = {
    "train": ("#e9e4cf", "#ffffff", "#e6c35c", "#d8a634", "#f2e7a0", "#b8d7f0", "#c8c8c8", "#f0b0a0", "#9fd8b0"),
    "held_out": ("#f4f1e6", "#d9c26a", "#a8e0e8", "#f6d4e0"),
}
_FAMILIES = {
    "train": ("plain", "lattice", "damask", "rings", "waves", "suits", "rays", "leaves", "bands"),
    "held_out": ("plain", "scales", "stars", "meander"),
}
_BETS = {
    "train": {
        "player": ("#2f6fd0", "#e9e4cf", "#4aa3ff", "#1d3f8f", "#7cc0ff"),
        "banker": ("#c22a2a", "#e6c35c", "#ff6a4a", "#8f1d1d", "#ffb070"),
        "other": ("#2aa05a", "#e8d44a", "#5ad0a0", "#b070d0", "#ff9a3a", "#f0f0f0", "#40c8d8"),
    },
    "held_out": {
        "player": ("#3060ff", "#d0e8ff"),
        "banker": ("#e03060", "#f8d070"),
        "other": ("#80e060", "#f0a0ff", "#ffd000"),
    },
}
_RAILS = ("#1d1d1f", "#2c1c12", "#4a2f1c", "#6a4a2c", "#3a3a3d", "#123020", "#4a1414", "#8a6a48", "#26324a", "#c8bba0")
_FLOORS = ("#1a1512", "#101420", "#2a2018", "#3b1d1d", "#20262a", "#4a4038", "#0c0c0e", "#5a4a30", "#28303c")


@dataclass(frozen=True, slots=True, kw_only=True)
class Light:
    """The room's light and its effect in the camera."""

    level: float
    """Factor on all brightness; 1 is well lit."""
    warmth: float
    """-1 bluish to 1 yellowish."""
    tint: float
    """-1 magenta to 1 green, a slight cast."""
    gradient: tuple[float, float]
    """Change of brightness over the picture's width and height."""
    spots: tuple[tuple[float, float, float, float], ...]
    """Pools of light from lamps: x, y (shares of the picture), radius (share of the width), strength."""
    vignette: float
    lamp_mm: tuple[float, float]
    """Shift of a thing's shadow per millimetre of its height."""
    shadow: float
    """Darkness of shadows, 0 to 1."""
    gloss: float
    """Strength of highlights on cards and chips."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """The effects of sensor and image processing."""

    noise: float
    """Standard deviation of the noise at mid grey, of 255 levels."""
    chroma: float
    """Share of the noise that is coloured."""
    defocus_px: float
    """Standard deviation of the blur, in px."""
    sharpen: float
    gamma: float
    contrast: float
    saturation: float
    caption: bool
    """Whether the recorder burns in the camera's name and the time."""
    flicker: float
    """Standard deviation of the exposure from frame to frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloth:
    """Colours and print of the cloth."""

    colour: Colour
    ink: Colour
    bets: Mapping[str, Colour]
    family: str
    pattern: float
    """How clearly the family's pattern is visible, 0 to 1."""
    fill: float
    """Opacity of coloured wager areas, 0 to 1."""
    weave: float
    wear: float
    outline: str
    """`straight`, `rounded` or `arched`: the edge on the players' side."""
    line_mm: float
    text_mm: float
    title: str
    words: str = "usual"
    """What areas bear: `usual` for the words of their bets, `other` for words that name no bet, `none`."""
    facing: str = "players"
    """From where the words are read: `players` or `dealer`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Everything that determines a world's appearance."""

    cloth: Cloth
    light: Light
    lens: Lens
    rail: Colour
    rail_mm: float
    floor: Colour
    shoe: Colour
    metal: Colour
    clutter: float
    """Amount of distractors, 0 to 1."""
    split: str


_TITLES = (
    "BACCARAT", "PUNTO BANCO", "MINI BACCARAT", "NO COMMISSION", "ROYAL CLUB", "GRAND SALON", "BACCARAT", "MIDI",
    "THE HARBOUR", "8 FOR 1 TIE", "EAST WING", "PLAYER HAND  BANKER HAND", "LUCKY EIGHT", "", "", "",
)  # fmt: skip


def look_of(style: Mapping[str, str | float], seed: int) -> Look:
    """Return the appearance of a world with this style and seed.

    Raises:
        StyleError: The style names an unknown look, or gives one an unsuitable value.
    """
    _check(style)
    rng = np.random.default_rng([seed, 11])
    split = str(style.get("split", "train"))
    cloth = _cloth(rng, style, split)
    light = _light(rng, style)
    lens = _lens(rng, style)
    return Look(
        cloth=cloth,
        light=light,
        lens=lens,
        rail=_colour(rng, style.get("rail_colour"), _RAILS, jitter=14),
        rail_mm=float(rng.uniform(90, 150)),
        floor=_colour(rng, style.get("floor_colour"), _FLOORS, jitter=10),
        shoe=_colour(rng, style.get("shoe_colour"), ("#141414", "#3a3a3c", "#5a0f14", "#6a6a6e", "#20303a"), jitter=8),
        metal=_colour(rng, None, ("#2a2a2a", "#6a6a68", "#8a8a88", "#3a2a1c", "#b8b8b4"), jitter=10),
        clutter=float(style.get("clutter", rng.uniform(0.1, 1.0))),
        split=split,
    )


def _check(style: Mapping[str, str | float]) -> None:
    families = sorted({family for split in _FAMILIES.values() for family in split})
    words = {
        "split": sorted(_CLOTHS),
        "print": families,
        "outline": ["straight", "rounded", "arched"],
        "words": ["usual", "other", "none"],
        "facing": ["players", "dealer"],
    }
    for key, value in style.items():
        if key in NUMBER_KEYS:
            fits, allowed = isinstance(value, int | float), "must be a number"
        elif key in COLOUR_KEYS:
            fits, allowed = re.fullmatch("#[0-9a-fA-F]{6}", str(value)) is not None, 'must be a colour like "#1c6b45"'
        elif key in words:
            fits, allowed = value in words[key], f"must be one of {', '.join(words[key])}"
        elif key == "title":
            fits, allowed = isinstance(value, str), "must be a text"
        else:
            allowed = f"no such look; there are {', '.join(sorted([*NUMBER_KEYS, *COLOUR_KEYS, *words, 'title']))}"
            fits = False
        if not fits:
            raise StyleError(f"style: {key} = {value!r}; {allowed}")


def _colour(rng: np.random.Generator, given: object, choices: Sequence[str], *, jitter: float) -> Colour:
    drawn = np.array(bgr_from_hex(str(rng.choice(list(choices)))))
    drawn = np.clip(drawn + rng.normal(0, jitter, 3), 4, 250)
    if given is not None:
        return bgr_from_hex(str(given))
    return float(drawn[0]), float(drawn[1]), float(drawn[2])


def _cloth(rng: np.random.Generator, style: Mapping[str, str | float], split: str) -> Cloth:
    inks = _BETS[split]
    bets = {name: _colour(rng, style.get(f"{name}_colour"), inks[name], jitter=12) for name in ("player", "banker")}
    for name in ("tie", "pair", "bonus"):
        bets[name] = _colour(rng, style.get(f"{name}_colour"), inks["other"], jitter=12)
    family = str(style.get("print", rng.choice(list(_FAMILIES[split]))))
    heavy = rng.random() < 0.35
    return Cloth(
        colour=_colour(rng, style.get("cloth_colour"), _CLOTHS[split], jitter=9),
        ink=_colour(rng, style.get("print_colour"), _PRINTS[split], jitter=8),
        bets=bets,
        family=family,
        pattern=float(style.get("pattern", rng.uniform(0.35, 0.8) if heavy else rng.uniform(0.04, 0.3))),
        fill=float(style.get("fill", rng.choice([0.0, 0.0, 0.15, 0.4, 0.75, 0.9]))),
        weave=float(style.get("weave", rng.uniform(0.01, 0.06))),
        wear=float(style.get("wear", rng.uniform(0.01, 0.09))),
        outline=str(style.get("outline", rng.choice(["straight", "rounded", "arched", "arched"]))),
        line_mm=float(rng.uniform(1.5, 5.0)),
        text_mm=float(rng.uniform(0.7, 1.3)),
        title=str(style.get("title", rng.choice(_TITLES))),
        words=str(style.get("words", "usual")),
        facing=str(style.get("facing", "players")),
    )


def _light(rng: np.random.Generator, style: Mapping[str, str | float]) -> Light:
    spots = []
    for _ in range(int(rng.integers(0, 4))):
        strength = float(rng.uniform(0.05, 0.42) * rng.choice([1, 1, 1, -0.6]))
        x, y = (float(v) for v in rng.uniform(-0.1, 1.1, 2))
        spots.append((x, y, float(rng.uniform(0.12, 0.5)), strength))
    angle = rng.uniform(0, 2 * np.pi)
    slant = rng.uniform(0.05, 0.9)
    level = rng.choice([rng.uniform(0.75, 1.0), rng.uniform(0.52, 0.78), rng.uniform(0.36, 0.55)], p=[0.55, 0.3, 0.15])
    return Light(
        level=float(style.get("light", level)),
        warmth=float(style.get("warmth", rng.normal(0.05, 0.42))),
        tint=float(rng.normal(0, 0.25)),
        gradient=(float(rng.normal(0, 0.18)), float(rng.normal(0, 0.18))),
        spots=tuple(spots),
        vignette=float(rng.uniform(0, 0.4)),
        lamp_mm=(float(slant * np.cos(angle)), float(slant * np.sin(angle))),
        shadow=float(style.get("shadow", rng.uniform(0.25, 0.75))),
        gloss=float(style.get("gloss", rng.choice([0.0, rng.uniform(0, 0.3), rng.uniform(0.2, 0.8)]))),
    )


def _lens(rng: np.random.Generator, style: Mapping[str, str | float]) -> Lens:
    return Lens(
        noise=float(style.get("noise", rng.gamma(2.0, 1.6))),
        chroma=float(rng.uniform(0, 0.7)),
        defocus_px=float(
            style.get("defocus", rng.choice([0.0, rng.uniform(0.3, 0.8), rng.uniform(0.7, 1.5)], p=[0.4, 0.4, 0.2]))
        ),
        sharpen=float(style.get("sharpen", rng.choice([0.0, rng.uniform(0.1, 0.8)]))),
        gamma=float(rng.uniform(0.85, 1.18)),
        contrast=float(rng.uniform(0.85, 1.15)),
        saturation=0.0 if rng.random() < 0.04 else float(rng.uniform(0.6, 1.2)),
        caption=bool(style.get("caption", rng.random() < 0.2)),
        flicker=float(style.get("flicker", rng.uniform(0, 0.015))),
    )
