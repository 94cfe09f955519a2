"""Chip sets parsed and refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from thirdcard.calibration.chips import load_chips, parse_chips
from thirdcard.calibration.errors import ChipsError, NoSuchNameError

BLACK = {"value": 100, "name": "black", "colour": "#1c1c1c"}
FIELDS = {"diameter_mm": 39, "thickness_mm": 3.3, "chips": [BLACK]}


def test_chip_set_parses_whole(tmp_path: Path) -> None:
    (tmp_path / "black.png").write_bytes(b"")
    fields = {**FIELDS, "chips": [{**BLACK, "sample": "black.png"}]}
    chips = parse_chips(fields, "chips.yaml", base=tmp_path)
    assert (chips.diameter_mm, chips.thickness_mm) == (39.0, 3.3)
    assert chips.chips[0].colour_rgb == (0x1C, 0x1C, 0x1C)
    assert chips.chips[0].sample_path == tmp_path / "black.png"


def test_chip_set_loads_from_file_name_or_mapping(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(FIELDS))
    assert load_chips("own.yaml", tmp_path) == load_chips(FIELDS, tmp_path)
    assert [chip.value for chip in load_chips("house", tmp_path).chips] == [5, 25, 100, 500, 1000, 5000]
    assert load_chips("house", tmp_path).values[0] == 5


def test_chip_set_of_no_such_name_lists_the_built_in_one(tmp_path: Path) -> None:
    with pytest.raises(NoSuchNameError, match="chips = ours; .* built in: house"):
        load_chips("ours", tmp_path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param({"maker": "x"}, "maker = x; unknown key; allowed: diameter_mm", id="unknown key"),
        pytest.param({"diameter_mm": 0}, "diameter_mm = 0; must be a number from 15 to 120", id="no diameter"),
        pytest.param({"thickness_mm": "3"}, 'thickness_mm = "3"; must be a number', id="thickness in words"),
        pytest.param({"chips": []}, "chips = []; must list at least one chip", id="no chips"),
        pytest.param({"chips": [5]}, "chips[0] = 5; must be a mapping", id="chip is a number"),
        pytest.param({"chips": [{**BLACK, "value": 0}]}, "chips[0].value = 0; must be a whole number", id="worthless"),
        pytest.param({"chips": [{**BLACK, "value": 2.5}]}, "chips[0].value = 2.5; must be a whole", id="fraction"),
        pytest.param({"chips": [{**BLACK, "colour": None}]}, "chips[0].colour = null; must be a colour", id="comment"),
        pytest.param({"chips": [{**BLACK, "colour": "black"}]}, "chips[0].colour = black; must", id="colour in words"),
        pytest.param({"chips": [{**BLACK, "name": 3}]}, "chips[0].name = 3; must be a text", id="name is a number"),
        pytest.param({"chips": [{**BLACK, "sample": "no.png"}]}, "chips[0].sample = no.png; no such file", id="sample"),
    ],
)
def test_wrong_chip_set_is_told_in_one_line(tmp_path: Path, change: dict[str, object], told: str) -> None:
    with pytest.raises(ChipsError) as caught:
        parse_chips({**FIELDS, **change}, "chips.yaml", base=tmp_path)
    assert str(caught.value).startswith(f"chips.yaml: {told}")
