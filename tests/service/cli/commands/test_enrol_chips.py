"""`thirdcard enrol chips`: one chip of each value in a row is measured, and chips are read by what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
import yaml
from typer.testing import CliRunner, Result

from tests.calibration.cameras import camera_over
from tests.service.config.test_config import write_table
from thirdcard.calibration.camera import Calibration, save_calibration
from thirdcard.calibration.chips import Chip, ChipSet, load_chips
from thirdcard.calibration.layout import load_layout
from thirdcard.datasets.scene.model import CardObject, ChipStack, Scene, World
from thirdcard.datasets.scene.renderer import SceneRenderer
from thirdcard.service.cli.entry import app
from thirdcard.service.setup.chip_problems import chip_problems
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.chip_faces import ChipFaceReader, face_of, white_of
from thirdcard.vision.inference.chip_samples import ChipLooks, load_looks
from thirdcard.vision.inference.crops import card_crop
from thirdcard.vision.inference.stack_height import StackGauge

HOUSE = load_chips("house", Path())
MIDDLE = (1065.0, 590.0)
"""Of the plain cloth between the words in the middle of mini-7 and its boxes."""
CARD = CardObject(object_id="card", card="7H", face_up=True, at_mm=(1065.0, 180.0))
PLAIN = {"noise": 2.0, "defocus": 0.0, "clutter": 0.0, "caption": 0.0, "gloss": 0.0}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["enrol", "chips", *map(str, arguments)])


class Table:
    """A table with a house's chips, rendered."""

    def __init__(
        self,
        folder: Path,
        chips: ChipSet = HOUSE,
        *,
        seed: int = 5,
        light: float = 0.9,
        warm: float = 0.1,
        camera: Calibration | None = None,
    ) -> None:
        self.folder, self.chips = folder, chips
        self.layout = load_layout("mini-7", folder)
        self.camera = camera or camera_over(self.layout)
        save_calibration(folder / "overhead.yaml", self.camera)
        self.file = write_table(folder, ("chips",), mapping_of(chips))
        style = {**PLAIN, "light": light, "warmth": warm}
        world = World(layout=self.layout, chips=chips, camera=self.camera, deck="machine:8001", style=style, seed=seed)
        self.renderer = SceneRenderer(world)

    def picture(self, stacks: Sequence[ChipStack], cards: tuple[CardObject, ...] = (CARD,), t: float = 1.0) -> Image:
        return self.renderer.render([Scene(t=t, cards=cards, stacks=tuple(stacks))]).image_hw3

    def row(self, count: int | None = None, *, step_mm: float = 80.0, y: float = MIDDLE[1]) -> list[ChipStack]:
        """One of each, the first on the left."""
        count = len(self.chips.chips) if count is None else count
        left = MIDDLE[0] - step_mm * (count - 1) / 2
        return [
            ChipStack(object_id=f"c{k}", at_mm=(left + step_mm * k, y + k % 2 * 4.0), chips=(k,), seed=k)
            for k in range(count)
        ]

    def save(self, image: Image, name: str = "row.png") -> Path:
        cv2.imwrite(str(self.folder / name), image)
        return self.folder / name

    def enrol(self, image: Image, *options: object) -> Result:
        out = self.folder / "chips.yaml"
        return run(self.save(image), "--table", self.file, "--out", out, *options)


def mapping_of(chips: ChipSet) -> dict[str, object]:
    entries = [
        {"value": chip.value, "name": chip.name, "colour": "#{:02x}{:02x}{:02x}".format(*chip.colour_rgb)}
        for chip in chips.chips
    ]
    return {"diameter_mm": chips.diameter_mm, "thickness_mm": chips.thickness_mm, "chips": entries}


def chip_set(*colours: tuple[int, int, int]) -> ChipSet:
    chips = tuple(Chip(value=5 * 5**k, name=f"n{k}", colour_rgb=colour) for k, colour in enumerate(colours))
    return ChipSet(diameter_mm=40, thickness_mm=3.3, chips=chips)


def with_faces(folder: Path, *inlays: tuple[int, int, int]) -> ChipSet:
    """Red chips that differ in their inlay alone, and a green one."""
    chips = list(chip_set(*[(179, 32, 42)] * len(inlays), (31, 122, 61)).chips)
    for k, inlay in enumerate(inlays):
        face = np.full((128, 128, 3), (42, 32, 179), np.uint8)
        for turn in range(0, 360, 60):
            cv2.ellipse(face, (64, 64), (56, 56), 0, turn, turn + 18, (235, 240, 240), 14, cv2.LINE_AA)
        cv2.circle(face, (64, 64), 40, inlay, -1, cv2.LINE_AA)
        cv2.imwrite(str(folder / f"face{k}.png"), face)
        chips[k] = replace(chips[k], sample_path=folder / f"face{k}.png")
    return ChipSet(diameter_mm=40, thickness_mm=3.3, chips=tuple(chips))


def looks_in(chips: ChipSet) -> ChipLooks:
    return load_looks([chip.colour_rgb for chip in chips.chips], [chip.sample_path for chip in chips.chips])


def told(result: Result) -> str:
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


def test_chips_are_written_in_the_rows_order_with_samples(tmp_path: Path) -> None:
    table = Table(tmp_path)
    result = table.enrol(table.picture(table.row()), "--drawn", tmp_path / "drawn.jpg")
    assert result.exit_code == 0, result.output
    chips = load_chips("chips.yaml", tmp_path)
    assert [(chip.value, chip.name) for chip in chips.chips] == [(chip.value, chip.name) for chip in HOUSE.chips]
    assert (chips.diameter_mm, chips.thickness_mm) == (39, 3.3)
    samples = [chip.sample_path for chip in chips.chips]
    assert all(path is not None and path.parent == tmp_path / "samples" for path in samples)
    assert {np.asarray(cv2.imread(str(path))).shape for path in samples} == {(128, 128, 3)}
    assert (tmp_path / "drawn.jpg").is_file()
    assert "Enrolled: 6 chips" in told(result)
    assert list(chip_problems(chips, "chips.yaml", None)) == []
    missing = run(table.file, "--out", tmp_path / "other.yaml")
    assert missing.exit_code == 2
    assert "video.mp4: no such file" in told(missing)


def test_a_tables_own_film_is_enough(tmp_path: Path) -> None:
    table = Table(tmp_path)
    stacks = table.row()
    with av.open(str(tmp_path / "video.mp4"), "w") as container:  # the source that the table's file names
        stream = container.add_stream("libx264", rate=10, options={"crf": "20", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = 1920, 1080, "yuv420p"
        for k in range(12):
            image = table.picture(stacks, t=1.0 + k / 10)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="bgr24")))
        container.mux(stream.encode())
    result = run(table.file, "--out", tmp_path / "chips.yaml")
    assert result.exit_code == 0, result.output
    assert [chip.value for chip in load_chips("chips.yaml", tmp_path).chips] == [chip.value for chip in HOUSE.chips]


@pytest.mark.parametrize(("seed", "light", "warm"), [(5, 0.9, 0.1), (11, 0.55, 0.6), (23, 0.75, -0.5)])
def test_chips_are_read_at_least_as_well_as_with_the_nominal_colours(
    tmp_path: Path, seed: int, light: float, warm: float
) -> None:
    """Stacks elsewhere on the table, read by the colours they were made with and by what was enrolled."""
    table = Table(tmp_path, seed=seed, light=light, warm=warm)
    assert table.enrol(table.picture(table.row())).exit_code == 0
    enrolled = looks_in(load_chips("chips.yaml", tmp_path))
    faces, tops, white = stacks_seen(table)
    reader = ChipFaceReader.open()
    by_file = [looks_in(HOUSE), enrolled]
    right = [np.mean(reader.read(faces, looks, white).argmax(axis=1) == np.array(tops)) for looks in by_file]
    assert right[1] >= max(right[0], 0.95)


def stacks_seen(table: Table) -> tuple[list[Image], list[int], np.ndarray]:
    """The top faces of stacks over the wagering areas, which chip each is, and what white is."""
    areas = [area for area in table.layout.of_kind("wager") if area.id.endswith(("-player", "-banker"))]
    rng = np.random.default_rng(3)
    kinds = len(table.chips.chips)
    stacks = [
        ChipStack(
            object_id=area.id,
            at_mm=(float(area.centre_mm[0]), float(area.centre_mm[1])),
            chips=tuple(int(chip) for chip in rng.integers(0, kinds, 1 + k % 3)),
            seed=100 + k,
        )
        for k, area in enumerate(areas)
    ]
    image = table.picture(stacks, t=9.0)
    corners = np.array(CARD.at_mm) + np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
    card = card_crop(image, table.camera, corners)
    assert card is not None
    gaugings = StackGauge.open().measure(
        image, table.camera, [np.array(stack.at_mm) for stack in stacks], diameter_mm=table.chips.diameter_mm
    )
    faces = [face_of(each.view.crop, each) for each in gaugings if each is not None and each.view is not None]
    assert len(faces) == len(stacks)
    return faces, [stack.chips[-1] for stack in stacks], white_of(card)


def test_chips_of_nearly_one_colour_are_named_with_how_far_apart_they_are(tmp_path: Path) -> None:
    table = Table(tmp_path, with_faces(tmp_path, (90, 90, 90), (96, 96, 96)), seed=4)
    text = told(table.enrol(table.picture(table.row())))
    assert "Too alike: n0 (5) and n1 (25): colours" in text
    assert "apart, 12 are needed, or prints 16 apart and not" in text
    assert text.count("Too alike") == 1
    problems = list(chip_problems(load_chips("chips.yaml", tmp_path), "chips.yaml", None))
    assert [problem.key for problem in problems] == ["chips[1].colour"]


def test_chips_of_one_colour_with_another_print_are_told_apart_by_their_samples(tmp_path: Path) -> None:
    table = Table(tmp_path, with_faces(tmp_path, (30, 30, 30), (240, 240, 240)), seed=4)
    result = table.enrol(table.picture(table.row()))
    assert result.exit_code == 0, result.output
    assert "Too alike" not in told(result)
    faces, tops, white = stacks_seen(table)
    shares = ChipFaceReader.open().read(faces, looks_in(load_chips("chips.yaml", tmp_path)), white)
    assert (shares.argmax(axis=1) == np.array(tops)).all()
    assert shares.max(axis=1).min() > 0.9


def refusals(table: Table) -> dict[str, tuple[Image, str]]:
    """Pictures from which nothing can be enrolled, and what is said of them."""
    whole = table.row()
    near = [*whole[:-1], replace(whole[-1], at_mm=(whole[-2].at_mm[0] + 45.0, whole[-2].at_mm[1] + 4.0))]
    high = [replace(whole[0], chips=(0,) * 12), *whole[1:]]
    beside = ChipStack(object_id="more", at_mm=(1065.0 + 280.0, MIDDLE[1]), chips=(0,), seed=9)
    return {
        "one is missing": (table.picture(whole[:-1]), "5 chips lie in a row, at ("),
        "one too many": (table.picture([*whole, beside]), "7 chips lie in a row, at ("),
        "none": (table.picture([]), "0 chips lie in a row; must be 6"),
        "too near": (table.picture(near), "chips 5 and 6 of the row lie"),
        "a stack": (table.picture(high), "chip 1 of the row: stands higher than one chip"),
        "no card": (table.picture(whole, ()), "no card lies face up in the picture"),
        "a card's back": (table.picture(whole, (replace(CARD, face_up=False),)), "no card lies face up"),
        "another size": (table.picture(whole)[:900], "size = [1920, 900]; must be [1920, 1080]"),
    }


def test_what_cannot_be_enrolled_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    table = Table(tmp_path)
    for name, (image, says) in refusals(table).items():
        result = table.enrol(image)
        assert result.exit_code == 2, name
        assert says in told(result), name
        assert not (tmp_path / "chips.yaml").exists(), name
        assert not (tmp_path / "samples").exists(), name


def seen_by(camera: Calibration, *, scale: float = 1.0, shift_px: float = 0.0) -> Calibration:
    """The same camera with fewer pixels, or turned a little."""
    matrix = camera.camera_matrix * scale
    matrix[0, 2] -= shift_px
    matrix[2, 2] = 1.0
    width, height = camera.image_size_wh_px
    return replace(camera, camera_matrix=matrix, image_size_wh_px=(round(width * scale), round(height * scale)))


@pytest.mark.parametrize(
    ("scale", "shift_px", "says"),
    [
        pytest.param(0.4, 0.0, "px wide; must be 12 or more", id="too small"),
        pytest.param(1.0, 807.0, "the picture cuts it off", id="cut off"),
    ],
)
def test_chips_that_are_cut_off_or_too_small_are_refused(
    tmp_path: Path, scale: float, shift_px: float, says: str
) -> None:
    camera = seen_by(camera_over(load_layout("mini-7", tmp_path)), scale=scale, shift_px=shift_px)
    table = Table(tmp_path, camera=camera)
    result = table.enrol(table.picture(table.row()))
    assert result.exit_code == 2
    assert says in told(result)
    assert not (tmp_path / "chips.yaml").exists()


def test_nothing_is_written_over_without_force(tmp_path: Path) -> None:
    table = Table(tmp_path)
    image = table.picture(table.row())
    assert table.enrol(image).exit_code == 0
    before = (tmp_path / "chips.yaml").read_bytes()
    again = table.enrol(image, "--values", "1,2,3,4,6,7")
    assert again.exit_code == 2
    assert "is there already; must be a new file, or --force" in told(again)
    assert (tmp_path / "chips.yaml").read_bytes() == before
    assert table.enrol(image, "--values", "1,2,3,4,6,7", "--force").exit_code == 0
    written = yaml.safe_load((tmp_path / "chips.yaml").read_text(encoding="utf-8"))
    assert [chip["value"] for chip in written["chips"]] == [1, 2, 3, 4, 6, 7]
    assert [chip["name"] for chip in written["chips"]] == ["1", "2", "3", "4", "6", "7"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--values", "5,x"], "--values = 5,x; must be whole numbers from 1"),
        (["--values", "5,5"], "must name each value once"),
        (["--back", "back.png"], "--back is for cards alone"),
    ],
)
def test_what_was_typed_wrongly_is_refused(tmp_path: Path, arguments: list[str], says: str) -> None:
    table = Table(tmp_path)
    result = table.enrol(np.zeros((1080, 1920, 3), np.uint8), *arguments)
    assert result.exit_code == 2
    assert says in told(result)


def test_a_picture_needs_its_table(tmp_path: Path) -> None:
    assert "needs --table" in told(run(tmp_path / "row.png"))
