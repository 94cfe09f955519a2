"""The guided page for a new table, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from thirdcard.calibration.chips import ChipSet, load_chips
from thirdcard.service.cameras.discovery import FoundCamera
from thirdcard.service.cameras.onvif import CameraAnswer
from thirdcard.service.guide.calibration_step import DrawnArea, FitTold, area_text
from thirdcard.service.guide.camera_step import CameraAsked, CameraTold
from thirdcard.service.guide.cloth_step import load_cloth
from thirdcard.service.guide.deck_step import DECK, DeckTold
from thirdcard.service.guide.drafts import CHIPS, LAYOUT, MOST_POINTS, HousePart, NewTable, Place, Sketch
from thirdcard.service.guide.house_step import call_words
from thirdcard.service.guide.lens_step import LensTold
from thirdcard.service.guide.trial import Trial
from thirdcard.service.setup.problems import SetupProblem
from thirdcard.service.web.requests import LARGEST_ID, Incoming, Name
from thirdcard.service.web.setup_schemas import ProblemOut
from thirdcard.vision.addresses import public_address

Address = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Secret = Annotated[str, StringConstraints(max_length=500)]
Outline = list[tuple[float, float]]


class PictureQuery(Incoming):
    """Which picture."""

    of: Annotated[int, Field(ge=0, le=LARGEST_ID)] | None = None
    """Any number; a browser that kept an older picture asks anew under another one."""


class BeginIn(Incoming):
    """A table that is begun."""

    table: Name


class CameraIn(Incoming):
    """A camera, or a film."""

    source: Address
    user: Secret = ""
    password: Secret = ""
    transport: Literal["tcp", "udp", "auto"] = "auto"

    def asked(self) -> CameraAsked:
        """What is asked of the camera's step."""
        return CameraAsked(source=self.source, user=self.user, password=self.password, transport=self.transport)


class ClothIn(Incoming):
    """A cloth that is there."""

    name: Name


class SketchIn(Incoming):
    """A drawing of a cloth."""

    sketch: Sketch
    is_done: bool = False
    """Whether it is to be the table's cloth; else it is kept to be taken up again."""


class PointsIn(Incoming):
    """Points on the picture, or the markers in it, and whether the fit is to be kept."""

    points: dict[Name, Place] | None = Field(default=None, max_length=MOST_POINTS)
    """None: the markers are looked for."""
    is_done: bool = False


class ChipIn(Incoming):
    """One denomination."""

    value: int = Field(ge=1, le=10**9)
    name: Name
    colour: Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$")] = "#000000"


class ChipsIn(Incoming):
    """A chip set: a built-in one, or values."""

    built_in: Name | None = None
    diameter_mm: float = Field(default=39.0, ge=15, le=120)
    thickness_mm: float = Field(default=3.3, ge=0.5, le=20)
    chips: list[ChipIn] = Field(default_factory=list, max_length=40)
    is_row: bool = False
    """Whether one of each lies in a row before the camera now, and is to be measured."""


class HouseIn(Incoming):
    """What the house elects."""

    house: HousePart


class StreamsIn(Incoming):
    """A camera that answered, and who asks it for its streams."""

    service: Address
    user: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    password: Secret = ""


class DeckIn(Incoming):
    """The house's own cards lie spread before the camera."""

    card_mm: tuple[Annotated[float, Field(ge=20, le=200)], Annotated[float, Field(ge=20, le=300)]] = (63.0, 88.0)


class FinishIn(Incoming):
    """The table goes live."""

    why: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)] | None = None


class DraftOut(BaseModel):
    """A table that was begun."""

    table: str
    steps: dict[str, bool]
    """Each step, and whether it is settled."""
    camera: str | None
    """Its address without user and password."""
    size_px: tuple[int, int] | None
    cloth: str | None
    sketch: Sketch | None
    areas: list[dict[str, Any]]
    """The cloth's areas: id, kind, text and polygon in millimetres."""
    reference_points: dict[str, tuple[float, float]]
    has_markers: bool
    size_mm: tuple[float, float] | None
    points: dict[str, tuple[float, float]]
    chips: str | None
    chip_set: list[ChipIn]
    """The chips that are settled."""
    has_deck: bool
    """Whether the house's own cards are enrolled."""
    house: HousePart | None
    call: list[str]
    """How the call "No more bets" is known."""

    @classmethod
    def of(cls, draft: NewTable) -> DraftOut:
        """What is sent of it."""
        file = draft.read()
        layout = load_cloth(draft) if draft.has(LAYOUT) else None
        return cls(
            table=draft.table_id,
            steps=draft.states(),
            camera=None if file.camera is None else public_address(file.camera.source),
            size_px=None if file.camera is None else file.camera.size_px,
            cloth=file.cloth,
            sketch=file.sketch,
            areas=[
                {"id": one.id, "kind": one.kind, "text": area_text(one), "polygon": one.polygon_mm.tolist()}
                for one in (() if layout is None else layout.areas)
            ],
            reference_points={} if layout is None else dict(layout.reference_points),
            has_markers=layout is not None and layout.markers is not None,
            size_mm=None if layout is None else layout.size_mm,
            points=file.points,
            chips=file.chips,
            chip_set=_chips_of(draft),
            has_deck=draft.has(DECK),
            house=file.house,
            call=call_words(draft, file.house),
        )


def _chips_of(draft: NewTable) -> list[ChipIn]:
    if not draft.has(CHIPS):
        return []
    return [ChipIn.model_validate(one) for one in chips_out(load_chips(CHIPS, draft.folder))]


def chips_out(chips: ChipSet) -> list[dict[str, Any]]:
    """Each chip's value, name and colour."""
    return [
        {"value": one.value, "name": one.name, "colour": "#{:02x}{:02x}{:02x}".format(*one.colour_rgb)}
        for one in chips.chips
    ]


class StepOut(BaseModel):
    """A step that was settled."""

    draft: DraftOut
    problems: list[ProblemOut]
    """What a person should look at."""

    @classmethod
    def of(cls, draft: NewTable, problems: Iterable[SetupProblem]) -> StepOut:
        """What is sent of it."""
        return cls(draft=DraftOut.of(draft), problems=[ProblemOut.of(one) for one in problems])


class FoundCameraOut(BaseModel):
    """A camera that answered."""

    address: str
    name: str
    model: str
    location: str
    service: str | None
    """Where it is asked for its streams."""

    @classmethod
    def of(cls, camera: FoundCamera) -> FoundCameraOut:
        """What is sent of it."""
        service = next(iter(camera.services), None)
        return cls(
            address=camera.address, name=camera.name, model=camera.model, location=camera.location, service=service
        )


class StreamOut(BaseModel):
    """A stream that a camera offers."""

    name: str
    address: str
    """Without user and password."""
    codec: str | None
    size_px: tuple[int, int] | None
    rate_hz: float | None


class StreamsOut(BaseModel):
    """What a camera offers."""

    streams: list[StreamOut]
    """The largest first."""
    clock_off_s: float | None
    """By how much its clock is ahead."""

    @classmethod
    def of(cls, answer: CameraAnswer) -> StreamsOut:
        """What is sent of it."""
        streams = [
            StreamOut(name=one.name, address=one.address, codec=one.codec, size_px=one.size_wh_px, rate_hz=one.rate_hz)
            for one in answer.streams
        ]
        return cls(streams=streams, clock_off_s=answer.clock_off_s)


class DeckOut(BaseModel):
    """What was enrolled of the house's own cards."""

    draft: DraftOut
    faces: int
    missing: list[str]
    say: str

    @classmethod
    def of(cls, draft: NewTable, told: DeckTold) -> DeckOut:
        """What is sent of it."""
        return cls(draft=DraftOut.of(draft), faces=told.faces, missing=list(told.missing), say=told.say)


class CameraOut(StepOut):
    """What a look through the camera said."""

    words: list[str]

    @classmethod
    def told(cls, draft: NewTable, told: CameraTold) -> CameraOut:
        """What is sent of it."""
        look, picture = told.look, told.look.picture
        rate = "rate unknown" if look.rate_hz is None else f"{look.rate_hz:.1f} pictures a second"
        blur = "no detail" if picture.blur_px is None else f"edges spread over {picture.blur_px:.1f} px (2.5 at most)"
        light = f"Light: mean {picture.level:.0f}, brightest {picture.brightest:.0f} of 255."
        words = [
            f"{look.codec}, {look.size_wh_px[0]} x {look.size_wh_px[1]}, {rate}.",
            f"Focus: {blur}. {light}",
            "Cards and chips are large enough to read while the whole picture shows at most "
            f"{told.widest_mm / 1000:.1f} m of the table. The calibration says so of each place.",
        ]
        if told.is_other_size:
            words.append("The picture has another size than before: calibrate anew.")
        return cls(**dict(StepOut.of(draft, told.problems)), words=words)


class LensOut(BaseModel):
    """How far the measuring of the lens is."""

    views: int
    measured: bool
    say: str

    @classmethod
    def of(cls, told: LensTold) -> LensOut:
        """What is sent of it."""
        return cls(views=told.views, measured=told.is_measured, say=told.say)


class DrawnAreaOut(BaseModel):
    """An area in the picture."""

    id: str
    kind: str
    text: str
    outline: Outline

    @classmethod
    def of(cls, area: DrawnArea) -> DrawnAreaOut:
        """What is sent of it."""
        return cls(id=area.id, kind=area.kind, text=area.text, outline=list(area.outline_px))


class FitOut(BaseModel):
    """What a fit says of itself."""

    draft: DraftOut
    residual_px: float
    errors_px: dict[str, float]
    left_out: dict[str, float]
    """Points that do not fit the others, and by how many pixels."""
    lens: str
    boxes_mm: float
    wagers_mm: float
    cloth_mm: float
    add: str | None
    """The point at which one more would help most."""
    cells: list[tuple[float, Outline]]
    """Parts of the cloth: millimetres within which the map is in 90 % of cases, and the outline in the picture."""
    areas: list[DrawnAreaOut]
    places: dict[str, tuple[float, float]]
    """Where each reference point should lie in the picture."""
    problems: list[ProblemOut]

    @classmethod
    def of(cls, draft: NewTable, told: FitTold) -> FitOut:
        """What is sent of it."""
        fit, quality = told.fit, told.quality
        return cls(
            draft=DraftOut.of(draft),
            residual_px=fit.calibration.residual_px or 0.0,
            errors_px=dict(fit.errors_px),
            left_out=dict(fit.left_out),
            lens=str(fit.lens),
            boxes_mm=quality.boxes_mm,
            wagers_mm=quality.wagers_mm,
            cloth_mm=quality.cloth_mm,
            add=quality.add,
            cells=[(one.off_mm, list(one.outline_px)) for one in told.cells],
            areas=[DrawnAreaOut.of(one) for one in told.areas],
            places=dict(told.places_px),
            problems=[ProblemOut.of(one) for one in told.problems],
        )


class TrialOut(BaseModel):
    """What a look at the finished table showed."""

    fit: bool
    problems: list[ProblemOut]
    areas: list[DrawnAreaOut]
    words: list[str]

    @classmethod
    def of(cls, trial: Trial) -> TrialOut:
        """What is sent of it."""
        words = [] if trial.look is None else [f"Looked for {trial.look.seconds:.1f} s through {trial.look.address}."]
        return cls(
            fit=trial.is_fit,
            problems=[ProblemOut.of(one) for one in trial.problems],
            areas=[DrawnAreaOut.of(one) for one in trial.areas],
            words=words,
        )
