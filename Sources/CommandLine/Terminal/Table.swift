import Encodings
import Foundation

/// Rows of text under a header, for a terminal.
package struct Table {
    /// The least width of a column that is cut, in columns of the terminal.
    private static let narrowest = 6
    /// The width down to which a column that is wrapped gives way before any other: it loses nothing by that.
    private static let narrowestWrapped = 18

    private let header: [String]
    /// True when the last cell of a row goes on in more lines where it is longer than its column; else it is cut.
    private let wrapsLast: Bool
    private var rows: [(cells: [String], style: Console.Style)] = []

    package init(_ header: String..., wrapsLast: Bool = false) { self.init(header, wrapsLast: wrapsLast) }

    package init(_ header: [String], wrapsLast: Bool = false) {
        self.header = header
        self.wrapsLast = wrapsLast
    }

    /// Adds a row with a cell for each column.
    package mutating func add(_ cells: String..., style: Console.Style = .plain) { add(cells, style: style) }

    package mutating func add(_ cells: [String], style: Console.Style = .plain) {
        precondition(cells.count == header.count, "a row has as many cells as the header")
        // A cell may hold a bank's words or a file's name: one of a line.
        rows.append((cells.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ").visible }, style))
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// Returns the lines, the header first. The widest columns give way until a line has at most `width` columns of the terminal.
    package func lines(width: Int) -> [(text: String, style: Console.Style)] {
        var widths = header.indices.map { column in
            ([header] + rows.map(\.cells)).map { $0[column].columns }.max() ?? 0
        }
        let gaps = 2 * (widths.count - 1)
        let last = widths.count - 1
        while widths.reduce(gaps, +) > width {
            if wrapsLast, widths[last] > Self.narrowestWrapped {
                widths[last] -= 1
                continue
            }
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.narrowest
            else { break }
            widths[widest] -= 1
        }
        return ([(header, .faint)] + rows).flatMap { row in
            let last = wrapsLast ? Self.broken(row.cells[row.cells.count - 1], widths[widths.count - 1]) : []
            let first = row.cells.dropLast(last.isEmpty ? 0 : 1) + last.prefix(1)
            let rest = last.dropFirst().map { Array(repeating: "", count: row.cells.count - 1) + [$0] }
            return ([Array(first)] + rest).map { (Self.line($0, widths), row.style) }
        }
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        let shown = zip(cells, widths).map { cell, width in
            let shown = cell.columns > width ? cell.prefix(columns: width - 1) + "…" : Substring(cell)
            return shown + String(repeating: " ", count: max(0, width - shown.columns))
        }
        let line = shown.joined(separator: "  ")
        return String(line.prefix(line.count - line.reversed().prefix { $0 == " " }.count))
    }

    private static func broken(_ text: String, _ width: Int) -> [String] {
        LineWrapping.lines(of: text.split(separator: " "), width: width, breaksWords: true)
    }
}

extension Console {
    /// True when a person reads standard output. For a program, commands print the same facts as lines without a header, with
    /// whole ids and times.
    package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Prints a paragraph, or several. At a terminal it is broken at its spaces; a longer word, such as a path, stays whole.
    package func paragraph(_ text: String, _ style: Style = .plain) {
        guard Self.isTerminal else { return lines(text, style) }
        for row in Self.rows(of: text, width: Self.width) { line(row, style) }
    }

    static func rows(of text: String, width: Int) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
            LineWrapping.lines(of: words(of: paragraph), width: width, breaksWords: false)
        }
    }

    /// Returns the words of a paragraph. A command after a colon is one word, because a person copies it as a whole; it ends with
    /// its clause.
    private static func words(of paragraph: Substring) -> [String] {
        var words: [String] = []
        var isCommand = false
        for word in paragraph.split(separator: " ") {
            let begins = word == "countersign" && words.last?.hasSuffix(":") == true
            if isCommand { words[words.count - 1] += " " + word } else { words.append(String(word)) }
            isCommand = (isCommand || begins) && word.last.map { !".,;".contains($0) } ?? false
        }
        return words
    }

    /// The width of the terminal; 80 where the system does not tell.
    private static var width: Int { Screen.ofOutput?.columns ?? 80 }

    package func table(_ table: Table) {
        for (text, style) in table.lines(width: Self.width) { line(text, style) }
    }
}
