"""The fonts that come with the package, by the stems of their files: all letters of cards, cloths and chips use them.

Nothing here looks for fonts elsewhere, and lines are laid out by Pillow's basic engine only: its other engine, Raqm, is
available only where the system has FriBiDi, and places some letters a pixel apart. So a font, a text and a size give
the same pixels on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

from thirdcard.datasets.errors import DatasetsError

FOLDER = Path(__file__).parent
TRAIN_FONTS = (
    "DejaVuSans-Bold",
    "DejaVuSans",
    "DejaVuSansCondensed-Bold",
    "DejaVuSansCondensed",
    "DejaVuSerif-Bold",
    "DejaVuSerif",
    "DejaVuSerifCondensed",
    "Lato-Bold",
    "Lato-Black",
    "Lato-Regular",
    "Lato-Medium",
    "LiberationSans-Bold",
    "LiberationSans-Regular",
    "NarrowSans-Regular",
    "LiberationSerif-Bold",
    "LiberationSerif-Regular",
    "LiberationSerif-BoldItalic",
    "LiberationSans-BoldItalic",
    "DejaVuSerif-BoldItalic",
    "LiberationMono-Bold",
    "DejaVuSansMono-Bold",
    "C059-Roman",
    "P052-Bold",
    "P052-Roman",
    "URWBookman-Light",
    "URWBookman-Demi",
    "URWGothic-Demi",
    "URWGothic-Book",
    "NimbusSansNarrow-Bold",
    "NimbusSans-Bold",
    "NimbusRoman-Bold",
    "FreeSerifBold",
    "FreeSansBold",
    "FreeSerif",
    "Carlito-Bold",
    "Caladea-Bold",
    "Cantarell-Bold",
    "OpenSans-Bold",
    "RobotoSlab-Bold",
    "RobotoSlab-Regular",
    "EBGaramond12-Bold",
    "NimbusMonoPS-Bold",
)
VARIED_FONTS = (
    *TRAIN_FONTS,
    "AccanthisADFStd-Bold",
    "AccanthisADFStdNo3-Regular",
    "Andika-Bold",
    "AveriaGWF-Gruesa",
    "AveriaSerifGWF-Bold",
    "BaskervaldADFStd-Heavy",
    "BebasNeue-Bold",
    "BebasNeue-Book",
    "BerenisADFPro-Regular",
    "Blankenburg_UNZ1A",
    "Cabin-Bold",
    "CharisSIL-Bold",
    "Comfortaa-Bold",
    "GFSDidot",
    "GFSDidotBold",
    "GNUTypewriter",
    "GenBkBasBI",
    "GilliusADF-Bold",
    "GilliusADFNo2-Regular",
    "GoudyBookletter1911",
    "JunicodeTwoBeta-Bold",
    "Jura-Bold",
    "LeagueSpartan-Bold",
    "LobsterTwo-Bold",
    "LobsterTwo-Regular",
    "MekanusADFStd-Bold",
    "MekanusADFTitlingStd-Regular",
    "OCRABold",
    "OCRB",
    "OldStandard-Bold",
    "OldStandard-Regular",
    "OldaniaADFStd-Bold",
    "Quattrocento-Regular",
    "RadisSans-medium",
    "RomandeADFStd-DemiBold",
    "TomsonTalks",
    "TribunADFStd-Bold",
    "Tuffy_Bold",
    "Verana-Bold",
    "VeranaSans-Bold",
    "Vollkorn-Bold",
    "YanoneKaffeesatz-Bold",
    "lobster",
    "texgyreadventor-bold",
    "texgyrecursor-bold",
    "texgyreschola-bold",
)
"""Fonts of the later training decks, which also include handwriting, blackletter, typewriters, and old-style
figures."""

SPARSE_FONTS = (
    *VARIED_FONTS,
    "AveriaGWF-Light",
    "AveriaSerifGWF-Light",
    "BebasNeue-Light",
    "BebasNeue-Thin",
    "Cantarell-Light",
    "Comfortaa-Light",
    "DejaVuSans-ExtraLight",
    "JunicodeTwoBeta-CondensedLight",
    "JunicodeTwoBeta-Light",
    "JunicodeTwoBeta-SemiCondensed",
    "Jura-Light",
    "Lato-Light",
    "Lato-Thin",
    "LeagueSpartan-Light",
    "OCRACondensed",
    "OpenSans-CondLight",
    "OpenSans-Light",
    "RobotoSlab-Light",
    "YanoneKaffeesatz-Light",
)
"""Fonts of the latest training decks, which also include hairlines and condensed letters."""

HELD_OUT_FONTS = (
    "DejaVuSerifCondensed-Bold",
    "NarrowSans-Bold",
    "Lato-Heavy",
    "Lato-Semibold",
    "C059-Bold",
    "OpenSans-Semibold",
    "FreeSans",
    "NimbusSansNarrow-Regular",
)
"""Fonts of the frozen decks: which of them a deck gets depends on their number."""

STEMS = tuple(dict.fromkeys((*SPARSE_FONTS, *HELD_OUT_FONTS)))
"""Every shipped font once."""

CLOTH_FONTS = tuple(stem for stem in STEMS if not any(word in stem for word in ("ExtraLight", "Mono", "Thin")))
"""Fonts from which cloths and chips choose by number. A change of their number or order changes every cloth. They
are 109, a prime, since cloths use the remainders of the same number by 2, 3 and 5 for words and borders."""


class MissingFontError(DatasetsError):
    """A font's file is missing in its folder."""


def font_path(stem: str, folder: Path = FOLDER) -> Path:
    """Return the file of a shipped font; raise MissingFontError if it is missing."""
    for suffix in (".ttf", ".otf"):
        if (path := folder / f"{stem}{suffix}").is_file():
            return path
    raise MissingFontError(f"{folder}: {stem} = no file; must be {stem}.ttf or {stem}.otf")


@lru_cache(maxsize=64)
def open_font(stem: str, size_px: int) -> ImageFont.FreeTypeFont:
    """Open a shipped font at a size; raise MissingFontError if its file is missing."""
    return open_font_file(font_path(stem), size_px)


@lru_cache(maxsize=200)
def open_font_file(path: Path, size_px: int) -> ImageFont.FreeTypeFont:
    """Open any font's file at a size, with the layout engine of the shipped ones."""
    return ImageFont.truetype(str(path), size_px, layout_engine=ImageFont.Layout.BASIC)
