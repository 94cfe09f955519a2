"""`thirdcard evaluate`: watch recordings and compare with what really happened."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from thirdcard.service.evaluate.accounts import TableAccount
    from thirdcard.service.evaluate.comparison import Comparison
    from thirdcard.service.evaluate.sheets import Sheet
    from thirdcard.service.evaluate.sights import RecordingConditions
    from thirdcard.service.watch.recordings import Recording

DEFAULT_OUT = Path("out") / "evaluate"


def evaluate(
    recordings: Annotated[
        list[str], typer.Argument(metavar="RECORDING…", help="Folders of recordings with truth.jsonl.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="A JSON object on standard output instead of tables.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for what each watch finds, one folder a recording.")] = DEFAULT_OUT,
    markdown: Annotated[Path | None, typer.Option(help="Write the tables into this Markdown file.")] = None,
    section: Annotated[str, typer.Option(help="Name of the part of that file which is written anew.")] = "recordings",
    looks: Annotated[
        int, typer.Option(min=0, help="Read so many single looks at cards of each recording too, by themselves.")
    ] = 0,
    pictures: Annotated[Path | None, typer.Option(help="Write pictures of the worst mistakes to this folder.")] = None,
    drawing: Annotated[
        Path | None, typer.Option(help="Draw how often what was said was true, into this SVG file.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again/--reuse", help="Watch anew, or compare what a former watch left in the folder.")
    ] = True,
) -> None:
    """Watch recordings and compare with their truth: alerts, cards, rounds, wagers, delays.

    An alert counts as found with the same code, the same seat and hand where both are reported, and at most 2 s apart.
    What the recording's tolerated.jsonl lists is neither a hit nor false.
    """
    from thirdcard.service.config.output_files import written
    from thirdcard.service.evaluate.accounts import load_truth
    from thirdcard.service.evaluate.comparison import combine
    from thirdcard.service.evaluate.mistake_pictures import write_pictures
    from thirdcard.service.evaluate.reliability_picture import draw_reliability
    from thirdcard.service.evaluate.tables import format_json, put_section, sheets_of
    from thirdcard.service.watch.recordings import check_video, find_recording

    found = [find_recording(recording) for recording in recordings]
    read = _check_outputs(found, out, [("--markdown", markdown), ("--drawing", drawing)], pictures)
    truths = [load_truth(recording.folder or Path(), recording.table) for recording in found]
    for recording in found:
        check_video(recording.table)
    comparisons = [
        _compare(recording, truth, out / recording.name, again=again, looks=looks)
        for recording, truth in zip(found, truths, strict=True)
    ]
    if pictures is not None:
        for recording, comparison in zip(found, comparisons, strict=True):
            write_pictures(comparison, recording.table, _scene(recording), pictures)
    sheets = sheets_of(comparisons)
    if markdown is not None:
        text = _markdown(recordings, sheets, f"{_name(markdown)} --section {section}", looks=looks)
        markdown.parent.mkdir(parents=True, exist_ok=True)
        with written(markdown, option="--markdown", inputs=read) as draft:
            if markdown.is_file():
                shutil.copyfile(markdown, draft)
            put_section(draft, section, text)
    if drawing is not None:
        drawing.parent.mkdir(parents=True, exist_ok=True)
        with written(drawing, option="--drawing", inputs=read) as draft:
            draft.write_text(draw_reliability(combine(comparisons).predicted), encoding="utf-8")
    if as_json:
        both = [*comparisons, combine(comparisons)]
        sys.stdout.write(json.dumps([format_json(each) for each in both], ensure_ascii=False, indent=1) + "\n")
    else:
        _print(sheets)


def _check_outputs(
    found: list[Recording], out: Path, files: Sequence[tuple[str, Path | None]], pictures: Path | None
) -> list[Path]:
    """The files of the recordings, after checking that no output overwrites one.

    Raises:
        OutputPathError: An output would overwrite an input.
    """
    from thirdcard.service.config.output_files import refuse_folder, refuse_inputs

    folders = [recording.folder for recording in found if recording.folder is not None]
    read = [file for folder in folders for file in folder.iterdir()]
    for recording in found:
        refuse_folder(out / recording.name, option="--out", read=folders)
    for option, file in files:
        if file is not None:
            refuse_inputs([file], option=option, inputs=read)
    if pictures is not None:
        refuse_folder(pictures, option="--pictures", read=folders)
    return read


def _compare(recording: Recording, truth: TableAccount, folder: Path, *, again: bool, looks: int) -> Comparison:
    from thirdcard.service.evaluate.accounts import load_found
    from thirdcard.service.evaluate.comparison import compare
    from thirdcard.service.evaluate.conditions import by_condition, true_cards
    from thirdcard.service.evaluate.looks import read_looks

    rate = None
    if not again and (folder / "events.jsonl").is_file():
        account = load_found(folder, recording.table)
    else:
        account, rate = _watch(recording, folder)
    comparison = compare(recording.name, truth, account, frames_per_s=rate)
    scene = _scene(recording)
    if scene is None:
        return comparison
    cards, camera = true_cards(truth.events, account.events, scene), recording.table.cameras[0]
    read = read_looks(cards, scene, camera.calibration, camera.source, most=looks) if looks else []
    return replace(comparison, conditions=by_condition(cards, read))


def _scene(recording: Recording) -> RecordingConditions | None:
    from thirdcard.service.evaluate.sights import load_scene

    return load_scene(recording.folder or Path(), recording.table.cameras[0].calibration)


def _watch(recording: Recording, folder: Path) -> tuple[TableAccount, float | None]:
    """Watch a recording; returns what was found, and the speed in frames per second."""
    from rich.console import Console

    from thirdcard.service.evaluate.accounts import account_of
    from thirdcard.service.watch.recording_run import table_facts, watch_recording
    from thirdcard.service.watch.terminal import choose_view

    console = Console(stderr=True)
    console.print(f"Watching {recording.name}", style="bold", highlight=False)
    view = choose_view(console, table_facts(recording), is_quiet=not console.is_terminal, is_plain=False)
    findings = watch_recording(recording, folder, view)
    return account_of(findings), findings.frames / findings.wall_s if findings.wall_s else None


def _name(path: Path) -> str:
    """A path for a page: relative to the checkout, or its last name where it lies elsewhere."""
    return path.name if path.is_absolute() or ".." in path.parts else path.as_posix()


def _markdown(recordings: Sequence[str], sheets: Sequence[Sheet], target: str, *, looks: int) -> str:
    """The tables in Markdown, under the command that makes them; folders outside the checkout appear by their last
    name."""
    from thirdcard.service.evaluate.tables import format_markdown

    names = " ".join(_name(Path(each)) for each in recordings)
    asked = f" --looks {looks}" if looks else ""
    command = f"thirdcard evaluate {names}{asked} --markdown {target}"
    return f"Made by `{command}`.\n\n{format_markdown(sheets)}"


def _print(sheets: Sequence[Sheet]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for sheet in sheets:
        table = Table(title=sheet.title, title_justify="left", title_style="bold")
        for i, column in enumerate(sheet.columns):
            is_text = i == 0 or sheet.title == "What went wrong"
            table.add_column(column, justify="left" if is_text else "right")
        for row in sheet.rows:
            table.add_row(*row)
        console.print(table)
