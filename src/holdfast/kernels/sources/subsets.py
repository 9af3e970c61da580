"""The best of all subsets of a size, by depth-first search: what no addition can mend is left out at once.

Both searches look at sets in lexicographic order of the rows, so that of equally good ones the first wins.
"""

import numpy as np

from holdfast.kernels.compiling import compiled


@compiled
def least_diameter(D, size, best):
    """best = the rows of the subset with the least largest distance, of tied ones that with the least sum of them.

    `chosen[:depth]` is the set so far; adding a row makes neither its largest distance nor their sum smaller.
    """
    n = len(D)
    chosen, widest, total = np.zeros(size, np.int64), np.zeros(size + 1), np.zeros(size + 1)
    best[:] = np.arange(size)
    least, sum_of_least = np.inf, np.inf
    depth, row = 0, 0
    while True:
        if depth == size or n - row < size - depth:
            if depth == size:
                best[:], least, sum_of_least = chosen, widest[size], total[size]
            if depth == 0:
                return
            depth -= 1
            row = chosen[depth] + 1
            continue
        wide, added = widest[depth], total[depth]
        for k in range(depth):
            distance = D[chosen[k], row]
            wide = max(wide, distance)
            added += distance
        if wide < least or (wide == least and added < sum_of_least):
            chosen[depth] = row
            depth += 1
            widest[depth], total[depth] = wide, added
        row += 1


@compiled
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


@compiled
def _largest_eigenvalue(G, chosen):
    """The largest eigenvalue of the scatter of these rows."""
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
    return np.linalg.eigvalsh(K)[k - 1]


@compiled
def least_eigenvalue(G, size, best):
    """best = the rows of the subset whose scatter has the least largest eigenvalue; G holds their inner products.

    Adding a row makes no eigenvalue of a scatter smaller. The first set is the first rows; a good one leaves out most.
    """
    n = len(G)
    best[:] = np.arange(size)
    least = _largest_eigenvalue(G, best)
    chosen, along = np.zeros(size, np.int64), np.zeros(size)
    sums, factor = np.zeros((size + 1, n)), np.zeros((size, size))
    depth, row = 0, 0
    while True:
        if depth == size:
            found = _largest_eigenvalue(G, chosen)
            if found < least:
                best[:], least = chosen, found
            depth = 0  # the factor is that of the old bound
            while depth < size - 1 and _append(G, chosen, depth, chosen[depth], least, sums, along, factor):
                depth += 1
            row = chosen[depth] + 1
            continue
        if n - row < size - depth:
            if depth == 0:
                return
            depth -= 1
            row = chosen[depth] + 1
            continue
        if _append(G, chosen, depth, row, least, sums, along, factor):
            depth += 1
        row += 1
