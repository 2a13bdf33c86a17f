"""Requests made from the description of the API: none may be an error of ours."""

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.app.conftest import Running

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")

N_EXAMPLES = int(os.environ.get("MAXMARGIN_FUZZ", "6"))


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    server = Running(tmp_path_factory.mktemp("fuzz"))
    yield server
    server.stop()


def operations(server):
    """Return the operations of the API by name."""
    content = server.client.get("/openapi.json").json()
    found = schemathesis.openapi.from_dict(content).get_all_operations()
    return {f"{one.ok().method} {one.ok().path}": one.ok() for one in found}


def fuzz(server, operation, work, dataset):
    """Send generated requests, with ids that exist where there are any."""

    @settings(
        max_examples=N_EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        derandomize=True,
    )
    @given(case=operation.as_strategy())
    def send(case):
        if case.method != "DELETE":
            ids = {"work": work, "dataset": dataset}
            known = {k: v for k, v in ids.items() if k in case.path_parameters}
            case.path_parameters.update(known)
        response = case.call(base_url=server.url)
        status = response.status_code
        assert status < 500 or status == 503, f"{operation.path}: {response.text}"

    send()


def test_no_request_is_an_error_of_the_server(running):
    dataset = running.builtin("iris")
    work = running.fit(dataset, clusters=3, label="class")["id"]
    found = operations(running)
    assert len(found) > 25
    for operation in found.values():
        fuzz(running, operation, work, dataset)
    assert running.client.get("/api/about").status_code == 200
