"""The ways in which a set-up is broken, and what the check says of each."""

from __future__ import annotations

import numpy as np

from tests.service.setup.broken import (
    Breakage,
    in_one_line,
    mirrored,
    moved,
    scaled,
    shrunk,
    swapped,
    turned,
    with_key,
    with_value,
    without,
)

BREAKAGES: dict[str, Breakage] = {
    "a card's size in centimetres": Breakage(
        breaks=with_value("table", "cards.size_mm", [6.3, 8.8]),
        where="table.yaml",
        key="cards.size_mm",
        says="must be [width, height]",
    ),
    "a key misspelt": Breakage(
        breaks=with_value("table", "limts", {"minimum": 25}),
        where="table.yaml",
        key="limts",
        says="unknown key, perhaps limits",
    ),
    "limits between which no chips lie": Breakage(
        breaks=with_value("table", "limits", {"minimum": 26, "maximum": 49}),
        where="table.yaml",
        key="limits.maximum",
        says="the next is 50",
    ),
    "a minimum that no chips make": Breakage(
        breaks=with_value("table", "limits.minimum", 30),
        where="table.yaml",
        key="limits.minimum",
        says="the next is 50",
        is_wrong=False,
    ),
    "limits of a bet that is not offered": Breakage(
        breaks=with_value("table", "limits.bets", {"insurance_player": {"maximum": 500}}),
        where="table.yaml",
        key="limits.bets.insurance_player",
        says="not offered",
        is_wrong=False,
    ),
    "a rotation in degrees": Breakage(
        breaks=with_value("camera", "rvec", [-25.0, 0.5, -2.0]),
        where="overhead.yaml",
        key="rvec",
        says="radians",
    ),
    "the homography of another camera": Breakage(
        breaks=lambda setup: setup.camera.update(
            homography=(np.array([[1, 0, 40], [0, 1, 0], [0, 0, 1]]) @ setup.camera["homography"]).tolist()
        ),
        where="overhead.yaml",
        key="homography",
        says="contradict each other",
    ),
    "a lens with slanting pixels": Breakage(
        breaks=with_value("camera", "camera_matrix.0.1", 300.0),
        where="overhead.yaml",
        key="camera_matrix[0][1]",
        says="must be 0",
    ),
    "a lens of a smaller picture": Breakage(
        breaks=with_value("camera", "camera_matrix.0.2", 639.5),
        where="overhead.yaml",
        key="camera_matrix",
        says="another picture size",
        is_wrong=False,
    ),
    "a chip's radius": Breakage(
        breaks=with_value("chips", "diameter_mm", 19.5),
        where="chips.yaml",
        key="diameter_mm",
        says="casino chips",
        is_wrong=False,
    ),
    "an id with an invisible character": Breakage(
        breaks=with_key("s1-player", "id", "s1-player\u00a0"),
        where="layout.yaml",
        key="areas[",
        says="invisible",
    ),
    "an alert code misspelt": Breakage(
        breaks=with_value("table", "alerts", {"codes": {"late_bet.place": 0.1}}),
        where="table.yaml",
        key="alerts.codes.late_bet.place",
        says="perhaps late_bet.placed",
    ),
    "a box that is named otherwise": Breakage(
        breaks=swapped("player-box", "banker-box", "id"),
        where="layout.yaml",
        key="areas.",
        says="the area's id names the",
        is_wrong=False,
    ),
    "an area with another seat in its id": Breakage(
        breaks=swapped("s1-player", "s2-player", "id"),
        where="layout.yaml",
        key="areas.s",
        says="the area's id names seat",
        is_wrong=False,
    ),
    "the file is no YAML": Breakage(
        breaks=lambda setup: setup.raw.update({"table.yaml": "id: [B07"}),
        where="table.yaml",
        key="",
        says="no valid YAML",
    ),
    "a key stands twice": Breakage(
        breaks=lambda setup: setup.raw.update({"table.yaml": "id: B07\nid: B08\nrulebook: tas\n"}),
        where="table.yaml",
        key="",
        says="stands twice",
    ),
    "an unknown key": Breakage(
        breaks=with_value("table", "camera", []),
        where="table.yaml",
        key="camera",
        says="unknown key",
    ),
    "no id": Breakage(
        breaks=with_value("table", "id", ...), where="table.yaml", key="id", says="must be the table's name"
    ),
    "an id that leads elsewhere": Breakage(
        breaks=with_value("table", "id", "../B07"),
        where="table.yaml",
        key="id",
        says="must be the table's name",
    ),
    "an unknown rulebook": Breakage(
        breaks=with_value("table", "rulebook", "macao"),
        where="table.yaml",
        key="rulebook",
        says="unknown rulebook",
    ),
    "an unknown option": Breakage(
        breaks=with_value("table", "options.insurance", True),
        where="table.yaml",
        key="options.insurance",
        says="allowed",
    ),
    "an option's value": Breakage(
        breaks=with_value("table", "options.dealing_style", "D"),
        where="table.yaml",
        key="options.dealing_style",
        says="A, B, C",
    ),
    "options that exclude each other": Breakage(
        breaks=with_value("table", "options", {"any_pair": "one", "perfect_pair": "one"}),
        where="table.yaml",
        key="options.any_pair",
        says="where perfect_pair",
    ),
    "decks that the text forbids": Breakage(
        breaks=with_value("table", "shoe.decks", 3),
        where="table.yaml",
        key="shoe.decks",
        says="must be one of",
    ),
    "a device that does not exist": Breakage(
        breaks=with_value("table", "shoe.device", "hand"),
        where="table.yaml",
        key="shoe.device",
        says="must be one of",
    ),
    "a maximum below the minimum": Breakage(
        breaks=with_value("table", "limits.maximum", 10),
        where="table.yaml",
        key="limits.maximum",
        says="below the minimum",
    ),
    "limits of a bet that is none": Breakage(
        breaks=with_value("table", "limits.bets", {"dragon_seven": {"maximum": 10}}),
        where="table.yaml",
        key="limits.bets.dragon_seven",
        says="must be one of",
    ),
    "an amount that is no number": Breakage(
        breaks=with_value("table", "limits.minimum", "25"),
        where="table.yaml",
        key="limits.minimum",
        says="a whole number",
    ),
    "the card's sides the wrong way round": Breakage(
        breaks=with_value("table", "cards.size_mm", [88, 63]),
        where="table.yaml",
        key="cards.size_mm",
        says="width smaller",
    ),
    "a deck that is not there": Breakage(
        breaks=with_value("table", "cards.deck", "deck.yaml"),
        where="table.yaml",
        key="cards.deck",
        says="no such file",
    ),
    "a deck that is none": Breakage(
        breaks=with_value("table", "cards.deck", "chips.yaml"),
        where="chips.yaml",
        key="",
        says="unknown or missing key",
    ),
    "no layout": Breakage(
        breaks=with_value("table", "layout", ...), where="table.yaml", key="layout", says="must be a path"
    ),
    "a layout that is not there": Breakage(
        breaks=with_value("table", "layout", "mini-8"),
        where="table.yaml",
        key="layout",
        says="built in: mini-7",
    ),
    "an area of an unknown kind": Breakage(
        breaks=with_key("shoe", "kind", "shoes"),
        where="layout.yaml",
        key=".kind",
        says="must be one of",
    ),
    "two areas of one id": Breakage(
        breaks=with_key("s3-tie", "id", "s2-tie"),
        where="layout.yaml",
        key=".id",
        says="unique",
    ),
    "no box for a hand": Breakage(
        breaks=without("banker-box"),
        where="layout.yaml",
        key="areas",
        says="kind hand for the banker",
    ),
    "a bet that the rulebook lacks": Breakage(
        breaks=with_key("s3-tie", "bet", "dragon_seven"),
        where="layout.yaml",
        key="areas.s3-tie.bet",
        says="must be one of",
    ),
    "an area outside the cloth": Breakage(
        breaks=moved("s1-player", -400, 0),
        where="layout.yaml",
        key="areas.s1-player",
        says="outside the cloth",
    ),
    "an outline that crosses itself": Breakage(
        breaks=with_key("banker-box", "polygon", [[1080, 175], [1440, 335], [1440, 175], [1080, 300]]),
        where="layout.yaml",
        key="areas.banker-box",
        says="crosses itself",
    ),
    "two areas that overlap": Breakage(
        breaks=moved("player-box", 200, 0),
        where="layout.yaml",
        key="areas.player-box",
        says="overlaps with banker-box",
    ),
    "a box too small for a card": Breakage(
        breaks=with_key("player-box", "polygon", [[900, 175], [950, 175], [950, 335], [900, 335]]),
        where="layout.yaml",
        key="areas.player-box",
        says="no card fits in",
    ),
    "a box too small for three cards": Breakage(
        breaks=with_key("player-box", "polygon", [[900, 175], [1040, 175], [1040, 275], [900, 275]]),
        where="layout.yaml",
        key="areas.player-box",
        says="three cards",
        is_wrong=False,
    ),
    "a wagering area too small for a chip": Breakage(
        breaks=with_key("s4-tie", "polygon", [[1060, 760], [1080, 760], [1080, 780], [1060, 780]]),
        where="layout.yaml",
        key="areas.s4-tie",
        says="a chip of 39 mm",
    ),
    "another unit than millimetres": Breakage(breaks=scaled, where="layout.yaml", key="areas", says="in millimetres"),
    "the dealer at the bottom": Breakage(
        breaks=turned,
        where="layout.yaml",
        key="areas",
        says="the dealer is at the top",
        is_wrong=False,
    ),
    "two areas of one seat and bet": Breakage(
        breaks=with_key("s3-tie", "bet", "player"),
        where="layout.yaml",
        key="areas.s3-tie.bet",
        says="seat 3 has it already",
    ),
    "a seat without a bet that all others have": Breakage(
        breaks=without("s5-banker"),
        where="layout.yaml",
        key="areas",
        says="seat 5 has no area for banker",
        is_wrong=False,
    ),
    "areas of two seats mixed up": Breakage(
        breaks=swapped("s2-tie", "s6-tie", "seat"),
        where="layout.yaml",
        key=".seat",
        says="lies at seat",
        is_wrong=False,
    ),
    "seats not in order": Breakage(
        breaks=lambda setup: [
            area.__setitem__("seat", {2: 5, 5: 2}.get(area["seat"], area["seat"]))
            for area in setup.layout["areas"]
            if area["kind"] == "wager"
        ],
        where="layout.yaml",
        key="areas",
        says="not in order",
        is_wrong=False,
    ),
    "Player and Banker swapped at a seat": Breakage(
        breaks=swapped("s4-player", "s4-banker", "bet"),
        where="layout.yaml",
        key=".bet",
        says="look swapped at seat 4",
        is_wrong=False,
    ),
    "a wagering area of nobody": Breakage(
        breaks=with_key("s4-tie", "seat", None),
        where="layout.yaml",
        key="areas.s4-tie",
        says="neither a seat nor a name",
        is_wrong=False,
    ),
    "no shoe": Breakage(breaks=without("shoe"), where="layout.yaml", key="areas", says="kind shoe", is_wrong=False),
    "no discard rack": Breakage(
        breaks=without("discard"),
        where="layout.yaml",
        key="areas",
        says="kind discard",
        is_wrong=False,
    ),
    "a reference point off the cloth": Breakage(
        breaks=with_value("layout", "reference_points.0.at", [-5, 3000]),
        where="layout.yaml",
        key="reference_points",
        says="outside the cloth",
    ),
    "two reference points at one place": Breakage(
        breaks=lambda setup: setup.layout["reference_points"][1].update(at=setup.layout["reference_points"][0]["at"]),
        where="layout.yaml",
        key="reference_points",
        says="is the place of",
    ),
    "reference points on a line": Breakage(
        breaks=in_one_line,
        where="layout.yaml",
        key="reference_points",
        says="on one line",
    ),
    "a marker off the cloth": Breakage(
        breaks=with_value("layout", "markers.at", {0: [70, 140], 1: [2600, 140]}),
        where="layout.yaml",
        key="markers.at.1",
        says="outside the cloth",
    ),
    "no chips": Breakage(
        breaks=with_value("table", "chips", ...), where="table.yaml", key="chips", says="must be a path"
    ),
    "a colour without quotes": Breakage(
        breaks=with_value("chips", "chips.1.colour", None),
        where="chips.yaml",
        key="chips[1].colour",
        says="in quotes",
    ),
    "a chip that stands twice": Breakage(
        breaks=lambda setup: setup.chips["chips"].append(dict(setup.chips["chips"][0])),
        where="chips.yaml",
        key="chips[3]",
        says="stands twice",
    ),
    "two chips alike": Breakage(
        breaks=with_value("chips", "chips.1.colour", "#1f7a40"),
        where="chips.yaml",
        key="chips[1].colour",
        says="looks like green",
        is_wrong=False,
    ),
    "two chips called the same": Breakage(
        breaks=with_value("chips", "chips.1.name", "green"),
        where="chips.yaml",
        key="chips[1].name",
        says="called so too",
        is_wrong=False,
    ),
    "a sample that is not there": Breakage(
        breaks=with_value("chips", "chips.0.sample", "none.png"),
        where="chips.yaml",
        key="chips[0].sample",
        says="no such file",
    ),
    "a sample that is no picture": Breakage(
        breaks=with_value("chips", "chips.0.sample", "video.mp4"),
        where="chips.yaml",
        key="chips[0].sample",
        says="cannot be decoded",
    ),
    "a sample too small": Breakage(
        breaks=with_value("chips", "chips.0.sample", "tiny.png"),
        where="chips.yaml",
        key="chips[0].sample",
        says="8 x 8 px",
    ),
    "one sample for two chips": Breakage(
        breaks=lambda setup: [chip.update(sample="face0.png") for chip in setup.chips["chips"][:2]],
        where="chips.yaml",
        key="chips[1].sample",
        says="picture of green too",
    ),
    "a chip as thick as a stack": Breakage(
        breaks=with_value("chips", "thickness_mm", 15),
        where="chips.yaml",
        key="thickness_mm",
        says="so thick",
    ),
    "chips in another unit than the limits": Breakage(
        breaks=with_value("table", "limits", {"minimum": 1, "maximum": 20}),
        where="chips.yaml",
        key="chips",
        says="smallest unit",
    ),
    "no camera": Breakage(
        breaks=with_value("table", "cameras", []), where="table.yaml", key="cameras", says="at least one"
    ),
    "a camera that is not used": Breakage(
        breaks=lambda setup: setup.table["cameras"].append(
            {"name": "side", "source": "video.mp4", "calibration": "overhead.yaml"}
        ),
        where="table.yaml",
        key="cameras[1]",
        says="is not used",
    ),
    "a source that is not there": Breakage(
        breaks=with_value("table", "cameras.0.source", "film.mp4"),
        where="table.yaml",
        key="cameras[0].source",
        says="no such file",
    ),
    "no calibration": Breakage(
        breaks=with_value("table", "cameras.0.calibration", "side.yaml"),
        where="table.yaml",
        key="cameras[0].calibration",
        says="no such file",
    ),
    "a calibration without a lens": Breakage(
        breaks=with_value("camera", "camera_matrix", ...),
        where="overhead.yaml",
        key="camera_matrix",
        says="required",
    ),
    "a camera below the table": Breakage(
        breaks=lambda setup: setup.camera.update(tvec=[-value for value in setup.camera["tvec"]]),
        where="overhead.yaml",
        key="tvec",
        says="above the cloth",
    ),
    "a calibration of another picture size": Breakage(
        breaks=with_value("camera", "image_size", [640, 360]),
        where="overhead.yaml",
        key="camera_matrix",
        says="another picture size",
    ),
    "points that were mixed up": Breakage(
        breaks=with_value("camera", "residual_px", 11.5),
        where="overhead.yaml",
        key="residual_px",
        says="mixed up",
    ),
    "a mirrored picture": Breakage(breaks=mirrored, where="overhead.yaml", key="homography", says="mirrored"),
    "areas outside the picture": Breakage(
        breaks=lambda setup: setup.camera["tvec"].__setitem__(0, setup.camera["tvec"][0] + 900),
        where="overhead.yaml",
        key="areas",
        says="not wholly in the picture by",
    ),
    "cards too small": Breakage(breaks=shrunk(3.0), where="overhead.yaml", key="image_size", says="a card is"),
    "no place of the camera": Breakage(
        breaks=lambda setup: [setup.camera.pop(key) for key in ("rvec", "tvec")],
        where="overhead.yaml",
        key="rvec",
        says="heights of stacks",
        is_wrong=False,
    ),
    "a smaller stream that is a file": Breakage(
        breaks=with_value("table", "cameras.0.wall_source", "small.mp4"),
        where="table.yaml",
        key="cameras[0].wall_source",
        says="must be a URL",
    ),
    "a house's camera without an address": Breakage(
        breaks=with_value("table", "other_cameras", [{"name": "side", "url": "side.html"}]),
        where="table.yaml",
        key="other_cameras[0].url",
        says="http",
    ),
    "an alert that does not exist": Breakage(
        breaks=with_value("table", "alerts", {"codes": {"misdeal.oder": 0.1}}),
        where="table.yaml",
        key="alerts.codes",
        says="",
    ),
    "a gesture that does not exist": Breakage(
        breaks=with_value("table", "gestures", ["nod"]),
        where="table.yaml",
        key="gestures",
        says="no_more_bets",
    ),
    "a key that is no word": Breakage(
        breaks=lambda setup: setup.table.update({True: "x"}),  # type: ignore[dict-item]
        where="table.yaml",
        key="true",
        says="keys are words",
    ),
    "an option whose key is no word": Breakage(
        breaks=lambda setup: setup.table["options"].update({1: "x"}),
        where="table.yaml",
        key="options.1",
        says="keys are words",
    ),
    "an id with a blank at its end": Breakage(
        breaks=with_value("table", "id", "B07 "),
        where="table.yaml",
        key="id",
        says="no blank at its ends",
    ),
    "an id with a character that nobody sees": Breakage(
        breaks=with_value("table", "id", "a\u202eb"),
        where="table.yaml",
        key="id",
        says="no invisible one",
    ),
    "a path too long": Breakage(
        breaks=with_value("table", "layout", f"{'l' * 180}/{'l' * 10}.yaml"),
        where="table.yaml",
        key="layout",
        says="no such file",
    ),
    "a folder in place of a file": Breakage(
        breaks=with_value("table", "chips", "."),
        where="table.yaml",
        key="chips",
        says="is a folder",
    ),
    "an address whose scheme is misspelt": Breakage(
        breaks=with_value("table", "cameras.0.source", "rtps://10.0.0.5/live"),
        where="table.yaml",
        key="cameras[0].source",
        says="begin with one of rtsp://",
    ),
    "an address without a host": Breakage(
        breaks=with_value("table", "cameras.0.source", "rtsp:///live"),
        where="table.yaml",
        key="cameras[0].source",
        says="must name the camera's host",
    ),
    "an address with an impossible port": Breakage(
        breaks=with_value("table", "cameras.0.source", "rtsp://10.0.0.5:99999/live"),
        where="table.yaml",
        key="cameras[0].source",
        says="a port from 1 to 65535",
    ),
    "an address with a blank": Breakage(
        breaks=with_value("table", "cameras.0.source", "rtsp://10.0.0. 5/live"),
        where="table.yaml",
        key="cameras[0].source",
        says="no blank",
    ),
    "a smaller stream whose scheme is misspelt": Breakage(
        breaks=with_value("table", "cameras.0.wall_source", "rtps://10.0.0.5/small"),
        where="table.yaml",
        key="cameras[0].wall_source",
        says="begin with one of rtsp://",
    ),
    "a file of settings as source": Breakage(
        breaks=with_value("table", "cameras.0.source", "layout.yaml"),
        where="table.yaml",
        key="cameras[0].source",
        says="no film",
    ),
    "a bet's minimum above the table's maximum": Breakage(
        breaks=with_value("table", "limits.bets", {"tie": {"minimum": 6000}}),
        where="table.yaml",
        key="limits.bets.tie.minimum",
        says="no wager would be lawful",
    ),
    "a bet's maximum below the table's minimum": Breakage(
        breaks=with_value("table", "limits.bets", {"tie": {"maximum": 10}}),
        where="table.yaml",
        key="limits.bets.tie.maximum",
        says="no wager would be lawful",
    ),
    "a differential below the minimum": Breakage(
        breaks=with_value("table", "limits.differential", 10),
        where="table.yaml",
        key="limits.differential",
        says="a single wager of it would be reported",
    ),
    "a collective maximum below the minimum": Breakage(
        breaks=with_value("table", "limits.collective", 10),
        where="table.yaml",
        key="limits.collective",
        says="a single wager of it would be reported",
    ),
    "limits in another unit than the chips": Breakage(
        breaks=lambda setup: [chip.update(value=chip["value"] * 100) for chip in setup.chips["chips"]],
        where="table.yaml",
        key="limits.minimum",
        says="smallest unit",
        is_wrong=False,
    ),
    "a third box": Breakage(
        breaks=with_key("discard", "kind", "hand", hand="player"),
        where="layout.yaml",
        key="areas.discard.hand",
        says="has a box already: player-box",
        is_wrong=False,
    ),
    "two areas of one name and bet": Breakage(
        breaks=lambda setup: [
            setup.area(name).update(seat=None, name="VIP", bet="tie") for name in ("s3-tie", "s4-tie")
        ],
        where="layout.yaml",
        key="areas.s4-tie.name",
        says="has this name: s3-tie",
    ),
    "two samples with one content": Breakage(
        breaks=lambda setup: [
            chip.update(sample=name)
            for chip, name in zip(setup.chips["chips"], ("face0.png", "copy.png"), strict=False)
        ],
        where="chips.yaml",
        key="chips[1].sample",
        says="picture of green too",
    ),
    "reference points in one corner": Breakage(
        breaks=lambda setup: (
            [
                point.update(at=[60 + 10 * (i % 3), 60 + 10 * (i // 3)])
                for i, point in enumerate(setup.layout["reference_points"])
            ]
            and setup.layout.pop("markers")
        ),
        where="layout.yaml",
        key="reference_points",
        says="give points all round it",
        is_wrong=False,
    ),
    "two markers at one place": Breakage(
        breaks=with_value("layout", "markers.at", {0: [70, 140], 1: [70, 140]}),
        where="layout.yaml",
        key="markers.at.1",
        says="is the place of 0 too",
    ),
    "markers that overlap": Breakage(
        breaks=with_value("layout", "markers.at", {0: [70, 140], 1: [80, 150]}),
        where="layout.yaml",
        key="markers.at.1",
        says="overlaps with 0",
    ),
    "an unknown dictionary of markers": Breakage(
        breaks=with_value("layout", "markers.dictionary", "DICT_9X9"),
        where="layout.yaml",
        key="markers.dictionary",
        says="must be one of DICT_4X4_100",
    ),
    "a marker that the dictionary lacks": Breakage(
        breaks=with_value("layout", "markers.at", {57: [70, 140]}),
        where="layout.yaml",
        key="markers.at.57",
        says="has the markers 0 to 49",
    ),
    "a marker's number in other digits": Breakage(
        breaks=with_value("layout", "markers.at", {"\N{SUPERSCRIPT TWO}": [70, 140]}),
        where="layout.yaml",
        key="markers.at",
        says="whole numbers from 0",
    ),
    "a number with a leading zero": Breakage(
        breaks=lambda setup: setup.raw.update({"table.yaml": "id: B07\nlimits: {minimum: 025}\n"}),
        where="table.yaml",
        key="",
        says="line 2, column 19: YAML reads 025 as 21: write 25",
    ),
    "a number with a colon": Breakage(
        breaks=lambda setup: setup.raw.update({"table.yaml": "id: B07\nlimits: {maximum: 5:00}\n"}),
        where="table.yaml",
        key="",
        says="YAML reads 5:00 as 300",
    ),
}
