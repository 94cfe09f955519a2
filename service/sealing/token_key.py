"""A signer's key on a PKCS#11 token (a smart card, a hardware security module), which signs there and never leaves it.

The key's file holds its address instead of the key: an RFC 7512 address, and the public key in a second line. The PIN
comes from the environment. The token must support EdDSA (PKCS#11 3.0).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from urllib.parse import unquote

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from thirdcard.service.sealing.checkpoint import SealError

SCHEME = "pkcs11:"
PIN_VARIABLE = "THIRDCARD_PKCS11_PIN"
ED25519_OID = "1.3.101.112"
"""RFC 8410."""
PUBLIC_BYTES = 32
ALLOWED = "must be pkcs11:token=LABEL;object=LABEL?module-path=/path/to/module.so"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenAddress:
    """The address of a key on a token."""

    token: str
    """The token's label."""
    label: str
    """The key's label on it."""
    module: str
    """The path of the token's PKCS#11 library."""


@dataclass(slots=True)
class TokenKey:
    """A key on a token; the session is opened when needed, and again after the token was away.

    Args:
        address: The address of the key.
    """

    address: TokenAddress
    _session: Any = field(default=None, repr=False)

    def sign(self, data: bytes) -> bytes:
        """The Ed25519 signature, 64 bytes.

        Raises:
            SealError: The token is away, or cannot sign.
        """
        pkcs11 = _pkcs11()
        try:
            key = self._open(pkcs11).get_key(object_class=pkcs11.ObjectClass.PRIVATE_KEY, label=self.address.label)
            return bytes(key.sign(data, mechanism=pkcs11.Mechanism.EDDSA))
        except pkcs11.PKCS11Error as error:
            self._session = None
            raise _fault(self.address, error) from error

    def public_key(self) -> Ed25519PublicKey:
        """The public key.

        Raises:
            SealError: The token is away, or has no such key.
        """
        pkcs11 = _pkcs11()
        try:
            key = self._open(pkcs11).get_key(object_class=pkcs11.ObjectClass.PUBLIC_KEY, label=self.address.label)
            point = bytes(key[pkcs11.Attribute.EC_POINT])
        except pkcs11.PKCS11Error as error:
            self._session = None
            raise _fault(self.address, error) from error
        return Ed25519PublicKey.from_public_bytes(point[-PUBLIC_BYTES:])

    def make(self) -> None:
        """Make the key on its token.

        Raises:
            SealError: The token already has a key of that label, or cannot make it.
        """
        pkcs11 = _pkcs11()
        session = self._open(pkcs11)
        if any(True for _ in session.get_objects({pkcs11.Attribute.LABEL: self.address.label})):
            raise SealError(f"object = {self.address.label}; is on the token already; it is never overwritten")
        curve = {pkcs11.Attribute.EC_PARAMS: import_module("pkcs11.util.ec").encode_named_curve_parameters(ED25519_OID)}
        try:
            parameters = session.create_domain_parameters(pkcs11.KeyType.EC_EDWARDS, curve, local=True)
            made = pkcs11.Mechanism.EC_EDWARDS_KEY_PAIR_GEN
            parameters.generate_keypair(mechanism=made, store=True, label=self.address.label)
        except pkcs11.PKCS11Error as error:
            raise _fault(self.address, error) from error

    def _open(self, pkcs11: Any) -> Any:
        if self._session is None:
            try:
                token = pkcs11.lib(self.address.module).get_token(token_label=self.address.token)
                self._session = _session(token, pkcs11.UserAlreadyLoggedIn, _pin(os.environ))
            except (pkcs11.PKCS11Error, RuntimeError) as error:
                raise _fault(self.address, error) from error
        return self._session


def parse_address(text: str, where: str) -> TokenAddress:
    """Parse an RFC 7512 address; needs its parts `token`, `object` and `module-path`.

    Raises:
        SealError: It is not such an address.
    """
    path, _, query = text.removeprefix(SCHEME).partition("?")
    pairs = [part.partition("=") for part in (*path.split(";"), *query.split("&"))]
    parts = {name: unquote(value) for name, _, value in pairs}
    if not text.startswith(SCHEME) or not all(parts.get(name) for name in ("token", "object", "module-path")):
        raise SealError(f"{where} = {text}; {ALLOWED}")
    return TokenAddress(token=parts["token"], label=parts["object"], module=parts["module-path"])


def _session(token: Any, is_signed_in: type[Exception], pin: str) -> Any:
    """A session of the token's user; a process logs in once for all its sessions."""
    try:
        return token.open(rw=True, user_pin=pin)
    except is_signed_in:
        return token.open(rw=True)


def _pin(environment: Mapping[str, str]) -> str:
    pin = environment.get(PIN_VARIABLE)
    if not pin:
        raise SealError(f"{PIN_VARIABLE} is not set; it must be the PIN of the token's user")
    return pin


def _pkcs11() -> Any:
    try:
        return import_module("pkcs11")
    except ImportError as error:
        raise SealError("a key on a token needs pip install 'thirdcard[pkcs11]'") from error


def _fault(address: TokenAddress, error: Exception) -> SealError:
    reason = str(error) or type(error).__name__
    return SealError(f"token = {address.token}, object = {address.label}: cannot be used: {reason}")
