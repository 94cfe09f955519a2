"""Footage at a URL: fetched once on each machine, into a folder of limited size.

A folder at a URL is mirrored below the cache: tables and signals at once, a video when it is needed. Files in use stay;
otherwise the least recently used are deleted first. URLs are those of fsspec.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.review.files import BESIDE_FILM, VIDEO_SUFFIXES, may_be_film
from thirdcard.service.review.segment_watch import SegmentJob

logger = logging.getLogger(__name__)

FOLDER_VARIABLE = "THIRDCARD_FOOTAGE_CACHE"
SIZE_VARIABLE = "THIRDCARD_FOOTAGE_CACHE_GB"
SIZE_GB = 50.0
_OTHERWISE = ".txt .md .csv .json .log .pdf .zip .gz .tar .jpg .jpeg .png .webp .bmp .gif .wav .mp3 .db"
NO_FILM = frozenset(_OTHERWISE.split(" "))
"""Endings that are not worth fetching to check for film."""
USED, FETCHED = "used", "fetched"
"""The purposes of a lock on a file."""


class FootageError(ServiceError):
    """Footage at a URL cannot be fetched."""


def is_url(target: str) -> bool:
    """Whether the target is a URL rather than a path."""
    return "://" in target


@dataclass(frozen=True, slots=True)
class Cache:
    """This machine's folder for fetched footage."""

    folder: Path
    most_bytes: int

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Cache:
        """The cache that the environment names.

        Raises:
            FootageError: Its size is no number above 0.
        """
        text = environment.get(SIZE_VARIABLE) or str(SIZE_GB)
        try:
            size_gb = float(text)
        except ValueError:
            size_gb = 0.0
        if not size_gb > 0.0:
            raise FootageError(f"{SIZE_VARIABLE} = {text}; must be a number of 10^9 bytes above 0")
        folder = environment.get(FOLDER_VARIABLE) or str(Path(tempfile.gettempdir()) / "thirdcard-footage")
        return cls(Path(folder), int(size_gb * 1e9))

    def make_room(self, wanted_bytes: int) -> None:
        """Delete unused videos, the least recently used first, until there is enough free space."""
        kept = [path for path in self.folder.glob("*/**/*") if path.is_file() and _is_video(path.name)]
        kept.sort(key=_used_at)
        total = sum(path.stat().st_size for path in kept)
        for path in kept:
            if total + wanted_bytes <= self.most_bytes:
                return
            with _lock(path, USED, fcntl.LOCK_EX | fcntl.LOCK_NB) as is_free:
                if is_free:
                    total -= path.stat().st_size
                    path.unlink()


@dataclass(frozen=True, slots=True)
class Mirror:
    """A folder, or one video, at a URL."""

    url: str
    """The URL of the folder."""
    cache: Cache

    @property
    def folder(self) -> Path:
        """The folder of the mirror."""
        return self.cache.folder / hashlib.sha256(self.url.encode()).hexdigest()[:16]

    def names(self) -> list[str]:
        """All tables, signals and videos below the URL.

        Raises:
            FootageError: There is no answer, or there are none.
        """
        with self._remote() as (files, root):
            found = sorted(str(path)[len(root) :].strip("/") for path in files.find(root))
        wanted = [name for name in found if _is_beside(name) or _is_video(name)]
        if not wanted:
            raise FootageError(f"{self.url}: holds no recording")
        return wanted

    @contextmanager
    def held(self, names: list[str]) -> Iterator[None]:
        """Fetch missing or changed files, and keep them while they are in use.

        Raises:
            FootageError: One cannot be fetched.
        """
        with ExitStack() as stack:
            for name in names:
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                stack.enter_context(_lock(path, USED, fcntl.LOCK_SH))
                with _lock(path, FETCHED, fcntl.LOCK_EX):
                    self._fetch(name, path)
                os.utime(_version(path))
            yield

    def _fetch(self, name: str, path: Path) -> None:
        version = _version(path)
        with self._remote() as (files, root):
            there = f"{root}/{name}"
            key = str(files.ukey(there))
            if path.is_file() and version.is_file() and version.read_text(encoding="utf-8") == key:
                return
            if _is_video(name):
                self.cache.make_room(int(files.size(there)))
            part = path.with_name(f".{path.name}.part")
            files.get_file(there, str(part))
            _date(part, files, there)
            part.replace(path)
            version.write_text(key, encoding="utf-8")

    @contextmanager
    def _remote(self) -> Iterator[tuple[Any, str]]:
        try:
            files, root = import_module("fsspec").core.url_to_fs(self.url)
            yield files, str(root).rstrip("/")
        except ImportError as error:
            raise FootageError(f"{self.url}: needs pip install 'thirdcard[fleet]': {error}") from error
        except (OSError, ValueError) as error:
            raise FootageError(f"{self.url}: cannot be read: {error}") from error


@dataclass(frozen=True, slots=True)
class Fetched:
    """The facts about a review's URLs that other machines need to fetch the same."""

    urls: tuple[str, ...] = ()
    folder: str = ""
    """The cache folder of the machine whose paths the jobs have."""

    @contextmanager
    def here(self, job: SegmentJob, cache: Cache) -> Iterator[SegmentJob]:
        """The job with this machine's paths; its files are fetched and kept until it is done."""
        there = Path(self.folder)
        for url in self.urls:
            theirs, mirror = Mirror(url, Cache(there, 0)).folder, Mirror(url, cache)
            if job.table.is_relative_to(theirs):
                break
        else:
            yield job
            return

        def name(path: str) -> str:
            return Path(path).relative_to(theirs).as_posix()

        sources = job.segment.sources
        videos = [name(source.path) for source in sources]
        beside = [one for one in mirror.names() if _is_beside(one)]
        with mirror.held([*beside, *dict.fromkeys(videos)]):
            here = [
                replace(source, path=str(mirror.folder / video)) for source, video in zip(sources, videos, strict=True)
            ]
            table = mirror.folder / name(str(job.table))
            yield replace(job, table=table, segment=replace(job.segment, sources=tuple(here)))


@contextmanager
def fetched(targets: Sequence[str], cache: Cache) -> Iterator[tuple[list[Path], Fetched]]:
    """Local paths for all targets, fetching and keeping those at URLs meanwhile; and what other machines need to do so
    too.

    Raises:
        FootageError: A URL cannot be read.
    """
    with ExitStack() as stack:
        paths, urls = [], []
        for target in targets:
            if not is_url(target):
                paths.append(Path(target))
                continue
            is_video = PurePosixPath(target).suffix.lower() in VIDEO_SUFFIXES
            url, _, video = target.rpartition("/") if is_video else (target.rstrip("/"), "", "")
            mirror = Mirror(url, cache)
            names = [name for name in mirror.names() if not video or name == video or not _is_video(name)]
            stack.enter_context(mirror.held(names))
            paths.append(mirror.folder / video)
            urls.append(url)
        yield paths, Fetched(tuple(urls), str(cache.folder))


def _is_beside(name: str) -> bool:
    """Whether a file belongs to a table, and is fetched at once."""
    return PurePosixPath(name).suffix.lower() in BESIDE_FILM


def _is_video(name: str) -> bool:
    """Whether a file may be film, by its name."""
    is_hidden = any(part.startswith(".") for part in PurePosixPath(name).parts)
    return may_be_film(name) and not is_hidden and PurePosixPath(name).suffix.lower() not in NO_FILM


def _version(path: Path) -> Path:
    """The file that records the fetched version; its date is that of the last use."""
    return path.with_name(f".{path.name}.version")


def _used_at(path: Path) -> float:
    version = _version(path)
    return version.stat().st_mtime if version.is_file() else 0.0


def _date(path: Path, files: Any, there: str) -> None:
    """Give a file the date that it has at the URL: for some recordings it is the only clock."""
    try:
        modified = files.modified(there)
    except NotImplementedError:
        logger.warning("%s: its store tells no dates; only its name or its container can say when it began", there)
        return
    if modified is not None:
        os.utime(path, (modified.timestamp(), modified.timestamp()))


@contextmanager
def _lock(path: Path, purpose: str, how: int) -> Iterator[bool]:
    """Lock a file that may not exist yet; yields whether that succeeded."""
    with path.with_name(f".{path.name}.{purpose}").open("a") as file:
        try:
            fcntl.flock(file, how)
        except BlockingIOError:
            yield False
            return
        yield True
