"""A person's session of a desktop in a booted machine: the login, her programs, and what is on her screen."""

import collections
import pathlib
import subprocess

from patience import PATIENCE, Failure, until

HERE = pathlib.Path(__file__).parent
PASSWORD = "correct horse"
PACKAGES = ("locationd", "locationd-bridge", "locationd-geoclue", "locationd-agent")

#: A text on the screen: its middle in the picture's points.
Label = collections.namedtuple("Label", "x y text is_button")

#: Where the machine has the program that asks for the position.
PROGRAM = "/usr/local/bin/asks.py"


class Desktop:
    """What GNOME and Phosh have in common. Subclasses say which session it is, and look at its screen."""

    #: What logind calls the kind of desktop, and the user's unit that is active when it is drawn.
    name = shell_target = ""
    #: The session's first program, with its environment.
    session = ()

    def __init__(self, machine, pictures):
        self.machine = machine
        self.pictures = pictures
        self.programs = {}
        self.count = 0

    # The machine

    def install(self):
        """The packages, with a drive in a simulated town as their position, and carol."""
        machine = self.machine
        self.drop_in("/etc/systemd/system/locationd.service.d", "/usr/sbin/locationd --simulate")
        # What programs show can be read from outside, as by a screen reader.
        machine.write("/etc/dconf/profile/user", "user-db:user\nsystem-db:site\n")
        machine.write("/etc/dconf/db/site.d/accessible", "[org/gnome/desktop/interface]\ntoolkit-accessibility=true\n")
        machine.run("dconf", "update")
        machine.write(PROGRAM, (HERE / "asks.py").read_text())
        machine.run("useradd", "--create-home", "--shell", "/bin/bash", "--comment", "Carol Example", "carol")
        machine.run("sh", "-c", f"echo 'carol:{PASSWORD}' | chpasswd")
        self.uid = machine.run("id", "-u", "carol").strip()
        machine.run("sh", "-euc", "apt-get install -y -q -o Apt::Install-Recommends=false "
                    + " ".join(f"/mnt/{name}_*.deb" for name in PACKAGES))

    def drop_in(self, folder, command):
        self.machine.write(f"{folder}/machine.conf", f"[Service]\nExecStart=\nExecStart={command}\n")

    def log_in(self, language="C.UTF-8"):
        """Carol's login at the seat by PAM, as a display manager's; returns when the desktop is drawn."""
        self.machine.run(
            "systemd-run", "--quiet", "--collect", "--unit=desktop", "--uid=carol", "--property=PAMName=login",
            "--property=WorkingDirectory=/home/carol", "--setenv=SHELL=/bin/bash", f"--setenv=LANG={language}",
            "--setenv=XDG_SEAT=seat0", "--setenv=XDG_SESSION_TYPE=wayland", "--setenv=XDG_SESSION_CLASS=user",
            f"--setenv=XDG_SESSION_DESKTOP={self.name}", f"--setenv=DESKTOP_SESSION={self.name}", *self.session)
        for unit in (self.shell_target, "graphical-session.target", "locationd-agent.service"):
            until(f"{unit} is active", lambda: self.attempt("systemctl", "--user", "is-active", unit).returncode == 0)

    def log_out(self):
        """As by the menu; returns when the session has ended."""
        self.run("gnome-session-quit", "--logout", "--no-prompt")
        until("the session has ended", lambda: self.machine.shows("desktop.service", "ActiveState") == "inactive")

    def second_user(self):
        """Somebody else comes to the seat, and is in front."""
        self.machine.run("useradd", "--create-home", "dora")
        other = self.machine.start(
            "systemd-run", "--quiet", "--pipe", "--wait", "--collect", "--unit=second", "--uid=dora",
            "--property=PAMName=login", "--setenv=XDG_SEAT=seat0", "--setenv=XDG_SESSION_TYPE=wayland",
            "--setenv=XDG_SESSION_CLASS=user", "sh", "-c", "echo $XDG_SESSION_ID && exec sleep infinity")
        session = other.line("its session", lambda line: line)
        self.machine.run("loginctl", "activate", session)
        until("it is in front", lambda: "Active=yes" in self.machine.run("loginctl", "show-session", session))
        return other

    # Carol's programs

    def as_carol(self, *command):
        return ("env", "-C", "/home/carol", "HOME=/home/carol", "USER=carol", f"XDG_RUNTIME_DIR=/run/user/{self.uid}",
                f"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/{self.uid}/bus", "WAYLAND_DISPLAY=wayland-0", *command)

    def attempt(self, *command):
        return self.machine.attempt(*self.as_carol(*command), user="carol")

    def run(self, *command):
        return self.machine.run(*self.as_carol(*command), user="carol")

    def converse(self, *command):
        """Starts a program that answers each line with a line; gives the function that asks it."""
        program = subprocess.Popen(
            self.machine.command(self.as_carol(*command), "carol"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)

        def ask(line):
            try:
                print(line, file=program.stdin, flush=True)
            except BrokenPipeError:
                pass
            answer = program.stdout.readline()
            if not answer:
                raise Failure(f"{command[0]} {command[1]} has gone, as with the desktop's session")
            return answer

        return ask

    def start(self, unit, *command):
        """Starts a program in carol's service manager, as the desktop does."""
        self.programs[unit] = self.machine.start(*self.as_carol(
            "systemd-run", "--user", "--quiet", "--collect", "--pipe", "--wait", f"--unit={unit}", "--", *command),
            user="carol")
        return self.programs[unit]

    def asks(self, application, unit="asks"):
        """Starts a program of GeoClue that says it is that application."""
        return self.start(unit, "python3", PROGRAM, application)

    def asks_outside(self, application):
        """The same as a process that no session and no service manager of carol's has."""
        return self.machine.start("python3", PROGRAM, application, user="carol")

    def stop(self, unit="asks"):
        self.attempt("systemctl", "--user", "stop", f"{unit}.service")
        self.programs.pop(unit).end()

    def locctl(self, *words):
        """As an administrator."""
        return self.machine.run("locctl", *words)

    def reset(self):
        """Forgets what was decided about carol, if anything was."""
        self.machine.attempt("locctl", "reset-authorization", f"uid:{self.uid}")

    def forget(self):
        """As on the first day: nothing is decided about carol, nothing waits, and the agent has asked nothing yet."""
        for unit in list(self.programs):
            self.stop(unit)
        self.reset()
        self.run("systemctl", "--user", "restart", "locationd-agent.service")

    # The screen

    def labels(self):
        """All texts on the screen."""
        raise NotImplementedError

    def see(self, text, patience=PATIENCE, is_button=None):
        """Waits for a text, until it stands still; a part of the text is enough, but of a button all is needed."""
        last = None

        def stands_still():
            nonlocal last
            before, last = last, self.find(text, is_button)
            return last if last == before else None

        try:
            return until(f"“{text}” is on the screen", stands_still, patience)
        except Failure as failure:
            raise Failure(f"{failure}\non the screen:\n{self.describe()}") from None

    def find(self, text, is_button=None):
        for label in self.labels():
            is_part = not label.is_button and text in label.text
            if is_button in (None, label.is_button) and (text == label.text or is_part):
                return label
        return None

    def beside(self, text):
        """The buttons in a row with that button, itself among them."""
        height = self.see(text, is_button=True).y
        return [label.text for label in self.labels() if label.is_button and label.y == height]

    def see_gone(self, text):
        until(f"“{text}” is no more on the screen", lambda: self.find(text) is None)

    def click(self, text):
        """A button by its text."""
        label = self.see(text, is_button=True)
        self.click_at(label.x, label.y)

    def describe(self):
        lines = (f"  {x:4} {y:4} {f'[{text}]' if is_button else text}" for x, y, text, is_button in self.labels())
        return "\n".join(lines)

    def shot(self, name):
        """Keeps a picture; gives where."""
        self.count += 1
        path = self.pictures / f"{self.count:02}-{name}.png"
        path.write_bytes(self.picture())
        return path

    def bytes_of(self, path):
        return subprocess.run(self.machine.command(["cat", path], None), check=True, stdout=subprocess.PIPE).stdout



def position(program):
    """Waits until a program that asks has the position; gives what it says of it."""
    return program.line("a position", lambda line: line.startswith("at "))


def refusal(program):
    """Waits until a program that asks is refused."""
    return program.line("a refusal", lambda line: line.startswith("refused: "))
