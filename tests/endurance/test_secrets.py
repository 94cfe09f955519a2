"""A camera's user and password never leave the process: all pages and files are searched after a refused sign-in."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import yaml

from tests.endurance.cuts import show_camera, state_of
from tests.endurance.live_room import COMMAND, LiveRoom, furnish_room
from tests.repository import DEMO
from tests.rtsp_door import rtsp_door

SECRETS = ("gast-user", "ge%68eim", "geheim", "verborgen")
PATIENCE_S = 90.0


def address(port: int) -> str:
    return f"rtsp://gast-user:ge%68eim@127.0.0.1:{port}/table?token=verborgen"


@contextmanager
def running(room: LiveRoom) -> Iterator[LiveRoom]:
    """Run the service, and kill what is left of it at the end."""
    room.start()
    try:
        yield room
    finally:
        if room.process is not None and room.process.poll() is None:
            room.kill_all()


def shown_secrets(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


def refused_state(room: LiveRoom) -> dict[str, object]:
    """Return the table's state once the camera has refused the sign-in."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            state = state_of(room, "T1")
            if state["camera"] == "lost":
                return state
        except httpx.HTTPError:
            pass
        time.sleep(0.1)
    raise TimeoutError(str(room.log))


def told_by_http(room: LiveRoom) -> str:
    """Return everything that an admin can read of the room at addresses without arguments."""
    headers = {"Authorization": f"Bearer {room.tokens['admin']}"}
    with httpx.Client(base_url=room.address, headers=headers, timeout=30) as client:
        paths = [path for path, ways in client.get("/api/openapi.json").json()["paths"].items() if "get" in ways]
        plain = [path for path in paths if "{" not in path and "stream" not in path]
        plain += ["/", "/tables/T1", "/settings", "/settings/tables", "/metrics", "/api/health"]
        return "\n".join(client.get(path, follow_redirects=True).text for path in plain)


def test_refused_camera_is_asked_once_and_no_secret_is_written_or_told(tmp_path: Path) -> None:
    room = furnish_room(tmp_path / "room", tables=1)
    with rtsp_door() as door:
        show_camera(room, "T1", address(door.port))
        with running(room):
            state = refused_state(room)
            time.sleep(3.0)
            told = told_by_http(room)
            room.stop()
        assert door.passwords == 1
    assert str(state["fault"]).startswith("the camera refuses user or password; asks again in 2 min")
    assert f"127.0.0.1:{door.port}" in told
    assert shown_secrets(told) == []
    for path in room.home.folder.rglob("*"):
        if path.is_file() and room.home.tables not in path.parents and room.home.setups not in path.parents:
            assert shown_secrets(path.name + path.read_bytes().decode("latin-1")) == [], path


def test_commands_tell_no_secret(tmp_path: Path) -> None:
    wrong = tmp_path / "table.yaml"
    table = yaml.safe_load((DEMO / "table.yaml").read_text(encoding="utf-8"))
    with rtsp_door() as door:
        source = address(door.port)
        wrong.write_text(
            yaml.safe_dump(table | {"cameras": [{"name": "overhead", "sourse": source}]}), encoding="utf-8"
        )
        for command in (
            ["watch", source, "--table", str(DEMO / "table.yaml")],
            ["watch", source],
            ["watch", source.replace("rtsp://", ""), "--table", str(DEMO / "table.yaml")],
            ["watch", "film.mp4", source, "--table", str(wrong)],
            ["referee", "log.jsonl", "--table", str(wrong)],
        ):
            done = subprocess.run([*COMMAND, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode != 0
            assert shown_secrets(done.stdout + done.stderr) == [], command
            assert "Traceback" not in done.stderr
    left = [str(path) for path in tmp_path.rglob("*") if path != wrong]
    assert shown_secrets("\n".join(left)) == []
    assert shown_secrets("".join(p.read_bytes().decode("latin-1") for p in map(Path, left) if p.is_file())) == []
