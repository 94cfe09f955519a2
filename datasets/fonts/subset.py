"""Rebuild the shipped fonts from complete ones: `python -m thirdcard.datasets.fonts.subset FOLDER`.

FOLDER is searched with its subfolders for `<stem>.otf` and `<stem>.ttf` of every name in `datasets/fonts/shipped.py`,
as in the Debian packages named in LICENCES.txt. A subset has the printable characters of Latin-1 with their hinting,
and the kerning of ASCII: it draws ASCII as the complete font does. Its internal name is `Thirdcard <hex>`, since the
licences of several fonts forbid a modified font to bear the original name. The copyright notice stays in it.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Set
from pathlib import Path
from typing import Any

from thirdcard.datasets.fonts.shipped import FOLDER, STEMS, MissingFontError

SIGNS = (*range(0x20, 0x7F), *range(0xA0, 0x100))
"""Code points that a subset keeps."""
WHOLE_STEMS = {f"NarrowSans-{style}": f"LiberationSansNarrow-{style}" for style in ("Bold", "Regular")}
"""File names of complete fonts whose name a modified one may not bear, by the subset's stem."""
_COPYRIGHT, _FAMILY, _STYLE, _FULL, _POSTSCRIPT, _LICENCE_ADDRESS = 0, 1, 2, 4, 6, 14
_UNUSED_TABLES = (
    "BASE", "FFTM", "GDEF", "GPOS", "GSUB", "MATH", "PfEd", "STAT", "Silt", "TeX ", "feat", "meta", "morx", "prop",
)  # fmt: skip


def neutral_name(stem: str) -> str:
    """Return the internal family name of a font's subset."""
    return f"Thirdcard {hashlib.sha256(stem.encode()).hexdigest()[:6]}"


def subset(source: Path, target: Path) -> None:
    """Write the subset of one font file."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    options = Options(legacy_kern=True, notdef_outline=True, layout_features=[])
    options.name_IDs = [_COPYRIGHT, _LICENCE_ADDRESS]
    options.drop_tables += _UNUSED_TABLES
    with TTFont(source, recalcBBoxes=False, recalcTimestamp=False, lazy=True) as font:
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=SIGNS)
        subsetter.subset(font)
        _keep_kerning(font, {glyph for code, glyph in font.getBestCmap().items() if code < 0x80})
        _rename(font, neutral_name(target.stem))
        font.save(target, reorderTables=True)


def find_whole_fonts(folder: Path) -> dict[str, Path]:
    """Return the complete font's file of each shipped font, in a folder or below.

    Of several files of a name an .otf comes first, then the last folder (`liberation2` before `liberation`).

    Raises:
        MissingFontError: A font is not found.
    """
    files = (*sorted(folder.rglob("*.ttf")), *sorted(folder.rglob("*.otf")))
    found = {path.stem: path for path in files}
    wanted = {stem: WHOLE_STEMS.get(stem, stem) for stem in STEMS}
    for whole in wanted.values():
        if whole not in found:
            raise MissingFontError(f"{folder}: {whole} = no file; must be {whole}.ttf or {whole}.otf in it or below")
    return {stem: found[whole] for stem, whole in wanted.items()}


def _keep_kerning(font: Any, glyphs: Set[str]) -> None:
    for pairs in font["kern"].kernTables if "kern" in font else ():
        if hasattr(pairs, "kernTable"):
            pairs.kernTable = {pair: by for pair, by in pairs.kernTable.items() if glyphs >= set(pair)}


def _rename(font: Any, name: str) -> None:
    table = font["name"]
    joined = name.replace(" ", "-")
    for number, text in ((_FAMILY, name), (_STYLE, "Regular"), (_FULL, name), (_POSTSCRIPT, joined)):
        table.setName(text, number, 3, 1, 0x409)
    if "CFF " in font:
        outlines = font["CFF "].cff
        outlines.fontNames[0] = joined
        top = outlines.topDictIndex[0]
        top.rawDict.update({key: name for key in ("FullName", "FamilyName") if key in top.rawDict})


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="whole fonts, in it or below")
    for stem, source in find_whole_fonts(parser.parse_args().folder).items():
        target = FOLDER / f"{stem}{source.suffix}"
        subset(source, target)
        print(f"{target.name}: {target.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
