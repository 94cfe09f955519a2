"""`thirdcard calibrate`: fit a camera to a cloth, or check a calibration that is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.service.ports.errors import ServiceError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from thirdcard.calibration.camera import Calibration
    from thirdcard.calibration.camera_problem import KnownLens
    from thirdcard.calibration.fit import Fit
    from thirdcard.calibration.fit_quality import FitQuality
    from thirdcard.calibration.layout import Layout
    from thirdcard.calibration.session import Check

    Image = NDArray[np.uint8]

GOOD_MM = 5.0
"""The largest acceptable error over boxes and wagers, in mm: a chip is 40 mm wide, and cards lie 10 mm apart."""
PICTURE_ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})


class PictureError(ServiceError):
    """No picture of the table can be read from the given file."""


def calibrate(
    picture: Annotated[
        Path | None, typer.Argument(metavar="[PICTURE|VIDEO]", help="A picture of the table, or a video of it.")
    ] = None,
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
    refit: Annotated[
        Path | None,
        typer.Option(
            help="A picture or video from when the calibration that --lens names held: the camera, bumped since, is "
            "fitted anew from the printed cloth."
        ),
    ] = None,
    charuco: Annotated[
        list[Path] | None,
        typer.Option(help="A picture of the printed board, to measure the lens; give ten, tilted differently."),
    ] = None,
    sheets: Annotated[
        Path | None, typer.Option(help="Write the cloth's markers and the board to this PDF, to be printed.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the calibration to this file.")] = None,
    check: Annotated[Path | None, typer.Option(help="Check this calibration file instead of fitting one.")] = None,
    drawn: Annotated[Path | None, typer.Option(help="Write the picture with the layout drawn on it (.jpg).")] = None,
) -> None:
    """Fit a camera to a cloth from reference points or from markers, or check a calibration.

    Without --points the layout's markers are looked for in the picture; with --refit what is printed on the cloth is
    found again, and nothing need be clicked. Points that do not fit the others are left out
    and named. What counts is how far the map from picture to cloth may be off: over the card boxes, over the wagering
    areas, and at the worst place, in millimetres, each in 90 % of cases.
    """
    from thirdcard.calibration.camera import load_calibration, save_calibration
    from thirdcard.calibration.session import draw_layout
    from thirdcard.service.config.output_files import refuse_inputs, refuse_missing_folder, written
    from thirdcard.service.config.table_file import files_of, read_table_file
    from thirdcard.service.media.stills import save_picture

    read = [picture, points, lens, check, table, refit, *(charuco or ()), None if layout is None else Path(layout)]
    if table is not None:
        read += files_of(read_table_file(table), table)
    for option, path in (("--out", out), ("--drawn", drawn), ("--sheets", sheets)):
        if path is not None:
            refuse_inputs([path], option=option, inputs=read)
            refuse_missing_folder(path, option=option)
    cloth = _find_layout(layout, table)
    if sheets is not None:
        _print_sheets(sheets, cloth, read)
        if picture is None:
            return
    if picture is None:
        raise typer.BadParameter("needs a picture of the table, or --sheets FILE")
    if lens is not None and charuco:
        raise typer.BadParameter("--lens and --charuco: the lens is known either way; give one of them")
    if refit is not None and (lens is None or points is not None or check is not None):
        raise typer.BadParameter(
            "--refit needs --lens FILE, the calibration that held then, and neither --points nor --check"
        )
    image = read_picture(picture)
    if refit is not None and lens is not None:
        calibration = _refitted(load_calibration(lens), cloth, read_picture(refit), image)
    elif check is not None:
        calibration = load_calibration(check)
        _check_size(check, calibration, image)
        _tell_check(_checked(calibration, cloth, image, points))
    else:
        known = _measured_lens(charuco, image) if charuco else None if lens is None else _kept_lens(lens, image)
        calibration = _fit(cloth, image, points, known)
    if out is not None and check is None:
        with written(out, option="--out", inputs=read) as draft:
            save_calibration(draft, calibration)
        typer.echo(f"Written: {out}")
    if drawn is not None:
        with written(drawn, option="--drawn", inputs=[*read, out]) as draft:
            save_picture(draft, draw_layout(image, calibration, cloth))
        typer.echo(f"Drawn: {drawn}")


def read_picture(path: Path) -> Image:
    """Read a picture, or the first frame of a video: (H, W, 3) uint8, BGR."""
    import cv2
    import numpy as np

    from thirdcard.calibration.documents import file_fault
    from thirdcard.service.media.clips import ClipError
    from thirdcard.service.media.stills import still_at

    fault = file_fault(path)
    if fault is not None:
        raise PictureError(f"{path}: {fault.removesuffix(f': {path}')}; must be a picture or a video of the table")
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


def _print_sheets(path: Path, layout: Layout, read: Sequence[Path | None]) -> None:
    from thirdcard.service.config.output_files import written
    from thirdcard.service.media.calibration_sheets import write_sheets

    with written(path, option="--sheets", inputs=read) as draft:
        pages = write_sheets(draft, layout)
    typer.echo(f"Written: {path}: {pages} {'page' if pages == 1 else 'pages'}; print them at 100 %")


def _kept_lens(path: Path, image: Image) -> Calibration:
    from thirdcard.calibration.camera import load_calibration

    calibration = load_calibration(path)
    _check_size(path, calibration, image)
    return calibration


def _measured_lens(views: Sequence[Path], image: Image) -> KnownLens:
    from thirdcard.calibration.charuco import measure_lens
    from thirdcard.calibration.errors import FitError

    pictures = {str(path): read_picture(path) for path in views}
    height, width = image.shape[:2]
    for name, view in pictures.items():
        if view.shape[:2] != (height, width):
            found = [view.shape[1], view.shape[0]]
            raise FitError("--charuco", name, value=found, allowed=f"must be of the picture's size, {[width, height]}")
    measured = measure_lens(pictures)
    focal = measured.lens.camera_matrix[0, 0]
    words = f"{focal:.0f} px, known to {measured.focal_spread:.2%}; residual {measured.residual_px:.2f} px"
    typer.echo(f"Lens: focal length {words} over {measured.views} views")
    return measured.lens


def _fit(layout: Layout, image: Image, points: Path | None, lens: Calibration | KnownLens | None) -> Calibration:
    from thirdcard.calibration.fit_quality import quality_of
    from thirdcard.calibration.session import calibrate_from_markers, calibrate_from_points

    height, width = image.shape[:2]
    if points is not None:
        fit = calibrate_from_points(points, layout, image_size_wh_px=(width, height), lens_of=lens)
    else:
        fit = calibrate_from_markers(image, layout, lens_of=lens)
    _tell_fit(fit)
    quality = quality_of(fit, layout)
    _tell_quality(quality)
    _refuse_unsure(quality)
    return fit.calibration


def _refitted(calibration: Calibration, layout: Layout, then: Image, now: Image) -> Calibration:
    import cv2
    import numpy as np

    from thirdcard.calibration.fit_quality import quality_of
    from thirdcard.vision.health.print_refit import refit

    for name, image in (("--refit", then), ("picture", now)):
        _check_size(Path(name), calibration, image)
    before, after = (np.asarray(cv2.cvtColor(each, cv2.COLOR_BGR2GRAY), np.uint8) for each in (then, now))
    found = refit(before, after, calibration, layout.size_mm)
    if found is None:
        raise PictureError(
            "--refit: too little of the printed cloth is found again; calibrate with --points or markers"
        )
    typer.echo(
        f"Moved by up to {found.moved_mm:.1f} mm on the cloth; found again at {found.places} places of the print"
    )
    typer.echo(f"Residual: {found.fit.calibration.residual_px:.2f} px")
    quality = quality_of(found.fit, layout)
    _tell_quality(quality)
    _refuse_unsure(quality)
    return found.fit.calibration


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
    for name, off in fit.left_out.items():
        typer.echo(f"  {name}: left out: {off:.0f} px from where the others put it; is it the right place?")


def _tell_quality(quality: FitQuality) -> None:
    x_mm, y_mm = quality.worst_at_mm
    typer.echo(
        f"In 90 % of cases within {quality.boxes_mm:.1f} mm over the card boxes, {quality.wagers_mm:.1f} mm over the"
        f" wagering areas, {quality.cloth_mm:.1f} mm at the worst place of the cloth ({x_mm:.0f}, {y_mm:.0f} mm)"
    )
    if quality.off_mm > GOOD_MM:
        typer.echo(f"More than {GOOD_MM:g} mm: {quality.advice}")


def _refuse_unsure(quality: FitQuality) -> None:
    from thirdcard.calibration.fit_quality import MOST_OFF_MM

    if not quality.is_usable:
        typer.echo(
            f"Nothing is written: the places of boxes and wagers may be {quality.off_mm:.0f} mm off, more than "
            f"{MOST_OFF_MM:g} mm; {quality.advice}",
            err=True,
        )
        raise typer.Exit(1)


def _tell_check(check: Check) -> None:
    typer.echo(f"Residual: {check.residual_px:.2f} px, {check.residual_mm:.2f} mm on the cloth")
    _tell_points(check.errors_px, check.worst, "px")


def _tell_points(errors: Mapping[str, float], worst: str, unit: str) -> None:
    for name, error in errors.items():
        typer.echo(f"  {name}: {error:.2f} {unit}{'  (worst)' if name == worst and len(errors) > 1 else ''}")
