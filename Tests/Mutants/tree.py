"""The copy of the package in which the mutants are built. The working tree is only read."""
from __future__ import annotations

import collections
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess

from mutations import Site, sites_of
from schemata import SWITCH, declarations, written

# Ends the copy's manifest: the package has only the tests that run, and what they need.
MANIFEST = """
var neededTargets: Set<String> = []
var openTargets: [String] = [%s]
while let name = openTargets.popLast() {
    guard neededTargets.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
    for dependency in target.dependencies {
        switch dependency {
        case .targetItem(let name, _), .byNameItem(let name, _): openTargets.append(name)
        default: break
        }
    }
}
package.targets.removeAll { !neededTargets.contains($0.name) }
package.products = []
"""
ERROR = re.compile(r"^(/.*?\.swift):(\d+):(\d+): error: (.*)$", re.MULTILINE)
ROUNDS = 12


@dataclasses.dataclass
class MutatedFile:
    name: str  # relative to the package
    module: str
    text: str
    sites: list[Site]
    places: list[tuple[int, Site]] = dataclasses.field(default_factory=list)
    written: str = ""

    @property
    def target(self) -> str:
        return pathlib.PurePath(self.name).parts[2]

    @property
    def switch(self) -> str:
        """The file of the target that says which mutant is on: Sources/STOREY/TARGET/Mutants.swift."""
        return pathlib.PurePath(*pathlib.PurePath(self.name).parts[:3], "Mutants.swift").as_posix()

    def key(self, site: Site, change: int) -> str:
        """Names a mutant in a way that survives edits elsewhere in its file."""
        lines = self.text.splitlines()
        line = lines[site.line - 1].strip()
        equal = [
            other for other in self.sites
            if other.changes == site.changes and lines[other.line - 1].strip() == line
        ]
        place = next(index for index, other in enumerate(equal) if other is site)
        return "\t".join((self.name, line, site.changes[change], str(place)))


class BuildFailed(Exception):
    pass


class Tree:
    def __init__(self, package: pathlib.Path, swift: str, tests: list[str]):
        self.package, self.swift, self.tests = package, swift, tests
        self.folder = package / ".build/mutants"
        self.copy, self.scratch = self.folder / "tree", self.folder / "build"
        self.files: list[MutatedFile] = []
        self.left_out = 0
        self.environment = {name: value for name, value in os.environ.items() if name not in ("CI", "COUNTERSIGN_MUTANT")}

    # MARK: Writing

    def read(self, modules: dict[str, dict]) -> None:
        """Reads the sites of the modules' files, and numbers their mutants: every module from its own ten thousands."""
        for index, (module, settings) in enumerate(modules.items()):
            number = 10_000 * settings.get("index", index)
            for path in sources(self.package, settings["sources"]):
                text = path.read_text(encoding="utf-8")
                file = MutatedFile(path.relative_to(self.package).as_posix(), module, text, sites_of(text))
                for site in file.sites:
                    site.numbers = list(range(number, number + len(site.changes)))
                    number += len(site.changes)
                self.files.append(file)

    def write(self) -> None:
        """Brings the copy up to date. A file that stays as it was keeps its date, so that it is not built again."""
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"], cwd=self.package, check=True, capture_output=True, text=True)
        mutated = {file.name for file in self.files}
        names = {name for name in listed.stdout.splitlines() if (self.package / name).is_file()}
        kept = names | {file.switch for file in self.files} | {"Package.resolved"}
        for name in names - mutated - {"Package.swift"}:
            self._copy(name)
        if (self.package / "Package.resolved").is_file():
            self._copy("Package.resolved")
        manifest = (self.package / "Package.swift").read_text(encoding="utf-8")
        self._write("Package.swift", manifest + MANIFEST % ", ".join(f'"{name}"' for name in self.tests))
        self._write_mutants()
        for path in list(self.copy.rglob("*")):
            if path.is_file() and path.relative_to(self.copy).as_posix() not in kept and ".build" not in path.parts[len(self.copy.parts):]:
                path.unlink()

    def _copy(self, name: str) -> None:
        source, target = self.package / name, self.copy / name
        if target.is_file() and target.stat().st_mtime_ns == source.stat().st_mtime_ns and target.stat().st_size == source.stat().st_size:
            return
        if target.is_file() and target.read_bytes() == source.read_bytes():
            shutil.copystat(source, target)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        shutil.copystat(source, target)

    def _write(self, name: str, text: str) -> None:
        target = self.copy / name
        if target.is_file() and target.read_text(encoding="utf-8") == text:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def _write_mutants(self) -> None:
        targets = collections.defaultdict(list)
        for file in self.files:
            file.written, file.places = written(file.text, file.sites)
            self._write(file.name, file.written)
            targets[file.switch] += file.sites
        for switch, sites in targets.items():
            self._write(switch, SWITCH + "\n" + declarations(sites))

    # MARK: Building

    def build(self, say) -> pathlib.Path:
        """Builds the tests, and leaves out each mutant that does not compile. Returns the test program."""
        self._share_checkouts()
        remembered = self._forget_known_failures()
        self.write()
        for target in dict.fromkeys(file.target for file in self.files):
            say(f"building {target}")
            self._build_leaving_out(["--target", target], remembered, say)
        say("building the tests")
        self._build_leaving_out(["--build-tests"], remembered, say)
        return next((self.scratch / "debug").glob("*PackageTests.xctest"))

    def _build_leaving_out(self, what: list[str], remembered: set[str], say) -> None:
        for attempt in range(ROUNDS):
            command = [self.swift, "build", "--package-path", str(self.copy), "--scratch-path", str(self.scratch), *what]
            done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode == 0:
                return
            errors = {(name, int(line), int(column)) for name, line, column, _ in ERROR.findall(done.stdout)}
            (self.folder / "errors.log").write_text(done.stdout, encoding="utf-8")
            # An error may point at a line without a site, e.g. the end of an initialiser: then the circle widens.
            for reach in (0, 5, 20, 10_000):
                before = self.left_out
                for name, line, column in errors:
                    self._leave_out(name, line, column, attempt, reach, remembered)
                if self.left_out > before:
                    break
            else:
                raise BuildFailed(said(done.stdout))
            say(f"left out {self.left_out} mutants that do not compile")
            (self.folder / "left-out.json").write_text(json.dumps(sorted(remembered), ensure_ascii=False, indent=0), encoding="utf-8")
            self._write_mutants()
        raise BuildFailed(f"after {ROUNDS} rounds there are still errors; see {self.folder}/errors.log")

    def _leave_out(self, name: str, line: int, column: int, attempt: int, reach: int, remembered: set[str]) -> None:
        """Leaves out the site that an error points at, or in later rounds all within `reach` lines of it."""
        for file in self.files:
            if str(self.copy / file.name) != name:
                continue
            bytes_before = file.written.split("\n")[line - 1].encode()[:column - 1]
            begin = sum(len(text) + 1 for text in file.written.split("\n")[:line - 1])
            place = begin + len(bytes_before.decode(errors="ignore"))
            on_line = [(start, site) for start, site in file.places if begin <= start and site.line <= line <= site.last_line]
            near = [site for start, site in on_line if start <= place + 1 and site in file.sites]
            if attempt < 4 and near and reach == 0:
                dropped = near[-1:]
            else:
                dropped = [site for site in file.sites if site.line - reach <= line <= site.last_line + reach]
            for site in dropped:
                remembered.update(file.key(site, change) for change in range(len(site.changes)))
                self.left_out += len(site.changes)
                site.kind += " left out"
            file.sites = [site for site in file.sites if not site.kind.endswith("left out")]

    def _forget_known_failures(self) -> set[str]:
        """Leaves out what did not compile in an earlier run."""
        path = self.folder / "left-out.json"
        known = set(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else set()
        for file in self.files:
            failed = [site for site in file.sites if file.key(site, 0) in known]
            self.left_out += sum(len(site.changes) for site in failed)
            file.sites = [site for site in file.sites if all(site is not other for other in failed)]
        return known

    def _share_checkouts(self) -> None:
        """Takes the checkouts of the package's own build, so that the first build needs no network."""
        if (self.scratch / "workspace-state.json").exists():
            return
        self.scratch.mkdir(parents=True, exist_ok=True)
        for name in ("checkouts", "repositories", "artifacts", "workspace-state.json"):
            source = self.package / ".build" / name
            if source.is_dir():
                shutil.copytree(source, self.scratch / name, symlinks=True, dirs_exist_ok=True)
            elif source.is_file():
                shutil.copy2(source, self.scratch / name)


def said(output: str) -> str:
    """Returns the errors of a build, or the end of its output when it names none."""
    lines = [line for line in output.splitlines() if re.match(r"(/\S+: )?error: |macro expansion .*: error: ", line)]
    return "\n".join(dict.fromkeys(lines)) or output[-3000:]


def sources(package: pathlib.Path, names: list[str]):
    for name in names:
        path = package / name
        if not path.exists():
            raise SystemExit(f"{name} does not exist; correct modules.toml")
        yield from sorted(path.rglob("*.swift")) if path.is_dir() else [path]
