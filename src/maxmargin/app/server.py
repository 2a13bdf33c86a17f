"""The web server of the app."""

import asyncio
import json
import secrets
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles

from maxmargin import __version__
from maxmargin.app.api import make_router
from maxmargin.app.failures import FULL, reason_of
from maxmargin.app.jobs import Busy, Jobs
from maxmargin.app.limits import LimitError
from maxmargin.app.security import Guard, allowed_hosts, check_token, is_loopback
from maxmargin.app.store import Missing, Store
from maxmargin.app.works import Conflict, Works

STATIC = Path(__file__).parent / "static"
STATUS = {Missing: 404, Conflict: 409, Busy: 503, LimitError: 413, ValueError: 422}


def make_app(
    folder: Path,
    hosts: frozenset[str] = frozenset(),
    token: str | None = None,
    on_start: Callable[[Works], Any] | None = None,
) -> Guard:
    """Return the application with the work in a folder."""
    jobs = Jobs()
    works = Works(Store(folder), jobs)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await jobs.start()
        if on_start is not None:
            await on_start(works)
        try:
            yield
        finally:
            await jobs.close()
            works.store.close()

    app = FastAPI(
        title="maxmargin",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # our own page, without scripts of another host
        redoc_url=None,
    )
    app.include_router(make_router(works, jobs))
    _add_errors(app)

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    @app.get("/docs", include_in_schema=False)
    def docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html")

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return Guard(app, hosts, token)


def _add_errors(app: FastAPI) -> None:
    """Answer errors with one sentence."""

    def answer(status: int) -> Any:
        def handle(_: Request, error: Exception) -> JSONResponse:
            return JSONResponse({"detail": reason_of(error)}, status_code=status)

        return handle

    for kind, status in STATUS.items():
        app.add_exception_handler(kind, answer(status))

    def no_file(request: Request, error: Exception) -> Any:
        assert isinstance(error, OSError)
        return answer(507 if error.errno in FULL else 500)(request, error)

    app.add_exception_handler(OSError, no_file)

    def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        detail = f"{where}: {first['msg']}" if where else str(first["msg"])
        if first["type"] == "value_error":  # a sentence of our own
            detail = str(first["ctx"]["error"])
        safe = json.loads(json.dumps(detail, default=str))
        return JSONResponse({"detail": safe}, status_code=422)

    app.add_exception_handler(RequestValidationError, invalid)


def free_port(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(
            f"The address {host}:{port} cannot be used ({error.strerror}): give "
            "another one with --port or --host."
        ) from None
    return listener


def serve(
    folder: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    browser: bool = True,
    file: Path | None = None,
    say: Callable[[str], Any] = print,
) -> None:
    """Serve the page until Ctrl-C.

    Addresses other than loopback need a token; one is made if none is given.
    """
    check_token(token)
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    listener = free_port(host, port)
    port = listener.getsockname()[1]
    everywhere = host in ("0.0.0.0", "::")
    hosts = frozenset() if everywhere else allowed_hosts(host, port)
    shown = "localhost" if everywhere else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/" + (f"?token={quote(token)}" if token else "")

    async def begin(works: Works) -> None:
        say(f"maxmargin app: {address}")
        say("Ctrl-C ends it; the work is kept and offered again.")
        for note in works.store.notes:
            say(note)
        target = address
        if file is not None:
            dataset = await _load(works, file)
            target = f"{address}#dataset={dataset}"
        if browser:
            await asyncio.to_thread(webbrowser.open, target)

    try:
        app = make_app(folder, hosts, token, begin)
        _run(app, listener)
    finally:
        listener.close()


def _run(app: Guard, listener: socket.socket) -> None:
    """Answer requests until Ctrl-C."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        pass


async def _load(works: Works, file: Path) -> str:
    """Copy a file of the command line to the store; return the id of the data set."""
    content = file.read_bytes()
    number = works.store.new("datasets")
    path = works.store.path("datasets", number) / f"data{file.suffix.lower()}"
    await asyncio.to_thread(path.write_bytes, content)
    await works.add_dataset(number, path, file.name)
    return number
