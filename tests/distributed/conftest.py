"""One session of Spark for all tests, in this process and two threads of executors."""

import os
import shutil
import sys

import pytest


@pytest.fixture(scope="session")
def spark():
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("needs Java 17 or later")
    sql = pytest.importorskip("pyspark.sql", reason="needs the extra spark")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "OFF",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "300",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = sql.SparkSession.builder.master("local[2, 2]").appName("maxmargin tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
