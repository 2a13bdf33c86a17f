"""Who may call the server, and what it accepts: each way in is tried."""

import io
import subprocess
import sys
from urllib.parse import quote

import httpx
import numpy as np
import pytest
from PIL import Image
from tests.app.conftest import Running, raw_request

from maxmargin.app import inspect_task, limits, security
from maxmargin.app.security import Guard, allowed_hosts, is_loopback
from maxmargin.app.server import make_app, serve

TOKEN = 'a secret; with, "signs" & more='


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.168.1.2", False),
        ("example.org", False),
    ],
)
def test_loopback_addresses(host, expected):
    assert is_loopback(host) is expected


def test_hosts_have_the_port_and_brackets():
    assert allowed_hosts("127.0.0.1", 80) >= {"127.0.0.1:80", "[::1]:80"}
    assert "0.0.0.0:80" not in allowed_hosts("0.0.0.0", 80)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", ""])
def test_a_host_that_is_not_ours_is_refused(server, host):
    answer = server.client.get("/api/about", headers={"host": host})
    assert answer.status_code == 421
    assert server.client.get("/api/about").status_code == 200


def test_a_request_without_host_is_refused(server):
    answer = raw_request(server.port, "GET /api/about HTTP/1.0\r\n\r\n")
    assert " 421 " in answer.splitlines()[0] + " "


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://[::1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/datasets"),
        ("POST", "/api/datasets"),
        ("POST", "/api/datasets/builtin"),
        ("GET", "/api/jobs/0123456789ab/events"),
        ("DELETE", "/api/datasets/0123456789ab"),
    ],
)
def test_a_page_of_another_origin_cannot_call(server, headers, method, path):
    answer = server.client.request(method, path, headers=headers)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


def test_our_own_page_can_call(server):
    headers = {"origin": server.url, "sec-fetch-site": "same-origin"}
    assert server.client.get("/api/datasets", headers=headers).status_code == 200


def test_a_link_of_another_site_opens_the_page_but_not_the_api(server):
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    headers["sec-fetch-dest"] = "document"
    assert server.client.get("/", headers=headers).status_code == 200
    assert server.client.get("/api/about", headers=headers).status_code == 403


def test_pages_have_a_policy_without_other_hosts(server):
    policy = server.client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert "unsafe" not in policy


def test_another_address_needs_the_token(tmp_path):
    running = Running(tmp_path, token="secret-token")
    try:
        client = running.client
        assert client.get("/api/about").status_code == 401
        assert client.get("/api/about?token=wrong").status_code == 401
        bearer = {"authorization": "Bearer secret-token"}
        assert client.get("/api/about", headers=bearer).status_code == 200
        assert client.get("/").status_code == 401
        first = client.get("/?token=secret-token")
        assert first.status_code == 200
        assert "HttpOnly" in first.headers["set-cookie"]
        assert "SameSite=Strict" in first.headers["set-cookie"]
        assert client.get("/api/about").status_code == 200  # with the cookie
    finally:
        running.stop()


@pytest.mark.parametrize("token", ["", " ", "\t\n"])
def test_an_empty_token_is_refused(tmp_path, token):
    with pytest.raises(ValueError, match="The token is empty"):
        serve(tmp_path / "work", host="0.0.0.0", token=token, browser=False)
    with pytest.raises(ValueError, match="The token is empty"):
        make_app(tmp_path / "work", token=token)
    with pytest.raises(ValueError, match="The token is empty"):
        Guard(None, frozenset(), token)


def test_the_command_refuses_an_empty_token(tmp_path):
    words = ["app", "--no-browser", "--host", "0.0.0.0", "--token", ""]
    ended = subprocess.run(
        [sys.executable, "-m", "maxmargin", *words, "--folder", str(tmp_path / "work")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("maxmargin: error: The token is empty")
    assert ended.stderr.count("\n") == 1
    assert not (tmp_path / "work").exists()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server with a token that cannot be a cookie as it is."""
    running = Running(tmp_path_factory.mktemp("guarded"), token=TOKEN)
    yield running
    running.stop()


def kept_cookie(running):
    """Return the cookie that a server sets, as a browser sends it."""
    answer = httpx.get(f"{running.url}/?token={quote(TOKEN)}")
    assert answer.status_code == 200
    return answer.headers["set-cookie"].split(";")[0]


@pytest.mark.parametrize(
    "cookies",
    [
        "{}",
        "a={{}}; {}; b=1",
        "bad name=1; {}",
        'a="unclosed; {}',
        "a=[1, 2]; {}; =; ;",
        "\xe9=\xff,; {}",
        "maxmargin_token=other; {}",
        "{name}=stale; {}",
    ],
)
def test_cookies_of_other_programs_lock_nobody_out(guarded, cookies):
    ours = kept_cookie(guarded)
    sent = cookies.format(ours, name=ours.split("=")[0]).encode("latin-1")
    answer = httpx.get(f"{guarded.url}/api/about", headers={b"cookie": sent})
    assert answer.status_code == 200


@pytest.mark.parametrize("cookies", ["", "{name}=", "{name}=wrong", "x{name}={value}"])
def test_other_cookies_do_not_open_the_app(guarded, cookies):
    name, _, value = kept_cookie(guarded).partition("=")
    headers = {"cookie": cookies.format(name=name, value=value)}
    answer = httpx.get(f"{guarded.url}/api/about", headers=headers)
    assert answer.status_code == 401


def test_a_second_app_does_not_log_the_first_one_out(guarded, tmp_path):
    """All ports of a host share their cookies."""
    second = Running(tmp_path, token="another-token")
    try:
        with httpx.Client() as browser:
            for running, token in ((guarded, TOKEN), (second, "another-token")):
                path = f"{running.url}/?token={quote(token)}"
                assert browser.get(path).status_code == 200
            for running in (guarded, second):
                assert browser.get(f"{running.url}/api/about").status_code == 200
    finally:
        second.stop()


def test_large_bodies_are_refused_before_they_are_read(server, monkeypatch):
    monkeypatch.setattr(security, "MAX_BODY", 1000)
    answer = server.client.post("/api/datasets/builtin", content=b"x" * 5000)
    assert answer.status_code == 413

    def endless():
        for _ in range(10):
            yield b"x" * 500

    answer = server.client.post("/api/datasets/builtin", content=endless())
    assert answer.status_code == 413  # without a length in the header
    monkeypatch.setattr(security, "MAX_BYTES", 1000)
    answer = server.upload("a.csv", b"x,y\n" + b"1,2\n" * 5000)
    assert answer.status_code == 413
    assert "MB" in answer.json()["detail"]


def test_a_file_above_the_limit_leaves_nothing(server, monkeypatch):
    monkeypatch.setattr(limits, "MAX_BYTES", 1000)
    before = list((server.folder / "datasets").iterdir())
    answer = server.upload("a.csv", b"x,y\n" + b"1,2\n" * 5000)
    assert answer.status_code == 413
    assert list((server.folder / "datasets").iterdir()) == before


def test_rows_and_pixels_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_ROWS", 10)
    table = tmp_path / "a.csv"
    table.write_text("x,y\n" + "1,2\n3,4\n" * 20)
    with pytest.raises(limits.LimitError, match=r"40 rows.*takes 10"):
        inspect_task.inspect_file(str(table), tmp_path)
    monkeypatch.setattr(limits, "MAX_PIXELS", 99)
    image = tmp_path / "a.png"
    Image.new("RGB", (10, 10)).save(image)
    with pytest.raises(limits.LimitError, match="10 x 10 pixels"):
        inspect_task.inspect_file(str(image), tmp_path)


@pytest.mark.parametrize("name", ["a.pkl", "a.npy", "a.npz", "a", "a.csv.exe", "a.gz"])
def test_other_kinds_of_files_are_refused(server, name):
    answer = server.upload(name, b"x,y\n1,2\n")
    assert answer.status_code == 422
    assert "no table and no image" in answer.json()["detail"]


def test_a_pickle_in_a_table_is_not_loaded(server):
    file = io.BytesIO()
    np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    answer = server.upload("a.parquet", file.getvalue())
    assert answer.status_code == 422


@pytest.mark.parametrize("name", ["../../evil.csv", "/etc/evil.csv", "..\\evil.csv"])
def test_no_path_of_the_client_is_used(server, name, tmp_path):
    answer = server.upload(name, b"x,y\n1,2\n3,4\n5,7\n")
    assert answer.status_code == 201
    found = answer.json()
    assert found["name"] == "evil.csv"
    assert found["file"] == "data.csv"
    assert not list(server.folder.parent.rglob("evil.csv"))


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/api/datasets/..%2f..%2fx",
        "/api/works/../../x/labels",
    ],
)
def test_paths_do_not_leave_their_folder(server, path):
    text = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    answer = raw_request(server.port, text + "Connection: close\r\n\r\n")
    assert answer.split()[1] in ("404", "422")
    assert "uvicorn" not in answer.split("\r\n\r\n", 1)[1]


def test_errors_name_the_file_of_the_user_and_not_its_path(server):
    answer = server.upload("broken.parquet", b"PAR1 this is none")
    assert answer.status_code == 422
    assert "broken.parquet" in answer.json()["detail"]
    assert str(server.folder) not in answer.text


def test_the_server_refuses_web_sockets(server):
    headers = {"connection": "Upgrade", "upgrade": "websocket"}
    answer = httpx.get(server.url + "/api/about", headers=headers)
    assert answer.status_code in (200, 400, 403, 404, 426)
