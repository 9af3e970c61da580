"""The best of all subsets of a size, by depth-first search: what no addition can mend is left out at once.

The search for the diameter looks at sets in lexicographic order of the rows, so that of equally good ones the first
wins; the one for the eigenvalue begins with the set that is best at first sight.
"""

import numpy as np

from holdfast.kernels.compile_cache import jit

POWER_STEPS = 8
"""How well an eigenvector has to be known that only says where to begin."""


@jit
def _twins(pairs):
    """For each row the last one before it with the same entries, so that either may stand for the other; n if none."""
    n = len(pairs)
    twins = np.full(n, n)
    for i in range(n):
        for k in range(i):
            same = True
            for j in range(n):
                same &= pairs[i, j] == pairs[k, j]
            twins[i] = k if same else twins[i]
    return twins


@jit
def _some_diameter(D, size):
    """The least diameter of those sets that are a row and the `size` - 1 nearest to it."""
    least = np.inf
    for i in range(len(D)):
        near = np.argsort(D[i])[:size]
        widest = 0.0
        for k in range(size):
            for j in range(k):
                widest = max(widest, D[near[k], near[j]])
        least = min(least, widest)
    return least


@jit
def least_diameter(D, size, best):
    """best = the rows of the subset with the least largest distance, of tied ones that with the least sum of them.

    `chosen[:depth]` is the set so far; adding a row makes neither its largest distance nor their sum smaller. Of rows
    that are twins, as messages of colluding workers are, one is added only after the one before.
    """
    n = len(D)
    chosen, widest, total = np.zeros(size, np.int64), np.zeros(size + 1), np.zeros(size + 1)
    twins, inside = _twins(D), np.zeros(n + 1, np.bool_)
    inside[n] = True
    best[:] = np.arange(size)
    least, sum_of_least = _some_diameter(D, size), np.inf
    depth, row = 0, 0
    while True:
        if depth == size or n - row < size - depth:
            if depth == size:
                best[:], least, sum_of_least = chosen, widest[size], total[size]
            if depth == 0:
                return
            depth -= 1
            row = chosen[depth]
            inside[row] = False
        elif inside[twins[row]]:
            wide, added = widest[depth], total[depth]
            for k in range(depth):
                distance = D[chosen[k], row]
                wide = max(wide, distance)
                added += distance
            if wide < least or (wide == least and added < sum_of_least):
                chosen[depth], inside[row] = row, True
                depth += 1
                widest[depth], total[depth] = wide, added
        row += 1


@jit
def _append(G, chosen, depth, row, bound, sums, along, factor):
    """Put `row` behind `depth` chosen ones; return whether all eigenvalues of their scatter are below the bound.

    The scatter of x_0, ..., x_d is YY' with columns y_k = sqrt(k / (k + 1)) (x_k - mean of the k before): one row
    more is one column more. Its eigenvalues other than 0 are those of Y'Y, and all are below the bound if and only
    if bound I - Y'Y, of which `factor` is Cholesky's, has positive pivots. `sums[k, i]` is <x_i, x_0 + ... + x_{k - 1}>
    of the chosen rows, for every row i.
    """
    chosen[depth] = row
    sums[depth + 1] = sums[depth] + G[row]
    if depth == 0:
        return True
    scale = np.sqrt(depth / (depth + 1.0))
    for k in range(depth + 1):
        i = chosen[k]
        along[k] = scale * (G[i, row] - sums[depth, i] / depth)  # <x_k, y_depth>
    before = along[0]
    for k in range(1, depth + 1):
        product = np.sqrt(k / (k + 1.0)) * (along[k] - before / k)  # <y_k, y_depth>
        before += along[k]
        entry = bound - product if k == depth else -product
        for j in range(1, k):
            entry -= factor[k, j] * factor[depth, j]
        if k < depth:
            factor[depth, k] = entry / factor[k, k]
        elif entry > 0:
            factor[depth, depth] = np.sqrt(entry)
        else:
            return False
    return True


@jit
def _centre(G, chosen):
    """The inner products of these rows about their mean."""
    k = len(chosen)
    K = np.empty((k, k))
    for i in range(k):
        for j in range(k):
            K[i, j] = G[chosen[i], chosen[j]]
    means = np.zeros(k)
    for i in range(k):
        means[i] = K[i].sum() / k
    whole = means.sum() / k
    for i in range(k):
        for j in range(k):
            K[i, j] += whole - means[i] - means[j]
    return K


@jit
def _largest_eigenvalue(G, chosen):
    """The largest eigenvalue of the scatter of these rows."""
    return np.linalg.eigvalsh(_centre(G, chosen))[len(chosen) - 1]


@jit
def _farthest_out(K):
    """The row that is farthest out about along the first eigenvector, by a few power steps; of equals the first."""
    k, widest = len(K), 0
    for i in range(k):
        widest = i if K[i, i] > K[widest, widest] else widest
    along, product = K[widest].copy(), np.zeros(k)
    for _ in range(POWER_STEPS):
        largest = np.abs(along).max()
        if not largest > 0:
            break
        for i in range(k):
            total = 0.0
            for j in range(k):
                total += K[i, j] * (along[j] / largest)
            product[i] = total
        along[:] = product
    out = 0
    for i in range(k):
        out = i if np.abs(along[i]) > np.abs(along[out]) else out
    return out


@jit
def _peel(G, size):
    """All rows, at first those that are dropped one after another as farthest out, until `size` are left."""
    order = np.arange(len(G))[::-1].copy()
    for dropped in range(len(G) - size):
        out = dropped + _farthest_out(_centre(G, order[dropped:]))
        row = order[out]
        for k in range(out, dropped, -1):
            order[k] = order[k - 1]
        order[dropped] = row
    return order


@jit
def least_eigenvalue(products, size, best):
    """best = the rows of the subset whose scatter has the least largest eigenvalue, from their inner products.

    Adding a row makes no eigenvalue of a scatter smaller. Rows are put in order first: those that are far out come
    first, since a few of them are too many at once, and the last make a set that is good already, which leaves out most
    others. Twins are added as above.
    """
    n = len(products)
    order = _peel(products, size)
    G = products[order][:, order]
    best[:] = np.arange(n - size, n)
    least, twins, inside = _largest_eigenvalue(G, best), _twins(G), np.zeros(n + 1, np.bool_)
    inside[n] = True
    chosen, along = np.zeros(size, np.int64), np.zeros(size)
    sums, factor = np.zeros((size + 1, n)), np.zeros((size, size))
    depth, row = 0, 0
    while True:
        if depth == size:
            found = _largest_eigenvalue(G, chosen)
            if found < least:
                best[:], least = chosen, found
            inside[:n] = False
            depth = 0  # the factor is that of the old bound
            while depth < size - 1 and _append(G, chosen, depth, chosen[depth], least, sums, along, factor):
                inside[chosen[depth]] = True
                depth += 1
            row = chosen[depth]
        elif n - row < size - depth:
            if depth == 0:
                break
            depth -= 1
            row = chosen[depth]
            inside[row] = False
        elif inside[twins[row]] and _append(G, chosen, depth, row, least, sums, along, factor):
            inside[row] = True
            depth += 1
        row += 1
    best[:] = np.sort(order[best])
