"""The cluster bootstrap: whole clips are drawn with replacement, all statistics in one pass.

Questions on one clip are not independent, so the clip is what is drawn (Davison & Hinkley 1997,
section 3.8; Field & Welsh 2007). Sums of the clips are all that is needed of the items.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.kernels._jit import as_input
from perturb.kernels.draw_sums import sum_draws
from perturb.score.inference.statistic import Floats, Ints
from perturb.streams import Streams

__all__ = ["cluster_places", "resample_sums", "sum_clusters"]

# Fixed, because the draws of a block come from a stream of its own.
_BLOCK_SAMPLES = 16


def cluster_places(clusters: npt.ArrayLike, n_items: int) -> tuple[Ints, int]:
    """Return for each item the place of its clip, from 0, and the number of clips.

    Raises
    ------
    ParameterError
        Not one whole number per item.
    """
    labels = np.asarray(clusters)
    if labels.shape != (n_items,) or labels.dtype.kind not in "iu":
        raise ParameterError(
            f"clusters has shape {labels.shape} and type {labels.dtype}; accepted: one whole "
            f"number per item, {n_items} here"
        )
    names, places = np.unique(labels, return_inverse=True)
    return places, names.size


def sum_clusters(columns: Floats, places: Ints, n_clusters: int) -> Floats:
    """Return the sums of each clip, float64 of shape (clusters, columns)."""
    totals = np.empty((n_clusters, columns.shape[1]))
    for number, column in enumerate(columns.T):
        totals[:, number] = np.bincount(places, weights=column, minlength=n_clusters)
    return totals


def resample_sums(totals: Floats, n_samples: int, seed: int) -> Floats:
    """Return the sums over clips that are drawn with replacement, as many as there are.

    The same seed and number of clips draw the same clips, whatever is summed.

    Parameters
    ----------
    totals : ndarray of float64, shape (clusters, columns)
        Sums of each clip; at least one.
    n_samples : int
        Bootstrap samples.
    seed : int
        Of the draws.

    Returns
    -------
    ndarray of float64, shape (n_samples, columns)
    """
    n_clusters = totals.shape[0]
    # Clips with the same sums are of one kind: only how often each kind is drawn matters.
    rows, row_of = np.unique(totals, axis=0, return_inverse=True)
    if rows.shape[0] == 1:
        return np.tile(n_clusters * rows, (n_samples, 1))
    kinds, kind_of = as_input(rows, np.float64), as_input(row_of.ravel(), np.uint32)
    streams = Streams(seed, "score", "bootstrap")
    sums = np.empty((n_samples, totals.shape[1]))
    for start in range(0, n_samples, _BLOCK_SAMPLES):
        generator = streams.generator(f"block {start // _BLOCK_SAMPLES}")
        shape = (min(_BLOCK_SAMPLES, n_samples - start), n_clusters)
        draws = generator.integers(0, n_clusters, shape, dtype=np.uint32)
        sum_draws(as_input(draws, np.uint32), kind_of, kinds, sums[start : start + len(draws)])
    return sums
