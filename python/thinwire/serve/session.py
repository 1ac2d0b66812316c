"""The connection of one page: its requests, and the answers to them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .._errors import Error, FileError, UsageError
from . import solving
from .document import Document, sphere
from .folder import Folder, Kept
from .work import LONG, Stopped

Send = Callable[[Document], Coroutine[Any, Any, None]]

_INCOMPLETE = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError)
"""What goes wrong where a request lacks something, or holds something else."""

_PATIENCE_S = 0.3  # before a solve shows progress, and before a newer one ends it


class Session:
    """Answers a page's messages. Moves (`do` is "solve") wait for nothing: of those that come
    while one is solved only the last is solved next. Long work (LONG) runs beside them, one at a
    time.

    Args:
        moves, work: Threads for the two kinds, which all sessions share.
        kept: What outlives the page.
    """

    def __init__(self, folder: Folder, send: Send, moves: ThreadPoolExecutor,
                 work: ThreadPoolExecutor, kept: Kept) -> None:
        self.folder, self.send, self._kept = folder, send, kept
        self._moves, self._work = moves, work
        self._loop = asyncio.get_running_loop()
        self._next: Document | None = None  # the move to solve next
        self._solving: asyncio.Task[None] | None = None
        self._working: asyncio.Task[None] | None = None
        self._stop = False  # the long work
        self._closed = False
        self._news: Document = {}  # the last progress that was sent
        self.solved: solving.Solved | None = None

    async def take(self, message: Document) -> None:
        """Answers one message, or starts what answers it later."""
        what = str(message.get("do"))
        try:
            if what == "solve":
                self._next = message
                if self._solving is None or self._solving.done():
                    self._solving = asyncio.create_task(self._solve_moves())
            elif what == "stop":
                self._stop = True
            elif what in LONG:
                await self._start(what, message)
            elif what == "list":
                await self.send({"decks": self.folder.decks()})
            elif what == "open":
                name = str(message["name"])
                await self.send(solving.opened(name, self.folder.read(name)))
            elif what == "import":
                text = str(message["text"])
                self.folder.check(text)
                await self.send(solving.opened(str(message["name"]), text))
            elif what == "save":
                name, text = str(message["name"]), str(message["text"])
                self.folder.check(text)
                if not message.get("replace") and self.folder.holds_other(name, str(message.get("was") or "")):
                    await self.send({"exists": name})
                else:
                    self.folder.write(name, text)
                    await self.send({"saved": name})
            elif what == "keep":
                self._kept.put({"page": message["page"]})
            elif what == "sphere":
                await self._in_thread(self._sphere, message)
            else:
                raise UsageError(f"the page asked for {what[:40]!r}, which this server does not know. "
                                 "Load the page again.")
        except Error as error:
            await self.send({"failed": str(error)})
        except _INCOMPLETE:
            await self.send({"failed": _incomplete(what)})

    def close(self) -> None:
        """Ends the moves of a page that is gone. Its long work goes on, and is kept."""
        self._closed = True
        self._next = None

    # Moves.

    async def _solve_moves(self) -> None:
        while self._next is not None and not self._closed:
            message, self._next = self._next, None
            await self._in_thread(self._solve, message)

    async def _in_thread(self, function: Callable[[Document], Document | None],
                         message: Document) -> None:
        answer = await self._loop.run_in_executor(self._moves, self._answer, function, message)
        if answer is not None and not self._closed:
            await self.send(answer)

    def _answer(self, function: Callable[[Document], Document | None],
                message: Document) -> Document | None:
        try:
            return function(message)
        except Stopped:
            return None
        except (Error, MemoryError) as error:
            why = str(error)
        except _INCOMPLETE:
            why = _incomplete(str(message.get("do")))
        return {"id": message.get("id"), "problems": solving.problems_of(why, "error")}

    def _solve(self, message: Document) -> Document:
        started = time.monotonic()

        def watch(step: str, done: float) -> None:
            late = time.monotonic() - started > _PATIENCE_S
            if self._closed or (late and self._next is not None):
                raise Stopped
            if late and step:
                self._tell_news({"solving": step, "done": done})

        shown = message.get("hz")
        solved, answer = solving.solve(
            str(message["text"]), str(message.get("name") or "deck"), self.folder,
            band=str(message.get("band") or ""), shown_hz=None if shown is None else float(shown),
            watch=watch)
        if solved is not None:
            self.solved = solved
        return {"id": message.get("id"), **answer}

    def _sphere(self, message: Document) -> Document | None:
        point, solved = int(message["point"]), self.solved
        if solved is None or not 0 <= point < len(solved.result.frequency):
            return None
        return {"sphere": sphere(solved.result, point), "of": message.get("of")}

    # Long work.

    async def _start(self, what: str, message: Document) -> None:
        if self._working is not None and not self._working.done():
            raise UsageError("long work is going on already. Stop it, or wait for its end.")
        self._stop = False
        self._working = asyncio.create_task(self._run(what, message))

    async def _run(self, what: str, message: Document) -> None:
        await self.send({"working": what, "done": 0})
        try:
            answer = await self._loop.run_in_executor(self._work, LONG[what], self, message)
        except Stopped:
            answer = {}
        except (Error, MemoryError) as error:
            answer = {"failed": str(error)}
        except _INCOMPLETE:
            answer = {"failed": _incomplete(what)}
        if "best" in answer:
            try:
                self._kept.put({"work": {"worked": what, **answer}})
            except FileError as error:
                await self.send({"failed": str(error)})
        if not self._closed:
            await self.send({"worked": what, **answer})

    def watch_work(self, step: str, done: float) -> None:
        """Sends the progress of long work, if there is any. Raises Stopped where the page wants that."""
        if self._stop:
            raise Stopped
        if step:
            self._tell_news({"working": step, "done": done})

    def _tell_news(self, message: Document) -> None:
        if message != self._news:
            self._news = message
            self.tell(message)

    def tell(self, message: Document) -> None:
        """Sends from another thread."""
        if not self._closed:
            asyncio.run_coroutine_threadsafe(self.send(message), self._loop)


def _incomplete(what: str) -> str:
    return f"the page's request {what[:40]!r} is not complete. Load the page again."


def encoded(message: Document) -> str:
    """A message as JSON. Numbers that JSON lacks are null."""
    try:
        return json.dumps(message, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(message), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and (value != value or abs(value) == float("inf")) else value
