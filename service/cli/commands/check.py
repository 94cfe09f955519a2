"""`thirdcard check`: what is wrong or doubtful about a table, before anybody is accused because of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.service.ports.errors import ServiceError

if TYPE_CHECKING:
    from thirdcard.service.config.table_file import TableConfig
    from thirdcard.service.setup.camera_grade import CameraGrade
    from thirdcard.service.setup.problems import SetupProblem
    from thirdcard.service.setup.table_check import TableCheck


LOOK_S = 5.0
"""Seconds: two key frame intervals of a camera with usual settings, and enough to see changes of light."""


def check(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A table.yaml, or the folder that holds one.")],
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object instead of text.")] = False,
    look: Annotated[
        bool, typer.Option("--look", help="Look through its camera, or at its film, for some seconds.")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Compare this picture or film of the table with the layout.")
    ] = None,
) -> None:
    """Check a table: everything that is wrong or doubtful about its files, cloth, chips and camera.

    Each problem names file, key, value and what is allowed. Exit status 1 where something is wrong; what is doubtful
    may be meant.
    """
    from thirdcard.service.setup.table_check import check_table, find_table_file

    found = _with_film(check_table(find_table_file(table)))
    if look or picture is not None:
        found = _with_picture(found, picture, look=look)
    if as_json:
        typer.echo(json.dumps(_as_json(found), ensure_ascii=False, indent=2, default=str))
    else:
        _tell(found)
    if not found.is_fit:
        raise typer.Exit(1)


def _with_film(found: TableCheck) -> TableCheck:
    """The check with what a film's first frame adds: whether it can be read, and has the calibration's size.

    An empty file, which a recorder has just begun, says nothing.
    """
    from dataclasses import replace

    from thirdcard.service.config.table_file import load_table
    from thirdcard.service.setup.problems import doubtful, refused
    from thirdcard.service.watch.recordings import check_video
    from thirdcard.vision.errors import UnreadableVideoError

    source = Path(found.stream.source) if found.stream is not None and isinstance(found.stream.source, str) else None
    if not found.is_fit or source is None or not source.is_file() or not source.stat().st_size:
        return found
    try:
        check_video(load_table(found.path))
    except UnreadableVideoError as error:
        problem = doubtful(str(found.path), "cameras[0].source", value=source.name, say=error.reason)
    except ServiceError as error:
        problem = refused(error)
    else:
        return found
    problems = sorted((*found.problems, problem), key=lambda one: one.grade != "wrong")
    return replace(found, problems=tuple(problems))


def _with_picture(found: TableCheck, picture: Path | None, *, look: bool) -> TableCheck:
    """The check with what pictures add: the light, and whether the print is where the layout says, and reads so."""
    from dataclasses import replace

    from thirdcard.service.config.table_file import load_table
    from thirdcard.service.setup.problems import doubtful

    table = load_table(found.path) if found.is_fit else None
    problems = list(found.problems)
    if look:
        problems += _looked(found, table)
    if picture is not None:
        problems += _compared(picture, table)
    if table is None:
        say = "no picture was compared with the layout; mend what is wrong with the files, then check again"
        problems.append(doubtful(str(found.path), say=say))
    problems.sort(key=lambda problem: problem.grade != "wrong")
    return replace(found, problems=tuple({str(problem): problem for problem in problems}.values()))


def _looked(found: TableCheck, table: TableConfig | None) -> Sequence[SetupProblem]:
    """The problems of the table's camera or film; none where its address is refused already."""
    import time

    from thirdcard.service.cameras.camera_look import look_at_camera
    from thirdcard.service.setup.problems import refused
    from thirdcard.vision.errors import VisionError

    camera = found.stream
    if camera is None:
        return ()
    try:
        return look_at_camera(
            str(camera.source), seconds=LOOK_S, clock=time.monotonic, transport=camera.transport, table=table
        ).problems
    except (ServiceError, VisionError) as error:
        return (refused(error),)


def _compared(picture: Path, table: TableConfig | None) -> Sequence[SetupProblem]:
    """The problems of a picture or film of the table."""
    from thirdcard.service.cameras.camera_look import picture_problems
    from thirdcard.service.cli.commands.calibrate import PictureError, read_picture
    from thirdcard.service.setup.print_check import print_problems
    from thirdcard.service.setup.print_words import word_problems
    from thirdcard.service.setup.problems import refused, wrong
    from thirdcard.vision.frames import Frame
    from thirdcard.vision.health.picture_measures import measure_pictures

    try:
        image = read_picture(picture)
    except PictureError as error:
        return (refused(error),)
    problems = list(picture_problems(str(picture), measure_pictures([Frame(0, 0.0, image)])))
    if table is None:
        return problems
    camera = table.cameras[0]
    where, size = str(camera.calibration_path), camera.calibration.image_size_wh_px
    if image.shape[1::-1] != tuple(size):
        say = f"{where} is for {size[0]} x {size[1]}; give a picture of that size, or calibrate anew"
        return [*problems, wrong(str(picture), "size", value=f"{image.shape[1]} x {image.shape[0]}", say=say)]
    problems += print_problems(image, camera.calibration, table.layout, where)
    problems += word_problems(image, camera.calibration, table.layout, f"{table.path}: layout")
    return problems


def _as_json(found: TableCheck) -> dict[str, object]:
    return {
        "fit": found.is_fit,
        "problems": [problem.as_json() for problem in found.problems],
        "camera": camera_as_json(found.camera),
    }


def camera_as_json(camera: CameraGrade | None) -> dict[str, object] | None:
    """A camera's grade as a mapping for programs; None where it is unknown."""
    if camera is None:
        return None
    return {
        "height_mm": camera.height_mm,
        "areas": [
            {
                "area": place.area,
                "px_per_mm": round(place.px_per_mm, 3),
                "slant_deg": place.slant_deg,
                "hidden_behind_ten_chips_mm": place.hidden_mm,
                "in_picture": place.is_within,
            }
            for place in camera.places
        ],
    }


def _tell(found: TableCheck) -> None:
    for problem in found.problems:
        typer.echo(f"{problem.grade}: {problem}")
    if found.camera is not None:
        tell_camera(found.camera)
    wrong = sum(problem.grade == "wrong" for problem in found.problems)
    doubtful = len(found.problems) - wrong
    typer.echo(
        f"{found.path}: {wrong} wrong, {doubtful} doubtful" if found.problems else f"{found.path}: nothing wrong"
    )


def tell_camera(camera: CameraGrade) -> None:
    """Print a row for each box and wagering area: how well the camera sees it."""
    from rich.table import Table

    from thirdcard.service.cli.terminal_figures import open_console

    sheet = Table("area", "px/mm", "slant", "hidden behind ten chips", box=None, pad_edge=False)
    for place in camera.places:
        if place.kind in ("hand", "wager"):
            slant = "" if place.slant_deg is None else f"{place.slant_deg:.0f}°"
            hidden = "" if place.hidden_mm is None else f"{place.hidden_mm:.0f} mm"
            scale = f"{place.px_per_mm:.2f}" if place.is_within else "not in the picture"
            sheet.add_row(place.area, scale, slant, hidden)
    open_console().print(sheet)
