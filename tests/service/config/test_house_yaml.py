"""A house's settings out of its file and the environment, and a refusal that names where they stand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.repository import ROOT
from thirdcard.service.config.house_yaml import HouseFile, LogFile, VerifyFile, load_house
from thirdcard.service.ports.errors import ServiceError


def written(folder: Path, text: str) -> Path:
    (folder / "house.yaml").write_text(text, encoding="utf-8")
    return folder


def test_no_file_and_no_variable_give_the_usual_settings(tmp_path: Path) -> None:
    usual = HouseFile()
    assert load_house(tmp_path, {}) == load_house(None, {}) == usual
    assert (usual.time_zone, usual.host, usual.port, usual.metrics) == ("UTC", "127.0.0.1", 8333, "open")
    assert usual.log == LogFile(level=None, format="text")


def test_file_is_read_whole(tmp_path: Path) -> None:
    text = "time_zone: Pacific/Auckland\nhost: '::1'\nport: 0\nmetrics: token\nlog: {level: debug, format: json}\n"
    house = load_house(written(tmp_path, text), {})
    assert (house.time_zone, house.host, house.port, house.metrics) == ("Pacific/Auckland", "::1", 0, "token")
    assert house.log == LogFile(level="debug", format="json")


def test_environment_goes_before_the_file_key_by_key(tmp_path: Path) -> None:
    home = written(tmp_path, "time_zone: Pacific/Auckland\nport: 80\nlog: {level: debug, format: json}\n")
    environment = {"THIRDCARD_TIME_ZONE": "Europe/Zurich", "THIRDCARD_PORT": "8080", "THIRDCARD_LOG__LEVEL": "error"}
    house = load_house(home, environment)
    assert (house.time_zone, house.port) == ("Europe/Zurich", 8080)
    assert house.log == LogFile(level="error", format="json")


def test_environment_counts_without_a_folder() -> None:
    assert load_house(None, {"THIRDCARD_TIME_ZONE": "Europe/Zurich"}).time_zone == "Europe/Zurich"


def test_variable_may_hold_a_mapping_or_nothing() -> None:
    house = load_house(None, {"THIRDCARD_LOG": '{"format": "json"}', "THIRDCARD_HOST": ""})
    assert (house.log.format, house.host) == ("json", "127.0.0.1")


def test_other_variables_of_the_program_are_no_settings_of_the_house() -> None:
    environment = {"THIRDCARD_DATABASE_URL": "postgresql://db", "THIRDCARD_EVIDENCE_URL": "s3://x", "PORT": "1"}
    assert load_house(None, environment) == HouseFile()


def test_making_settings_reads_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "THIRDCARD_PORT", "1")
    assert HouseFile().port == 8333
    assert load_house(None, {}).port == 8333


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(
            "colour: red\n",
            "colour = red; unknown key; allowed: time_zone, host, port, metrics, api_document",
            id="key",
        ),
        pytest.param("log: {colour: red}\n", "log.colour = red; unknown key; allowed: level, format", id="inner key"),
        pytest.param("time_zone: Mars\n", "time_zone = Mars; must be an IANA name, such as", id="zone"),
        pytest.param("time_zone: ../Mars\n", "time_zone = ../Mars; must be an IANA name", id="zone out of its folder"),
        pytest.param("port: 65536\n", "port = 65536; must be a port, 0 to 65535", id="port"),
        pytest.param("port: '80'\n", 'port = "80"; must be a port, 0 to 65535', id="port in quotes"),
        pytest.param("host: ''\n", 'host = ""; must be the address', id="no host"),
        pytest.param("metrics: closed\n", "metrics = closed; must be one of open, token", id="metrics"),
        pytest.param("log: {level: loud}\n", "log.level = loud; must be one of debug, info, warning", id="level"),
        pytest.param("log: {format: xml}\n", "log.format = xml; must be one of text, json", id="format"),
        pytest.param("- 1\n", "content = [1]; must be a mapping", id="a list"),
        pytest.param("port: 1\nport: 2\n", "no valid YAML", id="twice"),
    ],
)
def test_wrong_file_is_refused_in_one_line_that_names_it(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ServiceError) as caught:
        load_house(written(tmp_path, text), {})
    assert str(caught.value).startswith(f"{tmp_path / 'house.yaml'}: {told}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        pytest.param({"THIRDCARD_PORT": "tcp://10.0.0.1:80"}, "THIRDCARD_PORT = tcp://10.0.0.1:80; must", id="port"),
        pytest.param({"THIRDCARD_TIME_ZONE": "Mars"}, "THIRDCARD_TIME_ZONE = Mars; must be an IANA name", id="zone"),
        pytest.param({"THIRDCARD_LOG__LEVEL": "loud"}, "THIRDCARD_LOG__LEVEL = loud; must be one of", id="inner"),
        pytest.param({"THIRDCARD_LOG__COLOUR": "red"}, "THIRDCARD_LOG__COLOUR = red; unknown key", id="unknown"),
        pytest.param(
            {"THIRDCARD_LOG": "{red"}, "THIRDCARD_LOG = {red; must be a mapping, written as JSON", id="no mapping"
        ),
    ],
)
def test_wrong_variable_is_refused_in_one_line_that_names_it(
    tmp_path: Path, environment: Mapping[str, str], told: str
) -> None:
    with pytest.raises(ServiceError) as caught:
        load_house(written(tmp_path, "port: 80\n"), environment)
    assert str(caught.value).startswith(f"environment: {told}")
    assert "\n" not in str(caught.value)


def test_every_key_stands_in_the_table_of_the_page() -> None:
    page = (ROOT / "docs" / "operations" / "configure.md").read_text(encoding="utf-8")
    parts: dict[str, type[BaseModel]] = {"log": LogFile, "verify": VerifyFile}
    keys = [key for key in HouseFile.model_fields if key not in parts]
    keys += [f"{part}.{key}" for part, model in parts.items() for key in model.model_fields]
    assert [key for key in keys if f"| `{key}` |" not in page] == []
