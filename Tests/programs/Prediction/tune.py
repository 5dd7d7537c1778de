#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures and tunes the prediction of pens (Sources/Ink/PenMotion.swift) on recorded and generated strokes.

usage: tune.py [--tune] [FILE ...]

Each file has one sample a line, {"strokes": [[[ms, x, y, ...], ...], ...]} with x and y in any unit. Samples are scaled
to 60 mm (354 px at 150 px an inch) and read as panels would report them. Odd samples are for --tune, even ones for the
printed table. Without files, movements of the sigma-lognormal model are used (R. Plamondon 1995). Needs numpy.

The table has the median distance in px (95th percentile) from the pen 8 and 16 ms after a report: of the last report,
of the last velocity carried on, and of the filters.
"""
import json
import math
import sys
import numpy as np

WIDTH = 354.3                                    # px of 60 mm at 150 px an inch
# Hz, px of the touch unit, px of jitter.
PANELS = ((60, 0.25, 0.0), (60, 1.0, 0.5), (120, 0.25, 0.5), (120, 1.0, 0.5), (200, 0.25, 0.2))
AHEAD = (0.008, 0.016)                           # s
HISTORY = 24                                     # reports before a cut that are looked at
CUTS = 40                                        # cuts per sample and panel

# The figures of PenMotion.swift, in px at 150 px an inch and in seconds.
FIGURES = {'decay': 30.0, 'least_speed': 100.0, 'speed_memory': 0.04, 'landing': 6000.0,
           'quick_noise': 0.12, 'even_noise': 0.2, 'calm_noise': 0.7,
           'quick_agility': 800.0, 'even_agility': 220.0, 'calm_agility': 45.0,
           'quick_time_noise': 0.0002, 'even_time_noise': 0.001, 'calm_time_noise': 0.001}
ERROR_MEMORY, CAUTION = 0.1, 0.95


# MARK: strokes

def path(stroke, seconds):
    """A cubic through the recorded points in time (Catmull-Rom)."""
    t, p = stroke
    slope = np.diff(p, axis=0) / np.diff(t)[:, None]
    h = np.diff(t)[:, None]
    inner = (slope[:-1] * h[1:] + slope[1:] * h[:-1]) / (h[1:] + h[:-1])
    tangent = np.vstack([slope[:1], inner, slope[-1:]])
    k = np.clip(np.searchsorted(t, seconds, 'right') - 1, 0, len(t) - 2)
    h, s = h[k], ((seconds - t[k]) / h[k, 0])[:, None]
    return ((2 * s**3 - 3 * s**2 + 1) * p[k] + (s**3 - 2 * s**2 + s) * h * tangent[k]
            + (3 * s**2 - 2 * s**3) * p[k + 1] + (s**3 - s**2) * h * tangent[k + 1])


def scaled(strokes):
    points = np.vstack([s[:, 1:3] for s in strokes])
    factor = WIDTH / max(np.ptp(points[:, 0]), 1.2 * np.ptp(points[:, 1]), 1e-6)
    out = []
    for s in strokes:
        growing = np.r_[True, np.diff(np.maximum.accumulate(s[:, 0])) > 0]
        s = s[growing]
        if len(s) > 4 and s[-1, 0] - s[0, 0] < 60_000:
            out.append(((s[:, 0] - s[0, 0]) / 1000, s[:, 1:3] * factor))
    return out


def recorded(name):
    with open(name) as lines:
        for line in lines:
            strokes = [np.array([p[:3] for p in s], float) for s in json.loads(line)['strokes'] if s]
            if strokes and sum(map(len, strokes)) > 15:
                yield scaled(strokes)


def generated(seed):
    """Sums of lognormal movements along arcs that mostly turn the same way, as the up and down strokes of writing."""
    rng = np.random.default_rng(seed)
    size, tempo = rng.uniform(20, 60), rng.uniform(0.075, 0.14)
    strokes = []
    for number in range(rng.integers(2, 6)):
        count = int(rng.integers(3, 16))
        starts = np.cumsum(np.r_[0, tempo * rng.uniform(0.7, 1.3, count - 1)])
        t = np.arange(0, starts[-1] + 0.6, 0.005)
        p = np.stack([rng.uniform(10, 60) * size / 40 * t + number * 60, 0 * t], 1)
        angle, side = rng.uniform(0, 2 * math.pi), rng.choice([-1, 1])
        for start in starts:
            if rng.random() < 0.15:
                side = -side
            angle += math.pi * rng.uniform(0.55, 1.05) * side
            length, sigma = size * rng.lognormal(0, 0.45), rng.uniform(0.18, 0.4)
            mu = math.log(tempo * rng.uniform(1.5, 2.3) * 0.75)
            z = (np.log(np.maximum(t - start, 1e-9)) - mu) / sigma / math.sqrt(2)
            done = 0.5 * (1 + np.vectorize(math.erf)(z))
            first, last = angle - side * rng.uniform(0.05, 0.9), angle + side * rng.uniform(0.05, 0.9)
            way = first + (last - first) * done
            arc = np.stack([np.sin(way) - math.sin(first), math.cos(first) - np.cos(way)], 1)
            p = p + arc * (length / (last - first))
        moving = np.flatnonzero(np.hypot(*np.gradient(p, axis=0).T) / 0.005 > 3)
        a, b = moving[0], moving[-1] + 1
        strokes.append(np.c_[t[a:b] * 1000, p[a:b]])
    return scaled(strokes)


# MARK: panels

class Cuts:
    """Reports of panels up to random moments: age in s and position relative to the last report, newest first; and
    where the pen is later."""

    def __init__(self, samples, panel, seed=1):
        rng = np.random.default_rng(seed)
        rate, unit, jitter = panel
        ages, positions, truths = [], [], []
        for strokes in samples:
            share = CUTS / max(sum(s[0][-1] for s in strokes), 1e-6)
            for stroke in strokes:
                t = np.arange(0, stroke[0][-1], 1 / rate)
                if len(t) < 8:
                    continue
                p = path(stroke, t) + rng.normal(0, 1, (len(t), 2)) * jitter
                p = np.round(p / unit) * unit
                for n in rng.integers(5, len(t), max(1, round(share * stroke[0][-1]))):
                    if t[n] + AHEAD[-1] > stroke[0][-1]:
                        continue
                    past = np.arange(n, max(n - HISTORY, -1), -1)
                    age, position = np.full(HISTORY, np.nan), np.zeros((HISTORY, 2))
                    age[:len(past)], position[:len(past)] = t[n] - t[past], p[past] - p[n]
                    ages.append(age)
                    positions.append(position)
                    truths.append(path(stroke, t[n] + np.array(AHEAD)) - p[n])
        self.age, self.position, self.truth = np.array(ages), np.array(positions), np.array(truths)


# MARK: models

def last_velocity(cuts, ahead):
    return -cuts.position[:, 1] / cuts.age[:, 1:2] * ahead


class Step:
    """MotionStep of PenMotion.swift."""

    def __init__(self, seconds, decay):
        x = decay * seconds
        self.seconds = seconds
        self.kept = 1 / (1 + x * (1 + x * (0.5 + x / 6)))
        self.gain = (1 - self.kept) / decay
        self.shift = (seconds - self.gain) / decay


def followed(cuts, figures, name):
    """PenFilter of PenMotion.swift for all cuts at once: position, velocity and acceleration, and the mean error."""
    noise, agility, time_noise = (figures[name + part] for part in ('_noise', '_agility', '_time_noise'))
    landing = figures['landing']**2
    count = len(cuts.age)
    state = np.zeros((3, count, 2))
    cov = np.zeros((3, 3, count))
    reports, speed2 = np.zeros(count, int), np.zeros(count)
    error, weight = np.zeros(count), np.zeros(count)
    for k in range(HISTORY - 1, -1, -1):
        known = ~np.isnan(cuts.age[:, k])
        reports[known] += 1
        first, second, on = known & (reports == 1), known & (reports == 2), known & (reports > 2)
        state[0, first] = cuts.position[first, k]
        if second.any():
            dt = cuts.age[second, k + 1] - cuts.age[second, k]
            state[1, second] = (cuts.position[second, k] - state[0, second]) / dt[:, None]
            state[0, second] = cuts.position[second, k]
            speed2[second] = (state[1, second]**2).sum(1)
            n = np.full(len(dt), noise**2)
            cov[:, :, second] = np.array([
                [n, n / dt, 0 * dt], [n / dt, 2 * n / dt**2 + landing * dt**2 / 4, landing * dt / 2],
                [0 * dt, landing * dt / 2, landing + 0 * dt]])
            error[second], weight[second] = noise, 1
        if not on.any():
            continue
        dt = cuts.age[on, k + 1] - cuts.age[on, k]
        step, one, zero = Step(dt, figures['decay']), np.ones(on.sum()), np.zeros(on.sum())
        s, c = state[:, on], cov[:, :, on]
        speed2[on] += ((s[1]**2).sum(1) - speed2[on]) * dt / (dt + figures['speed_memory'])
        hand = speed2[on] + figures['least_speed']**2
        move = np.array([[one, dt, step.shift], [zero, one, step.gain], [zero, zero, step.kept]])
        s = np.einsum('ijn,jnc->inc', move, s)
        drive = np.array([[dt**4 / 20, dt**3 / 8, dt**2 / 6], [dt**3 / 8, dt**2 / 3, dt / 2], [dt**2 / 6, dt / 2, one]])
        c = np.einsum('ijn,jkn,lkn->iln', move, c, move) + drive * (agility**2 * hand * dt)
        gains = c[:, 0] / (c[0, 0] + noise**2 + time_noise**2 * hand)
        surprise = cuts.position[on, k] - s[0]
        state[:, on] = s + gains[:, :, None] * surprise
        cov[:, :, on] = c - gains[:, None] * c[0][None]
        old = dt / ERROR_MEMORY
        weight[on] = weight[on] / (1 + old * (1 + old / 2)) + 1
        error[on] += (np.hypot(*surprise.T) - error[on]) / weight[on]
    return state, error


def filters(cuts, figures):
    """Where the filters together see the pen at each of AHEAD, without the limits of StrokePredictor."""
    found = [followed(cuts, figures, name) for name in ('quick', 'even', 'calm')]
    weights = np.array([(error + 1e-9)**-6.0 for _, error in found])
    # PenFilters.quickSteps.
    weights[0] *= np.clip((0.015 - cuts.age[:, 1]) / 0.006, 0, 1)
    weights /= weights.sum(0)
    s = sum(state * weight[:, None] for (state, _), weight in zip(found, weights))
    steps = [Step(ahead, figures['decay']) for ahead in AHEAD]
    return [CAUTION * (s[0] + s[1] * step.seconds + s[2] * step.shift) for step in steps]


# MARK: measuring

def errors(cuts, predicted):
    return [np.hypot(*(p - cuts.truth[:, k]).T) for k, p in enumerate(predicted)]


def cost(sets, figures):
    """The mean logarithm of the errors beside those of the last velocity; the 95th percentile counts half."""
    total = 0.0
    for cuts in sets:
        for mine, line in zip(errors(cuts, filters(cuts, figures)),
                              errors(cuts, [last_velocity(cuts, ahead) for ahead in AHEAD])):
            total += math.log(np.median(mine) / np.median(line))
            total += 0.5 * math.log(np.percentile(mine, 95) / np.percentile(line, 95))
    return total / len(sets) / len(AHEAD)


def tuned(sets, figures):
    """Coordinate descent with shrinking steps."""
    best, factor = cost(sets, figures), 1.5
    while factor > 1.1:
        before = best
        for name in figures:
            for value in (figures[name] * factor, figures[name] / factor):
                tried = dict(figures, **{name: value})
                if (now := cost(sets, tried)) < best:
                    best, figures = now, tried
        print('  %.4f' % best, {name: float('%.3g' % value) for name, value in figures.items()}, flush=True)
        if best == before:
            factor = math.sqrt(factor)
    return figures


def main(arguments):
    names = [a for a in arguments if a != '--tune']
    samples = [s for name in names for s in recorded(name)] or [generated(seed) for seed in range(80)]
    figures = FIGURES
    if '--tune' in arguments:
        figures = tuned([Cuts(samples[1::2], panel) for panel in PANELS], figures)
    for panel in PANELS:
        cuts = Cuts(samples[::2], panel)
        rows = zip(AHEAD, errors(cuts, [0 * cuts.position[:, 0]] * 2),
                   errors(cuts, [last_velocity(cuts, ahead) for ahead in AHEAD]), errors(cuts, filters(cuts, figures)))
        for ahead, held, line, mine in rows:
            text = ['%s %.2f (%.1f)' % (name, np.median(e), np.percentile(e, 95))
                    for name, e in (('last report', held), ('last velocity', line), ('filters', mine))]
            label = '%d Hz, unit %g px, jitter %g px, %d ms, %d cuts:' % (*panel, ahead * 1000, len(mine))
            print(label, ', '.join(text))


if __name__ == '__main__':
    main(sys.argv[1:])
