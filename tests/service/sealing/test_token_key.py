"""A key on a token signs as one in a file does; SoftHSM stands in for the token."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.service.hand_clock import NOON, HandClock
from tests.service.sealing.sealed_house import ORIGIN, SealedHouse
from thirdcard.service.sealing.checkpoint import SealError
from thirdcard.service.sealing.keys import load_key, load_verifier, new_key, public_path, state_path
from thirdcard.service.sealing.signer import Signer, begin_state, open_state
from thirdcard.service.sealing.token_key import PIN_VARIABLE, TokenAddress, parse_address
from thirdcard.service.store.database import Database

MODULES = (
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib64/pkcs11/libsofthsm2.so",
    "/usr/local/lib/softhsm/libsofthsm2.so",
)
MODULE = next((path for path in MODULES if Path(path).is_file()), None)
PIN = "1234"
has_token = pytest.mark.skipif(
    MODULE is None or shutil.which("softhsm2-util") is None or importlib.util.find_spec("pkcs11") is None,
    reason="SoftHSM or python-pkcs11 is not installed",
)


@pytest.fixture(scope="module")
def token(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a key `thirdcard` on a fresh token; one for all, since a process loads its module once."""
    folder = tmp_path_factory.mktemp("softhsm")
    (folder / "tokens").mkdir()
    (folder / "conf").write_text(f"directories.tokendir = {folder / 'tokens'}\nobjectstore.backend = file\n")
    patch = pytest.MonkeyPatch()
    patch.setenv("SOFTHSM2_CONF", str(folder / "conf"))
    patch.setenv(PIN_VARIABLE, PIN)
    begin = ["softhsm2-util", "--init-token", "--free", "--label", "the house", "--pin", PIN, "--so-pin", "5678"]
    subprocess.run(begin, check=True, capture_output=True)
    return f"pkcs11:token=the%20house;object=thirdcard?module-path={MODULE}"


@has_token
def test_key_on_a_token_signs_what_its_public_half_verifies(token: str, database: Database, tmp_path: Path) -> None:
    key_file = tmp_path / "signer.key"
    begin_state(key_file, new_key(key_file, ORIGIN, token), "first key", NOON)
    house = SealedHouse(database, tmp_path, HandClock(NOON), key_file)
    house.anchors.mkdir()
    house.write("log/B07")
    house.seal()
    assert house.fault() is None
    assert "PRIVATE" not in key_file.read_text()
    assert load_key(key_file).verifier == load_verifier(public_path(key_file))

    with pytest.raises(SealError, match="is on the token already; it is never overwritten"):
        new_key(tmp_path / "again", ORIGIN, token)
    with pytest.raises(SealError, match="is there already; it is never overwritten"):
        new_key(key_file, ORIGIN, token.replace("object=thirdcard", "object=third"))
    signer = Signer(load_key(key_file), open_state(key_file), house.clock)
    signer.rotate(tmp_path / "next.key", token.replace("object=thirdcard", "object=next"))
    signer.close()
    state_path(key_file).rename(state_path(tmp_path / "next.key"))
    house.key = tmp_path / "next.key"
    house.write("log/B07")
    house.seal()
    assert house.prove(keys=(public_path(key_file),)).fault is None

    address, public = (tmp_path / "next.key").read_text().splitlines()
    other = tmp_path / "other.key"
    other.write_text(f"{address.replace('object=next', 'object=thirdcard')}\n{public}\n")
    other.chmod(0o600)
    with pytest.raises(SealError, match="the token has another key of that label"):
        load_key(other)


@has_token
@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(("the%20house", "none"), "token = none, object = thirdcard: cannot be used", id="token"),
        pytest.param(("libsofthsm2", "no-such"), "cannot be used", id="module"),
    ],
)
def test_token_that_is_away_is_named(token: str, tmp_path: Path, change: tuple[str, str], told: str) -> None:
    with pytest.raises(SealError, match=told):
        new_key(tmp_path / "key", ORIGIN, token.replace(*change))


@has_token
def test_pin_is_needed(token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PIN_VARIABLE)
    with pytest.raises(SealError, match="THIRDCARD_PKCS11_PIN is not set"):
        new_key(tmp_path / "key", ORIGIN, token)


def test_address_is_read() -> None:
    text = "pkcs11:token=the%20house;object=a?module-path=/x/y.so"
    assert parse_address(text, "--pkcs11") == TokenAddress(token="the house", label="a", module="/x/y.so")


@pytest.mark.parametrize("text", ["", "pkcs11:", "pkcs11:token=a;object=b", "token=a;object=b?module-path=c"])
def test_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(SealError, match="must be pkcs11:token=LABEL;object=LABEL"):
        parse_address(text, "--pkcs11")
