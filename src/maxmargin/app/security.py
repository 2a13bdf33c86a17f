"""Who may call the server: our own page on this machine, or the holder of a token.

- A request must name one of our hosts in its ``Host`` header. A page of another site
  whose name was made to resolve to this machine (DNS rebinding) is refused.
- A request with an ``Origin`` or ``Sec-Fetch-Site`` header of another site is refused,
  whatever its method: no other page can send corrections or read the event stream.
- If the server listens on another address than loopback, each request must have the
  token, as ``Authorization: Bearer``, or as the cookie that the address with
  ``?token=`` sets. An empty token is refused: everyone would have it.
"""

import hashlib
import hmac
import ipaddress
import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from maxmargin.app.limits import MAX_BODY, MAX_BYTES

COOKIE = "maxmargin_token"  # and the port, since all ports of a host share cookies
PORT = re.compile(r":([0-9]{1,5})$")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: "
    "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
# The OpenAPI page is drawn by our own script, too: nothing comes from another host.
HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}
UPLOAD = "/api/datasets"  # the address whose body may be large


def is_loopback(host: str) -> bool:
    """Return True if an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def allowed_hosts(host: str, port: int) -> frozenset[str]:
    """Return the values of the ``Host`` header that are ours."""
    known = [host, "127.0.0.1", "localhost", "::1"]
    if host in ("0.0.0.0", "::"):
        known.remove(host)
    shown = {f"[{name}]" if ":" in name else name for name in known}
    return frozenset(f"{name}:{port}" for name in shown)


def check_token(token: str | None) -> None:
    """Raise an error if a token is empty or blank, such as that of an unset variable.

    ``None`` is no token, for a server that only this machine can reach.
    """
    if token is not None and not token.strip():
        raise ValueError(
            "The token is empty, and everyone could use the app: give a token of some "
            "characters, or leave it out to have one made."
        )


class Refused(Exception):
    """A request that is not answered, with its status and reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Guard:
    """The outermost layer of the application: checks each request, adds headers.

    Parameters
    ----------
    app : callable
        An ASGI application.
    hosts : set of str
        Accepted values of the ``Host`` header. An empty set accepts any, for a server
        that is reached by other names, which needs the token.
    token : str or None
        If not None, what each request must have.
    """

    def __init__(self, app: Any, hosts: frozenset[str], token: str | None) -> None:
        check_token(token)
        self.app = app
        self.hosts = hosts
        self.token = token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        try:
            self._check_site(scope, headers)
            cookie = self._check_token(scope, headers)
            sender = _Headers(send, cookie)
            limited = self._limit_body(scope, headers, receive, sender)
        except Refused as refused:
            await _refuse(refused, send)
            return
        await self.app(scope, limited, sender)

    def _check_site(self, scope: Any, headers: dict[str, str]) -> None:
        host = headers.get("host", "")
        if self.hosts and host not in self.hosts:
            raise Refused(
                421, "This host name is not that of the app: use the printed address."
            )
        origin = headers.get("origin")
        if origin is not None and _host_of(origin) != host:
            raise Refused(403, "Pages of other sites cannot call the app.")
        linked = (  # a link to the page, which shows nothing to the other site
            scope["path"] == "/"
            and headers.get("sec-fetch-mode") == "navigate"
            and headers.get("sec-fetch-dest") == "document"
        )
        site = headers.get("sec-fetch-site", "none")
        if site not in ("none", "same-origin") and not linked:
            raise Refused(403, "Pages of other sites cannot call the app.")

    def _check_token(self, scope: Any, headers: dict[str, str]) -> str | None:
        """Return the cookie to set, None for none."""
        if self.token is None:
            return None
        name, value = _cookie_name(scope, headers), _cookie_value(self.token)
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        shown = query.get("token", [""])[0]
        if shown and _same(shown, self.token):
            return f"{name}={value}; Path=/; HttpOnly; SameSite=Strict"
        given = headers.get("authorization", "").removeprefix("Bearer ").strip()
        kept = _cookies(headers.get("cookie", ""), name)
        if _same(given, self.token) or any(_same(one, value) for one in kept):
            return None
        raise Refused(401, "A token is needed: open the address that the app printed.")

    def _limit_body(
        self, scope: Any, headers: dict[str, str], receive: Any, sender: "_Headers"
    ) -> Any:
        """Return a function that receives the body up to its limit."""
        upload = scope["path"] == UPLOAD and scope["method"] == "POST"
        limit = MAX_BYTES + MAX_BODY if upload else MAX_BODY
        refused = Refused(
            413,
            f"The request is larger than {limit / 1e6:.0f} MB, the limit of the page: "
            "send less, or use the command maxmargin.",
        )
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > limit:
            raise refused
        received = 0

        async def limited() -> Any:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                sender.refused = refused
                raise refused
            return message

        return limited


class _Headers:
    """Sends a response with our headers."""

    def __init__(self, send: Any, cookie: str | None) -> None:
        self.send = send
        self.cookie = cookie
        self.refused: Refused | None = None  # answered instead of the response

    async def __call__(self, message: Any) -> None:
        if self.refused is not None:
            if message["type"] == "http.response.start":
                await _refuse(self.refused, self.send)
            return
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message["headers"]}
            more = [item for item in HEADERS.items() if item[0] not in given]
            if self.cookie is not None:
                more.append((b"set-cookie", self.cookie.encode()))
            message = {**message, "headers": [*message["headers"], *more]}
        await self.send(message)


async def _refuse(refused: Refused, send: Any) -> None:
    body = json.dumps({"detail": refused.reason}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *HEADERS.items(),
    ]
    await send(
        {"type": "http.response.start", "status": refused.status, "headers": headers}
    )
    await send({"type": "http.response.body", "body": body})


def _host_of(origin: str) -> str | None:
    """Return the host and port of an origin, None if it is malformed."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _cookie_name(scope: Any, headers: dict[str, str]) -> str:
    """Return the name of our cookie, with the port that the browser knows."""
    port = PORT.search(headers.get("host", ""))
    return f"{COOKIE}_{port[1] if port else (scope.get('server') or ('', 80))[1]}"


def _cookie_value(token: str) -> str:
    """Return a value that stands for a token and has no characters to be quoted."""
    return hashlib.sha256(token.encode()).hexdigest()


def _cookies(header: str, name: str) -> list[str]:
    """Return the values of one cookie, whatever form those of other programs have."""
    pairs = (part.partition("=") for part in header.split(";"))
    return [value.strip() for key, _, value in pairs if key.strip() == name]


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
