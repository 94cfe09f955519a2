"""Cut stretches out of recordings for viewing, and cache the latest ones.

A cut is remuxed, so it shows exactly what was recorded. The cache has a size limit; the least recently viewed cut is
deleted first. All of them can be cut again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from thirdcard.service.media.clips import ClipError, ClipSpan, FilmFacts, cut_clip
from thirdcard.service.media.ring import cut_from_ring

logger = logging.getLogger(__name__)

MOST_BYTES = 2 * 10**9
MOST_AT_ONCE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A cut file, and the time that it covers in seconds of the recording."""

    path: Path
    covers: ClipSpan


@dataclass(slots=True)
class Cuts:
    """The cache of cuts of a service."""

    folder: Path
    most_bytes: int = MOST_BYTES
    _working: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(MOST_AT_ONCE))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, video: Path, span: ClipSpan) -> Cut:
        """The stretch of a recording, cut now if it is not cached.

        Raises:
            ClipError: The recording is missing, or holds nothing of it.
        """
        try:
            facts = video.stat()
        except OSError as error:
            raise ClipError(f"{video.name}: is not where it was when it was reviewed") from error

        def cut(half: Path) -> ClipSpan:
            return cut_clip(video, half, span, FilmFacts(is_damaged=True))

        text = f"{video.resolve()}|{facts.st_size}|{facts.st_mtime_ns}|{span.from_s:.3f}|{span.to_s:.3f}"
        return self._get(text, cut)

    def get_kept(self, ring: Path, from_at: datetime, to_at: datetime) -> Cut:
        """Cut a clip from a camera's stored video; the covered time is in seconds since 1970.

        Raises:
            ClipError: Nothing of it is stored.
        """

        def cut(half: Path) -> ClipSpan:
            times = cut_from_ring(ring, half, at=from_at, from_at=from_at, to_at=to_at)
            return ClipSpan(from_s=times.began.timestamp(), to_s=times.ended.timestamp())

        return self._get(f"{ring.resolve()}|{from_at.timestamp():.3f}|{to_at.timestamp():.3f}", cut)

    def _get(self, text: str, cut: Callable[[Path], ClipSpan]) -> Cut:
        path = self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.mp4"
        with self._working:
            return self._known(path) or self._cut(path, cut)

    def _known(self, path: Path) -> Cut | None:
        try:
            covers = json.loads(path.with_suffix(".json").read_text(encoding="ascii"))
            os.utime(path)
        except (OSError, ValueError):
            return None
        return Cut(path=path, covers=ClipSpan(from_s=covers["from_s"], to_s=covers["to_s"]))

    def _cut(self, path: Path, cut: Callable[[Path], ClipSpan]) -> Cut:
        """Written under another name first, so that nobody is sent half a file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        half = path.with_name(f"{path.stem}-{threading.get_ident()}.part")
        try:
            covers = cut(half)
            beside = {"from_s": covers.from_s, "to_s": covers.to_s}
            half.replace(path)
            path.with_suffix(".json").write_text(json.dumps(beside), encoding="ascii")
        finally:
            half.unlink(missing_ok=True)
        self._make_room(path)
        return Cut(path=path, covers=covers)

    def _make_room(self, kept: Path) -> None:
        with self._lock:
            files = [(path.stat(), path) for path in self.folder.glob("*.mp4")]
            left = sum(facts.st_size for facts, _ in files)
            for facts, path in sorted(files, key=lambda one: one[0].st_mtime_ns):
                if left <= self.most_bytes:
                    return
                if path != kept:
                    path.with_suffix(".json").unlink(missing_ok=True)
                    path.unlink(missing_ok=True)
                    left -= facts.st_size
                    logger.info("%s: deleted for want of room", path.name)
