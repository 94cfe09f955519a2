"""Evidence in the folder and at a URL: sent, read in parts, verified, removed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.responses import Response, StreamingResponse

from tests.service.hand_clock import NOON
from tests.service.stores import add_alert, add_file, bare_database
from thirdcard.service.alerts.evidence_files import EvidenceMissingError, kept_file
from thirdcard.service.alerts.views import EvidenceView
from thirdcard.service.store.blob_store import EvidenceStore, EvidenceStoreError
from thirdcard.service.store.verification import verify_evidence
from thirdcard.service.web.ranges import file_response

fsspec = pytest.importorskip("fsspec", reason="needs the extra `fleet`")

NAME = "B07/2026-05-04/clip.mp4"


@pytest.fixture(params=["memory", "file"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A store in memory, and one on a disk."""
    yield f"memory://evidence-{tmp_path.name}" if request.param == "memory" else f"file://{tmp_path}/far"
    fsspec.filesystem("memory").store.clear()


def furnished(folder: Path, url: str | None) -> EvidenceStore:
    """A store whose folder holds one file."""
    store = EvidenceStore(folder / "evidence", url)
    (store.folder / NAME).parent.mkdir(parents=True)
    (store.folder / NAME).write_bytes(bytes(range(100)))
    return store


def test_file_that_was_sent_is_read_from_the_url_and_gone_from_the_folder(tmp_path: Path, url: str) -> None:
    store = furnished(tmp_path, url)
    store.send(NAME)
    assert not (store.folder / NAME).exists()
    assert store.size(NAME) == 100
    with store.open(NAME) as stream:
        stream.seek(90)
        assert stream.read() == bytes(range(90, 100))


def test_sending_again_puts_the_newer_file_there(tmp_path: Path, url: str) -> None:
    store = furnished(tmp_path, url)
    store.send(NAME)
    (store.folder / NAME).write_bytes(b"anew")
    store.send(NAME)
    assert store.open(NAME).read() == b"anew"


def test_without_a_url_files_stay_where_they_are(tmp_path: Path) -> None:
    store = furnished(tmp_path, None)
    store.send(NAME)
    assert (store.folder / NAME).is_file()
    assert EvidenceStore.of(tmp_path, {}).url is None


def test_file_that_is_removed_is_in_neither_place_and_may_be_removed_again(tmp_path: Path, url: str) -> None:
    store = furnished(tmp_path, url)
    store.send(NAME)
    for _ in range(2):
        store.remove(NAME)
        assert store.size(NAME) is None


def test_name_that_leads_out_of_the_folder_is_no_file(tmp_path: Path, url: str) -> None:
    store = furnished(tmp_path, url)
    (tmp_path / "secret").write_text("no")
    assert store.size("../secret") is None
    with pytest.raises(FileNotFoundError):
        store.open("../secret")
    store.remove("../secret")
    assert (tmp_path / "secret").is_file()


def test_url_of_an_unknown_kind_is_one_line(tmp_path: Path) -> None:
    store = furnished(tmp_path, "nowhere://there")
    with pytest.raises(EvidenceStoreError, match="THIRDCARD_EVIDENCE_URL = nowhere://there; [^\n]+$"):
        store.send(NAME)
    assert (store.folder / NAME).is_file()


def test_missing_fsspec_is_told_with_what_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(EvidenceStoreError, match=r"pip install 'thirdcard\[fleet\]'"):
        furnished(tmp_path, "memory://x").send(NAME)


def test_part_of_a_file_at_a_url_is_answered_as_of_one_on_the_disk(tmp_path: Path, url: str) -> None:
    store = furnished(tmp_path, url)
    store.send(NAME)
    answer = file_response(kept_file(store, _view(NAME), "alert-1-clip"), {"range": "bytes=10-19"})
    assert answer.status_code == 206
    assert answer.headers["content-range"] == "bytes 10-19/100"
    assert _body(answer) == bytes(range(10, 20))


def test_verification_reads_what_lies_at_the_url(tmp_path: Path, url: str) -> None:
    database, store = bare_database(tmp_path / "store.db"), EvidenceStore(tmp_path / "evidence", url)
    path = add_file(database, store.folder, add_alert(database))
    name = path.relative_to(store.folder).as_posix()
    store.send(name)
    with database.reading() as session:
        assert verify_evidence(session, store) is None
        path.write_bytes(b"slipped in")
        store.send(name)
        assert verify_evidence(session, store) == f"{name}: was changed"
        store.remove(name)
        assert verify_evidence(session, store) == f"{name}: is missing"
        with pytest.raises(EvidenceMissingError, match="is not where it was kept"):
            kept_file(store, _view(name), "alert-1-clip")
    database.close()


def _body(answer: Response) -> bytes:
    async def pieces() -> bytes:
        assert isinstance(answer, StreamingResponse)
        return b"".join([bytes(piece) async for piece in answer.body_iterator if not isinstance(piece, str)])

    return asyncio.run(pieces())


def _view(name: str) -> EvidenceView:
    return EvidenceView(
        kind="clip", state="kept", from_at=NOON, to_at=NOON, path=name, size_bytes=100, sha256="ab", fault=None
    )
