"""Links to the house's own recorder: which addresses may stand in a table's file, and what becomes of their places."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.repository import DEMO
from thirdcard.service.config.recorder_links import PLACES, RecorderLink, link_fault
from thirdcard.service.config.table_file import RING, load_table
from thirdcard.service.ports.errors import TableError

AT = datetime(2026, 5, 4, 12, 0, 1, tzinfo=UTC)


def table_with(folder: Path, text: str) -> Path:
    """The demonstration's table with more in its file."""
    folder.mkdir()
    for file in DEMO.iterdir():
        if file.suffix == ".yaml":
            (folder / file.name).write_text(file.read_text())
    path = folder / "table.yaml"
    path.write_text(path.read_text() + text)
    return path


def test_places_hold_the_moments() -> None:
    url = "https://recorder.example/play?from={start}&to={end}&s={start_s}-{end_s}&ms={start_ms}-{end_ms}"
    assert link_fault(url) is None
    assert RecorderLink(name="Pit", url=url).between(AT, AT + timedelta(seconds=0.5)) == (
        "https://recorder.example/play?from=2026-05-04T12%3A00%3A01Z&to=2026-05-04T12%3A00%3A01Z"
        "&s=1777896001-1777896001&ms=1777896001000-1777896001500"
    )


@pytest.mark.parametrize(
    ("url", "words"),
    [
        pytest.param("rtsp://recorder/1", "http:// or https://", id="no-page"),
        pytest.param("javascript:alert(1)", "http:// or https://", id="a-script"),
        pytest.param("https:///play", "name a host", id="no-host"),
        pytest.param("https://{start}.example/", "name a host", id="a-place-in-the-host"),
        pytest.param("https://me:secret@recorder.example/", "no password", id="a-password"),
        pytest.param("https://recorder.example/a b", "no space", id="a-space"),
        pytest.param("https://recorder.example/{from}", "{start_ms}", id="an-unknown-place"),
        pytest.param("https://recorder.example/{}", "{start_ms}", id="a-place-without-a-name"),
        pytest.param("https://recorder.example/{start.real}", "{start_ms}", id="a-part-of-a-place"),
        pytest.param("https://recorder.example/{start!r}", "{start_ms}", id="a-place-made-otherwise"),
        pytest.param("https://recorder.example/{start", "places in braces", id="an-open-brace"),
    ],
)
def test_address_that_is_not_allowed_says_why(url: str, words: str) -> None:
    assert words in (link_fault(url) or "")


def test_every_place_is_filled() -> None:
    url = "https://recorder.example/" + "".join(f"{{{place}}}" for place in PLACES)
    assert "{" not in RecorderLink(name="Pit", url=url).between(AT, AT)


def test_table_file_names_recording_and_other_cameras(tmp_path: Path) -> None:
    text = "\nrecording: {hours: 2}\nother_cameras: [{name: Pit 3, url: 'https://recorder.example/{start}'}]\n"
    table = load_table(table_with(tmp_path / "table", text))
    assert table.cameras[0].kept == timedelta(hours=2)
    assert [one.name for one in table.other_cameras] == ["Pit 3"]
    assert load_table(DEMO / "table.yaml").cameras[0].kept == RING


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("recording: {hours: 0}", "recording.hours = 0", id="no-hours"),
        pytest.param("other_cameras: [{name: Pit, url: 'ftp://x'}]", "other_cameras[0].url = ftp://x", id="no-page"),
    ],
)
def test_table_file_that_names_what_is_not_allowed_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(TableError) as refused:
        load_table(table_with(tmp_path / "table", f"\n{text}\n"))
    assert words in str(refused.value)
