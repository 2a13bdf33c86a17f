"""Requests that are made from the description of the API: none may be an error of ours."""

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.app.conftest import Running

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")
from schemathesis.config import SchemathesisConfig  # noqa: E402, F401

N_EXAMPLES = int(os.environ.get("MAXMARGIN_FUZZ", "8"))


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    server = Running(tmp_path_factory.mktemp("fuzz"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def api_schema(running):
    dataset = running.builtin("iris")
    running.fit(dataset, clusters=3, label="class")
    content = running.client.get("/openapi.json").json()
    return schemathesis.openapi.from_dict(content)


schema = schemathesis.pytest.from_fixture("api_schema")


@schema.parametrize()
@settings(
    max_examples=N_EXAMPLES,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
def test_no_request_is_an_error_of_the_server(case, running):
    works = running.client.get("/api/works").json()
    if "work" in case.path_parameters and works:
        case.path_parameters["work"] = works[0]["id"]
    datasets = running.client.get("/api/datasets").json()
    if "dataset" in case.path_parameters and datasets and case.method != "DELETE":
        case.path_parameters["dataset"] = datasets[0]["id"]
    response = case.call(base_url=running.url)
    assert response.status_code < 500 or response.status_code == 503, response.text
