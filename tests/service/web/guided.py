"""A table that is set up step by step with the demonstration's film, as on the guided page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from starlette.testclient import TestClient

from tests.service.web.rooms import TestRoom
from thirdcard.calibration.camera import load_calibration
from thirdcard.calibration.layout import Layout, load_layout
from thirdcard.service.web.demo_room import RECORDING

FILM = "films/table.mp4"
HOUSE = {
    "rulebook": "nz-secretary",
    "options": {"dealing_style": "A", "version": "mini", "perfect_pair": "one"},
    "limits": {"minimum": 25, "maximum": 5000},
}
CHIPS = {"built_in": "house"}


def place_film(room: TestRoom) -> None:
    """Copy the demonstration's film into the service's folder."""
    path = room.folder / FILM
    path.parent.mkdir(exist_ok=True)
    path.write_bytes((RECORDING / "video.mp4").read_bytes())


def true_points(names: list[str] | None = None) -> dict[str, list[float]]:
    """The cloth's reference points in the picture of the demonstration's camera, in pixels."""
    layout, camera = demo_layout(), load_calibration(RECORDING / "overhead.yaml")
    kept = names or list(layout.reference_points)
    places = camera.image_from_layout(np.array([layout.reference_points[name] for name in kept]))
    return {name: [round(float(x), 2), round(float(y), 2)] for name, (x, y) in zip(kept, places, strict=True)}


def demo_layout() -> Layout:
    """The demonstration's cloth."""
    return load_layout("layout.yaml", RECORDING)


def demo_sketch() -> dict[str, Any]:
    """The demonstration's cloth as a person would draw it: its corners in the picture, and each area in millimetres."""
    layout, camera = demo_layout(), load_calibration(RECORDING / "overhead.yaml")
    left, top, width, depth = 500.0, 100.0, 1100.0, 800.0  # a rectangle measured on the cloth
    frame = np.array([(left, top), (left + width, top), (left + width, top + depth), (left, top + depth)])
    corners = camera.image_from_layout(frame)
    cloth_from_image = cv2.getPerspectiveTransform(corners.astype(np.float32), frame.astype(np.float32))
    areas = []
    for area in layout.areas:
        seen = camera.image_from_layout(area.polygon_mm)
        drawn = cv2.perspectiveTransform(seen[None], cloth_from_image)[0]
        fields = {"id": area.id, "kind": area.kind, "hand": area.hand, "seat": area.seat, "bet": area.bet}
        areas.append({**fields, "name": area.name, "polygon": drawn.round(1).tolist()})
    return {
        "name": "by hand",
        "size_mm": list(layout.size_mm),
        "frame_mm": [left, top, width, depth],
        "corners_px": corners.round(2).tolist(),
        "areas": areas,
    }


def settle(client: TestClient, table: str, step: str, body: dict[str, Any]) -> dict[str, Any]:
    """Complete a step; returns the response."""
    answer = client.put(f"/api/new-tables/{table}/{step}", json=body)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def settle_all(client: TestClient, table: str) -> None:
    """Complete every step without mistakes."""
    client.post("/api/new-tables", json={"table": table})
    settle(client, table, "camera", {"source": FILM})
    settle(client, table, "cloth", {"name": "mini-7"})
    settle(client, table, "calibration", {"points": true_points(), "is_done": True})
    settle(client, table, "chips", CHIPS)
    settle(client, table, "house", {"house": HOUSE})


def write_picture_film(path: Path, image: np.ndarray) -> None:
    """Write a film of one picture that does not change for four seconds."""
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=12)
        stream.height, stream.width = image.shape[:2]
        stream.pix_fmt = "yuv420p"
        for _ in range(48):
            for packet in stream.encode(av.VideoFrame.from_ndarray(image, format="bgr24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
