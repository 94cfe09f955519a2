"""Check a table completely: its files, its cloth, its chips, its camera."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from thirdcard.calibration.errors import CalibrationError
from thirdcard.service.config.table_file import CameraFile, load_table
from thirdcard.service.ports.errors import ServiceError, UnreadableTableError
from thirdcard.service.setup.camera_grade import CameraGrade, camera_problems, grade_camera
from thirdcard.service.setup.chip_problems import chip_problems
from thirdcard.service.setup.file_problems import USUAL_CARD_MM, USUAL_CHIP_MM, SetupFiles, read_setup
from thirdcard.service.setup.layout_problems import layout_problems
from thirdcard.service.setup.limit_problems import limit_problems
from thirdcard.service.setup.problems import Grade, SetupProblem, refused

TABLE = "table.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCheck:
    """The result of a table's check."""

    path: Path
    problems: tuple[SetupProblem, ...]
    """Those of grade WRONG first."""
    camera: CameraGrade | None
    """How well the first camera sees each area; None where its calibration or the layout cannot be used."""
    stream: CameraFile | None = None
    """The first camera with its film's path, or its address; None where that cannot be used."""

    @property
    def is_fit(self) -> bool:
        """Whether nothing is wrong; there may be doubtful points."""
        return all(problem.grade is not Grade.WRONG for problem in self.problems)


def find_table_file(path: Path) -> Path:
    """The table's file: the path itself, or `table.yaml` in it.

    Raises:
        UnreadableTableError: There is no such file.
    """
    found = path / TABLE if path.is_dir() else path
    if not found.is_file():
        what = f"holds no {TABLE}" if path.is_dir() else "no such file"
        raise UnreadableTableError(f"{path}: {what}; must be a {TABLE}, or a folder that holds one")
    return found


def check_table(path: Path) -> TableCheck:
    """Check a table's files.

    Args:
        path: the table's file.
    """
    files = read_setup(path)
    problems = [*files.problems, *_of_parts(files)]
    if not any(problem.grade is Grade.WRONG for problem in problems):
        try:
            load_table(path)
        except (ServiceError, CalibrationError) as error:
            problems.append(refused(error))
    problems.sort(key=lambda problem: problem.grade is not Grade.WRONG)
    return TableCheck(
        path=path,
        problems=tuple({str(problem): problem for problem in problems}.values()),
        camera=_grade(files),
        stream=files.stream,
    )


def _of_parts(files: SetupFiles) -> list[SetupProblem]:
    table, layout, chips = files.table, files.layout, files.chips
    card_mm = USUAL_CARD_MM if table is None else table.cards.size_mm
    chip_mm = USUAL_CHIP_MM if chips is None else (chips.diameter_mm, chips.thickness_mm)
    found: list[SetupProblem] = []
    if layout is not None:
        is_complete = "areas" not in files.incomplete
        found += layout_problems(
            layout, files.layout_place, card_mm=card_mm, chip_mm=chip_mm[0], is_complete=is_complete
        )
    known_chips = None if "chips" in files.incomplete else chips
    if table is not None:
        found += limit_problems(table.limits, files.rules, known_chips, str(files.path))
    if chips is not None:
        maximum = None if table is None or known_chips is None else table.limits.maximum
        found += chip_problems(chips, files.chips_place, maximum)
    calibration = next(iter(files.calibrations), None)
    if layout is not None and calibration is not None and table is not None:
        where = str(files.path.parent / table.cameras[0].calibration)
        found += camera_problems(calibration, layout, where, card_mm=card_mm, chip_mm=chip_mm)
    return found


def _grade(files: SetupFiles) -> CameraGrade | None:
    calibration = next(iter(files.calibrations), None)
    if files.layout is None or calibration is None:
        return None
    thickness = USUAL_CHIP_MM[1] if files.chips is None else files.chips.thickness_mm
    return grade_camera(calibration, files.layout, chip_mm=thickness)
