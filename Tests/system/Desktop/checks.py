"""GNOME: what carol does with her mouse, and what she meets, in this order."""

import portal
from desktop import PASSWORD, position, refusal
from patience import until
from scene import expect

#: Programs as they call themselves, with the names of their desktop files.
MAPS, WHERE = "org.gnome.Maps", "geoclue-where-am-i"
NAMES = {MAPS: "Maps", WHERE: "Where am I?"}
#: One about which GNOME has not asked: its answer holds for the portal too.
SANDBOXED, SANDBOXED_NAME = "org.gnome.Settings", "Settings"
QUESTION = "for your position"
POLKIT = "Authentication Required"
FAILURE = "Nothing is decided about the position"
ANSWERS = ["Allow", "Only roughly", "Never"]
#: What may be said after the password where one program has asked.
OFFER, THIS_TIME = "Your programs may know your position", "Only until it ends"
#: Seconds: a question comes at most once a minute.
NEXT_QUESTION = 120


def the_desktop_is_drawn(desktop):
    desktop.install()
    desktop.log_in()


def nothing_is_asked_before_a_program_opens(desktop):
    switch(desktop, True)
    until("GNOME's own part asks for the position", lambda: "gnome-color-panel" in desktop.locctl("clients"))
    expect(questions(desktop) == [], f"no question comes: {questions(desktop)}")


def the_first_program_is_asked_about(desktop):
    program = desktop.asks(MAPS)
    consents(desktop, MAPS)
    sees_question(desktop, MAPS)
    [shown] = questions(desktop)
    expect(f"“Maps” ({MAPS})" in shown, f"it names the program that was opened: {shown}")
    expect("gnome-color-panel" not in shown, f"and no part of the desktop: {shown}")
    expect(not desktop.has_pin(), "the pin in the top bar is off while it waits")
    allows(desktop)
    types_password(desktop)
    position(program)


def the_pin_is_on_while_a_program_receives(desktop):
    until("the pin is on", desktop.has_pin)
    desktop.shot("pin")
    desktop.stop()
    until("the pin is off", lambda: not desktop.has_pin())


def settings_list_the_program(desktop):
    desktop.start("settings", "gnome-control-center", "privacy")
    desktop.click("Location")
    desktop.see("Maps")
    desktop.shot("settings")
    desktop.stop("settings")


def the_switch_ends_and_gives_again(desktop):
    program = desktop.asks(MAPS)
    position(program)
    switch(desktop, False)
    program.line("its end", lambda line: line == "stopped")
    until("the pin is off", lambda: not desktop.has_pin())
    refused = desktop.asks(MAPS, "refused")
    refusal(refused)
    switch(desktop, True)
    again = desktop.asks(MAPS, "again")
    position(again)
    expect(len(questions(desktop)) == 1, f"nothing is asked again: {questions(desktop)}")


def maps_itself_gets_the_position(desktop):
    desktop.forget()
    desktop.start("maps", "gnome-maps")
    sees_question(desktop, MAPS)
    allows(desktop)
    types_password(desktop)
    until("the pin is on", desktop.has_pin)
    desktop.shot("maps")


def a_wrong_password_decides_nothing(desktop):
    desktop.forget()
    program = desktop.asks(MAPS)
    sees_question(desktop, MAPS)
    allows(desktop)
    types_password(desktop, "wrong")
    desktop.see("Sorry, that didn’t work. Please try again.")
    desktop.shot("wrong-password")
    desktop.click("Cancel")
    desktop.see(FAILURE)
    desktop.shot("cancelled")
    desktop.stop()
    expect(not any(line.startswith("at ") for line in program.said), "the program has no position")


def roughly_is_rough(desktop):
    desktop.forget()
    program = desktop.asks(MAPS)
    sees_question(desktop, MAPS)
    allows(desktop, "Only roughly")
    types_password(desktop)
    line = position(program)
    expect(float(line.split()[-1]) > 1000, f"it is rough: {line}")


def never_holds_for_the_next_program_too(desktop):
    desktop.forget()
    program = desktop.asks(MAPS)
    sees_question(desktop, MAPS)
    desktop.click("Never")
    refusal(program)
    asked = len(questions(desktop))
    refusal(desktop.asks(MAPS, "next"))
    expect(len(questions(desktop)) == asked, f"nothing is asked again: {questions(desktop)}")


def after_not_now_the_next_program_is_asked_about(desktop):
    desktop.forget()
    desktop.asks(MAPS)
    sees_question(desktop, MAPS)
    desktop.click("Close")
    desktop.see_gone(QUESTION)
    desktop.asks(WHERE, "next")
    consents(desktop, WHERE)
    sees_question(desktop, WHERE, patience=NEXT_QUESTION)
    shown = questions(desktop)[-1]
    expect("“Maps”" not in shown, f"it names that program alone: {shown}")


def a_second_program_joins_the_open_question(desktop):
    desktop.forget()
    desktop.asks(MAPS)
    sees_question(desktop, MAPS)
    desktop.asks(WHERE, "second")
    desktop.see(f"“{NAMES[WHERE]}”")
    expect(desktop.find(f"“{NAMES[MAPS]}”"), f"both are named:\n{desktop.describe()}")
    desktop.shot("both")


def this_time_is_for_one_process(desktop):
    desktop.forget()
    program = desktop.asks(MAPS)
    sees_question(desktop, MAPS)
    allows(desktop)
    types_password(desktop)
    position(program)
    desktop.point_at(OFFER)
    desktop.see(THIS_TIME, is_button=True)
    desktop.shot("narrow")
    desktop.click(THIS_TIME)
    until("it is narrowed", lambda: "until it ends" in desktop.machine.run("locctl", "authorizations"))
    expect(desktop.find(POLKIT) is None, f"no password is asked for:\n{desktop.describe()}")
    desktop.stop()
    again = desktop.asks(MAPS)
    sees_question(desktop, MAPS, patience=NEXT_QUESTION)
    expect(not any(line.startswith("at ") for line in again.said), "the next process has no position")


def a_question_waits_behind_the_lock_screen(desktop):
    desktop.forget()
    asked = len(questions(desktop))
    desktop.machine.run("loginctl", "lock-sessions")
    until("the screen is locked", lambda: desktop.js("Main.screenShield.locked"))
    program = desktop.asks(MAPS)
    until("the question has come", lambda: len(questions(desktop)) > asked)
    desktop.shot("locked")
    seen = desktop.find("Maps") or desktop.find("Allow")
    expect(seen is None, f"who passes by sees no program:\n{desktop.describe()}")
    desktop.machine.run("loginctl", "unlock-sessions")
    sees_question(desktop, MAPS)
    desktop.click("Never")
    refusal(program)


def a_program_in_a_sandbox_is_asked_about_by_the_portal(desktop):
    desktop.forget()
    program = portal.asks(desktop, SANDBOXED)
    desktop.see(f"Give {SANDBOXED_NAME} Access to Your Location?")
    desktop.shot("portal")
    desktop.click("Grant Access")
    desktop.see(QUESTION)
    desktop.shot("portal-question")
    allows(desktop)
    types_password(desktop)
    position(program)


def a_session_in_the_background_decides_nothing(desktop):
    desktop.forget()
    program = desktop.asks(MAPS)
    sees_question(desktop, MAPS)
    sessions = desktop.machine.run("loginctl", "--no-legend").splitlines()
    [session] = [line.split()[0] for line in sessions if "seat0" in line]
    another = desktop.second_user()
    allows(desktop)
    desktop.see(FAILURE)
    shown = desktop.shown()[-1]
    expect("only who sits at this machine" in shown, f"it says who can allow it: {shown}")
    desktop.shot("second-user")
    another.end()
    desktop.machine.run("systemctl", "stop", "second.service")
    desktop.machine.run("loginctl", "activate", session)
    expect(not any(line.startswith("at ") for line in program.said), "the program has no position")


def a_logout_ends_it_for_processes_that_outlive_it(desktop):
    desktop.forget()
    desktop.asks(MAPS)
    sees_question(desktop, MAPS)
    allows(desktop)
    types_password(desktop)
    outlives = desktop.asks_outside(MAPS)
    position(outlives)
    desktop.log_out()
    until("the daemon has ended it", lambda: "no active login session" in desktop.machine.attempt(
        "locctl", "get", user="carol").stderr)
    outlives.end()
    # Her service manager may be there still, with the program.
    desktop.stop()


def a_german_session_asks_in_german(desktop):
    desktop.reset()
    desktop.log_in("de_DE.UTF-8")
    program = desktop.asks(MAPS)
    desktop.see("Ein Programm fragt nach Ihrem Standort")
    desktop.shot("german-question")
    for answer in ("Erlauben", "Nur ungefähr", "Nie"):
        desktop.see(answer, is_button=True)
    allows(desktop, "Nur ungefähr")
    desktop.see("Bestätigen Sie mit Ihrem Passwort")
    desktop.shot("german-password")
    desktop.press(PASSWORD)
    desktop.press_return()
    position(program)


# What carol does


def switch(desktop, is_on):
    """GNOME's location switch, which is off when a user is new."""
    desktop.run("gsettings", "set", "org.gnome.system.location", "enabled", "true" if is_on else "false")


def questions(desktop):
    """All that have been shown since the login."""
    return [shown for shown in desktop.shown() if QUESTION in shown]


def consents(desktop, application):
    """GNOME's own dialog about a program, which comes once for each."""
    desktop.see(f"The app {NAMES[application]} wants to access your location")
    desktop.shot("gnome-dialog")
    desktop.click("Grant Access")
    desktop.see_gone("Grant Access")


def sees_question(desktop, application, **patience):
    desktop.see(f"“{NAMES[application]}”", **patience)
    desktop.shot("question")
    expect(desktop.beside("Never") == ANSWERS, f"its answers are {ANSWERS}; on the screen:\n{desktop.describe()}")


def allows(desktop, answer="Allow"):
    """Presses an answer that allows."""
    desktop.click(answer)
    nexts = ("Authenticate", "Bestätigen Sie mit Ihrem Passwort", FAILURE)
    until("it goes on", lambda: any(desktop.find(text) for text in nexts))


def types_password(desktop, password=PASSWORD):
    desktop.see(POLKIT)
    desktop.shot("password")
    desktop.press(password)
    desktop.press_return()


SHORT = [
    the_desktop_is_drawn,
    nothing_is_asked_before_a_program_opens,
    the_first_program_is_asked_about,
]
CHECKS = [
    *SHORT,
    the_pin_is_on_while_a_program_receives,
    settings_list_the_program,
    the_switch_ends_and_gives_again,
    maps_itself_gets_the_position,
    a_wrong_password_decides_nothing,
    roughly_is_rough,
    never_holds_for_the_next_program_too,
    after_not_now_the_next_program_is_asked_about,
    a_second_program_joins_the_open_question,
    this_time_is_for_one_process,
    a_question_waits_behind_the_lock_screen,
    a_program_in_a_sandbox_is_asked_about_by_the_portal,
    a_session_in_the_background_decides_nothing,
    a_logout_ends_it_for_processes_that_outlive_it,
    a_german_session_asks_in_german,
]
