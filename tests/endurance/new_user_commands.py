"""A new user at a terminal sets up the same table by commands and files alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from tests.endurance.live_room import COMMAND
from tests.endurance.new_user_clicks import TABLE
from tests.endurance.new_user_stage import CHIPS, LIMITS, OPTIONS, Stage, cloth

Note = Callable[[str], None]
USER_VARIABLE, PASSWORD_VARIABLE = "THIRDCARD_CAMERA_USER", "THIRDCARD_CAMERA_PASSWORD"


def set_up_by_commands(stage: Stage, folder: Path, camera: tuple[str, str, str], home: Path, note: Note) -> int:
    """Look at the camera, calibrate, write the table's file, enrol chips and cards, check and add the table.

    Args:
        stage: The table.
        folder: Where the files are written; what was there is deleted.
        camera: The camera's address, user and password.
        home: The service's folder.
        note: Called with each command and its output.

    Returns:
        The number of commands.

        Raises:
            SystemExit: A command failed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    terminal = _Terminal(folder, camera, note)
    address, user, password = camera
    terminal.run("cameras", address, "--seconds", "3", "--picture", "now.png")
    (folder / "layout.yaml").write_text(_layout_text(stage), encoding="utf-8")
    (folder / "points.yaml").write_text(_points_text(stage), encoding="utf-8")
    given = ("--layout", "layout.yaml", "--points", "points.yaml")
    terminal.run("calibrate", "now.png", *given, "--out", "overhead.yaml", "--drawn", "drawn.jpg")
    signed = address.replace("rtsp://", f"rtsp://{user}:{password}@")
    table = {
        "id": TABLE,
        "rulebook": "nz-authority",
        "options": OPTIONS,
        "limits": LIMITS,
        "layout": "layout.yaml",
        "chips": CHIPS,
        "cameras": [{"name": "overhead", "source": signed, "calibration": "overhead.yaml"}],
    }
    (folder / "table.yaml").write_text(yaml.safe_dump(table, sort_keys=False), encoding="utf-8")
    stage.lay("chips")
    terminal.run("enrol", "chips", "table.yaml", "--drawn", "chips.jpg")
    (folder / "table.yaml").write_text(
        yaml.safe_dump(table | {"chips": "chips.yaml"}, sort_keys=False), encoding="utf-8"
    )
    stage.lay("spread")
    terminal.run("cameras", address, "--seconds", "2", "--picture", "spread.png")
    terminal.run("enrol", "cards", "spread.png", "--table", "table.yaml")
    enrolled = table | {"chips": "chips.yaml", "cards": {"deck": "cards.yaml"}}
    (folder / "table.yaml").write_text(yaml.safe_dump(enrolled, sort_keys=False), encoding="utf-8")
    stage.lay("play")
    terminal.run("check", "table.yaml", "--look", "--picture", "now.png")
    terminal.run("tables", "add", "table.yaml", "--home", str(home), "--why", "the new table")
    return terminal.count


class _Terminal:
    """Runs commands, one after the other."""

    def __init__(self, folder: Path, camera: tuple[str, str, str], note: Note) -> None:
        self._folder, self._note = folder, note
        self._environment = {**os.environ, USER_VARIABLE: camera[1], PASSWORD_VARIABLE: camera[2]}
        self.count = 0

    def run(self, *words: str) -> None:
        """Run a command and note its output; raises SystemExit if it fails."""
        self.count += 1
        done = subprocess.run(
            [*COMMAND, *words], cwd=self._folder, env=self._environment, capture_output=True, text=True
        )
        said = "\n".join(line for line in (done.stdout + done.stderr).splitlines() if line.strip())
        self._note(f"$ thirdcard {' '.join(words)}\n{said}")
        if done.returncode:
            raise SystemExit(f"thirdcard {' '.join(words)}: exit status {done.returncode}\n{said}")


def _layout_text(stage: Stage) -> str:
    """Return the cloth's file as the house's printer would deliver it, with printed corners as reference points."""
    points = [{"name": name, "at": list(at)} for name, at in _corners(stage).items()]
    return yaml.safe_dump({**cloth(), "reference_points": points}, sort_keys=False, default_flow_style=None)


def _corners(stage: Stage) -> dict[str, tuple[float, float]]:
    """Return the corners of the boxes, of every seat's Player area and of the cloth's far edge, in mm, by name."""
    corners: dict[str, tuple[float, float]] = {"top left": (0.0, 0.0), "top right": (stage.layout.size_mm[0], 0.0)}
    for area in stage.layout.areas:
        if area.kind == "hand" or area.bet == "player":
            step = len(area.polygon_mm) // 2 - 1 if area.kind == "wager" else 2
            for name, i in (("a", 0), ("b", step)):
                x, y = area.polygon_mm[i]
                corners[f"{area.id} {name}"] = (float(x), float(y))
    return corners


def _points_text(stage: Stage) -> str:
    """Return the file with the corners as a person reads them in the picture: whole pixels, as picture viewers show."""
    points: dict[str, Any] = {}
    for name, at in _corners(stage).items():
        x, y = stage.camera.image_from_layout(np.array([at]))[0]
        points[name] = [round(float(x)), round(float(y))]
    return yaml.safe_dump(points, default_flow_style=None)
