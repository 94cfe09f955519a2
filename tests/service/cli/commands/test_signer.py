"""`thirdcard signer` and `thirdcard verify`: from a new key to what is proven, with processes that are killed."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import delete
from typer.testing import CliRunner, Result

from tests.service.hand_clock import NOON
from tests.service.mqtt_fakes import wait_until
from tests.service.sealing.sealed_house import reseal
from thirdcard.service.cli.entry import app
from thirdcard.service.store import chain
from thirdcard.service.store.database import Database, open_database, sqlite_url
from thirdcard.service.store.schema import ChainLine

ORIGIN = "casino.example/thirdcard"


def run(*arguments: object) -> Result:
    """The command, as from a terminal."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


class Place:
    """A service's folder, and beside it what the signer's user has."""

    def __init__(self, folder: Path) -> None:
        self.home, self.key, self.anchors = folder / "room", folder / "key", folder / "anchors"
        for made in (self.home, self.anchors):
            made.mkdir()
        self.socket = Path(tempfile.mkdtemp(prefix="signer")) / "socket"

    @contextmanager
    def database(self) -> Iterator[Database]:
        """The service's database."""
        database = open_database(sqlite_url(self.home / "thirdcard.db"))
        yield database
        database.close()

    def write(self, name: str, count: int) -> None:
        """Add lines to a chain."""
        with self.database() as database, database.writing() as session:
            chain.append(session, name, [{"n": n} for n in range(count)], at=NOON)

    @contextmanager
    def signer(self, *, ends_with: signal.Signals = signal.SIGTERM) -> Iterator[None]:
        """A signer in a process of its own while the block runs."""
        place = ["--key", self.key, "--socket", self.socket, "--anchor-folder", self.anchors]
        command = [sys.executable, "-m", "thirdcard", "signer", "run", *map(str, place)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                assert "checkpoints" in process.stdout.readline()
                yield
            finally:
                process.send_signal(ends_with)
                process.wait(30)

    def ask(self) -> Result:
        """Have all signed."""
        return run("signer", "ask", "--home", self.home, "--socket", self.socket)

    def verify(self, *more: object) -> Result:
        """Whether all is as it was written."""
        return run("verify", "--home", self.home, *more)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    told = run("signer", "new-key", "--key", made.key, "--origin", ORIGIN)
    assert told.exit_code == 0, told.output
    made.write("log/B07", 3)
    yield made
    shutil.rmtree(made.socket.parent)


def test_house_is_signed_anchored_and_proven_and_survives_kills(place: Place) -> None:
    with place.signer(ends_with=signal.SIGKILL):
        assert place.ask().output == "Signed: 1 leaves.\n"
        place.write("log/B08", 2)
        assert place.ask().output == "Signed: 2 leaves.\n"
    with place.signer():
        place.write("log/B07", 2)
        assert place.ask().output == "Signed: 3 leaves.\n"
        wait_until(lambda: len(list(place.anchors.glob("*.note"))) == 4, patience_s=30)
    told = place.verify("--key", f"{place.key}.pub", "--anchors", place.anchors)
    assert told.exit_code == 0
    assert f"{ORIGIN}: signed until" in told.output
    assert "no line is later." in told.output
    assert "No time stamp of an authority was checked." in told.output
    first, *_ = sorted(place.anchors.glob("*.note"))
    assert place.verify("--key", f"{place.key}.pub", "--anchors", first).exit_code == 0
    with place.database() as database, database.writing() as session:
        session.execute(delete(ChainLine).where(ChainLine.chain == "log/B07", ChainLine.seq > 4))
        reseal(session, "log/B07")
    assert place.verify().exit_code == 1
    told = place.verify("--key", f"{place.key}.pub")
    assert (told.exit_code, told.output.splitlines()[0][:29]) == (1, "log/B07: line 5 is missing: c")


def test_unsigned_house_is_in_order_but_not_with_a_key(place: Place) -> None:
    told = place.verify()
    assert (told.exit_code, "Nothing is signed yet" in told.output) == (0, True)
    told = place.verify("--key", f"{place.key}.pub")
    assert (told.exit_code, "no checkpoint is signed by" in told.output) == (1, True)


def test_rotated_key_goes_on_and_the_old_one_is_refused(place: Place) -> None:
    new = place.key.with_name("key2")
    assert run("signer", "rotate", "--key", place.key, "--new", new).exit_code == 0
    told = run("signer", "run", "--key", place.key, "--socket", place.socket)
    assert (told.exit_code, "key.state: is not there" in told.output) == (2, True)
    old, place.key = place.key, new
    with place.signer():
        place.ask()
    for key in (old, new):
        assert place.verify("--key", f"{key}.pub").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["verify", "--home", "x", "--anchors", "y"], "--anchors: needs --key", id="anchors"),
        pytest.param(["verify", "--home", "x", "--tsa-root", "y"], "--tsa-root: needs --anchors", id="root"),
        pytest.param(
            ["signer", "run", "--key", "k", "--socket", "s", "--tsa", "http://x"], "needs --anchor-folder", id="tsa"
        ),
        pytest.param(
            ["signer", "run", "--key", "k", "--socket", "s", "--group", "no-such"], "there is no such group", id="group"
        ),
    ],
)
def test_what_does_not_go_together_is_said_in_one_line(arguments: list[str], told: str) -> None:
    process = subprocess.run([sys.executable, "-m", "thirdcard", *arguments], capture_output=True, text=True)
    assert process.returncode == 2
    assert told in process.stderr
    assert process.stderr.count("\n") == 1


def test_key_of_no_use_is_exit_status_two(place: Place) -> None:
    (place.home / "bad.pub").write_text("nothing\n")
    process = subprocess.run(
        [sys.executable, "-m", "thirdcard", "verify", "--home", str(place.home), "--key", str(place.home / "bad.pub")],
        capture_output=True, text=True,
    )  # fmt: skip
    assert process.returncode == 2
    assert "bad.pub: is no public key; must be one line" in process.stderr
