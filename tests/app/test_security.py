"""Who may call the server, and what it accepts: each way in is tried."""

import io

import httpx
import numpy as np
import pytest
from PIL import Image
from tests.app.conftest import Running, raw_request

from maxmargin.app import inspect_task, limits, security
from maxmargin.app.security import allowed_hosts, is_loopback


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
