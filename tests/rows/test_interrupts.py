"""Ctrl-C during fits: always a KeyboardInterrupt, never a crash."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from maxmargin.rows.threads import delayed_interrupts, is_safe

# Fits again and again, and says how each of them ended.
FITS = """
import signal, time
from sklearn.datasets import load_iris
from maxmargin import MaxMarginClustering
from maxmargin.published import CuttingPlaneMaxMarginClustering
X, ends = load_iris().data, {}
models = [CuttingPlaneMaxMarginClustering(2, random_state=0),
          MaxMarginClustering(5, random_state=0),
          MaxMarginClustering(5, kernel="rbf", random_state=0)]
for model in models:
    model.fit(X)  # compiles
stop = time.time() + 6
print("ready", flush=True)
def work():
    number = 0
    while time.time() < stop:
        number += 1
        try:
            models[number % 3].fit(X)
        except BaseException as error:
            name = type(error).__name__
            ends[name] = ends.get(name, 0) + 1
while time.time() < stop:
    try:
        work()
    except KeyboardInterrupt:
        pass
while signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        pass
print(sorted(ends), sum(ends.values()), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_signals_at_random_moments():
    """Without delay, one in a few hundred of these has crashed the process."""
    draw = random.Random(0)
    command = [sys.executable, "-W", "ignore", "-c", FITS]
    # An interruption within coverage would leave its lock closed: the process waits.
    env = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE")}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    try:
        assert process.stdout.readline() == "ready\n"
        while process.poll() is None:
            time.sleep(draw.uniform(0.003, 0.03))
            os.kill(process.pid, signal.SIGINT)
        names, number = process.stdout.read().rsplit(" ", 1)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0
    assert names == "['KeyboardInterrupt']"
    assert int(number) > 20


def test_where_numba_calls_python():
    """An interruption waits in Numba below our code, but not in its compiler."""
    found = {}

    def frame_of(*modules, function="run"):
        """Return the frame of a function that others have called, the first one."""
        source = f"import sys\ndef {function}(f): return f()\n"
        call = sys._getframe
        for name in reversed(modules):
            space = {"__name__": name}
            exec(source, space)
            call = (lambda step, inner: lambda: step(inner))(space[function], call)
        found["frame"] = call()
        return found["frame"]

    assert is_safe(frame_of("maxmargin.search.state"))
    assert not is_safe(frame_of("maxmargin.search.state", "numba.core.serialize"))
    assert is_safe(frame_of("numba.core.serialize"))
    compiling = frame_of(
        "maxmargin.search.state", "numba.core.dispatcher", function="_compile_for_args"
    )
    assert is_safe(compiling)


def test_the_handler_is_restored():
    known = signal.getsignal(signal.SIGINT)  # a process in the background ignores it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        check_the_handler()
    finally:
        signal.signal(signal.SIGINT, known)


def check_the_handler():
    before = signal.getsignal(signal.SIGINT)
    with delayed_interrupts():
        inner = signal.getsignal(signal.SIGINT)
        assert inner is not before
        with delayed_interrupts():
            assert signal.getsignal(signal.SIGINT) is inner
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_have_no_handlers():
    ended = []

    def work():
        with delayed_interrupts():
            ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [True]
