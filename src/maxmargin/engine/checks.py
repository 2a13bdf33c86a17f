"""Checks of parameters; a message says what is wrong and what to give."""

import numbers

import numpy as np


def check_choice(name: str, value: object, known: tuple, other: str = "") -> None:
    """Raise an error if a value is not one of the known ones."""
    if value not in known:
        other = f" {other}" if other else ""
        raise ValueError(f"{name}={value!r} is not known: use one of {known}{other}.")


def check_decay(decay: object) -> None:
    """Raise an error if the speed of shaking is not "linear" or a factor above 1."""
    if isinstance(decay, str):
        check_choice("shaking_decay", decay, ("linear",), "or a factor above 1")
    elif not isinstance(decay, numbers.Real) or not 1 < float(decay) < np.inf:
        raise ValueError(
            f"shaking_decay={decay!r} must be a factor above 1, or 'linear'."
        )


def check_degrees(degrees: object) -> None:
    """Raise an error for invalid degrees of freedom."""
    if not isinstance(degrees, str):
        check_positive("degrees_of_freedom", degrees)
    elif degrees != "auto":
        raise ValueError(
            f"degrees_of_freedom={degrees!r} is not understood: give 'auto', a share "
            "of the samples below 1, or a number."
        )


def check_n_init(n_init: object) -> None:
    """Raise an error if the number of starts is not "auto" or an int."""
    if isinstance(n_init, str) and n_init == "auto":
        return
    check_integer("n_init", n_init)


def check_n_jobs(n_jobs: object) -> None:
    """Raise an error if the number of threads is neither None nor an int."""
    whole = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (whole and int(n_jobs) != 0):  # type: ignore
        raise ValueError(
            f"n_jobs={n_jobs!r} must be None, a number of threads, or -1 for all cores."
        )


def check_integer(name: str, value: object) -> None:
    """Raise an error if a value is not an int >= 1."""
    if (
        not isinstance(value, numbers.Integral)
        or isinstance(value, bool)
        or int(value) < 1
    ):
        raise ValueError(f"{name}={value!r} must be an int >= 1.")


def check_switch(name: str, value: object) -> None:
    """Raise an error if a value is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r} must be True or False.")


def check_no_switch(name: str, value: object) -> None:
    """Raise an error for a bool, which would be taken for a number."""
    if isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r} is not understood: it is no switch.")


def check_verbose(verbose: object) -> None:
    """Raise an error if what is printed is not a number from 0 on, or a bool."""
    if not isinstance(verbose, numbers.Integral | np.bool_) or int(verbose) < 0:
        raise ValueError(f"verbose={verbose!r} must be 0, for silence, or 1.")


def check_positive(name: str, value: object) -> None:
    """Raise an error if a value is not a positive number."""
    if not isinstance(value, numbers.Real) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name}={value!r} must be a positive number.")
