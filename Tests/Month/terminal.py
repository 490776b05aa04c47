"""A terminal with a person who reads what is on it and types the answers, and a recording of both."""

import codecs
import os
import pty
import re
import select
import signal
import time

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\r")


class Recording:
    def __init__(self, path):
        self.began, self.file = time.monotonic(), open(path, "w", encoding="utf-8")

    def line(self, text):
        self.file.write(f"{time.monotonic() - self.began:7.2f}  {text}\n")
        self.file.flush()
        if os.environ.get("MONTH_SHOWS"):
            print(text, flush=True)


class Failed(Exception):
    pass


class Person:
    """Someone with a home folder of their own, at a terminal."""

    def __init__(self, name, home, program, recording, environment):
        self.name, self.home, self.program, self.recording = name, home, program, recording
        self.environment = {"HOME": home, "PATH": os.path.dirname(program) + ":/usr/bin:/bin", "TERM": "dumb",
                            "LANG": "C.UTF-8", **environment}
        os.makedirs(home, exist_ok=True)
        # What was started, with what it showed.
        self.screens = []

    def start(self, command):
        """Starts a command line as it is typed. The line is a screen's own wherever a screen has shown one."""
        self.recording.line(f"{self.name}$ {command}")
        self.screens.append(Running(self, command))
        return self.screens[-1]

    def run(self, command, *, fails=False, answers=()):
        """Runs a command to its end, answers its questions in their order, and returns what was on the screen."""
        running = self.start(command)
        for answer in answers:
            running.answer(*answer)
        status = running.end()
        if (status != 0) != fails:
            raise Failed(f"{command}: status {status}\n{running.seen}")
        return running.seen


class Running:
    def __init__(self, person, command):
        self.person, self.command, self.seen, self.place, self.status = person, command, "", 0, None
        self.told = 0
        # A read may end within a character.
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        # The shell is replaced by the program, so that the terminal's signals reach it.
        self.id, self.terminal = pty.fork()
        if self.id == 0:
            os.chdir(person.home)
            os.execve("/bin/bash", ["bash", "-c", command if "|" in command else "exec " + command],
                      person.environment)

    def read(self, seconds):
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        if not ready:
            return True
        try:
            more = os.read(self.terminal, 65536)
        except OSError:
            more = b""
        self.seen += CONTROL.sub("", self.decoder.decode(more))
        self.tell(bool(more))
        return bool(more)

    def tell(self, is_going_on):
        """Records whole lines; at a question or at the end, the rest too."""
        while (end := self.seen.find("\n", self.told)) >= 0:
            self.person.recording.line("    " + self.seen[self.told:end])
            self.told = end + 1
        if not is_going_on and self.seen[self.told:]:
            self.person.recording.line("    " + self.seen[self.told:])
            self.told = len(self.seen)

    def wait(self, words, seconds=40):
        """Waits until the words are on the screen, after those that were waited for before. Returns what came with them."""
        end = time.monotonic() + seconds
        flat = lambda text: re.sub(r"\s+", " ", text)
        while words not in flat(self.seen[self.place:]):
            if time.monotonic() > end or not self.read(max(0.05, min(1, end - time.monotonic()))):
                self.tell(False)
                raise Failed(f"“{words}” did not come from: {self.command}\n{self.seen}")
        # Not further than the words: two questions may come together.
        found = re.search(r"\s+".join(map(re.escape, words.split(" "))), self.seen[self.place:])
        self.place += found.end()
        return self.seen

    def answer(self, question, answer, secret=None):
        self.wait(question)
        time.sleep(0.1)
        self.tell(False)
        self.person.recording.line(f"  « {'‹' + secret + '›' if secret else answer}")
        os.write(self.terminal, (answer + "\n").encode())

    def interrupt(self):
        self.person.recording.line("  « Ctrl-C")
        os.write(self.terminal, b"\x03")
        return self.end()

    def end(self, seconds=120):
        if self.status is not None:
            return self.status
        end = time.monotonic() + seconds
        while self.read(0.2):
            if time.monotonic() > end:
                os.kill(self.id, signal.SIGKILL)
                os.waitpid(self.id, 0)
                raise Failed(f"{self.command} did not end\n{self.seen}")
        _, code = os.waitpid(self.id, 0)
        os.close(self.terminal)
        self.status = os.waitstatus_to_exitcode(code)
        if self.status:
            self.person.recording.line(f"    [{self.status}]")
        return self.status


def named(before, seen):
    """Returns the command that a screen names after some words: to the end of its line."""
    found = re.search(r"\s+".join(map(re.escape, before.split(" "))) + r"\s+(countersign [^\n]*)", seen)
    if not found:
        raise Failed(f"no command after “{before}”: {seen}")
    return found.group(1).strip()
