"""`thirdcard render`: scenario scripts to recordings, and the models' schooling."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

PICTURES_EACH = 5
SCENES_EACH = 12


class Split(StrEnum):
    """Which decks and looks are drawn from."""

    TRAIN = "train"
    HELD_OUT = "held_out"


def render(
    scripts: Annotated[
        list[Path] | None, typer.Argument(metavar="SCRIPT.yaml…", help="Scenario scripts; each becomes a recording.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the recordings, one each by its script's name.")] = Path("out"),
    processes: Annotated[int, typer.Option(min=1, help="Processes that draw.  [default: one a core]")] = os.cpu_count()
    or 1,
    decks: Annotated[
        Path | None, typer.Option(help="Folder of rasterised card artwork; without it decks are drawn by machine.")
    ] = None,
    objects: Annotated[bool, typer.Option("--objects/--no-objects", help="Write objects.jsonl too.")] = True,
    school: Annotated[
        Path | None, typer.Option(help="Write pictures for training the detector to this folder instead.")
    ] = None,
    worlds: Annotated[int, typer.Option(min=1, help="School: how many tables, each with its own looks.")] = 100,
    split: Annotated[Split, typer.Option(help="School: which decks and looks.")] = Split.TRAIN,
    seed: Annotated[int, typer.Option(help="School: the same seed gives the same pictures.")] = 1,
) -> None:
    """Draw recordings with exact truth from scenario scripts, or pictures to train the detector with.

    A render is reproducible: a script and a school name their seeds.
    """
    from thirdcard.service.config.output_files import refuse_folder

    if school is not None:
        refuse_folder(school, option="--school", read=[decks])
        _render_school(school, worlds=worlds, split=split, seed=seed, processes=processes, decks=decks)
        return
    if not scripts:
        raise typer.BadParameter("needs scenario scripts, or --school FOLDER")
    for script in scripts:
        refuse_folder(out / script.stem, option="--out", read=[script.parent, decks])
    for script in scripts:
        _render_script(script, out / script.stem, processes=processes, objects=objects, decks=decks)


def _render_script(script: Path, folder: Path, *, processes: int, objects: bool, decks: Path | None) -> None:
    from thirdcard.datasets.script.render import render_script

    with _progress() as progress:
        task = progress.add_task(script.stem, total=None)
        done = render_script(
            script,
            folder,
            lambda frame, frames: progress.update(task, completed=frame, total=frames),
            processes=processes,
            objects=objects,
            decks=decks,
        )
    typer.echo(f"{folder}: {done.frames} frames, {done.duration_s:.1f} s, {done.rounds} rounds, {done.alerts} alerts")


def _render_school(folder: Path, *, worlds: int, split: Split, seed: int, processes: int, decks: Path | None) -> None:
    from concurrent.futures import ProcessPoolExecutor

    from thirdcard.datasets.scene.write_school import Job, prepare, run_job

    prepare(folder)
    jobs = [
        Job(
            out=folder,
            split=split.value,
            seed=seed,
            index=i,
            scenes=SCENES_EACH,
            tiles=PICTURES_EACH,
            artwork=decks,
        )
        for i in range(worlds)
    ]
    with _progress() as progress, ProcessPoolExecutor(max_workers=processes) as pool:
        pictures = sum(progress.track(pool.map(run_job, jobs), total=worlds, description="worlds"))
    typer.echo(f"{folder}: {pictures} pictures of {worlds} worlds")


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"))
    console = Console(stderr=True)
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal)
