"""What an administrator stops."""

from scene import CONTROL, PUBLIC, SOCKETS, UNREACHABLE, expect, expect_code


def a_stopped_service_returns_with_its_clients(scene):
    # The sockets listen on; the manual says so, and what to stop instead.
    process = scene.daemon()
    scene.machine.run("systemctl", "stop", "locationd.service")
    scene.sees_fixes()
    expect(scene.daemon() != process, "it was stopped")


def sockets_and_service_stop_together(scene):
    machine = scene.machine
    machine.run("systemctl", "stop", "locationd.service", *SOCKETS)
    for unit in ("locationd.service", *SOCKETS):
        expect(machine.shows(unit, "ActiveState", "Result") == ["inactive", "success"], f"{unit} ended well")
    expect(machine.attempt("ls", PUBLIC, CONTROL).returncode != 0, "the sockets are gone")
    expect_code(machine.attempt("locctl", "status"), UNREACHABLE)
    scene.watcher.line("why there is nothing", lambda line: line.startswith("no location:"))
    machine.run("systemctl", "start", *SOCKETS)
    scene.sees_fixes()
