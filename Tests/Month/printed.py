"""The command lines that screens and pages show, and whether the program understands each."""

import json
import os
import re
import shlex
import subprocess

WIDTH = 80
# Words with which a sentence goes on behind a command line.
SENTENCE = set("again and anew as at first for from here if in is it of on once or that then there to when where which while "
               "with".split())
# They change nothing, and ask for nothing.
READING = {("status",), ("doctor",), ("requests",), ("banks",), ("banks", "list"), ("devices", "list"), ("agent", "list"),
           ("schedule", "list"), ("agent", "offers"), ("agent", "offers", "list"), ("config", "show"), ("script", "plugins", "list"),
           ("archive", "list"), ("phone", "address"), ("phone", "authority"), ("phone", "failures"), ("script", "list")}


class Printed:
    def __init__(self, program):
        self.program = program
        dump = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
        self.known = {}
        self.add(json.loads(dump)["command"], ())
        # By the words: who saw the line first.
        self.seen = {}
        self.typed, self.ran, self.looked_up = set(), set(), set()

    def add(self, command, before):
        path = (*before, command["commandName"]) if before or command["commandName"] != "countersign" else ()
        self.known[path] = command
        for part in command.get("subcommands") or []:
            self.add(part, path)

    def options(self, path):
        """The options of a command, and of the one that it stands for, by each of their names."""
        meant = [self.known[path]]
        if name := meant[0].get("defaultSubcommand"):
            meant.append(self.known[(*path, name)])
        return {("--" if name["kind"] == "long" else "-") + name["name"]: argument for command in meant
                for argument in command.get("arguments") or [] for name in argument.get("names") or []}

    def arguments(self, path):
        meant = [path, (*path, self.known[path].get("defaultSubcommand") or "")]
        return [one for each in meant if each in self.known for one in self.known[each].get("arguments") or []
                if one["kind"] == "positional"]

    def path(self, words):
        """The names of the command that the words begin with."""
        path = ()
        for word in words:
            if (*path, word) not in self.known:
                break
            path = (*path, word)
        return path

    # MARK: Reading screens

    def read(self, text, person, *, wraps=True):
        """Keeps the command lines of a text. On a screen, a line that was full goes on in the next one."""
        lines = text.splitlines()
        for number, line in enumerate(lines):
            if re.match(r"\s*usage:", line, re.I):
                continue
            below = lines[number + 1].split() if wraps and number + 1 < len(lines) else []
            if below and len(line) <= WIDTH < len(line) + 1 + len(below[0]):
                line = " ".join([line, *below])
            for found in re.finditer(r"(?<![\w/.@:-])countersign (?=[a-z-])", line):
                words = self.words(line[found.end():])
                # Elsewhere in a sentence, the program itself may be meant.
                is_told = re.search(r"(^|[:`“(]|\b(run|with|then|or|and|see))\s*$", line[:found.start()])
                if words and (is_told or self.path(words)):
                    self.seen.setdefault(words, person)

    def words(self, text):
        """The words of a command line, up to where its sentence goes on; None where no command is named."""
        said = []
        for word in re.split(r"[`“”|<>&]|\s\(|  ", text)[0].split():
            core = re.sub(r"[,;:.!?)…\"'’»]+$", "", word).lstrip("'\"")
            said.append(core)
            if core != word.strip("'"):
                break
        path = self.path(said)
        if not path and not (said and said[0].startswith("-")):
            return tuple(said[:1]) if re.search(r"^[a-z]+$", said[0] if said else "") else None
        taken, rest, options = list(path), said[len(path):], self.options(path)
        needed = sum(not one["isOptional"] for one in self.arguments(path))
        while rest:
            word = rest.pop(0)
            if word.startswith("--") and len(word) > 2:
                taken.append(word)
                option = options.get(word.split("=")[0])
                if option and option["kind"] == "option" and "=" not in word and rest:
                    taken.append(rest.pop(0))
                    while option.get("parsingStrategy") == "upToNextOption" and rest and not rest[0].startswith("-"):
                        taken.append(rest.pop(0))
                continue
            is_plain = re.fullmatch(r"[a-z]+(-[a-z]+)*|[A-Z]?[a-z]+", word) and word not in ("last-month", "this-month")
            if is_plain and (needed <= 0 or word in SENTENCE):
                break
            needed -= 1
            taken.append(word)
        return tuple(taken)

    # MARK: Trying them

    def wrong(self, words):
        """Returns what the program's own list of commands says against a line, or None."""
        path = self.path(words)
        command, options, rest, count = self.known[path], self.options(path), list(words[len(path):]), 0
        arguments = self.arguments(path)
        parts = [part for part in command.get("subcommands") or [] if part["commandName"] != "help"]
        if parts and not command.get("defaultSubcommand") and not (rest and rest[0].startswith("-")):
            return f"no command {rest[0]}" if rest else "a command is missing"
        given = set()
        while rest:
            word = rest.pop(0)
            if word == "-" or not word.startswith("-"):
                count += 1
                continue
            option = options.get(word.split("=")[0])
            if not option:
                return f"no option {word}"
            given.add(json.dumps(option["names"]))
            if option["kind"] == "option" and "=" not in word:
                if not rest:
                    return f"{word} has no value"
                rest.pop(0)
                while option.get("parsingStrategy") == "upToNextOption" and rest and not rest[0].startswith("-"):
                    rest.pop(0)
        if count < sum(not one["isOptional"] for one in arguments):
            return "an argument is missing"
        if count > len(arguments) and not any(one["isRepeating"] for one in arguments):
            return "an argument too many"
        for option in options.values():
            if not option["isOptional"] and json.dumps(option["names"]) not in given:
                return f"--{option['names'][0]['name']} is missing"
        return None

    def is_typed(self, words):
        """Whether the month itself runs a line, perhaps with more options."""
        return any(len(typed) >= len(words) and all(
            said == word or re.fullmatch("[A-Z]+", said) for said, word in zip(words, typed)) for typed in self.typed)

    def type(self, command):
        for part in command.split("|"):
            words = tuple(shlex.split(part))
            if words[:1] == ("countersign",):
                self.typed.add(words[1:])

    def run_reading(self, record):
        """Runs what is new and changes nothing, as the person who saw it. Yields what was not understood."""
        for words, person in list(self.seen.items()):
            if words in self.ran or self.is_typed(words) or self.path(words) not in READING or self.wrong(words):
                continue
            self.ran.add(words)
            line = " ".join(("countersign", *words))
            done = subprocess.run([self.program, *words], env=person.environment, cwd=person.home, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=120)
            record(f"tried as {person.name}: {line} [{done.returncode}]")
            # 1 and more are the documented findings of a command; 2 is a line that it does not take.
            if done.returncode == 2 or done.returncode < 0:
                yield f"{line}: status {done.returncode}\n{done.stdout}{done.stderr}"

    def look_up(self, record):
        """Asks for the help of each other command that was printed. Yields what was not understood."""
        helped = {}
        for words in self.seen:
            line = " ".join(("countersign", *words))
            if problem := self.wrong(words):
                yield f"{line}: {problem}"
                continue
            if words in self.ran or self.is_typed(words):
                continue
            path = self.path(words)
            if path not in helped:
                helped[path] = subprocess.run([self.program, *path, "--help"], stdin=subprocess.DEVNULL, capture_output=True,
                                              env={**os.environ, "HOME": "/nonexistent"}).returncode
            self.looked_up.add(words)
            record(f"looked up: {line} [{helped[path]}]")
            if helped[path]:
                yield f"countersign {' '.join(path)} --help: status {helped[path]}"

    @property
    def summary(self):
        own = sum(words not in self.ran and words not in self.looked_up for words in self.seen)
        return (f"{len(self.seen)} command lines were printed, {len(self.ran)} run as printed, {own} by the month itself, "
                f"{len(self.looked_up)} looked up")
