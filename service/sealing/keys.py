"""Key files of a signer: a private key that only its owner can read, and a public key to give away.

A private key is one line in the format of Go's note package: `PRIVATE+KEY+NAME+ID+KEY`, the last part base64 of the
signature type and the 32 bytes of an Ed25519 seed. For a key on a token the file holds its address instead, and the
public key in a second line.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from thirdcard.service.sealing.checkpoint import (
    ED25519,
    SealError,
    SigningKey,
    VerifierKey,
    check_origin,
    parse_verifier,
)
from thirdcard.service.sealing.token_key import SCHEME, TokenKey, parse_address

PRIVATE = "PRIVATE+KEY+"
OTHERS = 0o077
"""The permission bits that a private key must not have: any of group or others."""


def new_key(path: Path, origin: str, token: str | None = None) -> SigningKey:
    """Make a key: the private key in `path` with mode 0600, the public key beside it in `path.pub`.

    Args:
        path: The key's file.
        origin: The log's name.
        token: The address of a key to make on a token; `path` then holds this address.

    Raises:
        SealError: The file already exists, the origin is not valid, or the token cannot make a key.
    """
    if token is not None:
        return _new_token_key(path, check_origin(origin), token)
    private = Ed25519PrivateKey.generate()
    key = SigningKey(origin=check_origin(origin), private=private)
    seed = private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    line = f"{PRIVATE}{origin}+{key.verifier.id.hex()}+{base64.b64encode(ED25519 + seed).decode()}\n"
    write_once(path, line.encode(), mode=0o600)
    write_once(public_path(path), f"{key.verifier}\n".encode(), mode=0o644)
    return key


def load_key(path: Path) -> SigningKey:
    """Load the private key of a file.

    Raises:
        SealError: Others may read the file, or it holds no private key.
    """
    allowed = "must be one line PRIVATE+KEY+NAME+ID+KEY, as `thirdcard signer new-key` wrote it"
    if path.stat().st_mode & OTHERS:
        raise SealError(f"{path}: others may read it; its rights must be 0600")
    line = _read(path, allowed)
    if line.startswith(SCHEME):
        return _load_token_key(path, line)
    try:
        origin, key_id, encoded = line.removeprefix(PRIVATE).split("+", 2)
        found = base64.b64decode(encoded, validate=True)
        key = SigningKey(origin=origin, private=Ed25519PrivateKey.from_private_bytes(found[1:]))
    except ValueError as error:
        raise SealError(f"{path}: is no private key; {allowed}") from error
    if not line.startswith(PRIVATE) or found[:1] != ED25519 or key.verifier.id.hex() != key_id:
        raise SealError(f"{path}: is no whole private key; {allowed}")
    return key


def load_verifier(path: Path) -> VerifierKey:
    """Load the public key of a file.

    Raises:
        SealError: The file holds no public key.
    """
    return parse_verifier(_read(path, "must be a public key, one line NAME+ID+KEY"), str(path))


def public_path(path: Path) -> Path:
    """The path of a key's public key."""
    return path.with_name(f"{path.name}.pub")


def state_path(path: Path) -> Path:
    """The path of the file in which a signer keeps what it signed."""
    return path.with_name(f"{path.name}.state")


def write_once(path: Path, data: bytes, *, mode: int) -> None:
    """Write a new file completely and flush it to disk, or leave nothing behind.

    Raises:
        SealError: The file already exists.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError as error:
        raise SealError(f"{path}: is there already; it is never overwritten") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _new_token_key(path: Path, origin: str, token: str) -> SigningKey:
    private = TokenKey(parse_address(token, "--pkcs11"))
    if path.exists():
        raise SealError(f"{path}: is there already; it is never overwritten")
    private.make()
    key = SigningKey(origin=origin, private=private)
    write_once(path, f"{token}\n{key.verifier}\n".encode(), mode=0o600)
    write_once(public_path(path), f"{key.verifier}\n".encode(), mode=0o644)
    return key


def _load_token_key(path: Path, text: str) -> SigningKey:
    """The token key whose address is in a file.

    Raises:
        SealError: The address is not valid, or the token's key of that label is another one.
    """
    address, _, public = text.partition("\n")
    expected = parse_verifier(public, str(path))
    key = SigningKey(origin=expected.origin, private=TokenKey(parse_address(address, str(path))))
    if key.verifier != expected:
        raise SealError(f"{path}: the token has another key of that label; must be {expected}")
    return key


def _read(path: Path, allowed: str) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        raise SealError(f"{path}: is no text; {allowed}") from error
