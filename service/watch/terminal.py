"""Display a running watch: a live board on a terminal, plain lines elsewhere.

Independent of detection and rules; it draws what it is given. Times are stream time in seconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Protocol

from rich.align import Align
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.hand import points
from thirdcard.rules.round.records import RoundRecord
from thirdcard.service.watch.boards import Board, ShownWager
from thirdcard.service.watch.result import WatchedAlert, WatchedTable
from thirdcard.service.watch.wording import SUIT_SIGNS, alert_text, bet_text, clock, counted, duration, round_text

SEVERITY_STYLES = {
    "critical": "bold white on red3",
    "high": "bold black on dark_orange",
    "medium": "bold black on gold3",
    "low": "bold black on sky_blue2",
    "info": "bold black on grey62",
}
SHOWN_ALERTS = 6
REFRESH_HZ = 6
PLAIN_STEP = 0.1
"""The interval of progress lines: a tenth of the video, or this many seconds of a live one."""
PLAIN_STEP_S = 60.0


class WatchView(Protocol):
    """A display of a running watch."""

    def __enter__(self) -> WatchView: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def show(self, board: Board) -> None:
        """Show the state after another part of the video."""

    def tell_alert(self, watched: WatchedAlert) -> None:
        """Show an alert, as soon as it is raised."""

    def tell_round(self, record: RoundRecord) -> None:
        """Show a round, as soon as it is closed."""

    def tell_note(self, text: str) -> None:
        """Show a problem of the film, as soon as it is noticed."""


class SilentView:
    """A view that shows nothing."""

    def __enter__(self) -> SilentView:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def show(self, board: Board) -> None:
        """Show nothing."""

    def tell_alert(self, watched: WatchedAlert) -> None:
        """Show nothing."""

    def tell_round(self, record: RoundRecord) -> None:
        """Show nothing."""

    def tell_note(self, text: str) -> None:
        """Show nothing."""


class PlainView(SilentView):
    """Prints one line for each round, each alert and each tenth of the way: for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._told = 0.0

    def show(self, board: Board) -> None:
        """Print a line at each tenth of a recording, each minute of a live table."""
        step_s = PLAIN_STEP_S if board.duration_s is None else max(board.duration_s * PLAIN_STEP, 0.1)
        if board.t - self._told < step_s:
            return
        self._told = board.t
        self._say(f"{clock(board.t)}  {progress_text(board)}")

    def tell_alert(self, watched: WatchedAlert) -> None:
        """Print the alert in a sentence."""
        self._say(f"ALERT  {alert_text(watched)}")

    def tell_round(self, record: RoundRecord) -> None:
        """Print the round in a line."""
        self._say(f"{clock(record.opened if record.closed is None else record.closed)}  {round_text(record)}")

    def tell_note(self, text: str) -> None:
        """Print a problem of the film."""
        self._say(f"NOTE  {text}")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class LiveView:
    """A board that is redrawn while the watch runs."""

    def __init__(self, console: Console, table: WatchedTable) -> None:
        self._table = table
        self._board: Board | None = None
        self._alerts: deque[WatchedAlert] = deque(maxlen=SHOWN_ALERTS)
        self._live = Live(console=console, refresh_per_second=REFRESH_HZ, get_renderable=self._draw, transient=True)

    def __enter__(self) -> LiveView:
        self._live.start(refresh=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def show(self, board: Board) -> None:
        """Draw the board at the next refresh."""
        self._board = board

    def tell_alert(self, watched: WatchedAlert) -> None:
        """Add the alert to the board."""
        self._alerts.append(watched)

    def tell_round(self, record: RoundRecord) -> None:
        """Do nothing: the board shows the round itself."""

    def tell_note(self, text: str) -> None:
        """Do nothing: the closing words include it."""

    def _draw(self) -> RenderableType:
        return draw_board(self._table, self._board, tuple(self._alerts))


def choose_view(console: Console, table: WatchedTable, *, is_quiet: bool, is_plain: bool) -> WatchView:
    """A silent view on request, a live board on a terminal, else plain lines."""
    if is_quiet:
        return SilentView()
    return LiveView(console, table) if console.is_terminal and not is_plain else PlainView(console)


def progress_text(board: Board) -> str:
    """The progress, speed, findings so far and remaining time, in a line."""
    parts = [f"round {board.round}" if board.round else "no round yet", counted(board.n_alerts, "alert")]
    if board.frames_per_s:
        parts.append(f"{board.frames_per_s:.0f} frames/s")
    if board.pace:
        parts.append(f"{board.pace:.1f} x")
    if board.left_s is not None:
        parts.append(f"{duration(board.left_s)} left")
    return ", ".join(parts)


def draw_board(table: WatchedTable, board: Board | None, alerts: Sequence[WatchedAlert]) -> RenderableType:
    """The complete live view."""
    heading = Text.assemble(
        (" Thirdcard ", "bold black on dark_sea_green4"), f"  table {table.id}  ", (table.rulebook, "bold"),
        (f"  {table.video}", "dim"),
    )  # fmt: skip
    if board is None:
        return Group(heading, Text("  loading the models", style="dim"))
    hands = Table.grid(expand=True, padding=(0, 1))
    hands.add_column(ratio=1)
    hands.add_column(ratio=1)
    hands.add_row(_hand("PLAYER", board.player, "dodger_blue2"), _hand("BANKER", board.banker, "red3"))
    return Group(heading, _progress(board), hands, _wagers(board), _alerts(alerts, board.n_alerts))


def draw_cards(cards: Sequence[Card | None]) -> RenderableType:
    """Cards side by side, each four lines high."""
    if not cards:
        return Text("\n  no cards yet\n\n", style="dim")
    return Columns([_card(card) for card in cards], padding=(0, 1))


def _card(card: Card | None) -> Text:
    if card is None:
        return Text("╭────╮\n│░░░░│\n│░ ?░│\n╰────╯", style="grey62")
    colour = "red3" if card.is_red else "grey11"
    sign = SUIT_SIGNS[card.suit]
    paper = f"{colour} on grey93"
    return Text.assemble(
        ("╭────╮\n", paper), (f"│{card.rank:<2}  │\n", f"bold {paper}"), (f"│  {sign} │\n", paper), ("╰────╯", paper)
    )


def _hand(name: str, cards: Sequence[Card | None], colour: str) -> RenderableType:
    total = points(cards)
    title = f"[bold]{name}[/bold]" + ("" if total is None else f"  [reverse] {total} [/reverse]")
    return Panel(draw_cards(cards), title=title, title_align="left", border_style=colour, height=6)


def _progress(board: Board) -> RenderableType:
    row = Table.grid(expand=True, padding=(0, 1))
    row.add_column(width=22)
    row.add_column(ratio=1)
    row.add_column(justify="right")
    end = "" if board.duration_s is None else f" / {clock(board.duration_s, tenths=False)}"
    place = Text.assemble((f" {clock(board.t)}", "bold"), (end, "dim"))
    total = board.duration_s or max(board.t, 1.0)
    bar = ProgressBar(total=total, completed=min(board.t, total), complete_style="dark_sea_green4")
    row.add_row(place, bar, Text(progress_text(board), style="dim"))
    phase = Text.assemble(
        "  ", (f"Round {board.round}" if board.round else "Before the first round", "bold"), f"  {board.phase}"
    )
    return Group(row, phase)


def _wagers(board: Board) -> RenderableType:
    by_place: dict[str, list[ShownWager]] = {}
    for wager in board.wagers:
        by_place.setdefault(wager.place, []).append(wager)
    body: RenderableType = Text("none", style="dim")
    if by_place:
        body = Columns([_place(place, wagers) for place, wagers in by_place.items()], padding=(0, 3))
    return Panel(body, title="Wagers", title_align="left", border_style="grey37")


def _place(place: str, wagers: Sequence[ShownWager]) -> Text:
    parts = [f"{bet_text(wager.bet)} {'chips' if wager.amount is None else wager.amount}" for wager in wagers]
    return Text.assemble((place, "bold"), f" {', '.join(parts)}")


def _alerts(alerts: Sequence[WatchedAlert], n_alerts: int) -> RenderableType:
    if not alerts:
        return Panel(Align.left(Text("none", style="dim")), title="Alerts", title_align="left", border_style="grey37")
    rows = Table.grid(padding=(0, 1))
    for watched in reversed(alerts):
        alert = watched.alert
        style = SEVERITY_STYLES.get(str(alert.severity), "")
        bet = f" {bet_text(alert.bet)}" if alert.bet else ""
        rows.add_row(
            Text(clock(alert.t), style="bold"), Text(f" {alert.severity} ", style=style),
            Text(alert.message), Text(f"{alert.rulebook} {alert.rule or ''}{bet}", style="dim"),
        )  # fmt: skip
    return Panel(rows, title=f"Alerts ({n_alerts})", title_align="left", border_style="red3")
