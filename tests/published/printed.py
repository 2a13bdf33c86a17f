"""The algorithms of the papers, written from their text alone and with no haste."""

import clarabel
import numpy as np
import scipy.sparse as sp


def solve_qp(P, q, A, b, n_equal=0):
    """Minimise 1/2 x'Px + q'x with A x = b in the first rows, <= b in the others."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    cones = [clarabel.ZeroConeT(n_equal)] if n_equal else []
    cones.append(clarabel.NonnegativeConeT(len(b) - n_equal))
    solver = clarabel.DefaultSolver(
        sp.csc_matrix(np.triu(P)), q, sp.csc_matrix(A), b, cones, settings
    )
    return np.array(solver.solve().x)


# Paper 004


def laplacian_regression(K, y, C):
    """Solve the dual (7); return the values w'phi(x_i) and |w|^2."""
    n = len(y)
    box = np.vstack([np.ones((1, n)), np.eye(n), -np.eye(n)])
    bounds = np.concatenate([[0.0], np.full(2 * n, C)])
    u = solve_qp(K, -y, box, bounds, n_equal=1)
    return K @ u, u @ K @ u


def bias_within(values, limit):
    """Section 3.3: for each boundary on the sorted list, the b with the least (8).

    For fixed labels the sum of |value + b - y| is least at a median of y - value; b
    must keep the boundary where it is, or it is moved to the middle of its interval.
    """
    n, order = len(values), np.argsort(values)
    ranked, best = values[order], (np.inf, None, None)
    for below in range(1, n):
        y = np.where(np.arange(n) < below, -1.0, 1.0)
        if abs(y.sum()) > limit or ranked[below] == ranked[below - 1]:
            continue
        low, high = -ranked[below], -ranked[below - 1]
        kinks = y - ranked
        inside = kinks[(low < kinks) & (kinks < high)]
        for b in [*inside, (low + high) / 2]:
            loss = np.abs(ranked + b - y).sum()
            if loss < best[0] - 1e-13:
                labels = np.empty(n)
                labels[order] = y
                best = loss, b, labels
    return best


def iterative_svr(K, y, C, limit, max_rounds=100):
    """Algorithm 2; return the labels of all rounds and the last objective.

    Labels that came before end it: the same rounds would follow for ever.
    """
    rounds, seen = [], {y.tobytes()}
    for _ in range(max_rounds):
        values, norm = laplacian_regression(K, y, C)
        loss, _, y = bias_within(values, limit)
        rounds.append((y, norm + 2 * C * loss))
        if y.tobytes() in seen:
            break
        seen.add(y.tobytes())
    return rounds


# Paper 000


def least_squares_fitness(K, ridge, y):
    """Equation (4), with ridge = lambda n."""
    n = len(y)
    c = np.linalg.solve(K + ridge * np.eye(n), y)
    rest = y - K @ c
    return (rest @ rest + ridge * c @ K @ c) / n


def evolutionary_search(F, members, n_offspring, last_generation, limit, below):
    """Algorithm 1; return the best labels and the fitness after each generation.

    ``below(n)`` draws a whole number from 0 to n - 1. A flip that breaks the balance
    constraint is repaired by a swap, section 3.1. An offspring replaces the worst
    member, if it is better.
    """
    n = len(members[0])
    order, mu = np.arange(n), len(members)
    population = [(F(y), y.copy()) for y in members]
    history = []
    for t in range(last_generation + 1):
        offspring = []
        for _ in range(n_offspring):
            y = population[below(mu)][1].copy()
            s = max(1, n // (t + 1))
            for q in range(s):
                other = q + below(n - q)
                order[q], order[other] = order[other], order[q]
            for j in order[:s]:
                y[j] = -y[j]
                if abs(y.sum()) > limit:
                    i = below(n)
                    while i == j or y[i] != y[j]:
                        i = below(n)
                    y[i] = -y[i]
            offspring.append((F(y), y))
        for value, y in sorted(offspring, key=lambda one: one[0]):
            worst = max(range(mu), key=lambda m: (population[m][0], m))
            if value < population[worst][0]:
                population[worst] = value, y
        history.append(min(value for value, _ in population))
    return min(population, key=lambda one: one[0])[1], history


# Paper 001


def leader_classes(X, radius):
    """Section 3, steps 1 to 6; return the class of each sample and the centres."""
    classes, members, joined = [[X[0]]], [X[0]], [0]
    for x in X[1:]:
        distances = [np.linalg.norm(center - x) for center in members]
        j = int(np.argmin(distances))
        if distances[j] < radius:
            classes[j].append(x)
            members[j] = np.mean(classes[j], axis=0)
        else:
            j = len(classes)
            classes.append([x])
            members.append(x)
        joined.append(j)
    return np.array(joined), np.array(members)


# Paper 003


def plain_objective(K, ridge, labels, n_clusters):
    """Equations (7) and (13)."""
    G = np.linalg.inv(K + ridge * np.eye(len(K)))
    total = 0.0
    for h in range(n_clusters):
        p = np.where(labels == h, 1.0, -1.0)
        rest = p - K @ G @ p
        total += rest @ rest + ridge * p @ G @ K @ G @ p
    return total


def switched(labels, j, d):
    labels = labels.copy()
    labels[j] = d
    return labels


def stochastic_descent(Q, labels, n_clusters):
    """Algorithm 1, rows 1, ..., n in turn."""
    while True:
        stop = True
        for j in range(len(labels)):
            values = [Q(switched(labels, j, d)) for d in range(n_clusters)]
            d = int(np.argmin(values))
            if values[d] < values[labels[j]] - 1e-9:
                labels, stop = switched(labels, j, d), False
        if stop:
            return labels


def steepest_descent(Q, labels, n_clusters):
    """Algorithm 2."""
    while True:
        found = [
            (Q(switched(labels, j, d)), j, d)
            for j in range(len(labels))
            for d in range(n_clusters)
        ]
        value, j, d = min(found)
        if value >= Q(labels) - 1e-9:
            return labels
        labels = switched(labels, j, d)


def shaking(Q, labels, n_clusters, s, fixed=()):
    """Algorithm 3; ``fixed`` are the rows whose labels are known (section 5)."""
    n, k = len(labels), n_clusters
    for i in range(s + 1):
        for d in range(k):
            claims = n / (2**i * k) + n / k - np.sum(labels == d)
            for _ in range(int(claims)):
                others = [j for j in range(n) if labels[j] != d and j not in fixed]
                if not others:
                    break
                best = min(others, key=lambda j: Q(switched(labels, j, d)))
                labels = switched(labels, best, d)
    return labels


# Paper 002


def cutting_planes(Z, shares, weights, limit, v, eps, alpha, pairs=(), penalty=None):
    """Algorithms 1 and 2: outer loop over constraints c, inner loop the CCCP.

    ``shares`` (slacks x rows) has what c_i is divided by, ``weights`` the C of each
    slack, ``pairs`` rows with one slack, of which the worse has a c (16); ``penalty``
    is a matrix D and the v before of a term (v - before)'D(v - before).
    """
    n, d = Z.shape
    rows = np.column_stack([Z, np.ones(n)])
    n_slacks = len(weights)
    P = np.zeros((d + 1 + n_slacks,) * 2)
    P[:d, :d] = np.eye(d)
    q = np.concatenate([np.zeros(d + 1), weights])
    if penalty is not None:
        D, before = penalty
        P[: d + 1, : d + 1] += 2 * D
        q[: d + 1] -= 2 * D @ before
    total = np.append(rows.sum(axis=0), np.zeros(n_slacks))
    positive = np.hstack([np.zeros((n_slacks, d + 1)), -np.eye(n_slacks)])

    def most_violated(f):
        c = np.where(np.abs(f) < 1, shares, 0.0)
        for i, j in pairs:
            worse = shares[:, i] * (1 - abs(f[i])) < shares[:, j] * (1 - abs(f[j]))
            c[worse, i], c[~worse, j] = 0.0, 0.0
        return c

    def solve(omega, f):
        A, b = [total, -total, *positive], [limit, limit, *np.zeros(n_slacks)]
        for c in omega:
            for g in range(n_slacks):
                slope = (c[g] * np.where(f > 0, 1.0, -1.0)) @ rows
                A.append(np.append(-slope, -np.eye(n_slacks)[g]))
                b.append(-c[g].sum())
        x = solve_qp(P, q, np.array(A), np.array(b))
        return x[: d + 1], x[d + 1 :], 0.5 * x @ P @ x + q @ x

    omega, xi, f = [], np.zeros(n_slacks), rows @ v
    c = most_violated(f)
    while (c.sum(axis=1) - c @ np.abs(f) > xi + eps).any():
        omega.append(c)
        last = None
        while True:
            v, xi, reached = solve(omega, f)
            f = rows @ v
            if last is not None and last - reached <= alpha * abs(last):
                break
            last = reached
        c = most_violated(f)
    c = most_violated(f)
    losses = c.sum(axis=1) - c @ np.abs(f)
    value = 0.5 * v[:d] @ v[:d] + weights @ losses
    if penalty is not None:
        value += (v - before) @ D @ (v - before)
    return v, value, len(omega)


def multiclass_margin(X, labels, k, C, limit):
    """Least 1/2 |W|^2 + C / n sum of hinge losses of given labels, by one programme.

    The sums of the decision values of any two of the k functions differ by at most
    ``limit``.
    """
    n, d = X.shape
    Z = np.hstack([X, np.ones((n, 1))])
    width = k * (d + 1)
    P = np.zeros((width + n, width + n))
    P[:width, :width] = np.diag(np.tile(np.append(np.ones(d), 0.0), k))
    q = np.append(np.zeros(width), np.full(n, C / n))
    rows, bounds = [], []

    def difference(z, p, r):
        row = np.zeros(width + n)
        row[r * (d + 1) : (r + 1) * (d + 1)] += z
        row[p * (d + 1) : (p + 1) * (d + 1)] -= z
        return row

    for i in range(n):
        for r in range(k):
            row = difference(Z[i], labels[i], r)  # 1 - f_label + f_r <= slack
            row[width + i] = -1.0
            rows.append(row)
            bounds.append(0.0 if r == labels[i] else -1.0)
    for p in range(k):
        for r in range(k):
            if p != r:
                rows.append(difference(Z.sum(axis=0), p, r))
                bounds.append(limit)
    x = solve_qp(P, q, np.array(rows), np.array(bounds))
    return x @ P @ x / 2 + q @ x
