"""`thirdcard bench`: how fast a recording is watched, side by side with the plain way and with decoding alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from service.recordings import check_video, find_recording
from service.speed import SpeedReport, Timing, format_report, measure, shares


def bench(
    source: Annotated[
        str, typer.Argument(metavar="RECORDING|VIDEO", help="A recording's folder, or a video with --table.")
    ],
    table: Annotated[Path | None, typer.Option(help="The table's table.yaml, where a video was given.")] = None,
    seconds: Annotated[float, typer.Option(min=1.0, help="Stream time to watch in each run.")] = 30.0,
    plain_frames: Annotated[int, typer.Option(min=1, help="Frames that the plain way is given in each run.")] = 60,
    runs: Annotated[int, typer.Option(min=1, help="Runs of each way, in turn; the middle one counts.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object instead of a table.")] = False,
) -> None:
    """Time the pipeline, decoding alone, and a whole-picture detector on every frame, in one run on the same cores."""
    recording = find_recording(source, table=table)
    check_video(recording.table)
    report = measure(recording, seconds=seconds, plain_frames=plain_frames, rounds=runs)
    if as_json:
        typer.echo(json.dumps(format_report(report)))
    else:
        _print(report)


def _print(report: SpeedReport) -> None:
    width, height = report.size_wh_px
    table = Table(title=f"{width} x {height} on {report.cores} cores", title_justify="left", title_style="bold")
    for name in ("way", "frames/s", "ms a frame", "where the time goes"):
        table.add_column(name, justify="left" if name in ("way", "where the time goes") else "right")
    _row(table, "decoding alone", report.decoding)
    _row(table, "plain: YOLO11n 640 on every frame", report.plain)
    _row(table, "Thirdcard", report.ours)
    console = Console()
    console.print(table)
    console.print(
        f"{report.times_plain:.1f} x the plain way; {100 * report.share_of_decoding:.0f} % of decoding alone.",
        highlight=False,
    )


def _row(table: Table, name: str, timing: Timing) -> None:
    parts = sorted(shares(timing.stages).items(), key=lambda item: -item[1])
    text = ", ".join(f"{stage} {100 * share:.0f} %" for stage, share in parts if share >= 0.005)
    rate = timing.frames_per_s
    table.add_row(name, f"{rate:.1f}", f"{1000 / rate:.1f}" if rate else "", text)
