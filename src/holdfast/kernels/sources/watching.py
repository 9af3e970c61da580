"""Differences between workers and the judgement on them: the arithmetic of `holdfast.watching` (docs/watchful.md).

Numbers are added up in the order in which the plain twin of the tests adds them, so that both decide alike.
"""

import numpy as np

from holdfast.kernels.compile_cache import jit


@jit
def attend(weights, workers, rounds, left_out):
    """Count a round for these workers, and a round left out for those without weight.

    Return whether every worker has an entry; if not, nothing is counted.
    """
    for worker in workers:
        if worker > len(weights):
            return False
    for worker in workers:
        rounds[worker - 1] += 1
        left_out[worker - 1] += weights[worker - 1] == 0
    return True


@jit
def remember(found, workers, others, compared, least, shares, times):
    """Move the shares of these workers' pairs towards the differences found now; count the comparison.

    found[i, j] is the difference of worker `workers[i]` from `others[j]`, one of those compared. The n-th comparison
    moves a share by 1/n of the way, and never by less than `least`.
    """
    column = np.full(len(shares), -1)
    for k in range(len(compared)):
        column[compared[k] - 1] = k
    for i in range(len(workers)):
        mine = workers[i] - 1
        for j in range(len(others)):
            k = column[others[j] - 1]
            times[mine, k] += 1
            shares[mine, k] += max(least, 1 / times[mine, k]) * (found[i, j] - shares[mine, k])


@jit
def _argsort(values):
    """Return the order of the values from the least to the largest, of equal ones as they come: a Shell sort."""
    n = len(values)
    order = np.arange(n)
    gap = 1
    while 3 * gap + 1 < n:
        gap = 3 * gap + 1
    while gap:
        for i in range(gap, n):
            moved, j = order[i], i
            value = values[moved]
            while j >= gap:
                before = order[j - gap]
                if values[before] < value or (values[before] == value and before < moved):
                    break
                order[j] = before
                j -= gap
            order[j] = moved
        gap //= 3
    return order


@jit
def _median(values, weights):
    """Return the least value at which half of the weight is reached."""
    order, total, reached = _argsort(values), 0.0, 0.0
    for k in order:
        total += weights[k]
    for k in order:
        reached += weights[k]
        if reached >= total / 2:
            return values[k]
    return values[order[-1]]


@jit
def _voices(shares, others, near, quantile, columns, weights, leaders):
    """Fill in each row's weight and its leader: the first of the rows near it and itself.

    Near is less than `near` times the distance to the nearest other at this quantile of the rows. Rows near each
    other are one voice where others are judged. Column k is that of the worker in row `columns[k]`.
    """
    rows = len(shares)
    nearest = np.full(rows, np.inf)
    for i in range(rows):
        for k in range(len(columns)):
            if others[i, k] and shares[i, k] < nearest[i]:
                nearest[i] = shares[i, k]
    limit = near * nearest[_argsort(nearest)[int(quantile * (rows - 1))]]
    # of many workers only some are compared: each of them stands for several
    stands_for = (rows - 1) / max(len(columns) - 1, 1)
    for i in range(rows):
        same = 0
        leaders[i] = i
        for k in range(len(columns)):
            if others[i, k] and shares[i, k] < limit:
                same += 1
                leaders[i] = min(leaders[i], columns[k])
        weights[i] = 1 / (1 + same * stands_for)


@jit
def _extremes(shares, column_weights, place, places, last, cuts):
    """Return for each number of excluded rows the least difference of an excluded row from the rows that stay, and the
    largest of a row that stays. Each row adds up its columns once, beginning with rows that stay in every case.
    """
    least, most = np.full(cuts, np.inf), np.zeros(cuts)
    for i in range(len(shares)):
        total, summed, k = 0.0, 0.0, 0
        for cut in range(cuts - 1, -1, -1):
            while k < len(last) and places[last[k]] >= cut:
                total += column_weights[i, last[k]]
                summed += shares[i, last[k]] * column_weights[i, last[k]]
                k += 1
            mean = summed / max(total, 1e-12)
            if place[i] < cut:
                least[cut] = min(least[cut], mean)
            else:
                most[cut] = max(most[cut], mean)
    return least, most


@jit
def _split(shares, column_weights, columns, weights, ratio, margin, agreed, apart, place, difference):
    """Fill in each row's place in the order of exclusion, and its difference from the rows that stay.

    Return how many rows are excluded, and the exclusion threshold.
    """
    rows = len(shares)
    middles = np.empty(rows)
    for i in range(rows):
        middles[i] = -_median(shares[i], column_weights[i])
    order, voices = _argsort(middles), 0.0
    for i in range(rows):
        place[order[i]] = i
        voices += weights[order[i]]
    # copies are many workers and one voice: neither majority goes
    cuts, gone = 1, weights[order[0]]
    while cuts < (rows + 1) // 2 and gone < voices / 2:
        gone += weights[order[cuts]]
        cuts += 1
    places = place[columns]
    last = _argsort(places)[::-1]
    least, most = _extremes(shares, column_weights, place, places, last, cuts)
    limits = np.maximum(np.where(most <= agreed, ratio, apart) * most, most + margin)
    best = 0
    for cut in range(1, cuts):
        if best == 0 or least[cut] / limits[cut] > least[best] / limits[best]:
            best = cut
    if least[best] < limits[best]:
        best = 0
    for i in range(rows):
        total, summed = 0.0, 0.0
        for k in last:
            if places[k] >= best:
                total += column_weights[i, k]
                summed += shares[i, k] * column_weights[i, k]
        difference[i] = summed / max(total, 1e-12)
    return best, limits[best]


@jit
def judge(shares, times, compared, judgements, constants, weights, voices, difference):
    """Fill in each worker's weight (0 if excluded), its voice, and its difference from the workers that stay.

    Return the exclusion threshold; -1 if too few were compared often enough, and then nothing is filled in.
    """
    near, quantile, alike, ratio, margin, agreed, apart = constants
    known = np.empty(len(shares), np.int64)
    row, n = np.full(len(shares), -1), 0
    for i in range(len(shares)):
        enough = 0
        for k in range(len(compared)):
            enough += times[i, k] >= judgements
        if enough >= min(len(compared) - 1, 2):
            known[n], row[i] = i, n
            n += 1
    if n < 3:
        return -1.0
    known = known[:n]
    among = np.array([k for k in range(len(compared)) if row[compared[k] - 1] >= 0])
    columns = row[compared[among] - 1]
    some, others = np.empty((n, len(among))), np.empty((n, len(among)), np.bool_)
    for i in range(n):
        for k in range(len(among)):
            some[i, k] = shares[known[i], among[k]]
            others[i, k] = columns[k] != i and times[known[i], among[k]] > 0
    count, leaders, place, differs = np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    _voices(some, others, near, quantile, columns, count, leaders)
    column_weights = np.empty(some.shape)
    for i in range(n):
        for k in range(len(among)):
            column_weights[i, k] = count[columns[k]] if others[i, k] else 0.0
    go, limit = _split(some, column_weights, columns, count, ratio, margin, agreed, apart, place, differs)
    for i in range(n):
        weights[known[i]] = 0.0 if place[i] < go else min(1.0, alike * count[i])
        voices[known[i]] = known[leaders[i]] + 1
        difference[known[i]] = differs[i]
    return limit
