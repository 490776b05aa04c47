"""Writes a file so that every mutant of it is there, and a number from the environment chooses one."""
from __future__ import annotations

from mutations import ARITHMETIC, COMPARISONS, LOGIC, Site

MARKS = "┐└┘├┤┬┴┼═║╒╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡╢╣╤╥╦╧╨╩╪╫╬╭╮╯╰╱╲╳╴╵╶╷╸╹╺╻╼╽╾╿"
VARIABLE = "COUNTERSIGN_MUTANT"

SWITCH = """\
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Chooses the mutant that runs. `COUNTERSIGN_MUTANT` is its number, or the file in which to note every mutant reached.
public enum Mutants {
    private static let setting: String = getenv("COUNTERSIGN_MUTANT").map { String(cString: $0) } ?? ""
    private static let active: Int = Int(setting) ?? -1

    /// One byte for each mutant, in a file that the driver reads.
    private nonisolated(unsafe) static let reached: UnsafeMutablePointer<UInt8>? = {
        guard setting.hasPrefix("/") else { return nil }
        let file = open(setting, O_RDWR)
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else { return nil }
        let bytes = mmap(nil, Int(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        close(file)
        return bytes == MAP_FAILED ? nil : bytes?.assumingMemoryBound(to: UInt8.self)
    }()

    public static func isOn(_ number: Int) -> Bool {
        if let reached { reached[number] = 1 }
        return number == active
    }

    public static func forced(_ number: Int, _ value: Bool) -> Bool { isOn(number) || (!isOn(number + 1) && value) }
    public static func forcedFalse(_ number: Int, _ value: Bool) -> Bool { !isOn(number) && value }
    public static func flipped(_ number: Int, _ value: Bool) -> Bool { isOn(number) != value }
    public static func flipped<T: ExpressibleByBooleanLiteral>(_ number: Int, _ value: Bool) -> T
    where T.BooleanLiteralType == Bool { T(booleanLiteral: isOn(number) != value) }
    public static func changed<T: Numeric>(_ number: Int, _ value: T) -> T {
        if isOn(number) { return value + 1 }
        return isOn(number + 1) ? value - 1 : value
    }
    public static func emptied(_ number: Int, _ text: String) -> String { isOn(number) ? "" : text }

    public static func emptied<T: ExpressibleByStringLiteral>(_ number: Int, _ text: String) -> T
    where T.StringLiteralType == String { T(stringLiteral: isOn(number) ? "" : text) }

    public static func edited(_ number: Int, _ count: Int, _ old: String, _ new: String, _ text: String) -> String {
        guard isOn(number) else { return text }
        let bytes = Array(text.utf8), wanted = Array(old.utf8)
        var seen = 0, place = 0
        while place + wanted.count <= bytes.count {
            if Array(bytes[place..<place + wanted.count]) == wanted {
                if seen == count {
                    return String(decoding: bytes[..<place] + Array(new.utf8) + bytes[(place + wanted.count)...], as: UTF8.self)
                }
                seen += 1
            }
            place += 1
        }
        return text
    }
}
"""

PRECEDENCE = {
    **dict.fromkeys(COMPARISONS, "ComparisonPrecedence"), "&&": "LogicalConjunctionPrecedence",
    "||": "LogicalDisjunctionPrecedence", "+": "AdditionPrecedence", "-": "AdditionPrecedence",
    "*": "MultiplicationPrecedence", "/": "MultiplicationPrecedence", "%": "MultiplicationPrecedence",
    "+=": "AssignmentPrecedence", "-=": "AssignmentPrecedence", "??": "NilCoalescingPrecedence",
}


def operator_name(number: int) -> str:
    name = "┃"
    while True:
        number, digit = divmod(number, len(MARKS))
        name += MARKS[digit]
        if number == 0:
            return name


def written(text: str, sites: list[Site]) -> tuple[str, list[tuple[int, Site]]]:
    """Returns the file with its sites, and where each of them begins in it. Lines stay where they are."""
    events = []
    for site in sites:
        length = site.end - site.start
        if site.kind in ("operator", "prefix"):
            events.append((site.start, 2, 0, operator_name(site.numbers[0]), length, site))
            continue
        opening, closing = wrapper(site)
        events.append((site.start, 1, -length, opening, 0, site))
        # At one place, what is inside closes before what is outside, and all closes before anything opens.
        events.append((site.end, 0, length, closing, 0, None))
    events.sort(key=lambda event: event[:3])
    parts, position, size, places = [], 0, 0, []
    for start, _, _, added, length, site in events:
        size += start - position
        if site:
            places.append((size, site))
        parts += [text[position:start], added]
        size += len(added)
        position = start + length
    return "".join(parts) + text[position:], places


def wrapper(site: Site) -> tuple[str, str]:
    number = site.numbers[0]
    if site.kind == "statement":
        return f"if !Mutants.isOn({number}) {{ ", " }"
    if site.kind == "sql":
        old, count, new = site.detail.split("\t")
        return f'Mutants.edited({number}, {count}, "{old}", "{new}", ', ")"
    name = {"condition": "forced", "only_false": "forcedFalse", "number": "changed", "flag": "flipped", "text": "emptied"}[site.kind]
    return f"Mutants.{name}({number}, ", ")"


def declarations(sites: list[Site]) -> str:
    """Returns the operators of a module's sites."""
    return "\n".join(line for site in sites if site.kind in ("operator", "prefix") for line in declaration(site)) + "\n"


def declaration(site: Site) -> list[str]:
    name, first = operator_name(site.numbers[0]), site.numbers[0]
    if site.kind == "prefix":
        return [f"prefix operator {name}", f"prefix func {name} (_ a: Bool) -> Bool {{ Mutants.isOn({first}) ? a : !a }}"]
    old, *new = site.detail.split("\t")
    lines = [f"infix operator {name} : {PRECEDENCE[old]}"]
    head = f"func {name} "
    if old in LOGIC:
        both, either = "a ? try b() : false", "a ? true : try b()"
        mutated, original = (either, both) if old == "&&" else (both, either)
        lines.append(
            head + "(_ a: Bool, _ b: @autoclosure () throws -> Bool) rethrows -> Bool "
            f"{{ if Mutants.isOn({first}) {{ return {mutated} }}; return {original} }}")
    elif old in COMPARISONS:
        chosen = "".join(f"if Mutants.isOn({first + index}) {{ return a {other} b }}; " for index, other in enumerate(new))
        kind = "Equatable" if old in ("==", "!=") else "Comparable"
        lines.append(head + f"<T: {kind}>(_ a: T, _ b: T) -> Bool {{ {chosen}return a {old} b }}")
        if kind == "Equatable":
            lines.append(head + f"<T>(_ a: T?, _ b: _OptionalNilComparisonType) -> Bool {{ {chosen}return a {old} b }}")
    elif old in ARITHMETIC:
        kinds = {"+": ["AdditiveArithmetic"], "-": ["AdditiveArithmetic"], "%": ["BinaryInteger"]}.get(old, ["BinaryInteger", "FloatingPoint"])
        for kind in kinds:
            lines.append(head + f"<T: {kind}>(_ a: T, _ b: T) -> T {{ Mutants.isOn({first}) ? a {new[0]} b : a {old} b }}")
    elif old in ("+=", "-="):
        lines.append(head + f"<T: AdditiveArithmetic>(_ a: inout T, _ b: T) {{ if Mutants.isOn({first}) {{ a {new[0]} b }} else {{ a {old} b }} }}")
    else:
        for kind in ("T", "T?"):
            lines.append(
                head + f"<T>(_ a: T?, _ b: @autoclosure () throws -> {kind}) rethrows -> {kind} "
                f"{{ if let a, !Mutants.isOn({first}) {{ return a }}; return try b() }}")
    return lines
