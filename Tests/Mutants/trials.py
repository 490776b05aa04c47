"""Runs the tests once for each mutant."""
from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from schemata import VARIABLE

MEMORY = 6 << 30  # bytes of data that one trial may have in memory: a mutated loop can be endless
OUTPUT_KEPT = 4000


@dataclasses.dataclass(frozen=True)
class Outcome:
    verdict: str  # passed, failed, timed out
    seconds: float
    words: str = ""


class TestProgram:
    """The built tests of the copy, which run directly: `swift test` would allow one run at a time."""

    def __init__(self, path: pathlib.Path, folder: pathlib.Path, environment: dict[str, str]):
        self.path, self.folder, self.environment = path, folder, environment
        self.running: set[subprocess.Popen] = set()
        self.lock = threading.Lock()
        self.is_stopped = False

    def run(self, tests: str, mutant: str, limit: float, until_failure: bool = True) -> Outcome:
        """Runs the tests that match, until the first one fails or the time is over."""
        temporary = tempfile.mkdtemp(prefix="mutant-")
        environment = self.environment | {
            VARIABLE: mutant, "TMPDIR": temporary, "HOME": temporary, "SWIFT_BACKTRACE": "enable=no"}
        command = [
            str(self.path), "--testing-library", "swift-testing", "--filter", f"^({tests})",
            "--experimental-maximum-parallelization-width", "3"]
        began = time.monotonic()
        with self.lock:
            if self.is_stopped:
                raise KeyboardInterrupt
            process = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limited)
            self.running.add(process)
        late = threading.Event()
        timer = threading.Timer(limit, self._end_late, (process, late))
        timer.start()
        words, issues, fails = "", [], False
        try:
            for line in process.stdout:
                text = line.decode(errors="replace")
                words = (words + text)[-OUTPUT_KEPT:]
                if "recorded an issue" in text:
                    issues.append(text)
                    if until_failure:
                        fails = True
                        break
            else:
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        finally:
            timer.cancel()
            status = self._reap(process)
            shutil.rmtree(temporary, ignore_errors=True)
        if fails:
            return Outcome("failed", time.monotonic() - began, text)
        verdict = "timed out" if late.is_set() else "passed" if status == 0 else "failed"
        return Outcome(verdict, time.monotonic() - began, "".join(issues) or words)

    def _end_late(self, process: subprocess.Popen, late: threading.Event) -> None:
        with self.lock:
            if process in self.running:
                late.set()
                end(process)

    def _reap(self, process: subprocess.Popen) -> int:
        """Ends what the tests left in their process group, and then reaps its leader. In the other order, the number of
        the group could be another program's already."""
        with self.lock:
            end(process)
            self.running.discard(process)
        process.stdout.close()
        return process.wait()

    def reached_by(self, tests: str, count: int, limit: float) -> tuple[Outcome, bytes]:
        """Runs the tests without a mutant, and returns a byte for each mutant: 1 where they came past it."""
        with tempfile.NamedTemporaryFile(prefix="reached-") as file:
            file.write(bytes(count))
            file.flush()
            outcome = self.run(tests, file.name, limit, until_failure=False)
            return outcome, pathlib.Path(file.name).read_bytes()

    def stop(self) -> None:
        """Ends every trial; none begins afterwards."""
        with self.lock:
            self.is_stopped = True
            for process in self.running:
                end(process)


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def end(process: subprocess.Popen) -> None:
    """Kills a process group whose leader is not reaped yet."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def each(program: TestProgram, work: list, jobs: int, trial, report) -> None:
    """Calls `trial` for each piece of work, `jobs` at a time, and `report` with each result in the calling thread."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(trial, piece): piece for piece in work}
        try:
            for done in concurrent.futures.as_completed(waiting):
                report(waiting[done], done.result())
        except BaseException:
            program.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
