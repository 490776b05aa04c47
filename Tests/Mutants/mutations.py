"""Finds the mutations of a Swift file.

A site is a place in the source that one or several mutants change. All of them are in one build, each behind a number:
a wrapper around an expression, an operator of its own, or a statement that is skipped.
"""
from __future__ import annotations

import dataclasses
import re

from statements import Source, Statement

COMPARISONS = {"<": ("<=", ">="), ">": (">=", "<="), "<=": ("<", ">"), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"}
LOGIC = {"&&": "||", "||": "&&"}
KEYWORDS = {
    "if", "guard", "while", "for", "do", "switch", "repeat", "defer", "case", "default", "return", "throw", "let", "var",
    "func", "struct", "enum", "class", "actor", "extension", "init", "import", "typealias", "break", "continue", "fallthrough",
    "super", "nonisolated", "static", "true", "false", "nil", "get", "set", "willSet", "didSet",
}
# Removing these changes nothing that a caller can rely on.
WITHOUT_EFFECT = re.compile(r"\b(?:reserveCapacity|precondition|assert|assertionFailure|preconditionFailure|withExtendedLifetime)\(|\blog(?:ger)?\.\w+\(")
SQL = re.compile(r'^#*"+\s*(?:SELECT|UPDATE|DELETE|INSERT|WITH)\b')
SQL_WORDS = [
    (" AND ", " OR "), (" OR ", " AND "), (" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "),
    (" = ", " <> "), (" <> ", " = "), (" IS NULL", " IS NOT NULL"), (" IS NOT NULL", " IS NULL"), (" IN (", " NOT IN ("),
    (" NOT IN (", " IN ("), (" DESC", " ASC"), ("NOT EXISTS", "EXISTS"),
]


@dataclasses.dataclass
class Site:
    """A place in a file, with the changes that its mutants make."""

    kind: str  # operator, prefix, condition, only_false, number, flag, text, sql, statement
    start: int
    end: int
    line: int
    last_line: int
    changes: list[str]
    detail: str = ""
    numbers: list[int] = dataclasses.field(default_factory=list)


def sites_of(text: str) -> list[Site]:
    """Returns the sites of a file, in their order."""
    source = Source(text)
    conditions = list(conditions_of(source))
    sites = [site for site, _, _ in conditions]
    sites += bool_values(source) + removable_statements(source) + literals(source)
    plain = [(first, last) for site, first, last in conditions if not has_logic(source, first, last)]
    sites += operators(source, plain)
    return sorted(sites, key=lambda site: (site.start, -site.end, site.kind))


def site(source: Source, kind: str, first: int, last: int, changes: list[str], detail: str = "") -> Site:
    begin, end = source.tokens[first], source.tokens[last]
    last_line = end.line + end.text.count("\n")
    return Site(kind, begin.start, end.end, begin.line, last_line, changes, detail)


def has_logic(source: Source, first: int, last: int) -> bool:
    return any(token.text in LOGIC for token in source.tokens[first:last + 1])


def conditions_of(source: Source):
    """Yields each Boolean clause of `if`, `guard`, `while` and `where`, with its first and last token."""
    tokens = source.tokens
    for index, token in enumerate(tokens):
        if token.kind != "word" or not source.is_code[index] or (index and tokens[index - 1].text in (".", "#")):
            continue
        if token.text in ("if", "guard", "while"):
            if token.text == "while" and index and tokens[index - 1].text == "}":
                continue
            for first, last in clauses(source, index):
                if tokens[first].text in ("let", "var", "case", "#"):
                    continue
                found = site(source, "only_false" if token.text == "while" else "condition", first, last, [])
                words = "the condition is always "
                found.changes = [words + "false"] if token.text == "while" else [words + "true", words + "false"]
                yield found, first, last
        elif token.text == "where" and source.token(index + 1).text != ":" and (end := end_of_where(source, index)) is not None:
            found = site(source, "condition", index + 1, end, [])
            found.changes = ["the condition is always true", "the condition is always false"]
            yield found, index + 1, end


def clauses(source: Source, keyword: int):
    """Yields the first and last token of each clause of a condition."""
    tokens, is_guard = source.tokens, source.tokens[keyword].text == "guard"
    first = index = keyword + 1
    while index < len(tokens):
        text = tokens[index].text
        ends = text == "else" if is_guard else text == "{"
        if ends or text == ",":
            if index > first:
                yield first, index - 1
            first = index + 1
            if ends:
                return
        if index in source.partner and text in ("(", "[", "{"):
            index = source.partner[index]
        index += 1


def end_of_where(source: Source, index: int) -> int | None:
    """Returns the last token of a `where` clause of `case`, `catch` and `for`."""
    end = index + 1
    while end < len(source.tokens):
        token = source.tokens[end]
        if token.text == "{" or (token.text == ":" and not token.spaced_before) or token.text == ",":
            return end - 1
        if end in source.partner:
            if token.text in (")", "]", "}"):
                return None
            end = source.partner[end]
        end += 1
    return None


def bool_values(source: Source) -> list[Site]:
    """Returns the results of functions and properties of type Bool."""
    found = []
    for block in source.blocks:
        if not block.returns_bool or not block.is_code:
            continue
        for statement in block.statements:
            first = statement.first
            if source.tokens[first].text == "return":
                first += 1
            elif len(block.statements) > 1 or block.kind != "function" or source.tokens[first].text in KEYWORDS:
                continue
            if first <= statement.last and source.tokens[first].text not in ("true", "false", "switch", "if"):
                found.append(site(source, "condition", first, statement.last, ["the result is always true", "the result is always false"]))
    return found


def removable_statements(source: Source) -> list[Site]:
    found = []
    for block in source.blocks:
        if not block.is_code or (block.kind == "closure" and len(block.statements) == 1):
            continue
        for statement in block.statements:
            if (len(block.statements) > 1 or not block.returns) and is_removable(source, statement):
                found.append(site(source, "statement", statement.first, statement.last, ["the statement is removed"]))
    return found


def is_removable(source: Source, statement: Statement) -> bool:
    """Tells whether a statement is an assignment or a call."""
    tokens = source.tokens[statement.first:statement.last + 1]
    if tokens[0].kind != "word" or tokens[0].text in KEYWORDS:
        return False
    text = source.text[tokens[0].start:tokens[-1].end]
    if WITHOUT_EFFECT.search(text):
        return False
    depth, assigns = 0, False
    for token in tokens:
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        assigns = assigns or (depth == 0 and token.kind == "operator" and re.fullmatch(r"[-+*/%|&^]?=", token.text) is not None)
    if assigns or re.search(r"\b(?:self|super)\.init\(", text):
        return assigns and statement.block.kind != "initialiser"
    return tokens[-1].text in (")", "}")


def literals(source: Source) -> list[Site]:
    found = []
    for index, token in enumerate(source.tokens):
        before = source.token(index - 1)
        if not source.is_code[index] or (before and before.text in ("#", "@", "$")):
            continue
        if token.kind == "number" and re.fullmatch(r"\d[\d_]*|0x[0-9a-fA-F_]+", token.text):
            value = int(token.text, 0)
            found.append(site(source, "number", index, index, [f"{token.text} is {value + 1}", f"{token.text} is {value - 1}"]))
        elif token.text in ("true", "false") and token.kind == "word":
            found.append(site(source, "flag", index, index, [f"{token.text} is {'false' if token.text == 'true' else 'true'}"]))
        elif token.kind == "text":
            found += texts(source, index)
    return found


def texts(source: Source, index: int) -> list[Site]:
    """Returns the mutations of a text that programs read. One with a space in it is for people, unless it is SQL."""
    token = source.tokens[index]
    if SQL.match(token.text):
        before_interpolation = token.text.split("\\(")[0]
        where = max(before_interpolation.find("WHERE"), before_interpolation.find(" ON "))
        found = []
        for old, new in SQL_WORDS:
            for count, place in enumerate(match.start() for match in re.finditer(re.escape(old), before_interpolation)):
                if old == " = " and not 0 <= where < place:
                    continue
                if old == " IN (" and before_interpolation[:place].endswith(" NOT"):
                    continue
                mutant = site(source, "sql", index, index, [f"SQL: “{old.strip()}” is “{new.strip()}”"], f"{old}\t{count}\t{new}")
                mutant.line += token.text.count("\n", 0, place)
                found.append(mutant)
        return found
    plain = re.fullmatch(r'"([^"\\\s]+)"', token.text) and source.tokens[max(0, index - 2)].text != "ascii"
    return [site(source, "text", index, index, [f"{token.text} is empty"])] if plain else []


def operators(source: Source, plain_clauses: list[tuple[int, int]]) -> list[Site]:
    """Returns operators that become others. Where a whole condition is one comparison, its negation is left to the clause."""
    found = []
    alone = set()
    for first, last in plain_clauses:
        alone.update(range(first, last + 1))
    for index, token in enumerate(source.tokens):
        if token.kind != "operator" or not source.is_code[index]:
            continue
        before, after = source.token(index - 1), source.token(index + 1)
        if token.spaced_before and token.spaced_after and before and after:
            new: tuple[str, ...] = ()
            if token.text in COMPARISONS:
                new = COMPARISONS[token.text]
                new = new[:1] if index in alone and len(new) == 2 else () if index in alone else new
            elif token.text in LOGIC:
                new = (LOGIC[token.text],)
            elif token.text in ARITHMETIC and not joins_texts(before.text, after.text):
                new = (ARITHMETIC[token.text],)
            elif token.text in ("+=", "-="):
                new = ("-=" if token.text == "+=" else "+=",) if not joins_texts("", after.text) else ()
            elif token.text == "??":
                new = ("the right side",)
            if new:
                found.append(site(source, "operator", index, index, [f"“{token.text}” is “{other}”" for other in new], "\t".join((token.text, *new))))
        elif token.text == "!" and not token.spaced_after and after and index not in alone and begins_operand(token, before):
            found.append(site(source, "prefix", index, index, ["“!” is removed"]))
    return found


def joins_texts(before: str, after: str) -> bool:
    return before.endswith(('"', "]", "#")) or after.startswith(('"', "[", "#"))


def begins_operand(token, before) -> bool:
    return before is None or token.spaced_before or before.text in ("(", "[", "{", ",")
