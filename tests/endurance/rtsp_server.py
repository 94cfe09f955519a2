"""Play a video over RTSP at its own pace, from its beginning for each client: `python3 rtsp_server.py PORT VIDEO`.

It runs as a script under a Python that has GStreamer's bindings (`gi`), which may be another than the service's. Each
time that the video begins to play, it prints a line with the Unix time in seconds. With `--user` a client must sign in
with a digest; the password is read from standard input. With `--drop` packets are lost until the signal USR1.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from typing import Any

PATH = "/table"
READ = "filesrc location={video} ! qtdemux ! {codec}parse name=parse config-interval=-1"
PACK = "rtp{codec}pay pt=96 mtu=1200"
REALM = "camera"


def main() -> None:
    """Serve until killed."""
    import gi

    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtsp", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstRtsp, GstRtspServer

    def tell_beginning(_client: Any, _context: Any) -> None:
        print(f"began {time.time():.3f}", flush=True)

    def watch(_server: Any, client: Any) -> None:
        client.connect("play-request", tell_beginning)

    options = _parser().parse_args()
    Gst.init(None)
    losing: list[Any] = []

    def lose_no_more() -> bool:
        options.drop = 0.0
        for gate in losing:
            gate.set_property("drop-probability", 0.0)
        return True

    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, lose_no_more)
    server = GstRtspServer.RTSPServer()
    server.set_service(options.port)

    class Factory(GstRtspServer.RTSPMediaFactory):  # type: ignore[misc]
        """Makes media that lose single packets behind the payloader, which the server finds in the bin `pay0`."""

        def do_create_element(self, _url: Any) -> Any:
            reader = Gst.parse_bin_from_description(READ.format(video=options.video, codec=options.codec), False)
            reader.add_pad(Gst.GhostPad.new("src", reader.get_by_name("parse").get_static_pad("src")))
            pack = PACK.format(codec=options.codec)
            lossy = f"{pack} ! identity name=lossy drop-probability={options.drop}" if options.drop else pack
            payloader = Gst.parse_bin_from_description(lossy, True)
            payloader.set_name("pay0")
            if options.drop:
                losing.append(payloader.get_by_name("lossy"))
            media = Gst.Bin.new("media")
            media.add(reader)
            media.add(payloader)
            reader.link(payloader)
            return media

    factory = Factory()
    if options.transport != "both":
        factory.set_protocols(getattr(GstRtsp.RTSPLowerTrans, options.transport.upper()))
    if options.user:
        _ask_for_sign_in(GstRtsp, GstRtspServer, server, factory, options.user)
    server.connect("client-connected", watch)
    server.get_mount_points().add_factory(PATH, factory)
    server.attach(None)
    print("ready", flush=True)
    GLib.MainLoop().run()


def _ask_for_sign_in(rtsp: Any, rtsp_server: Any, server: Any, factory: Any, user: str) -> None:
    auth = rtsp_server.RTSPAuth()
    auth.set_supported_methods(rtsp.RTSPAuthMethod.DIGEST)
    auth.set_realm(REALM)
    token = rtsp_server.RTSPToken()
    token.set_string("media.factory.role", "watcher")
    auth.add_digest(user, sys.stdin.readline().rstrip("\n"), token)
    server.set_auth(auth)
    permissions = rtsp_server.RTSPPermissions()
    for permission in ("media.factory.access", "media.factory.construct"):
        permissions.add_permission_for_role("watcher", permission, True)
    factory.set_permissions(permissions)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port")
    parser.add_argument("video")
    parser.add_argument("--codec", choices=["h264", "h265"], default="h264")
    parser.add_argument("--transport", choices=["tcp", "udp", "both"], default="both")
    parser.add_argument("--drop", type=float, default=0.0, help="the share of the packets that are lost")
    parser.add_argument("--user", default=None)
    return parser


if __name__ == "__main__":
    main()
