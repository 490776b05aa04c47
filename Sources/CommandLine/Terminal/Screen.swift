import Foundation

/// The size of a terminal, in columns and rows.
package struct Screen: Sendable, Hashable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The terminal that shows standard output; nil without one, or where the system does not tell.
    package static var ofOutput: Screen? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return Screen(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Returns the rows of a line. Each but the first begins further to the right, so that no part of a long text reads as
    /// a line of its own.
    package func rows(of line: String) -> [String] {
        let indent = String(line.prefix { $0 == " " })
        let deeper = indent + "      "
        guard line.columns > columns, columns > deeper.count + 8 else { return [line] }
        let words = line.dropFirst(indent.count).split(separator: " ", omittingEmptySubsequences: false)
        let first = indent + (words.first ?? "")
        return LineWrapping.lines(
            of: [first] + words.dropFirst().map(String.init), width: columns, indent: deeper, breaksWords: true)
    }
}
