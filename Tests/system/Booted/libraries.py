"""Programs in Python and C, by the packages of the libraries."""

from scene import expect

#: A first program.
POSITION = """
import locationd
with locationd.Client() as client:
    print(client.get(timeout=60).latitude)
"""


def programs_use_the_libraries(scene):
    machine = scene.machine
    machine.run("sh", "-c", "apt-get install -y /mnt/python3-locationd_*.deb /mnt/liblocationd0_*.deb")
    expect(52.5 <= float(machine.run("python3", "-c", POSITION, user="alice")) < 52.52, "Python prints the position")
    printed = machine.run("/mnt/position", user="alice")
    expect(printed.startswith("52.5"), f"C prints the position: {printed}")
    denied = machine.attempt("/mnt/position", user="games")
    expect(denied.returncode != 0 and "authoriz" in denied.stderr, f"it says who may not know: {denied.stderr}")
    machine.run("dpkg", "--purge", "python3-locationd", "liblocationd0")
