"""The table that a new user finds: its cloth is like no built-in layout, and a camera hangs over it.

The camera shows play, chips at the corners of a rectangle, a row of chips or a spread deck, as somebody laid it there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration, load_calibration
from thirdcard.calibration.cloths import Arc, BetRow, dealer_areas, seat_areas
from thirdcard.calibration.layout import Layout, load_layout
from thirdcard.datasets.scene.model import CardObject, ChipStack, Scene
from thirdcard.datasets.scene.renderer import SceneRenderer
from thirdcard.datasets.script.render import prepare, render_script, world_of
from thirdcard.datasets.script.script import Script, parse_script
from thirdcard.datasets.script.video import write_video

SIZE_MM = (2280.0, 1180.0)
SEATS = range(1, 9)
MIDDLE_MM = 1140.0
ARC = Arc(centre_mm=(MIDDLE_MM, 60.0), radius_mm=1000.0)
STEP_DEG = 17.0
"""The angle from seat to seat."""
ROWS = (
    BetRow(depth_mm=84, bets=(("player", 250),)),
    BetRow(depth_mm=84, bets=(("banker", 225),)),
    BetRow(depth_mm=62, bets=(("player_pair", 0), ("tie", 0), ("banker_pair", 0))),
)
CHIPS = {
    "diameter_mm": 40,
    "thickness_mm": 3.4,
    "chips": [
        {"value": 10, "name": "blue", "colour": "#2050b0"},
        {"value": 50, "name": "orange", "colour": "#e07a20"},
        {"value": 100, "name": "black", "colour": "#1c1c1c"},
        {"value": 500, "name": "plum", "colour": "#6a2a86"},
        {"value": 1000, "name": "yellow", "colour": "#e0b020"},
    ],
}
LIMITS = {"minimum": 50, "maximum": 5000}
OPTIONS = {"dealing_style": "C", "version": "midi"}
DECK = "machine:9417"
FRAME_MM = (300, 150, 1680, 850)
"""Left, top, width and depth of a rectangle that a person measures on the cloth, since the cloth's own corners are
round. A chip is laid at each corner of the rectangle."""
ROW_MM, ROW_APART_MM = 560.0, 115.0
"""The distance of the row of chips from the dealer's edge, on cloth without print; the distance from chip to chip."""
STILL_FRAMES, STILL_TIMES = 10, 8
"""The number of frames, each with noise of its own, and how often they are repeated: eight seconds in all."""
LEAD_S = 6.0
"""The seconds for which the cloth is empty before the first wager. Looks through the camera take less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The table's films, with its true layout and camera."""

    folder: Path

    @property
    def recording(self) -> Path:
        """The folder of the recording of play, with its truth."""
        return self.folder / "play"

    @property
    def shown(self) -> Path:
        """The film that the camera shows to the next who connects."""
        return self.folder / "camera.mp4"

    @property
    def layout(self) -> Layout:
        """The true layout."""
        return load_layout("layout.yaml", self.recording)

    @property
    def camera(self) -> Calibration:
        """The true camera."""
        return load_calibration(self.recording / "overhead.yaml")

    def lay(self, what: str) -> None:
        """Let the camera show `play`, `corners`, `chips` or `spread`, as if somebody laid that on the table."""
        film = {"play": self.recording / "video.mp4"}.get(what, self.folder / f"{what}.mp4")
        fresh = self.shown.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(film.resolve())
        fresh.replace(self.shown)


def cloth() -> dict[str, Any]:
    """Return a layout with eight seats on one arc, without crosses or markers.

    Player and Banker lie along the arc, Tie and the pairs in circles.
    """
    areas = dealer_areas(MIDDLE_MM, boxes_top=210, box_size=(375, 165), float_width=560)
    for seat in SEATS:
        areas += seat_areas(ARC, seat, STEP_DEG * (seat - (len(SEATS) + 1) / 2), ROWS)
    return {"name": "riverside-8", "size_mm": list(SIZE_MM), "areas": _plain(areas)}


def script(*, rounds: bool = True) -> dict[str, Any]:
    """Return a script of three rounds, each with an incident, or of a deck that is spread out before play."""
    table = {
        "id": "R8",
        "rulebook": "nz-authority",
        "options": OPTIONS,
        "limits": LIMITS,
        "layout": cloth(),
        "chips": CHIPS,
    }
    common = {
        "table": table,
        "deck": DECK,
        "seed": 9417,
        "camera": {"height_mm": 2350, "tilt_deg": 9, "tilted_from": "players", "k1": -0.06},
        "style": {"split": "held_out", "light": 0.95, "noise": 1.6, "clutter": 0.0, "defocus": 0.3, "title": ""},
        "video": {"fps": 10, "mbit_s": 2.5, "key_frame_s": 1},
    }
    if not rounds:
        return common | {"spread": {"decks": 1, "way": "ribbon", "untidy": 0.6, "seconds": 3}, "rounds": []}
    play = {"call": "lamp", "devices": [], "pace": 0.8, "card_gap_s": 0.95, "objects_every": 15}
    return common | play | {"rounds": _rounds()}


def make_stage(folder: Path) -> Stage:
    """Render the films and return the stage; films that are already there are not rendered again."""
    folder.mkdir(parents=True, exist_ok=True)
    stage = Stage(folder=folder)
    if not stage.recording.is_dir():
        (folder / "play.yaml").write_text(yaml.safe_dump(script(), sort_keys=False), encoding="utf-8")
        render_script(folder / "play.yaml", folder / "play.part", objects=False)
        (folder / "play.part").rename(stage.recording)
    for name, draw in (("corners", _corners), ("chips", _chip_row), ("spread", _spread)):
        film = folder / f"{name}.mp4"
        if not film.is_file():
            _write_still(film, *draw())
    stage.lay("play")
    return stage


def _rounds() -> list[dict[str, Any]]:
    late = {"kind": "late_bet", "action": "placed", "seat": 6, "bet": "banker", "value": 500}
    return [
        {
            "cards": "P 9H KD | B 4C 2S",
            "pause_s": LEAD_S,
            "wagers": [{"seat": 2, "bet": "banker", "value": 100}, {"seat": 5, "bet": "player", "value": 200}],
            "happenings": [{"kind": "face_up_deal", "card": 2}],
        },
        {
            "cards": "P 10C 6H | B 8D KS",
            "wagers": [{"seat": 4, "bet": "player", "value": 300}],
            "happenings": [late | {"when": {"after": "card", "card": 3, "seconds": 0.9}}],
        },
        {
            "cards": "P 4S 3H | B 3D KC 5H",
            "wagers": [{"seat": 3, "bet": "banker", "value": 200}],
            "happenings": [{"kind": "third_card_not_due", "hand": "player", "then": "banker"}],
        },
    ]


def _corners() -> tuple[Script, SceneRenderer, Scene]:
    """Return a scene with a chip at each corner of the measured rectangle, with its script and renderer."""
    told = parse_script(script(), "corners")
    stacks = [ChipStack(object_id=f"chip {i}", at_mm=at, chips=(4,), seed=i) for i, at in enumerate(frame_corners())]
    return told, SceneRenderer(world_of(told, Path())), Scene(t=0.0, stacks=tuple(stacks))


def frame_corners() -> list[tuple[float, float]]:
    """Return the corners of the measured rectangle: top left, top right, bottom right, bottom left, in mm."""
    left, top, width, depth = FRAME_MM
    return [(left, top), (left + width, top), (left + width, top + depth), (left, top + depth)]


def _chip_row() -> tuple[Script, SceneRenderer, Scene]:
    """Return a scene with one of each chip, in the order of their values, and a card face up beside them."""
    told = parse_script(script(), "chips")
    count = len(CHIPS["chips"])  # type: ignore[arg-type]
    places = [MIDDLE_MM + (i - count / 2) * ROW_APART_MM for i in range(count + 1)]
    stacks = [
        ChipStack(object_id=f"chip {i}", at_mm=(x, ROW_MM), chips=(i,), seed=i) for i, x in enumerate(places[:-1])
    ]
    card = CardObject(object_id="card", card="7D", face_up=True, at_mm=(places[-1] + 20, ROW_MM))
    return told, SceneRenderer(world_of(told, Path())), Scene(t=0.0, cards=(card,), stacks=tuple(stacks))


def _spread() -> tuple[Script, SceneRenderer, Scene]:
    """Return a scene with one deck in rows by suit and sequence."""
    told = parse_script(script(rounds=False), "spread")
    job, performance = prepare(told, Path())
    lay = performance.lays[0]
    return told, SceneRenderer(job.world), job.timeline.scene_at((lay.from_t + lay.to_t) / 2)


def _write_still(film: Path, told: Script, renderer: SceneRenderer, scene: Scene) -> None:
    images = [renderer.render([replace(scene, t=n / told.video.fps)]).image_hw3 for n in range(STILL_FRAMES)]
    part = film.with_suffix(".part.mp4")
    shown: Iterator[NDArray[np.uint8]] = chain.from_iterable(repeat(images, STILL_TIMES))
    write_video(part, told.video, shown, told.camera.resolution)
    part.rename(film)


def _plain(value: Any) -> Any:
    """Return a value with lists in place of tuples, as YAML needs them."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
