"""Divides a Swift file into blocks and statements, so that a mutation knows what it stands in."""
from __future__ import annotations

import dataclasses

from tokens import Token, partners, tokens_of

TYPES = {"struct", "enum", "class", "actor", "extension", "protocol"}
FUNCTIONS = {"func", "init", "deinit", "subscript"}
MODIFIERS = {
    "public", "package", "internal", "private", "fileprivate", "static", "final", "override", "mutating", "nonmutating",
    "convenience", "required", "indirect", "nonisolated", "isolated", "lazy", "weak", "unowned", "open", "consuming",
    "borrowing", "sending",
}
CONTROL = {"if", "guard", "while", "for", "do", "switch", "repeat", "defer", "else", "catch"}
ACCESSORS = {"get", "set", "willSet", "didSet"}
CONTINUED_BY = {"else", "catch", "where", "throws", "rethrows", "async", "as", "is", "in"}


@dataclasses.dataclass(frozen=True)
class Statement:
    first: int  # index of its first token
    last: int  # index of its last token
    block: "Block"


@dataclasses.dataclass
class Block:
    kind: str  # file, type, enum, function, initialiser, control, closure
    returns_bool: bool
    returns: bool  # the block of a function or property that has a value
    statements: list[Statement] = dataclasses.field(default_factory=list)

    @property
    def is_code(self) -> bool:
        return self.kind not in ("file", "type", "enum")


class Source:
    """A file's tokens, their brackets, and the blocks of code in it."""

    def __init__(self, text: str):
        self.text = text
        self.tokens = tokens_of(text)
        self.partner = partners(self.tokens)
        self.blocks: list[Block] = []
        self.is_code = [False] * len(self.tokens)  # an expression that runs, not a declaration
        self.in_initialiser = [False] * len(self.tokens)
        self._read(Block("file", False, False), 0, len(self.tokens))

    def token(self, index: int) -> Token | None:
        return self.tokens[index] if 0 <= index < len(self.tokens) else None

    def leading_words(self, first: int) -> list[str]:
        """Returns the words with which a statement begins, without attributes and modifiers."""
        index = first
        while (token := self.token(index)) is not None:
            if token.text == "@":
                index += 2
                if (next_token := self.token(index)) and next_token.text == "(" and not next_token.spaced_before:
                    index = self.partner[index] + 1
            elif token.text in MODIFIERS:
                index += 1
                if (next_token := self.token(index)) and next_token.text == "(" and not next_token.spaced_before:
                    index = self.partner[index] + 1
            else:
                break
        return [token.text for token in self.tokens[index:index + 2]]

    def _read(self, block: Block, start: int, end: int) -> None:
        self.blocks.append(block)
        index = self._after_closure_head(start, end) if block.kind == "closure" else start
        while index < end:
            last = self._end_of_statement(index, end, block)
            statement = Statement(index, last, block)
            block.statements.append(statement)
            self._read_statement(statement)
            index = last + 1
            while index < end and self.tokens[index].text == ";":
                index += 1

    def _after_closure_head(self, start: int, end: int) -> int:
        index = start
        while index < end and self.tokens[index].line == self.tokens[start].line:
            if self.tokens[index].text == "in":
                return index + 1
            if self.tokens[index].text in CONTROL or self.tokens[index].text in ("let", "var", "return"):
                return start
            index = self.partner[index] if self.tokens[index].text in ("(", "[") else index
            index += 1
        return start

    def _end_of_statement(self, start: int, end: int, block: Block) -> int:
        words = self.leading_words(start)
        is_label = block.is_code and words[:1] in (["case"], ["default"])
        index = start
        while index < end:
            token = self.tokens[index]
            if is_label and token.text == ":" and not token.spaced_before:
                return index
            if token.text == ";":
                return index - 1
            if index > start and token.first and not self._is_continued(index, is_label):
                return index - 1
            if token.kind == "bracket" and token.text in "([{" and index in self.partner:
                index = self.partner[index]
            index += 1
        return end - 1

    def _is_continued(self, index: int, is_label: bool) -> bool:
        token, before = self.tokens[index], self.tokens[index - 1]
        if before.text in (",", "(", "[") or (before.text == ":" and not is_label):
            return True
        if before.kind == "operator" and before.spaced_before and before.spaced_after:
            return True
        if token.text == "{" or token.text in CONTINUED_BY:
            return True
        return token.kind == "operator" and (token.spaced_after or token.text.startswith((".", "?."))) or token.text == ":"

    def _read_statement(self, statement: Statement) -> None:
        words = self.leading_words(statement.first)
        lead = words[0] if words else ""
        outer = statement.block
        is_property = lead in ("let", "var")
        declares = lead in FUNCTIONS | TYPES | {"typealias", "import", "associatedtype", "#", "@", "macro", "precedencegroup"}
        value = not is_property and outer.is_code and not declares
        if lead == "case" and not outer.is_code:
            value = declares = True
        index = statement.first
        while index <= statement.last:
            token = self.tokens[index]
            if is_property and token.kind == "operator" and token.text == "=":
                value = True
            self.is_code[index] = value and not declares
            self.in_initialiser[index] = outer.kind == "initialiser"
            if token.text == "{" and index in self.partner:
                inner = self._block(lead, statement.first, index, outer, value)
                closing = self.partner[index]
                self._read(inner, index + 1, closing)
                index = closing
            elif token.kind == "bracket" and token.text in "([" and not (declares or (is_property and not value)):
                pass
            index += 1

    def _block(self, lead: str, first: int, brace: int, outer: Block, value: bool) -> Block:
        header = [token.text for token in self.tokens[first:brace]]
        if lead in TYPES:
            return Block("enum" if lead == "enum" else "type", False, False)
        if lead in FUNCTIONS:
            returns = "->" in header
            return Block("initialiser" if lead == "init" else "function", header[-2:] == ["->", "Bool"], returns)
        if lead in ACCESSORS and len(header) <= 3:
            return Block("function", outer.returns_bool and lead == "get", lead == "get")
        if lead in ("let", "var") and not value:
            return Block("function", header[-2:] == [":", "Bool"], True)
        before = self.tokens[brace - 1].text if brace else ""
        if lead in CONTROL and (self._opens_control(first, brace) or before in CONTROL):
            kind = outer.kind if outer.kind == "initialiser" else "control"
            return Block(kind, outer.returns_bool, False)
        if "if" in header or "switch" in header or before == "do":
            return Block("control", False, True)
        return Block("closure", False, True)

    def _opens_control(self, first: int, brace: int) -> bool:
        """Tells a control statement's own block from a closure inside its condition."""
        depth = 0
        for token in self.tokens[first:brace]:
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        return depth == 0
