r"""Whether a number has a single mode.

A distribution with one mode has a distribution function that is convex left of the mode
and concave right of it. With the empirical distribution function :math:`F`, its largest
convex minorant :math:`F_m^-` left of :math:`m` and its smallest concave majorant
:math:`F_m^+` right of it,

.. math:: D = \frac{1}{2} \min_m \max\left(\max_{x \le m} F(x) - F_m^-(x),\
   \max_{x \ge m} F_m^+(x) - F(x)\right)

is the distance to the nearest such function on either side, as in the dip test of
Hartigan and Hartigan (1985, doi:10.1214/aos/1176346577). Of all distributions with one
mode the uniform one has the largest values of :math:`\sqrt n D`.
"""

import numpy as np

GRID = 64  # quantiles at which the functions are compared
CRITICAL = 0.44  # exceeded by one in a hundred uniform samples, of 50 to 10,000 rows


def has_one_mode(x: np.ndarray) -> bool:
    """Return False if numbers, NaN left out, have more than one mode beyond chance."""
    x = np.sort(x[~np.isnan(x)])
    return bool(np.sqrt(len(x)) * distance_to_one_mode(x) <= CRITICAL)


def distance_to_one_mode(x: np.ndarray) -> float:
    """Return D of sorted numbers, at their quantiles."""
    points = np.unique(np.quantile(x, np.linspace(0.0, 1.0, GRID)))
    F = np.searchsorted(x, points, "right") / len(x)
    left = gaps_to_convex(points, F)
    right = gaps_to_convex(-points[::-1], 1.0 - F[::-1])[::-1]
    return float(np.maximum(left, right).min()) / 2.0


def gaps_to_convex(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the largest distance of a curve to its convex minorant up to each point.

    The corners of the minorant up to a point are those up to the last one, without
    those that are no longer convex.
    """
    corners: list[int] = []
    gaps = np.zeros(len(x))
    for i in range(len(x)):
        while len(corners) > 1 and _is_above(x, y, corners[-2], corners[-1], i):
            corners.pop()
        corners.append(i)
        minorant = np.interp(x[: i + 1], x[corners], y[corners])
        gaps[i] = (y[: i + 1] - minorant).max()
    return gaps


def _is_above(x: np.ndarray, y: np.ndarray, a: int, b: int, c: int) -> bool:
    """Return True if point b lies on or above the line from a to c."""
    rise: float = (y[b] - y[a]) * (x[c] - x[a]) - (y[c] - y[a]) * (x[b] - x[a])
    return rise >= 0
