"""The number and the seed of generated inputs, and how many had no finding.

``MAXMARGIN_FUZZ`` is the number of inputs over all estimators, ``MAXMARGIN_FUZZ_SEED``
the seed. The ordinary tests run a few inputs that are always the same.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for the modules of this folder

import fuzz_profile
from fuzz_profile import ENGINES

OTHERS = {"interruptions": "interruptions", "rounds": "rounds of eight threads"}


def pytest_report_header():
    return f"fuzz: {fuzz_profile.N_INPUTS} inputs, seed {fuzz_profile.SEED}"


def pytest_terminal_summary(terminalreporter):
    counts = dict.fromkeys((*OTHERS, "inputs", "refused", "default", *ENGINES), 0)
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name in counts:
                counts[name] += value
    for name, words in OTHERS.items():
        if counts[name]:
            terminalreporter.write_line(f"{counts[name]} {words} without a finding")
    if not counts["inputs"]:
        return
    reached = ", ".join(f"{counts[name]} {name}" for name in ENGINES)
    terminalreporter.write_line(
        f"engines: {reached}; {counts['default']} with default parameters on the "
        "automatic similarity"
    )
    terminalreporter.write_line(
        f"{counts['inputs']} inputs without a finding, {counts['refused']} of them "
        f"refused with an error message (seed {fuzz_profile.SEED})"
    )
