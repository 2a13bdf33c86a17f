"""Small files that hold far more than they show are refused in little memory."""

import gzip
import io
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="needs the extra app")
pytest.importorskip("python_calamine")
pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

from maxmargin.app import inspect_task, limits  # noqa: E402

NAMESPACE = "http://schemas.openxmlformats.org"
OFFICE = f"{NAMESPACE}/officeDocument/2006/relationships"
PACKAGE = f"{NAMESPACE}/package/2006/relationships"
SHEET_PARTS = {
    "[Content_Types].xml": f"<Types xmlns='{NAMESPACE}/package/2006/content-types'>"
    "<Default Extension='xml' ContentType='application/xml'/></Types>",
    "_rels/.rels": f"<Relationships xmlns='{PACKAGE}'><Relationship Id='a' "
    f"Type='{OFFICE}/officeDocument' Target='xl/workbook.xml'/></Relationships>",
    "xl/workbook.xml": f"<workbook xmlns='{NAMESPACE}/spreadsheetml/2006/main' "
    f"xmlns:r='{OFFICE}'><sheets><sheet name='s' sheetId='1' r:id='a'/></sheets>"
    "</workbook>",
    "xl/_rels/workbook.xml.rels": f"<Relationships xmlns='{PACKAGE}'><Relationship "
    f"Id='a' Type='{OFFICE}/worksheet' Target='worksheets/s.xml'/></Relationships>",
    "xl/worksheets/s.xml": f"<worksheet xmlns='{NAMESPACE}/spreadsheetml/2006/main'>"
    "<sheetData><row r='1'><c r='A1'><v>1</v></c></row><row r='20000'>"
    "<c r='XFD20000'><v>1</v></c></row></sheetData></worksheet>",
}


def far_cells():
    """Two cells in the corners of a large sheet."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in SHEET_PARTS.items():
            archive.writestr(name, f"<?xml version='1.0'?>{text}")
    return file.getvalue()


def nulls(new=pa.ipc.new_file):
    """Columns of missing values, which take no place."""
    return arrow({f"c{j}": pa.nulls(400_000) for j in range(2000)}, new)


def null_stream():
    return nulls(pa.ipc.new_stream)


def one_text(n_rows, n_characters):
    codes = pa.array(np.zeros(n_rows, np.int32))
    text = pa.DictionaryArray.from_arrays(codes, pa.array(["z" * n_characters]))
    return {"text": text, "x": np.arange(n_rows) * 1.5}


def dictionary():
    """One long text in all rows."""
    return arrow(one_text(800, 10_000_000))


def arrow(columns, new=pa.ipc.new_file):
    table, file = pa.table(columns), io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with new(file, table.schema, options=options) as writer:
        writer.write_table(table)
    return file.getvalue()


def parquet_strings():
    file = io.BytesIO()
    table = pa.table(one_text(400_000, 20_000))
    parquet.write_table(table, file, compression="zstd")
    return file.getvalue()


def compressed_text():
    return gzip.compress(b"a,b\n" + (b"cell " * 100 + b",1\n") * 600_000, 1)


def keys():
    """Each line has a column of its own."""
    return b"\n".join(b'{"c%d":1}' % i for i in range(20_000))


BOMBS = {
    "far cells.xlsx": far_cells,
    "nulls.arrow": nulls,
    "null stream.arrow": null_stream,
    "dictionary.arrow": dictionary,
    "strings.parquet": parquet_strings,
    "compressed text.csv": compressed_text,
    "keys.jsonl": keys,
}


# A small process starts the worker: the memory of its parent would count as its own.
SCRIPT = """
import json, os, subprocess, sys
worker = subprocess.Popen(
    [sys.executable, "-m", "maxmargin.app.worker"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
)
arguments = {"path": sys.argv[1], "folder": os.path.dirname(sys.argv[1])}
task = json.dumps({"name": "inspect", "arguments": arguments})
worker.stdin.write((task + chr(10)).encode())
worker.stdin.flush()
answers = map(json.loads, worker.stdout)
answer = next((a for a in answers if a["event"] in ("done", "failed")), None)
worker.stdin.close()
_, _, usage = os.wait4(worker.pid, 0)
print(json.dumps([answer, 1024 * usage.ru_maxrss]))
"""


def inspect_in_process(path):
    """Return the answer of a process, None if it died, and its largest memory."""
    command = [sys.executable, "-c", SCRIPT, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts all memory")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_below_one_gigabyte(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(BOMBS[name]())
    assert path.stat().st_size < 3e6
    answer, memory = inspect_in_process(path)
    assert memory < 1e9
    assert answer is None or answer["event"] == "failed", answer
    if answer is not None:
        words = ("rows of", "larger than", "not enough memory")
        assert any(word in answer["reason"] for word in words)


def test_the_page_goes_on_after_a_bomb(server):
    answer = server.upload("sheet.xlsx", far_cells())
    assert answer.status_code == 422
    assert "lack of memory: use fewer rows" in answer.json()["detail"]
    assert server.builtin("iris")


def test_a_large_table_has_the_memory_that_it_needs(tmp_path):
    random = np.random.RandomState(0)
    counts = random.poisson(0.02, (200_000, 60)).astype(np.int8)
    path = tmp_path / "counts.parquet"
    table = pa.table({str(j): counts[:, j] for j in range(60)})
    parquet.write_table(table, path)
    assert path.stat().st_size < 5e6
    answer, _ = inspect_in_process(path)
    assert answer["result"]["rows"] == 200_000


def test_the_content_of_a_compressed_file_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_BYTES", 1000)
    path = tmp_path / "a.csv"
    path.write_bytes(gzip.compress(b"x,y\n" + b"1,2\n" * 5000))
    with pytest.raises(limits.LimitError, match="when it is decompressed"):
        inspect_task.inspect_file(str(path), tmp_path)
