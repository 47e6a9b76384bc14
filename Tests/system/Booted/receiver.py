"""A receiver on a pseudo terminal that drives north and reports five times a second; gpsd is told where it is.

Runs in the booted machine as a service that is ready when gpsd may open the terminal.
"""

import os
import socket
import time

RATE = 5


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n"


def epoch(moment, count):
    clock = time.strftime("%H%M%S", time.gmtime(moment)) + f".{int(moment * 1000) % 1000:03d}"
    date = time.strftime("%d%m%y", time.gmtime(moment))
    place = f"52{30 + count * 0.0005 % 1:08.5f},N,01322.65432,E"
    sky = ((5, 60, 90), (7, 45, 180), (13, 30, 270), (15, 50, 20), (24, 20, 140), (30, 70, 220))
    used = ",".join(f"{satellite:02d}" for satellite, _, _ in sky)
    views = [",".join(f"{satellite:02d},{elevation:02d},{azimuth:03d},42" for satellite, elevation, azimuth in part)
             for part in (sky[:4], sky[4:])]
    return "".join(map(sentence, (
        f"GPRMC,{clock},A,{place},9.7,0.0,{date},,,A",
        f"GPGGA,{clock},{place},1,06,1.1,35.0,M,44.5,M,,",
        f"GPGSA,A,3,{used},,,,,,,2.0,1.1,1.7",
        f"GPGSV,2,1,06,{views[0]}",
        f"GPGSV,2,2,06,{views[1]}")))


def main():
    control, terminal = os.openpty()
    os.set_blocking(control, False)
    path = os.ttyname(terminal)
    os.chmod(path, 0o666)
    with open("/etc/default/gpsd", "w") as settings:
        settings.write(f'DEVICES="{path}"\nGPSD_OPTIONS=""\nUSBAUTO="false"\n')
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
        ready.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
    count = 0
    while True:
        try:
            os.write(control, epoch(round(time.time() * RATE) / RATE, count).encode())
        except BlockingIOError:
            pass  # Nobody reads; a receiver does not wait for that.
        try:
            os.read(control, 4096)
        except BlockingIOError:
            pass  # gpsd has nothing to say.
        count += 1
        time.sleep(1 / RATE)


if __name__ == "__main__":
    main()
