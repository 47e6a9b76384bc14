"""Phosh, the desktop of phones: what a person meets there, by touch."""

import accessible
from checks import allows
from desktop import HERE, PASSWORD, Desktop, Label, position, refusal
from patience import until
from scene import expect

#: The screen's units, of which the picture has two points each, and how high the bar above is.
WIDTH, HEIGHT, BAR = 360, 720, 32
#: The menu behind that bar, which lies ready above the screen.
MENU = "phosh panel"
#: Where the machine has that program.
TOUCH = "/usr/local/bin/touch.py"
MAPS, ANSWERS = "org.gnome.Maps", ["Allow", "Only roughly", "Never"]


class Phosh(Desktop):
    name, shell_target = "phosh", "mobi.phosh.Shell.target"
    session = ("--setenv=WLR_BACKENDS=headless", "--setenv=WLR_RENDERER=pixman", "--setenv=WLR_LIBINPUT_NO_DEVICES=1",
               "--setenv=XDG_CURRENT_DESKTOP=Phosh:GNOME", "phosh-session")

    def install(self):
        super().install()
        self.machine.write(TOUCH, (HERE / "touch.py").read_text())

    def log_in(self, language="C.UTF-8"):
        super().log_in(language)
        self.touch = self.converse("python3", TOUCH, str(WIDTH), str(HEIGHT))
        # A phone begins locked, and does not hear at first that it is unlocked.
        def is_unlocked():
            self.machine.run("loginctl", "unlock-sessions")
            return not self.find("Slide up to unlock")

        until("it is unlocked", is_unlocked)

    def labels(self):
        found = []
        for name, _, height, texts in accessible.windows(self):
            # A notification is below the bar; all others are as high as the screen.
            top = BAR if height < HEIGHT / 2 else 0
            found += [Label(x, top + y, text, is_button) for x, y, text, is_button in texts if name != MENU]
        return found

    def click_at(self, x, y):
        self.touch(f"{x} {y}")

    def press(self, text):
        self.run("wtype", text)

    def picture(self):
        self.run("grim", "/tmp/shot.png")
        return self.bytes_of("/tmp/shot.png")


def the_phone_is_drawn(phone):
    phone.install()
    phone.log_in()
    phone.see("Maps", is_button=True)


def the_first_program_is_asked_about(phone):
    phone.run("gsettings", "set", "org.gnome.system.location", "enabled", "true")
    program = phone.asks(MAPS)
    consents(phone)
    sees_question(phone)
    allows(phone)
    types_password(phone, "wrong")
    phone.see("Sorry, that didn’t work. Please try again.")
    phone.shot("wrong-password")
    types_password(phone)
    position(program)


def never_holds_for_the_next_program_too(phone):
    phone.forget()
    program = phone.asks(MAPS)
    consents(phone)
    sees_question(phone)
    phone.click("Never")
    refusal(program)
    again = phone.asks(MAPS, "next")
    consents(phone)
    refusal(again)


def the_switch_ends_it(phone):
    phone.forget()
    phone.run("gsettings", "set", "org.gnome.system.location", "enabled", "false")
    refusal(phone.asks(MAPS))


def consents(phone):
    """Phosh's own dialog about a program, which comes each time: Phosh remembers no answer."""
    phone.see("Allow 'Maps' to access your location information?")
    phone.shot("phosh-dialog")
    phone.click("Yes")
    phone.see_gone("Geolocation")


def sees_question(phone):
    phone.see(f"“Maps” ({MAPS})")
    phone.shot("question")
    expect(phone.beside("Never") == ANSWERS, f"its answers are {ANSWERS}; on the screen:\n{phone.describe()}")


def types_password(phone, password=PASSWORD):
    """Pressed at the button: Return does not reach the dialog."""
    phone.see("Authenticate", is_button=True)
    phone.shot("password")
    phone.press(password)
    phone.click("Authenticate")


CHECKS = [
    the_phone_is_drawn,
    the_first_program_is_asked_about,
    never_holds_for_the_next_program_too,
    the_switch_ends_it,
]
