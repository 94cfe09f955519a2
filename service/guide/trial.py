"""The last steps: check the finished table through its camera, then create the table."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import cv2
import yaml

from thirdcard.calibration.camera import load_calibration
from thirdcard.service.cameras.camera_look import CameraLook, look_at_camera
from thirdcard.service.config.table_file import is_live_source, load_table
from thirdcard.service.guide.calibration_step import DrawnArea, drawn_areas
from thirdcard.service.guide.camera_step import LOOK_S, STILL_QUALITY
from thirdcard.service.guide.deck_step import DECK
from thirdcard.service.guide.drafts import (
    CHIPS,
    LAYOUT,
    OVERHEAD,
    STILL,
    Drafts,
    DraftStateError,
    NewTable,
    in_words,
)
from thirdcard.service.setup.problems import Grade, SetupProblem
from thirdcard.service.setup.table_check import TABLE, check_table
from thirdcard.service.tables.table_acts import Made, TableActs

CAMERA = "overhead"
"""The camera's name in the table's file."""
STEP_WORDS: Mapping[str, str] = {
    "camera": "the camera",
    "cloth": "the cloth",
    "calibration": "the calibration",
    "chips": "the chips",
    "house": "the house's rules",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The result of checking the finished table through its camera."""

    problems: tuple[SetupProblem, ...]
    """Errors first."""
    areas: tuple[DrawnArea, ...]
    look: CameraLook | None
    """None where errors in the files made a look impossible."""

    @property
    def is_fit(self) -> bool:
        """Whether the table can go live; doubtful points are allowed."""
        return all(one.grade is not Grade.WRONG for one in self.problems)


def write_table_file(draft: NewTable) -> None:
    """Write the draft's `table.yaml` from the results of its steps.

    Raises:
        DraftStateError: A step is not done.
    """
    missing = [words for step, words in STEP_WORDS.items() if not draft.states()[step]]
    if missing:
        raise DraftStateError(f"Not settled yet: {', '.join(missing)}.")
    file = draft.read()
    assert file.camera is not None, "its step is settled"
    assert file.house is not None, "its step is settled"
    house = file.house.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    document = {
        "id": draft.table_id,
        "rulebook": file.house.rulebook,
        "options": house.get("options", {}),
        "shoe": file.house.shoe.model_dump(mode="json"),
        "limits": house.get("limits", {}),
        "layout": LAYOUT,
        "chips": CHIPS,
        "cards": {"size_mm": list(file.house.card_mm)} | ({"deck": DECK} if draft.has(DECK) else {}),
        "cameras": [
            {
                "name": CAMERA,
                "source": file.camera.source,
                "calibration": OVERHEAD,
                "transport": file.camera.transport,
                "loop": not is_live_source(file.camera.source),
            }
        ],
        "gestures": list(file.house.gestures),
    }
    draft.put(TABLE, yaml.safe_dump(document, sort_keys=False, allow_unicode=True).encode())


def try_table(draft: NewTable) -> Trial:
    """Check all files, and look through the camera for some seconds.

    Raises:
        StepError: The camera cannot be opened.
        DraftStateError: A step is not done.
    """
    write_table_file(draft)
    problems = list(check_table(draft.folder / TABLE).problems)
    if any(one.grade is Grade.WRONG for one in problems):
        return Trial(problems=_told(draft, problems), areas=(), look=None)
    with in_words():
        table = load_table(draft.folder / TABLE)
        camera = table.cameras[0]
        look = look_at_camera(
            camera.source, seconds=LOOK_S, clock=time.monotonic, transport=camera.transport, table=table
        )
    draft.put(STILL, cv2.imencode(".jpg", look.image, [cv2.IMWRITE_JPEG_QUALITY, STILL_QUALITY])[1].tobytes())
    areas = drawn_areas(table.layout, load_calibration(draft.folder / OVERHEAD))
    return Trial(problems=_told(draft, [*problems, *look.problems]), areas=areas, look=look)


def finish(drafts: Drafts, draft: NewTable, acts: TableActs, why: str | None) -> Made:
    """Create the table, which is then watched, and delete the draft.

    Raises:
        DraftStateError: A step is not done.
        WrongSetupError, TableStateError: It cannot be added; the draft stays.
    """
    write_table_file(draft)
    made = acts.add_from(draft.folder / TABLE, why)
    drafts.drop(draft.table_id)
    return made


def _told(draft: NewTable, problems: list[SetupProblem]) -> tuple[SetupProblem, ...]:
    """Each problem once, errors first; files are named as within the table."""
    within = f"{draft.folder}/"
    shown = [replace(one, where=one.where.replace(within, ""), say=one.say.replace(within, "")) for one in problems]
    shown.sort(key=lambda one: one.grade is not Grade.WRONG)
    return tuple({str(one): one for one in shown}.values())
