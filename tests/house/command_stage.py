"""The folder in which the documentation's commands run: all files that its pages speak of, under the names they use.

The table is the one of the tutorial; its film is the shipped recording's. Nothing outside the folder is written.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import yaml

from tests.house.shown_commands import ShownFile, steps_of
from tests.repository import DEMO, ROOT
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.pseudonyms import open_pseudonyms
from thirdcard.service.media.stills import still_at

PASSWORD = "four wooden spoons\n"
"""What every command finds on its standard input; some ask for a password."""
LONGEST_S = 120
"""Seconds after which a command is stopped: it hangs."""
FILMS = ("video.mp4", "film.mp4", "before.mp4")
PICTURES = ("now.png", "now.jpg", "frame.jpg")
LOGS = ("events.jsonl", "log.jsonl", "out/demo/events.jsonl")
BACKED_UP = ("tables", "setups", "house.yaml", "dealers.key")
"""What rsync copies out of a room, and `cp` puts back, besides the evidence."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A folder of its own for the commands of one page."""

    folder: Path

    @classmethod
    def of(cls, base: Path, folder: Path) -> Stage:
        """A copy of the base."""
        shutil.copytree(base, folder, symlinks=True)
        return cls(folder)

    def save(self, file: ShownFile) -> None:
        """Save a file as the page asks."""
        path = self.folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run a command line in a shell; the programs of this test's environment come first."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("THIRDCARD_")}
        environment = kept | {
            "PATH": f"{self.folder / '.venv' / 'bin'}{os.pathsep}{kept['PATH']}",
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            "HOME": str(self.folder),
        }
        return subprocess.run(
            ["/bin/sh", "-c", line], cwd=self.folder, env=environment, input=PASSWORD, timeout=LONGEST_S,
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip


def prepare_base(folder: Path) -> Path:
    """Make the folder that stages are copied from."""
    folder.mkdir(parents=True)
    (folder / "datasets").symlink_to(ROOT / "datasets")
    (folder / "docs").mkdir()
    _install(folder / ".venv" / "bin")
    _add_table(folder)
    for place in ("recordings/B07", "recordings/b07", "my-tables/B07"):
        _add_table(folder / place, table_id="B07")
    _add_table(folder / "tables", table_id="B07", name="B07.yaml")
    _add_films(folder)
    for name in LOGS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(DEMO / "truth.jsonl", folder / name)
    _add_room(folder)
    return folder


def _install(folder: Path) -> None:
    """Programs as `make setup` installs them, which are this test's own."""
    folder.mkdir(parents=True)
    for name, module in (("python", ""), ("python3", ""), ("thirdcard", " -m thirdcard")):
        (folder / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n', encoding="utf-8")
        (folder / name).chmod(0o755)


def _add_table(folder: Path, *, table_id: str | None = None, name: str = "table.yaml") -> None:
    """The tutorial's table with all files that it names, the film among them."""
    folder.mkdir(parents=True, exist_ok=True)
    shown = {
        Path(step.name).name: step.text
        for step in steps_of(ROOT / "docs" / "tutorial.md")
        if isinstance(step, ShownFile)
    }
    table = yaml.safe_load(shown["table.yaml"])
    (folder / name).write_text(yaml.safe_dump(table | ({"id": table_id} if table_id else {})), encoding="utf-8")
    (folder / "points.yaml").write_text(shown["points.yaml"], encoding="utf-8")
    for copied in ("layout.yaml", "chips.yaml", "overhead.yaml"):
        shutil.copy(DEMO / copied, folder)
    (folder / "video.mp4").symlink_to(DEMO / "video.mp4")


def _add_films(folder: Path) -> None:
    for name in FILMS:
        if not (folder / name).exists():
            (folder / name).symlink_to(DEMO / "video.mp4")
    still = still_at(DEMO / "video.mp4", 0.0)
    assert still is not None
    for name in PICTURES:
        assert cv2.imwrite(str(folder / name), still.image_hw3)


def _add_room(folder: Path) -> None:
    """A room that a service has used, what rsync would have copied out of it, and an empty folder HOME."""
    room = Home(folder / "room")
    mask = os.umask(0)
    try:
        room.make()  # sets a stricter mask
    finally:
        os.umask(mask)
    room.open_database({}).close()
    (room.folder / "house.yaml").write_text("time_zone: UTC\n", encoding="utf-8")
    open_pseudonyms(room.folder)
    shutil.copytree(room.evidence, folder / "backup" / "evidence")
    for name in BACKED_UP:
        path = room.folder / name
        if path.is_dir():
            shutil.copytree(path, folder / "backup" / name)
        else:
            shutil.copy(path, folder / "backup")
    (folder / "HOME").mkdir()
