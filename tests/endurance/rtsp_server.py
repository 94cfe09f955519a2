"""Play a video over RTSP at its own pace, from its beginning for each who comes: `python3 rtsp_server.py PORT VIDEO`.

Runs by itself under a Python that has GStreamer's bindings (`gi`), which may be another than the service's. Each time
that the video begins to play it writes a line with the moment, in seconds of Unix time.
"""

from __future__ import annotations

import sys
import time
from typing import Any

PATH = "/table"
PIPELINE = "( filesrc location={video} ! qtdemux ! h264parse config-interval=-1 ! rtph264pay name=pay0 pt=96 )"


def main(port: str, video: str) -> None:
    """Serve until killed."""
    import gi

    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstRtspServer

    def tell_beginning(_client: Any, _context: Any) -> None:
        print(f"began {time.time():.3f}", flush=True)

    def watch(_server: Any, client: Any) -> None:
        client.connect("play-request", tell_beginning)

    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_service(port)
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(PIPELINE.format(video=video))
    server.connect("client-connected", watch)
    server.get_mount_points().add_factory(PATH, factory)
    server.attach(None)
    print("ready", flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main(*sys.argv[1:])
