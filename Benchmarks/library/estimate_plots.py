"""The plots of docs/estimate.md: SVG, of a simulated drive."""

import math

WIDTH, HEIGHT, MARGIN = 640, 400, 24
MEASURED, ESTIMATED, TRUE = "#8a8f98", "#1a7f37", "#0b5cad"


def write(folder, drive, estimates):
    """`estimates` has for each epoch the estimate, and those of 1 to 10 s without a fix."""
    folder.mkdir(parents=True, exist_ok=True)
    turn = first(range(30, len(drive) - 40), lambda i: drive[i].true_speed > 5 and bend(drive, i + 12) > 60)
    part = range(turn + 5, turn + 24)
    (folder / "estimate-way.svg").write_text(picture(
        [drive[i].true for i in part], [drive[i].measured for i in part],
        [(estimates[i][0].position, None) for i in part], joined=True))
    stop = first(range(30, len(drive) - 70), lambda i: all(drive[i + k].true_speed < 0.1 for k in (0, 55)) and drive[i - 1].true_speed > 0.1)
    part = range(stop - 6, stop + 55)
    (folder / "estimate-standstill.svg").write_text(picture(
        [drive[i].true for i in part], [drive[i].measured for i in part],
        [(estimates[i][0].position, None) for i in part], joined=True))
    tunnel = first(range(30, len(drive) - 20), lambda i: drive[i].true_speed > 10 and 10 < bend(drive, i + 3) and len(
        [e for e in estimates[i][1:] if e.position]) == 10)
    part = range(tunnel - 8, tunnel + 11)
    (folder / "estimate-tunnel.svg").write_text(picture(
        [drive[i].true for i in part], [drive[i].measured for i in range(tunnel - 8, tunnel + 1)],
        [(e.position, e.radius) for e in estimates[tunnel][1:]], joined=False))


def first(candidates, fits):
    return next(index for index in candidates if fits(index))


def bend(drive, index):
    """Degrees that the way turns within six seconds."""
    one, other = (math.degrees(math.atan2(*drive[index + k].true_velocity)) for k in (0, 6))
    return abs((other - one + 180) % 360 - 180) if drive[index + 6].true_speed > 1 else 0


def picture(true, measured, estimated, joined):
    points = true + measured + [position for position, _ in estimated]
    west, south = (min(p[axis] for p in points) for axis in (0, 1))
    east, north = (max(p[axis] for p in points) for axis in (0, 1))
    scale = min((WIDTH - 2 * MARGIN) / max(east - west, 1), (HEIGHT - 2 * MARGIN - 20) / max(north - south, 1))

    def place(p):
        return f"{MARGIN + (p[0] - west) * scale:.1f},{HEIGHT - 20 - MARGIN - (p[1] - south) * scale:.1f}"

    def line(positions, colour, width):
        return f'<polyline points="{" ".join(map(place, positions))}" fill="none" stroke="{colour}" stroke-width="{width}"/>'

    def dot(position, colour, radius):
        x, y = place(position).split(",")
        return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>'

    def circle(position, metres):
        x, y = place(position).split(",")
        return f'<circle cx="{x}" cy="{y}" r="{metres * scale:.1f}" fill="none" stroke="{ESTIMATED}" stroke-opacity=".5"/>'

    parts = [line(true, TRUE, 1.5)]
    parts += [dot(position, MEASURED, 2.5) for position in measured]
    if joined:
        parts.append(line([position for position, _ in estimated], ESTIMATED, 2))
    parts += [dot(position, ESTIMATED, 2) for position, _ in estimated]
    parts += [circle(position, radius) for position, radius in estimated if radius is not None]
    metres = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200) if step * scale > 60)
    parts.append(f'<path d="M{MARGIN},{HEIGHT - 12} h{metres * scale:.1f}" stroke="currentColor"/>')
    parts.append(f'<text x="{MARGIN}" y="{HEIGHT - 18}" font-size="12" font-family="sans-serif" fill="currentColor">{metres} m</text>')
    for index, (name, colour) in enumerate((("true", TRUE), ("measured", MEASURED), ("estimated", ESTIMATED))):
        x = WIDTH - 290 + 95 * index
        parts.append(f'<circle cx="{x}" cy="{HEIGHT - 16}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{x + 9}" y="{HEIGHT - 12}" font-size="12" font-family="sans-serif" fill="{colour}">{name}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">\n'
        + "\n".join(parts) + "\n</svg>\n")
