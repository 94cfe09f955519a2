"""The storage of evidence: below the home folder, and for reviewed shifts at a URL where one is given.

A live table writes to its own disk, whatever the network does. A name is a path below the folder, with slashes; a file
that is not in the folder is looked up at the URL. URLs are those of fsspec: `s3://bucket/evidence`, `gs://…`,
`file://…`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import IO, Any

from thirdcard.service.ports.errors import ServiceError

URL_VARIABLE = "THIRDCARD_EVIDENCE_URL"


class EvidenceStoreError(ServiceError):
    """The store at the URL cannot be used."""


def settled(path: Path) -> tuple[int, str]:
    """A file's size in bytes and its SHA-256, after it was flushed to disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class EvidenceStore:
    """The storage of all evidence."""

    folder: Path
    url: str | None = None

    @classmethod
    def of(cls, folder: Path, environment: Mapping[str, str]) -> EvidenceStore:
        """The store configured by the environment."""
        return cls(folder, environment.get(URL_VARIABLE) or None)

    def size(self, name: str) -> int | None:
        """The size of a file in bytes; None where there is no such file.

        Raises:
            EvidenceStoreError: The store at the URL does not answer.
        """
        path = self._path(name)
        if path is None:
            return None
        if path.is_file():
            return path.stat().st_size
        if self.url is None:
            return None
        with self._remote() as (files, root):
            there = f"{root}/{name}"
            return int(files.size(there)) if files.isfile(there) else None

    def open(self, name: str) -> IO[bytes]:
        """Open an existing file for reading, with random access.

        Raises:
            EvidenceStoreError: The store at the URL does not answer.
            OSError: The file no longer exists.
        """
        path = self._path(name)
        if path is None:
            raise FileNotFoundError(name)
        if self.url is None or path.is_file():
            return path.open("rb")
        with self._remote() as (files, root):
            stream: IO[bytes] = files.open(f"{root}/{name}", "rb")
            return stream

    def send(self, name: str) -> None:
        """Move a file from the folder to the URL; nothing happens without a URL.

        Raises:
            EvidenceStoreError: The store at the URL does not take it; it is still in the folder.
        """
        if self.url is None:
            return
        path = self.folder / name
        with self._remote() as (files, root):
            there = f"{root}/{name}"
            files.makedirs(there.rpartition("/")[0], exist_ok=True)
            files.put_file(str(path), there)
        path.unlink()

    def remove(self, name: str) -> None:
        """Delete a file, wherever it lies; nothing happens where it does not exist.

        Raises:
            EvidenceStoreError: The store at the URL does not answer.
            OSError: The disk refuses the deletion.
        """
        path = self._path(name)
        if path is None:
            return
        path.unlink(missing_ok=True)
        if self.url is not None:
            with self._remote() as (files, root):
                there = f"{root}/{name}"
                if files.isfile(there):
                    files.rm_file(there)

    def _path(self, name: str) -> Path | None:
        """Its path in the folder; None for a name that leads out of it."""
        path = (self.folder / name).resolve()
        is_within = path.is_relative_to(self.folder.resolve()) and ".." not in PurePosixPath(name).parts
        return path if is_within else None

    @contextmanager
    def _remote(self) -> Iterator[tuple[Any, str]]:
        assert self.url is not None
        try:
            yield import_module("fsspec").core.url_to_fs(self.url.rstrip("/"))
        except ImportError as error:
            raise EvidenceStoreError(
                f"{URL_VARIABLE} = {self.url}; needs pip install 'thirdcard[fleet]' and what fsspec names: {error}"
            ) from error
        except (OSError, ValueError) as error:
            raise EvidenceStoreError(f"{URL_VARIABLE} = {self.url}; cannot be used: {error}") from error
