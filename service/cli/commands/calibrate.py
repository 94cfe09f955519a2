"""`thirdcard calibrate`: fit a camera to a cloth, or check a calibration that is there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.service.ports.errors import ServiceError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from thirdcard.calibration.camera import Calibration
    from thirdcard.calibration.fit import Fit
    from thirdcard.calibration.layout import Layout
    from thirdcard.calibration.session import Check

    Image = NDArray[np.uint8]

PICTURE_ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})


class PictureError(ServiceError):
    """A picture of the table cannot be had from what was given."""


def calibrate(
    picture: Annotated[Path, typer.Argument(metavar="PICTURE|VIDEO", help="A picture of the table, or a video of it.")],
    layout: Annotated[
        str | None, typer.Option(help="The cloth: a layout file, or a built-in name (mini-7, midi-9, full-14).")
    ] = None,
    table: Annotated[Path | None, typer.Option(help="A table.yaml whose layout is taken, instead of --layout.")] = None,
    points: Annotated[
        Path | None, typer.Option(help="YAML: each reference point's name and where it is, `A: [812, 344]` in pixels.")
    ] = None,
    lens: Annotated[
        Path | None, typer.Option(help="A calibration file whose lens is kept; only the place is fitted.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the calibration to this file.")] = None,
    check: Annotated[Path | None, typer.Option(help="Check this calibration file instead of fitting one.")] = None,
    drawn: Annotated[Path | None, typer.Option(help="Write the picture with the layout drawn on it (.jpg).")] = None,
) -> None:
    """Fit a camera to a cloth from reference points or from markers, or check a calibration.

    Without --points the layout's markers are looked for in the picture. The residual is the distance, in pixels,
    between where the points are and where the fit puts them: below 1 is good.
    """
    from thirdcard.calibration.camera import load_calibration, save_calibration
    from thirdcard.calibration.session import draw_layout
    from thirdcard.service.config.output_files import refuse_inputs, written
    from thirdcard.service.config.table_file import files_of, read_table_file
    from thirdcard.service.media.stills import save_picture

    read = [picture, points, lens, check, table, None if layout is None else Path(layout)]
    if table is not None:
        read += files_of(read_table_file(table), table)
    for option, path in (("--out", out), ("--drawn", drawn)):
        if path is not None:
            refuse_inputs([path], option=option, inputs=read)
    cloth = _find_layout(layout, table)
    image = read_picture(picture)
    if check is not None:
        calibration = load_calibration(check)
        _check_size(check, calibration, image)
        _tell_check(_checked(calibration, cloth, image, points))
    else:
        calibration = _fit(cloth, image, points, None if lens is None else load_calibration(lens))
    if out is not None and check is None:
        with written(out, option="--out", inputs=read) as draft:
            save_calibration(draft, calibration)
        typer.echo(f"Written: {out}")
    if drawn is not None:
        with written(drawn, option="--drawn", inputs=[*read, out]) as draft:
            save_picture(draft, draw_layout(image, calibration, cloth))
        typer.echo(f"Drawn: {drawn}")


def read_picture(path: Path) -> Image:
    """A picture, or the first frame of a video."""
    import cv2
    import numpy as np

    from thirdcard.service.media.clips import ClipError
    from thirdcard.service.media.stills import still_at

    if not path.is_file():
        raise PictureError(f"{path}: no such file; must be a picture or a video of the table")
    if path.suffix.lower() in PICTURE_ENDINGS:
        image = cv2.imdecode(np.frombuffer(path.read_bytes() or b"\0", np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            raise PictureError(f"{path}: cannot be decoded; must be a picture or a video of the table")
        return np.asarray(image, dtype=np.uint8)
    try:
        still = still_at(path, 0.0)
    except ClipError as error:
        raise PictureError(str(error)) from error
    if still is None:
        raise PictureError(f"{path}: holds no frame; must be a picture or a video of the table")
    return still.image_hw3


def _find_layout(layout: str | None, table: Path | None) -> Layout:
    from thirdcard.calibration.layout import load_layout
    from thirdcard.service.config.table_file import read_table_file

    if layout is not None:
        return load_layout(layout, Path())
    if table is None:
        raise typer.BadParameter("needs --layout NAME|FILE or --table FILE")
    file = read_table_file(table)
    if file.layout is None:
        raise typer.BadParameter(f"{table} names no layout; needs --layout NAME|FILE")
    return load_layout(file.layout, table.parent)


def _fit(layout: Layout, image: Image, points: Path | None, lens: Calibration | None) -> Calibration:
    from thirdcard.calibration.session import calibrate_from_markers, calibrate_from_points

    height, width = image.shape[:2]
    if points is not None:
        fit = calibrate_from_points(points, layout, image_size_wh_px=(width, height), lens_of=lens)
    else:
        fit = calibrate_from_markers(image, layout, lens_of=lens)
    _tell_fit(fit)
    return fit.calibration


def _checked(calibration: Calibration, layout: Layout, image: Image, points: Path | None) -> Check:
    from thirdcard.calibration.session import check_markers, check_points

    if points is not None:
        return check_points(calibration, layout, points)
    return check_markers(calibration, layout, image)


def _check_size(path: Path, calibration: Calibration, image: Image) -> None:
    height, width = image.shape[:2]
    if tuple(calibration.image_size_wh_px) != (width, height):
        found = list(calibration.image_size_wh_px)
        raise PictureError(f"{path}: image_size = {found}; must be [{width}, {height}], the size of the picture")


def _tell_fit(fit: Fit) -> None:
    typer.echo(f"Residual: {fit.calibration.residual_px:.2f} px over {len(fit.errors_px)} points; lens {fit.lens}")
    _tell_points(fit.errors_px, fit.worst, "px")


def _tell_check(check: Check) -> None:
    typer.echo(f"Residual: {check.residual_px:.2f} px, {check.residual_mm:.2f} mm on the cloth")
    _tell_points(check.errors_px, check.worst, "px")


def _tell_points(errors: Mapping[str, float], worst: str, unit: str) -> None:
    for name, error in errors.items():
        typer.echo(f"  {name}: {error:.2f} {unit}{'  (worst)' if name == worst and len(errors) > 1 else ''}")
