"""The protocol between the service and its signer: JSON lines over a Unix socket, one answer per request.

The signer listens and the service connects. So the signer opens nothing that the service's account can write, neither
the folder nor the database, and needs no permission there; the socket's group decides who may ask.

Requests: `{"format": 1, "ask": ...}` with `state`; `notes` and `after`; `extend`, `size` and `leaves`; `sign` and
`chains`; `stamp`. Answers: the requested values, or `refused` with the reason.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import socket
import socketserver
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from thirdcard.service.sealing.checkpoint import SealError
from thirdcard.service.sealing.merkle import Leaf
from thirdcard.service.sealing.signer import Signer, SigningRefusedError

logger = logging.getLogger(__name__)

FORMAT = 1
LONGEST_LINE = 16 * 2**20
"""The limit in bytes for a request or answer: a batch of leaves takes about 3 MB."""
ANSWER_S = 60.0
"""The timeout in seconds of either side."""
MODE = 0o660
"""The socket's file mode: its owner and its group may connect."""


class SignerAwayError(SealError):
    """No signer answers."""


class SignerLink:
    """A client of the signer at a socket.

    Args:
        path: The socket.
        patience_s: The timeout for an answer, in seconds.
    """

    def __init__(self, path: Path, patience_s: float = ANSWER_S) -> None:
        self.path = path
        self.patience_s = patience_s

    def state(self) -> tuple[str, int, int]:
        """The log's origin, its number of leaves, and the number of its newest checkpoint."""
        found = self._ask(ask="state")
        return str(found["origin"]), int(found["size"]), int(found["newest"])

    def key(self) -> str | None:
        """The public key, one line; None where the signer's version does not report it."""
        found = self._ask(ask="state").get("key")
        return None if found is None else str(found)

    def stamp(self) -> tuple[int, bytes] | None:
        """The newest time stamp: its checkpoint's number and the authority's answer, DER; None where there is none.

        Raises:
            SigningRefusedError: The signer's version does not support this request.
        """
        found = self._ask(ask="stamp")["stamp"]
        return None if found is None else (int(found[0]), base64.b64decode(found[1]))

    def notes(self, after: int) -> list[str]:
        """The checkpoints after the one with this number, the oldest first; at most 1000."""
        return [str(note) for note in self._ask(ask="notes", after=after)["notes"]]

    def extend(self, size: int, leaves: Sequence[Leaf]) -> None:
        """Add leaves after the first `size`.

        Raises:
            SigningRefusedError: They do not continue what was signed.
        """
        self._ask(ask="extend", size=size, leaves=[[leaf.chain, leaf.seq, leaf.seal] for leaf in leaves])

    def sign(self, chains: int) -> None:
        """Have the log signed in its present state.

        Raises:
            SigningRefusedError: The signer has another number of chains.
        """
        self._ask(ask="sign", chains=chains)

    def _ask(self, **request: object) -> dict[str, Any]:
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(self.patience_s)
                line.connect(str(self.path))
                with line.makefile("rwb") as stream:
                    stream.write(json.dumps({"format": FORMAT, **request}).encode() + b"\n")
                    stream.flush()
                    answer: dict[str, Any] = json.loads(stream.readline(LONGEST_LINE))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SignerAwayError(f"signer = {self.path}; no signer answers there: {reason}") from error
        if "refused" in answer:
            raise SigningRefusedError(f"the signer refuses to sign: {answer['refused']}")
        return answer


class SignerServer(socketserver.UnixStreamServer):
    """Answers one connection after another.

    Args:
        path: The socket, which is created anew.
        signer: The signer.
        between: Called about twice a second, with or without requests: for the anchoring.
        group: The id of the group that may connect; None for the group of the process.
        newest_stamp: Returns the newest time stamp with its checkpoint's number.

    Raises:
        SealError: Something else is at the path, or the group cannot be set.
    """

    def __init__(
        self,
        path: Path,
        signer: Signer,
        between: Callable[[], None],
        group: int | None = None,
        newest_stamp: Callable[[], tuple[int, bytes] | None] = lambda: None,
    ) -> None:
        self.signer = signer
        self._newest_stamp = newest_stamp
        self._between = between
        if path.is_socket():
            path.unlink()
        before = os.umask(0o777 & ~MODE)
        try:
            super().__init__(str(path), _Call)
            if group is not None:
                os.chown(path, -1, group)
        except OSError as error:
            raise SealError(f"--socket = {path}; cannot be made: {error.strerror or error}") from error
        finally:
            os.umask(before)

    def service_actions(self) -> None:
        """The work between two requests."""
        self._between()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log an error of one connection and go on: the next request is still answered."""
        logger.exception("a call was not answered")

    def answer(self, request: object) -> dict[str, object]:
        """The answer to one request."""
        try:
            return self._answer(request)
        except SigningRefusedError as error:
            logger.error("REFUSED TO SIGN: %s", error)
            return {"refused": str(error)}
        except (KeyError, TypeError, ValueError) as error:
            return {"refused": f"this is no request of this version: {error!r}"}

    def _answer(self, request: Any) -> dict[str, object]:
        if request["format"] != FORMAT:
            return {"refused": f"format = {request['format']}; must be {FORMAT}: signer and service differ in version"}
        if request["ask"] == "state":
            key, size = self.signer.key, self.signer.size
            return {"origin": key.origin, "size": size, "newest": self.signer.newest, "key": str(key.verifier)}
        if request["ask"] == "notes":
            return {"notes": self.signer.notes(int(request["after"]))}
        if request["ask"] == "extend":
            leaves = [Leaf(chain=str(name), seq=int(seq), seal=str(seal)) for name, seq, seal in request["leaves"]]
            self.signer.extend(int(request["size"]), leaves)
            return {"size": self.signer.size}
        if request["ask"] == "sign":
            return {"note": self.signer.sign(int(request["chains"]))}
        if request["ask"] == "stamp":
            found = self._newest_stamp()
            return {"stamp": None if found is None else [found[0], base64.b64encode(found[1]).decode()]}
        return {"refused": f"ask = {request['ask']}; must be one of state, notes, extend, sign, stamp"}


class _Call(socketserver.StreamRequestHandler):
    timeout = ANSWER_S
    server: SignerServer

    def handle(self) -> None:
        try:
            request = json.loads(self.rfile.readline(LONGEST_LINE))
        except ValueError:
            request = None
        self.wfile.write(json.dumps(self.server.answer(request)).encode() + b"\n")
