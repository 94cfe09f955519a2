"""The renderer: reproducible, and its truth agrees with its pixels."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.markers import find_markers, marker_corners_mm
from thirdcard.datasets.scene.cloth import ClothDrawing
from thirdcard.datasets.scene.errors import CameraPoseError, StyleError
from thirdcard.datasets.scene.looks import look_of
from thirdcard.datasets.scene.model import ArmObject, CardObject, ChipStack, CutCardObject, Scene, World
from thirdcard.datasets.scene.projection import Projector
from thirdcard.datasets.scene.raster import Image
from thirdcard.datasets.scene.renderer import RenderedFrame, SceneRenderer, clipped
from thirdcard.datasets.scene.worlds import random_world

_PLAIN: dict[str, str | float] = {
    "noise": 0.0,
    "defocus": 0.0,
    "sharpen": 0.0,
    "shadow": 0.0,
    "gloss": 0.0,
    "flicker": 0.0,
    "clutter": 0.0,
}


class WhiteDeck:
    """Cards without print, so that their pixels are easy to find."""

    def face(self, card: str) -> Image:
        return np.full((440, 315, 4), 255, np.uint8)

    def back(self) -> Image:
        return np.full((440, 315, 4), (255, 0, 255, 255), np.uint8)


def _world(seed: int = 3, **style: str | float) -> World:
    world = random_world(np.random.default_rng(seed), "train", ["machine:1"])
    looks = {**_PLAIN, "cloth_colour": "#104020", "print": "plain", "light": 1.0, **style}
    return World(
        layout=world.layout,
        chips=world.chips,
        camera=world.camera,
        deck=world.deck,
        style=looks,
        seed=world.seed,
    )


@pytest.fixture(scope="module")
def renderer() -> SceneRenderer:
    return SceneRenderer(_world(), deck=WhiteDeck())


def _card(name: str = "a", **changes: object) -> CardObject:
    fields: dict[str, object] = {
        "object_id": name,
        "card": "7H",
        "face_up": True,
        "at_mm": (900.0, 520.0),
        "angle_deg": 20.0,
    }
    return CardObject(**{**fields, **changes})  # type: ignore[arg-type]


def _changed(renderer: SceneRenderer, scene: Scene, *, least: int = 60) -> tuple[RenderedFrame, npt.NDArray[np.bool_]]:
    empty = renderer.render([Scene(t=0.0)]).image_hw3.astype(int)
    frame = renderer.render([scene])
    return frame, np.abs(frame.image_hw3.astype(int) - empty).max(axis=2) > least


@pytest.mark.parametrize(
    "card",
    [
        pytest.param(_card(), id="flat"),
        pytest.param(_card(angle_deg=-75.0, face_up=False), id="back"),
        pytest.param(_card(height_mm=60.0), id="carried"),
        pytest.param(_card(turn=0.25), id="tipped"),
        pytest.param(_card(turn=0.8), id="nearly turned"),
    ],
)
def test_card_polygon_lies_where_its_pixels_are(renderer: SceneRenderer, card: CardObject) -> None:
    frame, changed = _changed(renderer, Scene(t=0.0, cards=(card,)))
    polygon = frame.objects[0].polygon_px
    found = cv2.minAreaRect(np.argwhere(changed)[:, ::-1].astype(np.float32))
    wanted = cv2.minAreaRect(polygon.astype(np.float32))
    assert np.allclose(found[0], wanted[0], atol=0.8)
    assert np.allclose(sorted(found[1]), np.array(sorted(wanted[1])) - 1, atol=1.6)


def test_turned_card_shows_its_other_side(renderer: SceneRenderer) -> None:
    before = renderer.render([Scene(t=0.0, cards=(_card(turn=0.2),))]).objects[0]
    after = renderer.render([Scene(t=0.0, cards=(_card(turn=0.8),))]).objects[0]
    assert (before.face_up, before.card) == (True, "7H")
    assert (after.face_up, after.card) == (False, None)


def test_card_at_layout_polygon_is_its_rectangle(renderer: SceneRenderer) -> None:
    card = renderer.render([Scene(t=0.0, cards=(_card(angle_deg=0.0),))]).objects[0]
    wanted = np.array([[868.5, 476.0], [931.5, 476.0], [931.5, 564.0], [868.5, 564.0]])
    assert np.allclose(card.layout_polygon_mm, wanted, atol=0.05)


def test_chips_polygon_lies_where_their_pixels_are(renderer: SceneRenderer) -> None:
    stack = ChipStack(object_id="s", at_mm=(1000.0, 560.0), chips=(0, 1, 2, 0, 1), seed=4)
    frame, changed = _changed(renderer, Scene(t=0.0, stacks=(stack,)))
    box = cv2.boundingRect(frame.objects[0].polygon_px.astype(np.float32))
    ys, xs = np.nonzero(changed)
    assert abs(xs.min() - box[0]) <= 3
    assert abs(ys.min() - box[1]) <= 3
    assert abs(xs.max() - (box[0] + box[2] - 1)) <= 3
    assert frame.objects[0].count == 5


def test_arm_polygon_covers_its_pixels(renderer: SceneRenderer) -> None:
    arm = ArmObject(object_id="h", owner="seat:3", tip_mm=(900.0, 500.0), base_mm=(960.0, 1400.0), seed=2)
    frame, changed = _changed(renderer, Scene(t=0.0, arms=(arm,)), least=5)
    mask = np.zeros(changed.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(frame.objects[0].polygon_px).astype(np.int32)], 1)
    beyond = changed & (cv2.dilate(mask, np.ones((5, 5), np.uint8)) == 0)
    assert beyond.sum() < 0.01 * changed.sum()
    assert (changed & (mask > 0)).sum() > 0.6 * mask.sum()


def test_same_scene_renders_the_same_picture_in_a_new_renderer() -> None:
    scene = Scene(t=1.5, cards=(_card(),), cut_cards=(CutCardObject(object_id="c", at_mm=(600.0, 400.0)),))
    world = _world(noise=4.0)
    first, second = SceneRenderer(world).render([scene]), SceneRenderer(world).render([scene])
    assert np.array_equal(first.image_hw3, second.image_hw3)


def test_picture_does_not_depend_on_what_was_rendered_before(renderer: SceneRenderer) -> None:
    scene = Scene(t=2.0, cards=(_card(), _card("b", at_mm=(700.0, 400.0), height_mm=30.0)))
    first = renderer.render([scene]).image_hw3
    renderer.render([Scene(t=3.0, stacks=(ChipStack(object_id="s", at_mm=(500.0, 500.0), chips=(1,)),))])
    assert np.array_equal(first, renderer.render([scene]).image_hw3)


def test_half_covered_card_is_half_visible(renderer: SceneRenderer) -> None:
    below = _card("below", angle_deg=0.0)
    above = _card("above", angle_deg=0.0, at_mm=(900.0 + 31.5, 520.0))
    shares = {o.object_id: o.visible for o in renderer.render([Scene(t=0.0, cards=(below, above))]).objects}
    assert shares["below"] == pytest.approx(0.5, abs=0.05)
    assert shares["above"] == pytest.approx(1.0, abs=0.01)


def test_thing_cut_by_the_frame_is_partly_visible() -> None:
    renderer = SceneRenderer(_world(), deck=WhiteDeck())
    edge = renderer.world.camera.layout_from_image(np.array([[0.0, 400.0]]))[0]
    frame = renderer.render([Scene(t=0.0, cards=(_card(at_mm=(float(edge[0]), float(edge[1])), angle_deg=0.0),))])
    assert 0.3 < frame.objects[0].visible < 0.7


def test_open_shutter_blurs_only_what_moves(renderer: SceneRenderer) -> None:
    still = _card("still", at_mm=(600.0, 450.0))
    moments = [
        Scene(t=0.0, cards=(still, _card("moves", at_mm=(900.0 + 8 * i, 520.0), height_mm=20.0))) for i in range(4)
    ]
    sharp, blurred = renderer.render([moments[-1]]).image_hw3, renderer.render(moments).image_hw3
    differs = np.argwhere(np.abs(sharp.astype(int) - blurred.astype(int)).max(axis=2) > 3)
    low, high = differs.min(axis=0), differs.max(axis=0)
    middle = renderer.projector.px([(600.0, 450.0)])[0]
    assert len(differs) > 50
    assert not (low[1] <= middle[0] <= high[1] and low[0] <= middle[1] <= high[0])


def test_lamp_and_discards_show(renderer: SceneRenderer) -> None:
    dark = renderer.render([Scene(t=0.0)]).image_hw3
    piled = renderer.render([Scene(t=0.0, discard_count=120)]).image_hw3
    assert not np.array_equal(dark, piled)


def test_camera_without_pose_is_refused(renderer: SceneRenderer) -> None:
    camera = renderer.world.camera
    flat = Calibration(
        image_size_wh_px=camera.image_size_wh_px, camera_matrix=camera.camera_matrix, homography=camera.homography
    )
    with pytest.raises(CameraPoseError, match="rvec = None"):
        Projector(flat)


def test_polygon_clipped_to_the_frame_stays_inside() -> None:
    cut = clipped(np.array([[-10.0, 5.0], [20.0, -8.0], [30.0, 30.0], [5.0, 50.0]]), (25, 40))
    assert cut.min() >= 0
    assert cut[:, 0].max() <= 24
    assert cut[:, 1].max() <= 39


def _drawn(**style: str) -> ClothDrawing:
    world = _world(3, **style)
    drawing = ClothDrawing(world.layout, look_of(world.style, world.seed).cloth, scale=0.5, seed=world.seed)
    drawing.draw()
    return drawing


@pytest.mark.parametrize("scale", [0.73, 1.0])
def test_markers_are_printed_where_the_layout_has_them(scale: float) -> None:
    world = _world(3)
    markers = world.layout.markers
    assert markers is not None
    cloth = ClothDrawing(world.layout, look_of(world.style, world.seed).cloth, scale=scale, seed=world.seed).draw()
    seen = find_markers(cloth, markers)
    assert set(seen) == set(markers.at)
    for number, corners in seen.items():
        assert np.abs(corners - (marker_corners_mm(markers, number) * scale - 0.5)).max() < 0.2


def test_words_of_areas_are_chosen_without_another_draw_from_the_seed() -> None:
    usual, told, none = _drawn(), _drawn(words="usual", facing="players"), _drawn(words="none")
    assert np.array_equal(usual.image, told.image)
    places = len(_world().layout.of_kind("wager")) + len(_world().layout.of_kind("hand"))
    assert len(usual.lettering) - len(none.lettering) == places
    assert usual.lettering[places:][-1][0] == none.lettering[-1][0]


def test_words_that_name_no_bet_replace_those_that_do() -> None:
    usual, other = ({text for text, _ in _drawn(words=words, title="").lettering} for words in ("usual", "other"))
    assert any(text.startswith(("PLAYER", "PUNTO", "JOUEUR")) for text in usual)
    assert not any(text.startswith(("PLAYER", "PUNTO", "JOUEUR", "BANK", "BANCO", "TIE")) for text in other)


def test_words_that_face_the_dealer_are_upside_down() -> None:
    straight, turned = _drawn(title=""), _drawn(title="", facing="dealer")
    assert [text for text, _ in straight.lettering] == [text for text, _ in turned.lettering]
    assert not np.array_equal(straight.image, turned.image)


def test_unknown_words_are_refused() -> None:
    with pytest.raises(StyleError, match="words = 'latin'; must be one of usual, other, none"):
        look_of({"words": "latin"}, 1)
