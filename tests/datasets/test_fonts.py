"""The fonts that come with the package are all there, are all that is used, and draw the same wherever they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFont

from tests.datasets.drawn_here import DECK, SCRIPT
from tests.repository import ROOT
from thirdcard.datasets.decks.cards import RANKS
from thirdcard.datasets.fonts.shipped import CLOTH_FONTS, FOLDER, STEMS, MissingFontError, font_path, open_font
from thirdcard.datasets.fonts.subset import find_whole_fonts, neutral_name, subset
from thirdcard.datasets.script.frozen import load_frozen

PRINTED = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 :*"
LARGEST_BYTES = 3_500_000


def drawn(face: ImageFont.FreeTypeFont, text: str) -> np.ndarray:
    picture = Image.new("L", (1200, 200))
    ImageDraw.Draw(picture).text((40, 30), text, font=face, fill=255)
    return np.asarray(picture)


def drawn_elsewhere(*arguments: str, **variables: str) -> dict[str, str]:
    """What another process draws."""
    command = [sys.executable, "-m", "tests.datasets.drawn_here", *arguments]
    made = subprocess.run(
        command, cwd=ROOT, env=os.environ | variables, capture_output=True, text=True, check=False, timeout=300
    )
    assert made.returncode == 0, made.stderr
    found: dict[str, str] = json.loads(made.stdout)
    return found


def test_same_pixels_are_drawn_where_the_fonts_of_the_system_cannot_be_read(tmp_path: Path) -> None:
    here = drawn_elsewhere()
    bare = drawn_elsewhere("barred", FONTCONFIG_FILE=str(tmp_path / "none.conf"), XDG_DATA_HOME=str(tmp_path))
    frozen = load_frozen()

    assert bare == here
    assert here["lettering"] == frozen.cloths[SCRIPT]
    assert here["deck"] == frozen.decks[DECK]


def test_folder_holds_the_fonts_that_are_named_and_no_others() -> None:
    files = sorted(path.stem for path in FOLDER.iterdir() if path.suffix in (".ttf", ".otf"))
    assert files == sorted(STEMS)
    assert sum(path.stat().st_size for path in FOLDER.iterdir() if path.is_file()) < LARGEST_BYTES


def test_licences_name_every_font() -> None:
    lines = (FOLDER / "LICENCES.txt").read_text(encoding="utf-8").split("=" * 60)[0].splitlines()
    named = [
        name for line in lines if line.startswith("  ") for name in line.partition("(")[0].replace(",", " ").split()
    ]
    assert [stem for stem in STEMS if not any(fnmatchcase(stem, name) for name in named)] == []


@pytest.mark.parametrize("stem", STEMS)
def test_font_has_what_is_printed_and_no_name_of_the_whole_font(stem: str) -> None:
    with TTFont(font_path(stem), lazy=True) as font:
        assert set(map(ord, PRINTED + "".join(RANKS))) <= set(font.getBestCmap())
        assert {font["name"].getDebugName(number) for number in (1, 4)} == {neutral_name(stem)}


def test_number_of_a_cloths_font_has_nothing_to_do_with_its_words_and_borders() -> None:
    assert all(len(CLOTH_FONTS) % remainder for remainder in (2, 3, 4, 5))


def test_missing_font_names_folder_and_stem(tmp_path: Path) -> None:
    with pytest.raises(MissingFontError, match=r"Lato-Bold = no file; must be Lato-Bold.ttf or Lato-Bold.otf"):
        font_path("Lato-Bold", tmp_path)


def test_folder_without_whole_fonts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFontError, match=r"DejaVuSans-Bold = no file; must be DejaVuSans-Bold.ttf or .* below"):
        find_whole_fonts(tmp_path)


@pytest.mark.parametrize("stem", ["DejaVuSerifCondensed-Bold", "C059-Bold"])
def test_subset_draws_as_the_font_that_it_was_made_from(stem: str, tmp_path: Path) -> None:
    source = font_path(stem)
    subset(source, tmp_path / source.name)
    made = ImageFont.truetype(str(tmp_path / source.name), 96, layout_engine=ImageFont.Layout.BASIC)
    for text in (*RANKS, "PLAYER AVATAR"):
        np.testing.assert_array_equal(drawn(made, text), drawn(open_font(stem, 96), text))
