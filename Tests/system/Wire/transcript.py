"""The transcript of what clients and daemon say, in which what differs each time has placeholders."""

import glob
import json
import os
import re

#: Values that time or the machine decide, each by its placeholder and what is found before it.
PLACEHOLDERS = [
    ("age", r'("(?:age|fixAge)":)-?\d[0-9.e+-]*'),
    ("instant", r'("monotonicTime":)\d[0-9.e+]*'),
    ("time", r'("(?:since|requestedAt|decidedAt|time)":)"[^"]*"'),
    ("pid", r'("pid":)\d+'),
    ("uptime", r'("uptime":)\d[0-9.e+-]*'),
    ("share", r'("(?:receiverTime|unclaimedReceiverTime)":)\d[0-9.e+-]*'),
    ("remaining", r'("(?:remaining|authorizationRemaining)":)\d[0-9.e+-]*'),
    ("memory", r'("residentBytes":)\d+'),
    ("interval", r'("hasFix":(?:true|false),"interval":)\d[0-9.e+-]*'),
    ("version", r'("version":"|version=\\")[^"\\]+'),
    ("token", r'("token":)"[0-9a-f]{64}"'),
    # Whether the machine has a login manager.
    ("login", r'("reason":")(?:this machine has no login manager that could tell whether uid \d+ is here'
              r'|uid \d+ has no active login session; it goes on when there is one, or)'),
    # Metrics of times and of the process.
    ("number", r'((?<=\\n)locationd_(?:\w+_seconds|process)\w*(?:\{[^}]*\})? )[-+0-9.eE]+'),
]

#: What else depends on the time where a source runs, which sends a fix each second.
RUNNING = [("count", r'("(?:sequence|fixes|deliveries|sent)":)\d+')]

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")


def interface_texts():
    """The interfaces' files as JSON has them, with their names: an interface that grows is no other reply."""
    for path in sorted(glob.glob(ROOT + "/LocationKit/Sources/**/*.varlink", recursive=True), key=os.path.basename):
        with open(path, encoding="utf-8") as file:
            yield os.path.basename(path), json.dumps(file.read(), ensure_ascii=False)


INTERFACE_TEXTS = list(interface_texts())


class Transcript:
    """Lines of who said what, with placeholders for what differs each time."""

    def __init__(self, directory, volatile=()):
        self.lines = []
        #: How many requests were made, of which several may stand in one line.
        self.requests = 0
        self.directory = directory
        self.volatile = [(re.compile(pattern), r"\1<%s>" % name) for name, pattern in PLACEHOLDERS + list(volatile)]

    def title(self, text):
        self.lines += ["", "== " + text]

    def add(self, name, mark, text):
        self.lines.append("%s %s %s" % (name, mark, text))

    def plain(self, message, volatile=()):
        """The text of a message; bytes that are no UTF-8, and control characters, show in hexadecimal."""
        text = message.decode("utf-8", "backslashreplace").replace(self.directory, "<directory>")
        for name, description in INTERFACE_TEXTS:
            text = text.replace(description, '"<the text of %s>"' % name)
        for pattern, placeholder in self.volatile:
            text = pattern.sub(placeholder, text)
        for name, pattern in volatile:
            text = re.sub(pattern, r"\1<%s>" % name, text)
        return re.sub("[\x00-\x1f\x7f\x85\u2028\u2029]", lambda found: "<%02x>" % ord(found[0]), text)
