"""Checkpoints as signed notes: the size and root of a log, signed with Ed25519.

The text is C2SP's tlog-checkpoint inside C2SP's signed-note (c2sp.org/tlog-checkpoint, c2sp.org/signed-note): origin,
size, root in base64, then extension lines; an empty line; a line for each signature. Our extension lines are `format`,
`number`, `time`, `chains`, and where they are due `anchored` (the newest checkpoint in the folder of anchors),
`next-key` (the key that signs from now on) and `begins` (why a log begins).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.ports.moments import format_moment
from thirdcard.service.sealing.merkle import HASH_BYTES

FORMAT = 1
"""The format of the extension lines; a higher number is from a later version of Thirdcard."""
ED25519 = b"\x01"
"""The signature type byte of signed notes."""
ID_BYTES = 4
"""The length of a key id in a signed note, in bytes."""
LONGEST_ORIGIN = 120
"""In characters; equals the width of its database column."""
_ORIGIN = re.compile(r"[!-*,-~]+")
_SIGNATURE = re.compile(r"\N{EM DASH} (\S+) ([A-Za-z0-9+/=]+)")


class SealError(ServiceError):
    """A key, checkpoint or anchor cannot be used, or is invalid."""


class NewerFormatError(SealError):
    """The data was written by a later version of Thirdcard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierKey:
    """A signer's public key, as it is given to others."""

    origin: str
    public: bytes
    """The raw key, 32 bytes."""

    @property
    def id(self) -> bytes:
        """The 4 bytes by which a signature names its key."""
        return hashlib.sha256(self.origin.encode() + b"\n" + ED25519 + self.public).digest()[:ID_BYTES]

    def __str__(self) -> str:
        """The line of a verifier key in the signed-note format: name, id and key, joined by plus signs."""
        return f"{self.origin}+{self.id.hex()}+{_in_base64(ED25519 + self.public)}"


class PrivateHalf(Protocol):
    """A private key: in memory, or on a token."""

    def sign(self, data: bytes, /) -> bytes:
        """The Ed25519 signature, 64 bytes."""

    def public_key(self) -> Ed25519PublicKey:
        """The public key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """A signer's private key with its origin."""

    origin: str
    private: PrivateHalf = field(repr=False)

    @property
    def verifier(self) -> VerifierKey:
        """The public key."""
        public = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return VerifierKey(origin=self.origin, public=public)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A signer's statement about a log at one time."""

    origin: str
    number: int
    """Counted from 1 within its log, without gaps."""
    size: int
    """The number of leaves."""
    root: bytes
    """The root hash over the leaves, 32 bytes."""
    at: datetime
    """The time by the signer's clock."""
    chains: int
    """The number of chains."""
    anchored: int = 0
    """The number of the newest checkpoint in the folder of anchors at that time; 0 if there was none."""
    next_key: VerifierKey | None = None
    """The key that signs after this checkpoint."""
    begins: str | None = None
    """Why a log starts here; only in a log's first checkpoint."""

    def text(self) -> str:
        """The text that is signed; ends with a line feed."""
        lines = [self.origin, str(self.size), _in_base64(self.root), f"format {FORMAT}"]
        lines += [f"number {self.number}", f"time {format_moment(self.at)}", f"chains {self.chains}"]
        if self.anchored:
            lines.append(f"anchored {self.anchored}")
        if self.next_key is not None:
            lines.append(f"next-key {self.next_key}")
        if self.begins is not None:
            lines.append(f"begins {self.begins}")
        return "".join(f"{line}\n" for line in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedNote:
    """A checkpoint with its signatures."""

    checkpoint: Checkpoint
    text: str
    """The text that was signed."""
    signatures: tuple[tuple[str, bytes], ...]
    """Pairs of a signer's name and its key id followed by the signature."""

    def is_signed_by(self, key: VerifierKey) -> bool:
        """Whether the note has a valid signature of this key."""
        public = Ed25519PublicKey.from_public_bytes(key.public)
        for name, value in self.signatures:
            if name == key.origin and value[:ID_BYTES] == key.id:
                try:
                    public.verify(value[ID_BYTES:], self.text.encode())
                except InvalidSignature:
                    return False
                return True
        return False


def check_origin(origin: str) -> str:
    """The origin itself, checked.

    Raises:
        SealError: It is not a valid origin.
    """
    if len(origin) > LONGEST_ORIGIN or not _ORIGIN.fullmatch(origin):
        allowed = f"must be 1 to {LONGEST_ORIGIN} characters without spaces and +, such as casino.example/thirdcard"
        raise SealError(f"origin = {origin}; {allowed}")
    return origin


def sign(checkpoint: Checkpoint, keys: Iterable[SigningKey]) -> str:
    """The signed note."""
    text = checkpoint.text()
    lines = [
        f"\N{EM DASH} {key.origin} {_in_base64(key.verifier.id + key.private.sign(text.encode()))}\n" for key in keys
    ]
    return f"{text}\n{''.join(lines)}"


def parse_note(note: str, where: str) -> SignedNote:
    """Parse a signed note; its signatures are not checked yet.

    Args:
        note: The whole text.
        where: The name of the source, for error messages.

    Raises:
        SealError: It is not a signed note, or is truncated.
        NewerFormatError: A later version wrote it.
    """
    text, gap, rest = note.partition("\n\n")
    signed = [_SIGNATURE.fullmatch(line) for line in rest.splitlines()]
    if not gap or not rest.endswith("\n") or not signed:
        raise SealError(f"{where}: is no whole checkpoint; must be a signed note with its signatures")
    try:
        checkpoint = _parse_text(text.split("\n"), where)
        signatures = tuple((found[1], base64.b64decode(found[2], validate=True)) for found in signed if found)
    except (ValueError, IndexError, KeyError) as error:
        raise SealError(f"{where}: is no checkpoint that Thirdcard signs: {error}") from error
    return SignedNote(checkpoint=checkpoint, text=f"{text}\n", signatures=signatures)


def _parse_text(lines: list[str], where: str) -> Checkpoint:
    origin, size, root = lines[:3]
    extensions = dict(line.split(" ", 1) for line in lines[3:])
    if int(extensions["format"]) > FORMAT:
        found = f"format = {extensions['format']}"
        raise NewerFormatError(f"{where}: {found}; must be {FORMAT}: a later version of Thirdcard wrote it")
    digest = base64.b64decode(root, validate=True)
    if len(digest) != HASH_BYTES:
        raise ValueError(f"root of {len(digest)} bytes; must be {HASH_BYTES}")
    following = extensions.get("next-key")
    return Checkpoint(
        origin=origin,
        number=int(extensions["number"]),
        size=int(size),
        root=digest,
        at=datetime.fromisoformat(extensions["time"]),
        chains=int(extensions["chains"]),
        anchored=int(extensions.get("anchored", 0)),
        next_key=None if following is None else parse_verifier(following, where),
        begins=extensions.get("begins"),
    )


def parse_verifier(line: str, where: str) -> VerifierKey:
    """Parse the line of a public key.

    Raises:
        SealError: It is not a public key, or its id does not match the key.
    """
    allowed = "must be one line NAME+ID+KEY, as `thirdcard signer new-key` wrote it"
    try:
        origin, key_id, encoded = line.strip().split("+", 2)
        found = base64.b64decode(encoded, validate=True)
    except (ValueError, binascii.Error) as error:
        raise SealError(f"{where}: is no public key; {allowed}") from error
    key = VerifierKey(origin=origin, public=found[1:])
    if found[:1] != ED25519 or len(key.public) != HASH_BYTES or key.id.hex() != key_id:
        raise SealError(f"{where}: is no whole public key of Ed25519; {allowed}")
    return key


def _in_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
