"""`thirdcard watch`: a table's video in; log, alerts, rounds, clips and report out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_OUT = Path("out")


def watch(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RECORDING|SOURCE", help="A recording's folder, or a video (file, rtsp://…) with --table."
        ),
    ],
    table: Annotated[Path | None, typer.Option(help="The table's table.yaml, where SOURCE is a video.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for what is found.  [default: out/NAME]")] = None,
    signals: Annotated[
        Path | None,
        typer.Option(help="What devices reported.  [default: signals.jsonl beside the video, where there is one]"),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(min=0.05, max=240, help="Frames a second, where the film has no times.  [default: as it says]"),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Plain lines instead of the live view.")] = False,
) -> None:
    """Watch a table: write the log, alerts with clips and stills, rounds and report.html.

    In the output folder: events.jsonl, alerts.jsonl, rounds.jsonl, clips/ and report.html.

    Exit status 0: watched to the end. 1: the video broke off or is damaged; all that could be seen is written.
    2: nothing could be watched.
    """
    from dataclasses import replace

    from rich.console import Console

    from thirdcard.service.watch.recording_run import table_facts, watch_recording
    from thirdcard.service.watch.recordings import check_video, find_recording
    from thirdcard.service.watch.terminal import choose_view
    from thirdcard.service.watch.wording import closing_words

    recording = replace(find_recording(source, table=table, signals=signals), rate_hz=rate)
    check_video(recording.table)
    folder = out if out is not None else DEFAULT_OUT / recording.name
    console = Console(stderr=False)
    view = choose_view(console, table_facts(recording), is_quiet=quiet, is_plain=plain)
    findings = watch_recording(recording, folder, view)
    if not quiet:
        for line in closing_words(findings):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        console.print(f"Report: {folder / 'report.html'}", markup=False, highlight=False, soft_wrap=True)
    if (fault := findings.broken or findings.damaged) is not None:
        typer.echo(f"thirdcard: {fault}", err=True)
        raise typer.Exit(1)
