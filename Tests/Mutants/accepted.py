"""Mutants that may survive, because no test can tell them from the original, each with the reason."""
from __future__ import annotations

import pathlib


class Accepted:
    """The list in a text file:

        == Sources/Vault/KeyVault/Padding.swift
        -- the whole source line
        the change, or * for every change on that line: the reason
    """

    def __init__(self, path: pathlib.Path):
        self.reasons: dict[tuple[str, str, str], str] = {}
        file = line = ""
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines() if path.is_file() else [], 1):
            if text.startswith("== "):
                file = text[3:].strip()
            elif text.startswith("-- "):
                line = text[3:].strip()
            elif text.strip() and not text.startswith("#"):
                change, colon, reason = text.strip().partition(": ")
                if change == "SQL":  # the change has a colon itself
                    rest, colon, reason = reason.partition(": ")
                    change = f"SQL: {rest}"
                if not (file and line and colon and reason):
                    raise SystemExit(f"{path}:{number}: write a change, a colon and a reason, below a file and a line")
                self.reasons[file, line, change] = reason

    def has(self, key: str) -> bool:
        file, line, change, _ = key.split("\t")
        return (file, line, change) in self.reasons or (file, line, "*") in self.reasons
