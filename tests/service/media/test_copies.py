"""Copies of clips that browsers cannot play: made once, beside the original, which stays what it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest
from sqlalchemy import select

from tests.service.hand_clock import HandClock
from tests.service.stores import add_alert, add_file, bare_database
from thirdcard.service.media.clips import COPY_COMMENT
from thirdcard.service.media.copies import ClipCopies
from thirdcard.service.store.alert_writer import promise_file
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import EvidenceRow
from thirdcard.service.store.verification import verify_chains, verify_evidence


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = bare_database(tmp_path / "room.db")
    yield opened
    opened.close()


@pytest.fixture
def copies(database: Database, tmp_path: Path) -> ClipCopies:
    (tmp_path / "evidence").mkdir()
    return ClipCopies(database, EvidenceStore(tmp_path / "evidence"), HandClock())


def rows(database: Database) -> dict[str, EvidenceRow]:
    with database.reading() as session:
        return {row.kind: row for row in session.scalars(select(EvidenceRow))}


def clip_in(copies: ClipCopies, encoder: str) -> int:
    """An alert whose clip is in that codec, and of which a copy is asked for."""
    number = add_alert(copies.database, at=copies.clock())
    add_file(copies.database, copies.store.folder, number, size=1)
    clip = rows(copies.database)["clip"]
    path = copies.store.folder / str(clip.path)
    with av.open(str(path), "w", format="mp4") as output:
        stream = output.add_stream(encoder, rate=5)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for n in range(20):
            output.mux(stream.encode(av.VideoFrame.from_ndarray(np.full((48, 64, 3), 9 * n, np.uint8), format="bgr24")))
        output.mux(stream.encode())
    with copies.database.writing() as session:
        promise_file(session, number, "clip-copy", clip.from_at, clip.to_at)
    return number


def test_copy_is_h264_beside_the_original_and_says_what_it_is(copies: ClipCopies) -> None:
    clip_in(copies, "libx265")
    folder = copies.store.folder
    original = (folder / str(rows(copies.database)["clip"].path)).read_bytes()

    assert copies.make_next()
    assert not copies.make_next()

    found = rows(copies.database)
    with av.open(str(folder / str(found["clip-copy"].path))) as container:
        assert container.streams.video[0].codec_context.name == "h264"
        assert container.metadata["comment"] == COPY_COMMENT
        assert len(list(container.decode(video=0))) == 20
    assert (folder / str(found["clip"].path)).read_bytes() == original
    assert (found["clip-copy"].state, found["clip"].state) == ("kept", "kept")
    assert sorted(path.suffix for path in folder.rglob("*") if path.is_file()) == [".mp4", ".mp4"]


def test_copy_is_sealed_with_a_checksum_of_its_own(copies: ClipCopies) -> None:
    clip_in(copies, "libx265")
    copies.make_next()
    copy = rows(copies.database)["clip-copy"]
    (copies.store.folder / str(copy.path)).write_bytes(b"changed")
    with copies.database.reading() as session:
        assert verify_chains(session) is None
        fault = verify_evidence(session, copies.store)
    assert fault is not None


@pytest.mark.parametrize(
    ("encoder", "is_there", "words"),
    [
        pytest.param("libx264", True, "h264 already", id="browsers-play-it"),
        pytest.param("libx265", False, "clip", id="the-original-is-lost"),
    ],
)
def test_copy_that_cannot_be_made_says_why(copies: ClipCopies, encoder: str, is_there: bool, words: str) -> None:
    clip_in(copies, encoder)
    if not is_there:
        (copies.store.folder / str(rows(copies.database)["clip"].path)).unlink()
    assert copies.make_next()
    copy = rows(copies.database)["clip-copy"]
    assert (copy.state, copy.path) == ("failed", None)
    assert words in str(copy.fault) or "No such file" in str(copy.fault)
    assert not copies.make_next()
