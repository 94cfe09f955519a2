"""`thirdcard bench`: how fast a recording is watched, side by side with the plain way and with decoding alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from thirdcard.service.bench.speed import SpeedReport, Timing

REFEREE = "referee"
"""The argument, in place of a recording, that measures the referee."""
REFEREE_ROUNDS = 20_000


def bench(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RECORDING|VIDEO|referee", help="A recording's folder, a video with --table, or the referee alone."
        ),
    ],
    table: Annotated[Path | None, typer.Option(help="The table's table.yaml, where a video was given.")] = None,
    seconds: Annotated[float, typer.Option(min=1.0, help="Stream time to watch in each run.")] = 30.0,
    plain_frames: Annotated[int, typer.Option(min=1, help="Frames that the plain way is given in each run.")] = 60,
    runs: Annotated[int, typer.Option(min=1, help="Runs of each way, in turn; the middle one counts.")] = 3,
    rounds: Annotated[int, typer.Option(min=10, help="Made-up rounds that the referee judges.")] = REFEREE_ROUNDS,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object instead of a table.")] = False,
) -> None:
    """Time the pipeline, decoding alone, and a whole-picture detector on every frame, in one run on the same cores."""
    from thirdcard.service.bench.speed import format_report, measure
    from thirdcard.service.watch.recordings import check_video, find_recording

    if source == REFEREE:
        _time_referee(rounds, as_json=as_json)
        return
    recording = find_recording(source, table=table)
    check_video(recording.table)
    report = measure(recording, seconds=seconds, plain_frames=plain_frames, rounds=runs)
    if as_json:
        typer.echo(json.dumps(format_report(report)))
    else:
        _print(report)


def _time_referee(rounds: int, *, as_json: bool) -> None:
    from thirdcard.service.bench.referee_speed import measure_referee

    speed = measure_referee(rounds=rounds)
    if as_json:
        told = {"rounds": speed.rounds, "events": speed.events, "alerts": speed.alerts, "grown_kib": speed.grown_kib}
        typer.echo(json.dumps({**told, "judged_per_s": speed.judged_per_s, "whole_per_s": speed.whole_per_s}))
        return
    typer.echo(
        f"{speed.judged_per_s:,.0f} rounds/s judged, {speed.whole_per_s:,.0f} with reading their lines, on one core "
        f"({speed.rounds:,} rounds, {speed.events:,} events; the process grew by {speed.grown_kib:,} KiB)"
    )


def _print(report: SpeedReport) -> None:
    from rich.console import Console
    from rich.table import Table

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
    from thirdcard.service.bench.speed import shares

    parts = sorted(shares(timing.stages).items(), key=lambda item: -item[1])
    text = ", ".join(f"{stage} {100 * share:.0f} %" for stage, share in parts if share >= 0.005)
    rate = timing.frames_per_s
    table.add_row(name, f"{rate:.1f}", f"{1000 / rate:.1f}" if rate else "", text)
