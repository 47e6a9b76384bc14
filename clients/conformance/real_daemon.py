"""The real daemon on its simulator, for scenarios that say `"daemon": "real"`."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from run import Ended, Run


class RealDaemon:
    """A daemon in a directory of its own. Its steps: `start`, `stop`, `kill`, `locctl`, and waiting."""

    def __init__(self, daemon: Path, locctl: Path, directory: Path, script: dict[str, Any], run: Run) -> None:
        self._daemon, self._locctl_path, self._directory = daemon, locctl, directory
        self._script, self._run = script, run
        self._process: subprocess.Popen[bytes] | None = None
        self.path = directory / "run" / "locationd.sock"

    def start(self) -> None:
        """Returns when the daemon answers."""
        if config := self._script.get("config"):
            (self._directory / "locationd.toml").write_text(config)
        arguments = ["--simulate", "--runtime-directory", "run", "--state-directory", "state", "--log-level", "warning"]
        if config:
            arguments += ["--config", "locationd.toml"]
        with open(self._directory / "log", "ab") as log:
            self._process = subprocess.Popen([str(self._daemon), *arguments], cwd=self._directory, stderr=log, stdout=log)
        # 3: it cannot be reached. There is nothing to wait for but the answer itself.
        while self._locctl("status", "--passive").returncode == 3:
            if self._process.poll() is not None:
                raise RuntimeError(f"locationd ended: {(self._directory / 'log').read_text()[-600:]}")
            self._retry()

    def perform(self) -> None:
        """Runs the scenario's steps."""
        for step in self._script.get("timeline", []):
            if "afterEvents" in step:
                self._run.wait_for_events(step["afterEvents"])
            elif "afterKind" in step:
                self._run.wait_for_kind(step["afterKind"], step.get("number", 1))
            elif "stop" in step:
                self._end(kill=False)
            elif "kill" in step:
                self._end(kill=True)
            elif "start" in step:
                self.start()
            elif "locctlUntil" in step:
                self._wait_for_output(step["locctlUntil"], step["says"])
            elif "locctl" in step:
                ended = self._locctl(*step["locctl"])
                if ended.returncode:
                    self._run.add_fault(f"locctl {' '.join(step['locctl'])}: {ended.stderr.strip()}")
            else:
                raise ValueError(f"no step: {step}")

    def close(self) -> None:
        self._end(kill=False)

    def _end(self, *, kill: bool) -> None:
        if not self._process:
            return
        if kill:
            self._process.kill()
        else:
            self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _wait_for_output(self, arguments: list[str], text: str) -> None:
        while text not in self._locctl(*arguments).stdout:
            self._retry()

    def _retry(self) -> None:
        """Lets a moment pass before the daemon is asked again."""
        if self._run.is_ended:
            raise Ended
        time.sleep(0.05)

    def _locctl(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "LOCATIOND_SOCKET": str(self._directory / "run" / "control.sock")}
        with subprocess.Popen(
            [str(self._locctl_path), *arguments], env=environment, cwd=self._directory, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    output, error = process.communicate(timeout=0.2)
                    return subprocess.CompletedProcess(process.args, process.returncode, output, error)
                if self._run.is_ended:
                    process.kill()
                    raise Ended
