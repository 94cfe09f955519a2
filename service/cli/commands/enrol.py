"""`thirdcard enrol`: the house's own cards, from a spread of them or from pictures, and its own chips, from a row."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.service.cli.commands.calibrate import PICTURE_ENDINGS, PictureError, read_picture
from thirdcard.service.ports.errors import ServiceError
from thirdcard.vision.addresses import public_address

if TYPE_CHECKING:
    from thirdcard.service.config.table_file import TableConfig
    from thirdcard.vision.inference.enrolled_deck import HouseDeck
    from thirdcard.vision.spread.spread_watch import SpreadSight


class Thing(StrEnum):
    """The things that can be enrolled."""

    CARDS = "cards"
    CHIPS = "chips"


class EnrolmentError(ServiceError):
    """The given source cannot be enrolled."""


def enrol(
    what: Annotated[Thing, typer.Argument(metavar="cards|chips", help="What is enrolled.")],
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="Cards: a recording with a spread of them, a video or photograph of one (with --table), or a folder "
            "of pictures, one a face, named AS.png, 10H.jpg, back.png. Chips: a table, whose camera shows one of each "
            "in a row, or a picture, video or camera address (with --table).",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="The file to write: cards.yaml or chips.yaml where not given; the pictures go beside it."),
    ] = None,
    table: Annotated[
        Path | None, typer.Option(help="The table's table.yaml, where SOURCE is a video, a photograph or an address.")
    ] = None,
    back: Annotated[Path | None, typer.Option(help="Cards: a picture of the back that its card fills.")] = None,
    name: Annotated[str, typer.Option(help="Cards: what to call the deck.")] = "house",
    values: Annotated[
        str | None,
        typer.Option(
            metavar="5,25,…", help="Chips: the row's values; else those of the table's chips, in their order."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Chips: write over a file that is there.")] = False,
    drawn: Annotated[Path | None, typer.Option(help="Draw what was enrolled, to look at (.jpg).")] = None,
) -> None:
    """Enrol the house's own cards or chips, so that they are read more surely and strange ones stand out.

    Cards lie face up in rows by suit and sequence, as before play. Name the file in the table's table.yaml:
    `cards: {deck: cards.yaml}`. Where the deck on the table is another one, what was enrolled is left aside.

    Chips lie in a row, one of each value, from the left as the dealer's end is up, with a card face up beside them: its
    paper tells the light. Name the file so: `chips: chips.yaml`. Chips that cannot be distinguished are named.
    """
    if what is Thing.CHIPS:
        from thirdcard.service.cli.commands.enrol_chips import enrol_chips

        if back is not None:
            raise typer.BadParameter("--back is for cards alone")
        enrol_chips(source, table, values, out=out or Path("chips.yaml"), drawn=drawn, is_forced=force)
        return
    if values is not None or force:
        raise typer.BadParameter("--values and --force are for chips alone")
    _enrol_cards(Path(source), out or Path("cards.yaml"), table, back=back, name=name, drawn=drawn)


def _enrol_cards(
    source: Path, out: Path, table: Path | None, *, back: Path | None, name: str, drawn: Path | None
) -> None:
    from thirdcard.service.config.output_files import refuse_inputs, written
    from thirdcard.service.media.stills import save_picture
    from thirdcard.vision.inference.enrolled_deck import HouseDeck, save_house_deck
    from thirdcard.vision.inference.reader import Reader
    from thirdcard.vision.spread.enrolment import draw_sheet, face_from_picture

    read = _files_read(source, table, back)
    refuse_inputs([out, out.with_suffix(".npz")], option="--out", inputs=read)
    if drawn is not None:
        refuse_inputs([drawn], option="--drawn", inputs=[*read, out])
    labels = Reader.open().labels
    deck = _enrolled(source, table, labels, name)
    if back is not None:
        deck = HouseDeck(deck.name, {**deck.faces, "back": face_from_picture(back)})
    with written(out, option="--out", inputs=read) as draft:
        save_house_deck(draft, deck)
    faces = [label for label in labels[:-2] if label in deck.faces]
    missing = [label for label in labels[:-2] if label not in deck.faces]
    has_back = "with the back" if "back" in deck.faces else "no back"
    typer.echo(f"Enrolled: {len(faces)} of 52 faces, {has_back}{'; without ' + ', '.join(missing) if missing else ''}")
    if drawn is not None:
        with written(drawn, option="--drawn", inputs=[*read, out]) as draft:
            save_picture(draft, draw_sheet(deck, labels[:-1]))
        typer.echo(f"Drawn: {drawn}")
    typer.echo(f"Written: {out}; name it in table.yaml: cards: {{deck: {out.name}}}")


def _files_read(source: Path, table: Path | None, back: Path | None) -> list[Path | None]:
    """The files that an enrolment reads."""
    from thirdcard.service.config.table_file import files_of, read_table_file
    from thirdcard.service.watch.recordings import TABLE_NAME

    table = source / TABLE_NAME if table is None and (source / TABLE_NAME).is_file() else table
    pictures = source.iterdir() if source.is_dir() else ()
    return [source, back, *pictures, *(() if table is None else files_of(read_table_file(table), table))]


def _enrolled(source: Path, table: Path | None, labels: tuple[str, ...], name: str) -> HouseDeck:
    from thirdcard.service.config.table_file import load_table
    from thirdcard.service.watch.recordings import TABLE_NAME, check_video, find_recording
    from thirdcard.vision.spread.enrolment import deck_from_pictures

    if source.is_dir() and not (source / TABLE_NAME).is_file():
        return deck_from_pictures(source, labels, name)
    if source.suffix.lower() in PICTURE_ENDINGS:
        if table is None:
            raise EnrolmentError(f"{source}: a photograph needs --table with the {TABLE_NAME} of its table")
        return _from_photograph(source, load_table(table), name)
    recording = find_recording(str(source), table=table)
    check_video(recording.table)
    return _from_video(recording.table, name)


def _from_photograph(path: Path, table: TableConfig, name: str) -> HouseDeck:
    from thirdcard.service.watch.factory import build_observer, open_eyes
    from thirdcard.vision.spread.enrolment import deck_from_rows

    image, calibration = read_picture(path), table.cameras[0].calibration
    if (image.shape[1], image.shape[0]) != tuple(calibration.image_size_wh_px):
        allowed = list(calibration.image_size_wh_px)
        raise PictureError(f"{path}: size = {[image.shape[1], image.shape[0]]}; must be {allowed}, the calibration's")
    rows = build_observer(replace(table, deck=None), open_eyes()).read_spread(image)
    if not rows:
        raise EnrolmentError(f"{path}: shows no spread; must show the cards face up in rows")
    return deck_from_rows(rows, image, calibration, name)


def _from_video(table: TableConfig, name: str) -> HouseDeck:
    from thirdcard.service.watch.factory import build_observer, open_eyes
    from thirdcard.vision.spread.enrolment import deck_from_rows
    from thirdcard.vision.video.video import VideoReader

    observer = build_observer(replace(table, deck=None), open_eyes())
    camera = table.cameras[0]
    with VideoReader(camera.source) as reader:
        sights: list[SpreadSight] = []
        for frame in reader:
            observer.update(frame)
            sights += observer.take_spreads()
            if sights:
                break
        observer.finish()
        sights += observer.take_spreads()
    if not sights:
        where = public_address(camera.source)
        raise EnrolmentError(f"{where}: shows no spread that lies still; must show the cards face up in rows")
    best = max(sights, key=lambda sight: sum(len(row.cards) for row in sight.rows))
    return deck_from_rows(best.rows, best.image, camera.calibration, name)
