"""Closed forms that the checks of docs/gallery/gallery.yaml use beside the functions of numpy. All work on whole columns.

A point of the plane is a complex number, a point in space an array of three rows."""
import numpy as np


def dyad(p, rp, q, rq):
    """Where two links of length rp, rq from p and q meet: on the left, seen from p to q."""
    d = q - p
    along = (rp**2 - rq**2 + abs(d) ** 2) / (2 * abs(d))
    return p + d / abs(d) * (along + 1j * np.sqrt(rp**2 - along**2))


def vector(x, y, z):
    return np.array(np.broadcast_arrays(x, y, z), dtype=float)


def turned(v, axis, angle, about=(0, 0, 0)):
    """v after a rotation about an axis through a point (Rodrigues)."""
    k = np.reshape(axis, (3, 1)) / np.linalg.norm(axis)
    centre = np.reshape(about, (3, 1))
    v = (v if np.ndim(v) == 2 else np.reshape(v, (3, 1))) - centre
    cross = np.cross(np.broadcast_to(k, v.shape), v, axis=0)
    return centre + v * np.cos(angle) + cross * np.sin(angle) + k * (k * v).sum(axis=0) * (1 - np.cos(angle))


def chain(place, *joints):
    """A place of the last link of a robot: joints (axis, a point of it, angle) from the ground on, as the robot stands at zero."""
    for axis, about, angle in reversed(joints):
        place = turned(place, axis, angle, about)
    return place


def three_spheres(a, ra, b, rb, c, rc, side=1):
    """Where three spheres meet: on the side of their centres' plane to which (b - a) x (c - a) points, or on the other."""
    ex = (b - a) / norm(b - a)
    i = dot(ex, c - a)
    ey = (c - a) - i * ex
    ey = ey / norm(ey)
    j, d = dot(ey, c - a), norm(b - a)
    x = (ra**2 - rb**2 + d**2) / (2 * d)
    y = (ra**2 - rc**2 + i**2 + j**2 - 2 * i * x) / (2 * j)
    z = np.sqrt(ra**2 - x**2 - y**2)
    return a + x * ex + y * ey + side * z * np.cross(ex, ey, axis=0)


def on_circle(place, axis, about, centre, radius, near):
    """The angle, of both the one next to `near`, by which `place` turns about an axis until it is on a sphere."""
    k = np.reshape(axis, (3, 1)) / np.linalg.norm(axis)
    about = np.reshape(about, (3, 1))
    v = np.reshape(place, (3, 1)) - about
    foot = k * dot(k, v)
    across = v - foot
    beside = np.cross(k, across, axis=0)
    # |about + foot + across cos(u) + beside sin(u) - centre|² = radius²
    offset = about + foot - centre
    p, q = 2 * dot(across, offset), 2 * dot(beside, offset)
    rest = radius**2 - dot(across, across) - dot(offset, offset)
    middle, half = np.arctan2(q, p), np.arccos(rest / np.hypot(p, q))
    one, other = (np.angle(np.exp(1j * (middle + s * half))) for s in (1, -1))
    return np.where(abs(one - near) < abs(other - near), one, other)


def dot(a, b):
    return (a * b).sum(axis=0)


def norm(a):
    return np.sqrt(dot(a, a))


def capsule_inertia(m, r, length):
    """Of a uniform capsule about an axis across it through its middle."""
    tube = m * length / (length + 4 * r / 3)
    ends = m - tube
    return tube * (length**2 / 12 + r**2 / 4) + ends * (2 * r**2 / 5 + length**2 / 4 + 3 * length * r / 8)


def jacobi(u, m):
    """sn, cn, dn of Jacobi for the parameter m, by the arithmetic-geometric mean."""
    a, b, c = [1.0], np.sqrt(1 - m), [np.sqrt(m)]
    while abs(c[-1]) > 1e-16:
        a.append((a[-1] + b) / 2)
        c.append((a[-2] - b) / 2)
        b = np.sqrt(a[-2] * b)
    phi = 2 ** (len(a) - 1) * a[-1] * np.asarray(u)
    for k in range(len(a) - 1, 0, -1):
        phi = (phi + np.arcsin(c[k] / a[k] * np.sin(phi))) / 2
    sn = np.sin(phi)
    return sn, np.cos(phi), np.sqrt(1 - m * sn**2)


def linear_residual(x, interval, eigenvalues):
    """How far samples of x are from a sum of exponentials of these eigenvalues, relative to x: their recurrence applied to it."""
    recurrence = np.real(np.poly(np.exp(np.array(eigenvalues) * interval)))
    return abs(np.convolve(x, recurrence, "valid")).max() / abs(x).max()


def first(x):
    return x[0]


def last(x):
    return x[-1]


def largest(x):
    return np.max(x)


def smallest(x):
    return np.min(x)


def mean(x):
    """Over whole periods: the last row, which is the first of the next period, is left out."""
    return np.mean(x[:-1])
