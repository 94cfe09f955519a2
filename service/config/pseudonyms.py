"""Stable pseudonyms for dealers: a keyed hash, with the key in the service's folder.

With the key and a list of names anybody can identify the dealers, so the key is readable for the service only, as is
the database.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from thirdcard.service.ports.errors import ServiceError

KEY_FILE = "dealers.key"
KEY_BYTES = 32
LETTERS = 6
PREFIX = "D-"


class KeyFileError(ServiceError):
    """The key of dealers' pseudonyms cannot be used."""


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """The pseudonyms under one key."""

    key: bytes

    def of(self, dealer: str) -> str:
        """The pseudonym of a name: `D-` and six letters or digits; an empty text stays empty."""
        if not dealer:
            return dealer
        digest = hmac.new(self.key, dealer.encode("utf-8"), hashlib.sha256).digest()
        return PREFIX + base64.b32encode(digest)[:LETTERS].decode("ascii")

    def find(self, pseudonym: str, dealers: Iterable[str]) -> list[str]:
        """The dealers in the list that have that pseudonym."""
        return [dealer for dealer in dealers if self.of(dealer) == pseudonym]


def open_pseudonyms(folder: Path) -> Pseudonyms:
    """The pseudonyms of a service's folder; creates the key where there is none.

    Raises:
        KeyFileError: The file cannot be read or created, or holds no key.
    """
    path = folder / KEY_FILE
    try:
        if not path.exists():
            _make_key(path)
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        raise KeyFileError(f"{path}: must hold {KEY_BYTES} bytes in hexadecimal: {error}") from error
    if len(key) != KEY_BYTES:
        raise KeyFileError(f"{path}: must hold {KEY_BYTES} bytes in hexadecimal, has {len(key)}")
    return Pseudonyms(key)


def _make_key(path: Path) -> None:
    """Write a new key atomically; if another process was faster, its key stays."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_hex(KEY_BYTES) + "\n", encoding="ascii")
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
