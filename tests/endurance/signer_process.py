"""A real signer beside a room, to be killed and started again. It signs and anchors what the room seals."""

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
    """A signer with its key and its anchors, in a folder that only it uses."""

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
        """The options with which `thirdcard verify` checks signatures and anchors."""
        return ["--key", str(public_path(self.key)), "--anchors", str(self.anchors)]

    def start(self) -> None:
        """Start the signer; return when it listens.

        Raises:
            TimeoutError: It does not listen within `READY_S` seconds.
        """
        with (self.folder / "signer.log").open("ab") as log:
            options = ("--key", self.key, "--socket", self.socket, "--anchor-folder", self.anchors)
            self.process = subprocess.Popen([*COMMAND, "signer", "run", *map(str, options)], stdout=log, stderr=log)
        deadline = time.monotonic() + READY_S
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise TimeoutError(f"the signer does not listen; see {self.folder / 'signer.log'}")
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill the signer."""
        assert self.process is not None, "start() comes first"
        self.process.kill()
        self.process.wait(30)
        self.socket.unlink(missing_ok=True)

    def stop(self) -> None:
        """Ask the signer to end, and wait until it has."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)

    def ask(self, room: LiveRoom) -> str | None:
        """Have everything that the room sealed signed, and wait for its anchor; return why that failed, or None."""
        command = [*COMMAND, "signer", "ask", "--home", str(room.home.folder), "--socket", str(self.socket)]
        done = subprocess.run(command, env=room.environment, capture_output=True, text=True)
        time.sleep(2.0)  # the signer writes to the folder of anchors twice a second
        return None if done.returncode == 0 else f"thirdcard signer ask: {done.stdout}{done.stderr}"

    def _answers(self) -> bool:
        with contextlib.suppress(OSError):
            return self.socket.is_socket()
        return False


def make_signer(folder: Path, room: LiveRoom) -> SignerProcess:
    """Return a signer with a new key, not started; the room's settings name it."""
    (folder / "anchors").mkdir(parents=True)
    signer = SignerProcess(folder, Path(tempfile.mkdtemp(prefix="signer")) / "socket")
    command = [*COMMAND, "signer", "new-key", "--key", str(signer.key), "--origin", ORIGIN]
    subprocess.run(command, check=True, capture_output=True)
    settings = room.home.folder / "house.yaml"
    before = settings.read_text(encoding="utf-8") if settings.is_file() else ""
    settings.write_text(f"{before}signer: {signer.socket}\n", encoding="utf-8")
    return signer
