"""Drawn ways on which fixes come back elsewhere than they were expected: after a gap, after a jump, and from a receiver that converges."""

import math
import random

from library.drives import Epoch

#: Metres along each axis, independent from fix to fix, and what the receiver states: a circle of 4.6 m.
NOISE, STATED = 3.0, 3.05
#: What the first fix after a gap is off, where the receiver converges, metres.
OFF = 200.0
#: Seconds in which the car goes straight on.
FINE = 0.02
KINDS = ("gap", "jump", "gap with a receiver that converges")


def way(seed):
    """A way of a car, with each of the kinds once.

    Returns the drive, and for each of the kinds when its first fix comes."""
    draw = random.Random(seed)
    step = draw.choice([0.1, 0.2, 0.2, 1.0])
    position, speed, heading, time = [0.0, 0.0], draw.uniform(5, 25), draw.uniform(-math.pi, math.pi), 0.0
    target, turn = speed, 0.0
    # Of a receiver that converges: metres, the direction, the time constant, and whether it states what it is off.
    off, side, decay, is_stated = 0.0, 0.0, 1.0, False
    drive, events = [], []

    def move():
        nonlocal speed, heading, time
        for _ in range(round(step / FINE)):
            speed += max(-3.0 * FINE, min(2.5 * FINE, target - speed))
            # Wheels slip beyond that.
            heading += math.copysign(min(abs(turn), 4 / max(speed, 1)), turn) * FINE if speed > 0.5 else 0
            position[0] += math.sin(heading) * speed * FINE
            position[1] += math.cos(heading) * speed * FINE
        time += step

    def change():
        nonlocal target, turn
        target = draw.choice([0.0, 0.0, 5.0, 14.0, 25.0])
        turn = draw.choice([0.0, 0.0, 1.0, -1.0]) * draw.uniform(0.05, 0.4)

    def go(seconds):
        nonlocal off
        for _ in range(round(seconds / step)):
            move()
            velocity = (math.sin(heading) * speed, math.cos(heading) * speed)
            error = (math.sin(side) * off, math.cos(side) * off)
            deviation = math.hypot(STATED, off / 1.5) if is_stated else STATED
            drive.append(Epoch(
                round(time, 3), tuple(p + e + draw.gauss(0, NOISE) for p, e in zip(position, error)), (deviation, deviation),
                tuple(v + draw.gauss(0, 0.1) for v in velocity), 0.1, tuple(position), velocity))
            off *= math.exp(-step / decay)

    def go_unseen(seconds):
        until = time + seconds
        while time < until - step / 2:
            change()
            for _ in range(max(1, round(min(until - time, draw.uniform(2, 20)) / step))):
                move()

    go(12)
    for kind in draw.sample(KINDS, len(KINDS)):
        if kind == "jump":
            distance, direction = draw.uniform(20, 500), draw.uniform(-math.pi, math.pi)
            position[0] += math.sin(direction) * distance
            position[1] += math.cos(direction) * distance
        else:
            go_unseen(math.exp(draw.uniform(math.log(2), math.log(120))))
            if kind != "gap":
                off, side, decay, is_stated = OFF, draw.uniform(-math.pi, math.pi), draw.uniform(0.3, 1.3), draw.random() < 0.5
        events.append((kind, time + step))
        for _ in range(4):
            go(draw.uniform(3, 8))
            change()
    return drive, events
