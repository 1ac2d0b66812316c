"""The server of the live page."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import signal
import socket
import warnings
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from aiohttp import WSMsgType, web

from .. import _core
from .._errors import FileError
from .._warnings import ModelWarning
from .document import Document
from .folder import MAX_DECK_BYTES, Folder, Kept
from .session import Session, encoded
from .solving import opened

_HERE = Path(__file__).parent
_MAX_MESSAGE_BYTES = 4 * MAX_DECK_BYTES
_MAX_PAGES = 64
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".nec": "text/plain"}


def templates() -> list[Document]:
    """Decks to begin with: name, title, group and text."""
    found = []
    for path in sorted((_HERE / "templates").glob("*.nec")):
        text = path.read_text(encoding="utf-8")
        comments = re.findall(r"^CM (.*)$", text, re.M)
        group, _, title = comments[0].partition(": ")
        found.append({"name": path.name, "group": group, "title": title, "text": text})
    return found


class Server:
    """The page at http://127.0.0.1:PORT/TOKEN/, which no other page or user can reach: addresses
    without the token, other hosts' names and foreign origins are refused in one line."""

    def __init__(self, root: str | Path, deck: str | None) -> None:
        self.folder = Folder(root)
        self.token = secrets.token_urlsafe(16)
        self.port = 0
        self.kept = Kept(self.folder.root)
        self._first: Document = {}
        if deck is not None:
            inside = Path(deck).resolve()
            name = str(inside.relative_to(self.folder.root)) if inside.is_relative_to(
                self.folder.root) else deck
            self._first = opened(name, self.folder.read(name))
        # More than one, so that a large deck of one page does not stop the others.
        self._moves = ThreadPoolExecutor(4, "moves")
        self._work = ThreadPoolExecutor(2, "work")
        self._pages: set[web.WebSocketResponse] = set()
        self._files = {path.relative_to(_HERE).as_posix(): path
                       for folder in ("page", "report") for path in (_HERE / folder).rglob("*")
                       if path.is_file()}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=_MAX_MESSAGE_BYTES)
        app.router.add_get("/{token}/", self._page)
        app.router.add_get("/{token}/live", self._live)
        app.router.add_get("/{token}/plotly.js", self._plotly)
        app.router.add_get("/{token}/{path:(?:page|report)/.+}", self._file)
        return app

    def close(self) -> None:
        self._moves.shutdown(wait=False, cancel_futures=True)
        self._work.shutdown(wait=False, cancel_futures=True)

    @web.middleware
    async def _guard(self, request: web.Request, handler: web.Handler) -> web.StreamResponse:  # type: ignore[name-defined]
        # Of a tunnel the port is another one.
        host = request.host.rpartition(":")[0] or request.host
        origin = request.headers.get("Origin")
        token = request.path.split("/")[1]
        if host not in ("127.0.0.1", "localhost"):
            return _refusal(403, "this server answers 127.0.0.1 only.")
        if origin is not None and origin != f"http://{request.host}":
            return _refusal(403, "another page may not use this server.")
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return _refusal(404, "the address is not complete. Open that which `thinwire serve` printed.")
        try:
            response: web.StreamResponse = await handler(request)
        except web.HTTPException as error:
            return _refusal(error.status, f"{request.path.split('/', 2)[2][:80]}: {error.reason}.")
        if not response.prepared:
            response.headers.update({
                "Content-Security-Policy": (
                    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
                    "img-src 'self' data: blob:; connect-src 'self' "
                    f"ws://{request.host}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"),
                "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
                "Cache-Control": "no-store"})
        return response

    async def _page(self, request: web.Request) -> web.StreamResponse:
        return web.FileResponse(self._files["page/page.html"], headers={"Content-Type": "text/html; charset=utf-8"})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        path = self._files.get(request.match_info["path"])
        if path is None or path.suffix not in _TYPES:
            raise web.HTTPNotFound
        return web.FileResponse(path, headers={"Content-Type": f"{_TYPES[path.suffix]}; charset=utf-8"})

    async def _plotly(self, request: web.Request) -> web.StreamResponse:
        return web.Response(body=_core.page_plotly(), headers={
            "Content-Type": "text/javascript; charset=utf-8", "Content-Encoding": "gzip"})

    async def _live(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Origin") is None:
            return _refusal(403, "another program may not use this server.")
        if len(self._pages) >= _MAX_PAGES:
            return _refusal(503, f"{_MAX_PAGES} pages are open. Close one.")
        page = web.WebSocketResponse(max_msg_size=_MAX_MESSAGE_BYTES, compress=False, heartbeat=30)
        await page.prepare(request)
        self._pages.add(page)

        async def send(message: Document) -> None:
            if not page.closed:
                try:
                    await page.send_str(encoded(message))
                except ConnectionError:
                    pass

        session = Session(self.folder, send, self._moves, self._work, self.kept)
        await send({"hello": self._first, "kept": self.kept.values, "folder": self.folder.root.name, "templates": templates(),
                    "version": _core.version})
        try:
            async for message in page:
                if message.type != WSMsgType.TEXT:
                    continue
                try:
                    asked = json.loads(message.data)
                except (json.JSONDecodeError, RecursionError):
                    asked = None
                if isinstance(asked, dict):
                    await session.take(asked)
                else:
                    await send({"failed": "the page sent what is no message. Load the page again."})
        finally:
            session.close()
            self._pages.discard(page)
        return page


def _refusal(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=f"thinwire: {text}\n")


async def _run(server: Server, port: int, browser: bool) -> None:
    runner = web.AppRunner(server.app(), access_log=None)
    await runner.setup()
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        raise FileError(f"serve: port {port} cannot be used ({getattr(error, 'strerror', error)}). Leave --port out, or "
                        "choose another one.") from None
    server.port = listening.getsockname()[1]
    await web.SockSite(runner, listening, shutdown_timeout=0.5).start()
    done = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, done.set)
    print(f"{server.url}\nServing {server.folder.root}. Ctrl-C ends it.", flush=True)
    if browser:
        webbrowser.open(server.url)
    await done.wait()
    for page in list(server._pages):
        await page.close(code=1001)
    await runner.cleanup()


def serve(deck: str | None, port: int, browser: bool) -> None:
    """Serves the page in the current folder until Ctrl-C. Raises FileError."""
    warnings.simplefilter("ignore", ModelWarning)  # the page shows them
    server = Server(".", deck)
    try:
        asyncio.run(_run(server, port, browser))
    finally:
        server.close()
