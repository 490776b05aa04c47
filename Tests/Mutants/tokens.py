"""Reads Swift source into tokens, as far as the mutation run needs it: not a parser, but exact about where texts,
comments and operators begin and end."""
from __future__ import annotations

import dataclasses
import re

WORD = re.compile(r"`?[^\W\d]\w*`?")
NUMBER = re.compile(r"0x[0-9a-fA-F_]+(?:\.[0-9a-fA-F_]+)?(?:[pP][+-]?\d+)?|0[bo][\d_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?")
OPERATOR = re.compile(r"[-/=+!*%<>&|^~?.]+")
REGEX = re.compile(r"/(?![\s/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+/")
OPENING, CLOSING = "([{", ")]}"


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str  # word, number, text, regex, operator, bracket, sign
    text: str
    start: int
    end: int
    line: int
    first: bool  # nothing but white space stands before it on its line
    spaced_before: bool
    spaced_after: bool
    column: int = 0


class UnreadableSource(Exception):
    pass


def tokens_of(source: str) -> list[Token]:
    """Returns the tokens of a file without its comments."""
    found: list[Token] = []
    position, line, first = 0, 1, True
    while position < len(source):
        character = source[position]
        if character == "\n":
            line, first, position = line + 1, True, position + 1
        elif character.isspace():
            position += 1
        elif source.startswith("//", position):
            position = end_of_line(source, position)
        elif source.startswith("/*", position):
            end = end_of_comment(source, position)
            line += source.count("\n", position, end)
            position = end
        else:
            kind, end = token_at(source, position, found)
            found.append(
                Token(
                    kind, source[position:end], position, end, line, first,
                    position == 0 or source[position - 1].isspace(), end == len(source) or source[end].isspace(),
                    position - (source.rfind("\n", 0, position) + 1)))
            line += source.count("\n", position, end)
            first, position = False, end
    return found


def token_at(source: str, position: int, before: list[Token]) -> tuple[str, int]:
    character = source[position]
    if text := re.compile(r'(#*)("""|")').match(source, position):
        return "text", end_of_text(source, position, text.group(1), text.group(2))
    if character in OPENING or character in CLOSING:
        return "bracket", position + 1
    if character == "." and before and before[-1].end == position and (member := re.compile(r"\.(\d+)").match(source, position)):
        return "word", member.end()  # a tuple's member, such as `.0`
    if number := NUMBER.match(source, position):
        return "number", number.end()
    if word := WORD.match(source, position):
        return "word", word.end()
    if character == "/" and (not before or before[-1].text in ("(", ",", "=", "[", ":", "return")):
        if regex := REGEX.match(source, position):
            return "regex", regex.end()
    if operator := OPERATOR.match(source, position):
        end = operator.end()
        comment = re.compile(r"//|/\*").search(source, position, end)
        return "operator", comment.start() if comment else end
    return "sign", position + 1


def end_of_line(source: str, position: int) -> int:
    end = source.find("\n", position)
    return len(source) if end < 0 else end


def end_of_comment(source: str, position: int) -> int:
    depth, place = 0, position
    for mark in re.compile(r"/\*|\*/").finditer(source, position):
        depth += 1 if mark.group() == "/*" else -1
        place = mark.end()
        if depth == 0:
            return place
    raise UnreadableSource(f"a comment has no end at {position}")


def end_of_text(source: str, position: int, fence: str, quotes: str) -> int:
    """Returns the end of a text, whose interpolations may have texts and brackets of their own."""
    end, escape = quotes + fence, "\\" + fence
    place = position + len(fence) + len(quotes)
    while place < len(source):
        if source.startswith(end, place):
            return place + len(end)
        if source.startswith(escape, place):
            place += len(escape)
            place = end_of_interpolation(source, place) if source.startswith("(", place) else place + 1
        else:
            place += 1
    raise UnreadableSource(f"a text has no end at {position}")


def end_of_interpolation(source: str, position: int) -> int:
    depth, place = 0, position
    while place < len(source):
        if text := re.compile(r'(#*)("""|")').match(source, place):
            place = end_of_text(source, place, text.group(1), text.group(2))
            continue
        depth += (source[place] == "(") - (source[place] == ")")
        place += 1
        if depth == 0:
            return place
    raise UnreadableSource(f"an interpolation has no end at {position}")


def partners(tokens: list[Token]) -> dict[int, int]:
    """Returns the index of the closing bracket for each opening one, and the other way round."""
    pairs: dict[int, int] = {}
    open_brackets: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "bracket":
            continue
        if token.text in OPENING:
            open_brackets.append(index)
        elif open_brackets:
            opening = open_brackets.pop()
            pairs[opening], pairs[index] = index, opening
    if open_brackets:
        raise UnreadableSource(f"line {tokens[open_brackets[-1]].line} opens a bracket that nothing closes")
    return pairs
