"""What deploy holds: an image whose health check survives, and a composition with a database and TLS."""

from __future__ import annotations

import fnmatch
import re

import pytest
import yaml

from tests.repository import ROOT

CONTAINERFILE = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8"))
COPIED = [
    word
    for line in re.findall(r"^COPY (?!--from)(.*)$", CONTAINERFILE, re.MULTILINE)
    for word in line.split()[:-1]
]  # fmt: skip


@pytest.mark.parametrize("path", COPIED)
def test_what_the_image_is_built_of_is_there_and_not_ignored(path: str) -> None:
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert (ROOT / path).exists()
    assert any(fnmatch.fnmatch(path, pattern) for pattern in let_in)


def test_nothing_else_is_sent_to_the_builder() -> None:
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert let_in == set(COPIED)


def test_images_are_named_without_a_registry() -> None:
    named = re.findall(r"^(?:FROM|ARG BASE=) ?(\S+)", CONTAINERFILE, re.MULTILINE)
    named += [service["image"] for service in COMPOSE["services"].values()]
    assert [name for name in named if "." in name.split("/")[0].split(":")[0]] == []


def test_stages_that_are_named_are_there() -> None:
    stages = re.findall(r" AS (\S+)$", CONTAINERFILE, re.MULTILINE)
    used = re.findall(r"^FROM (\S+)|--from=(\S+)", CONTAINERFILE, re.MULTILINE)
    assert {name for pair in used for name in pair if name and name != "${BASE}"} <= set(stages)
    assert stages[-1] == "thirdcard"
    assert "fleet" in stages


def test_health_check_is_kept_in_every_format_of_images() -> None:
    builds = [
        line
        for line in (CONTAINERFILE + (ROOT / "docs" / "operations" / "install.md").read_text()).splitlines()
        if "podman build" in line
    ]
    assert [line for line in builds if "--format docker" not in line] == []
    assert "api/health" in COMPOSE["services"]["room"]["healthcheck"]["test"][-1]


def test_room_is_reached_through_the_proxy_alone() -> None:
    services = COMPOSE["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert services["room"]["depends_on"]["database"]["condition"] == "service_healthy"
    network = COMPOSE["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    assert network in services["room"]["command"]


def test_no_secret_is_shipped() -> None:
    values = [
        line.split("=", 1)[1]
        for line in (ROOT / "deploy" / "secrets.env.example").read_text().splitlines()
        if line and line[0] != "#"
    ]
    assert values == ["", ""]
