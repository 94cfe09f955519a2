"""Footage at a URL: fetched once, kept within bounds, found again on other machines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from thirdcard.service.review.mirror import Cache, FootageError, Mirror, fetched
from thirdcard.service.review.segment_watch import SegmentJob
from thirdcard.service.review.segments import FilmSource, Segment

fsspec = pytest.importorskip("fsspec", reason="needs the extra `fleet`")

DAY = 1_700_000_000.0


@pytest.fixture
def far(tmp_path: Path) -> Iterator[Path]:
    """A folder with two videos of a table, to be reached by URL."""
    folder = tmp_path / "far"
    folder.mkdir()
    for name, size in (("table.yaml", 10), ("a.mp4", 1000), ("b.mp4", 1000), ("notes.txt", 5)):
        (folder / name).write_bytes(bytes(size))
        os.utime(folder / name, (DAY, DAY))
    yield folder
    fsspec.filesystem("memory").store.clear()


def cache_in(folder: Path, most_bytes: int = 10**6) -> Cache:
    """An empty cache."""
    return Cache(folder / "cache", most_bytes)


def names_in(cache: Cache) -> list[str]:
    """What was fetched."""
    return sorted(path.name for path in cache.folder.rglob("*") if path.is_file() and not path.name.startswith("."))


def test_folder_at_a_url_is_here_with_its_dates_and_without_what_is_no_recording(tmp_path: Path, far: Path) -> None:
    cache = cache_in(tmp_path)
    with fetched([f"file://{far}"], cache) as (paths, _):
        assert names_in(cache) == ["a.mp4", "b.mp4", "table.yaml"]
        assert (paths[0] / "a.mp4").stat().st_mtime == DAY


def test_one_video_at_a_url_comes_with_its_table_alone(tmp_path: Path, far: Path) -> None:
    cache = cache_in(tmp_path)
    with fetched([f"file://{far}/b.mp4"], cache) as (paths, _):
        assert paths[0].name == "b.mp4"
        assert names_in(cache) == ["b.mp4", "table.yaml"]


def test_paths_stay_as_they_are(tmp_path: Path) -> None:
    with fetched([str(tmp_path)], cache_in(tmp_path)) as (paths, urls):
        assert paths == [tmp_path]
        assert urls.urls == ()


def test_store_in_memory_is_read_too(tmp_path: Path, far: Path) -> None:
    fsspec.filesystem("memory").pipe(f"/{tmp_path.name}/shift/a.mp4", b"film")
    with fetched([f"memory://{tmp_path.name}/shift"], cache_in(tmp_path)) as (paths, _):
        assert (paths[0] / "a.mp4").read_bytes() == b"film"


def test_file_is_fetched_once_and_again_when_it_changed(tmp_path: Path, far: Path) -> None:
    mirror = Mirror(f"file://{far}", cache_in(tmp_path))
    with mirror.held(["a.mp4"]):
        (mirror.folder / "a.mp4").write_bytes(b"as it was fetched")
    with mirror.held(["a.mp4"]):
        assert (mirror.folder / "a.mp4").read_bytes() == b"as it was fetched"
    (far / "a.mp4").write_bytes(b"changed there")
    with mirror.held(["a.mp4"]):
        assert (mirror.folder / "a.mp4").read_bytes() == b"changed there"


def test_room_is_made_of_what_nobody_uses(tmp_path: Path, far: Path) -> None:
    cache = cache_in(tmp_path, most_bytes=1500)
    mirror = Mirror(f"file://{far}", cache)
    with mirror.held(["a.mp4"]):
        with mirror.held(["b.mp4"]):
            assert names_in(cache) == ["a.mp4", "b.mp4"]
        (far / "c.mp4").write_bytes(bytes(400))
        with mirror.held(["c.mp4"]):
            assert names_in(cache) == ["a.mp4", "c.mp4"]


def test_job_of_another_machine_gets_the_paths_of_this_one(tmp_path: Path, far: Path) -> None:
    theirs, ours = Cache(tmp_path / "theirs", 10**6), cache_in(tmp_path)
    with fetched([f"file://{far}"], theirs) as (paths, urls):
        source = FilmSource(path=str(paths[0] / "b.mp4"), from_s=0.0, to_s=1.0, at_t=0.0)
        segment = Segment(
            number=0, core_from_t=0.0, core_to_t=1.0, sources=(source,), is_after_gap=True, is_before_gap=True
        )
        job = SegmentJob(table=paths[0] / "table.yaml", segment=segment, signals=())
    with urls.here(job, ours) as here:
        assert names_in(ours) == ["b.mp4", "table.yaml"]
        assert here.table.is_file() and here.table.is_relative_to(ours.folder)
        assert Path(here.segment.sources[0].path).is_relative_to(ours.folder)


def test_url_with_nothing_to_review_is_one_line(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with (
        pytest.raises(FootageError, match=f"file://{empty}: holds no recording"),
        fetched([f"file://{empty}"], cache_in(tmp_path)),
    ):
        pass


def test_url_of_an_unknown_kind_is_one_line(tmp_path: Path) -> None:
    with (
        pytest.raises(FootageError, match="nowhere://there: cannot be read: [^\n]+$"),
        fetched(["nowhere://there"], cache_in(tmp_path)),
    ):
        pass


@pytest.mark.parametrize("size", ["many", "0", "-1", "nan"])
def test_size_of_the_cache_must_be_a_number_above_nought(size: str) -> None:
    with pytest.raises(FootageError, match=f"THIRDCARD_FOOTAGE_CACHE_GB = {size}; must be a number"):
        Cache.of({"THIRDCARD_FOOTAGE_CACHE_GB": size})
