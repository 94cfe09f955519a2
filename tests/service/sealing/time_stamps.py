"""A test time stamp authority: `openssl ts` behind HTTP."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

OPENSSL = shutil.which("openssl")
_CONFIG = """
[ca]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[stamps]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = house
[house]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
ess_cert_id_alg = sha256
accuracy = secs:1
"""


def make_authority(folder: Path) -> Path:
    """Make the keys and certificates of an authority; returns the path of the root certificate."""
    folder.mkdir()
    (folder / "conf").write_text(_CONFIG.format(folder=folder))
    (folder / "serial").write_text("01\n")
    new = ["req", "-newkey", "rsa:2048", "-nodes", "-sha256"]
    config = ["-extfile", str(folder / "conf"), "-days", "30"]
    for name, subject in (("ca", "Root"), ("tsa", "Stamps")):
        keys = ["-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.csr"), "-subj", f"/CN={subject}"]
        _openssl(*new, *keys)
    ca = ["-in", str(folder / "ca.csr"), "-signkey", str(folder / "ca.key"), "-out", str(folder / "ca.pem")]
    _openssl("x509", "-req", *ca, *config, "-extensions", "ca")
    by = ["-CA", str(folder / "ca.pem"), "-CAkey", str(folder / "ca.key"), "-set_serial", "2"]
    made = ["-in", str(folder / "tsa.csr"), "-out", str(folder / "tsa.pem")]
    _openssl("x509", "-req", *made, *by, *config, "-extensions", "stamps")
    return folder / "ca.pem"


@contextmanager
def answering(folder: Path) -> Iterator[str]:
    """The authority's address while the block runs."""

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query, reply = folder / "query.tsq", folder / "reply.tsr"
            query.write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
            place = ["-config", str(folder / "conf"), "-section", "house"]
            _openssl("ts", "-reply", "-queryfile", str(query), "-out", str(reply), *place)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(reply.read_bytes())

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/tsr"
        server.shutdown()
        thread.join(20)


def _openssl(*arguments: str) -> None:
    assert OPENSSL is not None
    subprocess.run([OPENSSL, *arguments], check=True, capture_output=True)
