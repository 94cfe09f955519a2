"""Render a script to a recording: the folder that `thirdcard watch` reads, with its truth.

Frames may be rendered by several processes, since a scene is a pure function of time; they are encoded in order.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.datasets.decks.deck import load_deck
from thirdcard.datasets.decks.mixed import MixedDeck
from thirdcard.datasets.scene.model import Scene, World
from thirdcard.datasets.scene.renderer import RenderedFrame, SceneRenderer
from thirdcard.datasets.script.camera import hang_camera
from thirdcard.datasets.script.director import Performance, perform
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.judgement import judged_alerts
from thirdcard.datasets.script.recording import (
    VIDEO_NAME,
    format_objects,
    load_cloth,
    load_house_chips,
    write_lines,
    write_log,
    write_table,
)
from thirdcard.datasets.script.script import Script, load_script
from thirdcard.datasets.script.spreading import SPREAD_NAME, format_lays
from thirdcard.datasets.script.timeline import Timeline
from thirdcard.datasets.script.video import write_video

Progress = Callable[[int, int], None]
SHUTTER_S = 1 / 80
MOMENTS = 2
"""Number of scenes that are averaged if something moves while the shutter is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The extent of a written recording."""

    folder: Path
    frames: int
    duration_s: float
    rounds: int
    alerts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """All that a process needs to render any frame."""

    world: World
    timeline: Timeline
    script: Script
    base: Path
    """The script's folder."""
    decks: Path | None
    """Folder of rasterised artwork; generated decks need none."""

    @property
    def frames(self) -> int:
        return int(self.timeline.end * self.script.video.fps)


def render_script(
    script_path: Path,
    out_dir: Path,
    progress: Progress | None = None,
    *,
    processes: int = 1,
    objects: bool = True,
    decks: Path | None = None,
) -> Rendered:
    """Play a script and write the recording.

    Args:
        script_path: The script.
        out_dir: The recording's folder.
        progress: Called with the number of rendered frames and of all frames.
        processes: How many processes render at once.
        objects: Whether `objects.jsonl` is written.
        decks: Folder of the artwork of decks that are not generated.

    Raises:
        ScriptError: The script cannot be read or played.
        DeckNameError: There is no such deck, or its artwork is missing.
        RecordingWriteError: The video cannot be written.
    """
    script, base = load_script(script_path), script_path.parent
    try:
        job, performance = prepare(script, base, decks=decks)
    except ScriptError as error:
        raise ScriptError(f"{script_path.name}: {error.where}", error.found, error.allowed) from error
    load_deck(script.deck, decks)  # checked here: a worker that fails to start would be started again and again
    out_dir.mkdir(parents=True, exist_ok=True)
    write_table(script, job.world.camera, out_dir, base)
    (out_dir / "script.yaml").write_text(script_path.read_text(encoding="utf-8"), encoding="utf-8")
    alerts = judged_alerts(script, performance.chronicle)
    write_log(script, performance.chronicle, out_dir, alerts)
    if performance.lays:
        write_lines(out_dir / SPREAD_NAME, format_lays(performance.lays))
    described: list[dict[str, object]] = []

    def images() -> Iterator[NDArray[np.uint8]]:
        for index, (image, line) in enumerate(_frames(job, processes)):
            if line is not None:
                described.append(line)
            if progress is not None:
                progress(index + 1, job.frames)
            yield image

    count = write_video(out_dir / VIDEO_NAME, script.video, images(), script.camera.resolution)
    if objects:
        write_lines(out_dir / "objects.jsonl", described)
    return Rendered(
        folder=out_dir,
        frames=count,
        duration_s=count / script.video.fps,
        rounds=len(script.rounds),
        alerts=len(alerts),
    )


def prepare(script: Script, base: Path, *, decks: Path | None = None) -> tuple[_Job, Performance]:
    """Play a script and place its camera, without rendering."""
    world = world_of(script, base)
    performance = perform(script, world.layout, world.chips)
    return _Job(world=world, timeline=performance.timeline, script=script, base=base, decks=decks), performance


def world_of(script: Script, base: Path) -> World:
    """Return the table at which a script plays, with its camera."""
    layout, chips = load_cloth(script, base), load_house_chips(script, base)
    width, height = script.table.cards.get("size_mm", [63.0, 88.0])
    return World(
        layout=layout,
        chips=chips,
        camera=hang_camera(script.camera, layout, script.seed),
        deck=script.deck,
        card_size_mm=(width, height),
        style=script.style,
        seed=script.seed,
    )


def moments_of(timeline: Timeline, t: float, *, blur: bool) -> tuple[Scene, ...]:
    """Return the scenes of one open shutter; only one if nothing moves."""
    last = timeline.scene_at(t)
    if not blur or replace(timeline.scene_at(t - SHUTTER_S), t=t) == last:
        return (last,)
    steps = [t - SHUTTER_S * (1 - i / (MOMENTS - 1)) for i in range(MOMENTS - 1)]
    return (*(timeline.scene_at(step) for step in steps), last)


def render_frame(renderer: SceneRenderer, job: _Job, index: int, *, with_truth: bool = True) -> RenderedFrame:
    """Render the frame with this number."""
    t = index / job.script.video.fps
    return renderer.render(moments_of(job.timeline, t, blur=job.script.video.blur), with_truth=with_truth)


_Answer = tuple[NDArray[np.uint8], dict[str, object] | None]
_worker: list[tuple[SceneRenderer, _Job]] = []


def _frames(job: _Job, processes: int) -> Iterator[_Answer]:
    if processes <= 1:
        _start(job)
        yield from map(_answer, range(job.frames))
        _worker.clear()
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, initializer=_prepare_worker, initargs=(job.script, job.base, job.decks)) as pool:
        yield from pool.imap(_answer, range(job.frames), chunksize=8)


def _prepare_worker(script: Script, base: Path, decks: Path | None) -> None:
    """Play the script again, which gives the same job: a layout cannot be sent between processes."""
    _start(prepare(script, base, decks=decks)[0])


def _start(job: _Job) -> None:
    cv2.setNumThreads(1)
    deck = load_deck(job.world.deck, job.decks)
    spread = job.script.spread
    pictures = deck if spread is None else MixedDeck(deck, load_deck(spread.stranger, job.decks))
    _worker[:] = [(SceneRenderer(job.world, deck=pictures), job)]


def _answer(index: int) -> _Answer:
    renderer, job = _worker[0]
    is_described = index % job.script.objects_every == 0
    frame = render_frame(renderer, job, index, with_truth=is_described)
    t = index / job.script.video.fps
    return frame.image_hw3, format_objects(index, t, frame.objects) if is_described else None
