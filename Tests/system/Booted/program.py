"""Programs in the machine, from outside."""

import os
import pathlib
import queue
import signal
import subprocess
import threading
import time

from patience import PATIENCE, Failure


class Program:
    """A program that goes on in the machine, and the lines it says."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = queue.Queue()
        self.said = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def forget(self):
        """Only what is said from now on counts."""
        while not self.lines.empty():
            self.said.append(self.lines.get())

    def line(self, what, fits):
        """The next line that fits; those before it are passed over."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                line = self.lines.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                raise Failure(f"a program did not say {what}; its last words:\n" + "\n".join(self.said[-20:]))
            self.said.append(line)
            if fits(line):
                return line

    def end(self):
        end(self.process)


def end(process):
    """Kills what nsenter started, which then ends too. Without its parent the child would be nobody's to reap."""
    if process.poll() is None:
        for child in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)
        process.wait()
