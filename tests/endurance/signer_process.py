"""A real signer beside a room, to be killed and started again: it signs what the room seals, and anchors it."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.endurance.live_room import COMMAND, LiveRoom
from thirdcard.service.sealing.keys import public_path

READY_S = 60.0
ORIGIN = "endurance.example/thirdcard"


@dataclass(slots=True)
class SignerProcess:
    """One signer with its key and its anchors, in a folder that only it uses."""

    folder: Path
    socket: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def key(self) -> Path:
        """The private key."""
        return self.folder / "key"

    @property
    def anchors(self) -> Path:
        """The folder of anchors."""
        return self.folder / "anchors"

    @property
    def options(self) -> list[str]:
        """What `thirdcard verify` is given to check signatures and anchors."""
        return ["--key", str(public_path(self.key)), "--anchors", str(self.anchors)]

    def start(self) -> None:
        """Start it; returns when it listens."""
        with (self.folder / "signer.log").open("ab") as log:
            options = ("--key", self.key, "--socket", self.socket, "--anchor-folder", self.anchors)
            self.process = subprocess.Popen([*COMMAND, "signer", "run", *map(str, options)], stdout=log, stderr=log)
        deadline = time.monotonic() + READY_S
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise TimeoutError(f"the signer does not listen; see {self.folder / 'signer.log'}")
            time.sleep(0.1)

    def kill(self) -> None:
        """End it at once."""
        assert self.process is not None, "start() comes first"
        self.process.kill()
        self.process.wait(30)
        self.socket.unlink(missing_ok=True)

    def stop(self) -> None:
        """Ask it to end."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)

    def ask(self, room: LiveRoom) -> str | None:
        """Have all that the room sealed signed, and wait until it is anchored; gives why it was not."""
        command = [*COMMAND, "signer", "ask", "--home", str(room.home.folder), "--socket", str(self.socket)]
        done = subprocess.run(command, env=room.environment, capture_output=True, text=True)
        time.sleep(2.0)  # it writes what it signed to the folder twice a second
        return None if done.returncode == 0 else f"thirdcard signer ask: {done.stdout}{done.stderr}"

    def _answers(self) -> bool:
        with contextlib.suppress(OSError):
            return self.socket.is_socket()
        return False


def make_signer(folder: Path, room: LiveRoom) -> SignerProcess:
    """A signer with a new key, which the room's settings name; not started."""
    (folder / "anchors").mkdir(parents=True)
    signer = SignerProcess(folder, Path(tempfile.mkdtemp(prefix="signer")) / "socket")
    command = [*COMMAND, "signer", "new-key", "--key", str(signer.key), "--origin", ORIGIN]
    subprocess.run(command, check=True, capture_output=True)
    settings = room.home.folder / "house.yaml"
    before = settings.read_text(encoding="utf-8") if settings.is_file() else ""
    settings.write_text(f"{before}signer: {signer.socket}\n", encoding="utf-8")
    return signer
