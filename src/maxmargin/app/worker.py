"""A process that works for the server, one task after another.

It reads tasks from standard input and writes events to standard output, one line of
JSON for each. It ends when its input is closed, also in the middle of a task: so none
is left behind if the server dies.
"""

import json
import math
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from queue import Queue
from typing import Any

INTERVAL = 0.1  # seconds between two reports of progress

Send = Callable[[dict[str, Any]], None]


def main() -> None:
    """Work until the input is closed."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no event
    lock = threading.Lock()

    def send(event: dict[str, Any]) -> None:
        with lock:
            output.write(json.dumps(event, allow_nan=False) + "\n")
            output.flush()

    lines: Queue[str] = Queue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    from maxmargin.app.tasks import Tasks  # takes a second
    from maxmargin.compiled import compilation_told

    def tell(text: str) -> None:  # a job that waits for this process shows it
        send({"event": "progress", "share": 0.0, "stage": text})

    tasks = Tasks()
    with compilation_told(tell):
        tasks.warm_up()
    while True:
        _run(tasks, json.loads(lines.get()), send)
        if lines.empty():
            tasks.prepare()


def _read(lines: "Queue[str]") -> None:
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


def _run(tasks: Any, task: dict[str, Any], send: Send) -> None:
    """Run a task, and send its progress and its result or error."""
    from maxmargin.app.failures import reason_of
    from maxmargin.app.limits import limited_memory
    from maxmargin.compiled import compilation_told
    from maxmargin.progress import report_to
    from maxmargin.resources import available_memory

    last, reached = {"progress": 0.0, "objective": 0.0}, 0.0

    def send_sometimes(event: str, **values: Any) -> None:
        now = time.monotonic()
        if now - last[event] >= INTERVAL:
            last[event] = now
            send({"event": event, **values})

    def report(share: float, name: str) -> None:
        nonlocal reached
        reached = round(share, 4)
        send_sometimes("progress", share=reached, stage=name)

    def tell(text: str) -> None:  # the small fit at the start did not need this code
        send({"event": "progress", "share": reached, "stage": text})

    def report_objective(number: int, objective: float, name: str = "round") -> None:
        if math.isfinite(objective):
            send_sometimes("objective", value=float(objective))

    try:
        with (
            report_to(report, report_objective),
            limited_memory(available_memory()),
            compilation_told(tell),
        ):
            found = tasks.run(task["name"], task["arguments"], send)
        send({"event": "done", "result": found})
    except (ValueError, OSError, ImportError) as error:
        send({"event": "failed", "reason": reason_of(error)})
    except MemoryError:
        reason = "There is not enough memory: use fewer rows or columns."
        send({"event": "failed", "reason": reason})
    except Exception:
        traceback.print_exc()
        reason = "The task failed by an error of the program; the terminal shows it."
        send({"event": "failed", "reason": reason})


if __name__ == "__main__":
    main()
