import Foundation
import Machine

/// The lines of earlier sessions of the shell, in a file that only its owner reads.
struct ShellHistory {
    private let file: URL
    /// The oldest first.
    private(set) var lines: [String]

    private static let most = 500

    /// - Parameter folder: the folder for the file `shell-history`.
    init(in folder: URL) {
        file = folder.appending(path: "shell-history")
        let text = OpenedFile.text(of: file, atMost: 1 << 20) ?? ""
        lines = text.split(separator: "\n").suffix(Self.most).map(String.init)
    }

    /// Keeps a line, and writes the file.
    ///
    /// - Throws: ``FileError``.
    mutating func add(_ line: String) throws {
        guard !line.isEmpty, !line.contains("\n"), lines.last != line else { return }
        lines = (lines + [line]).suffix(Self.most)
        try PrivateFolder.make(file.deletingLastPathComponent())
        try AtomicFile.replaceUnderLock(Array(lines.joined(separator: "\n").utf8), to: file)
    }

    /// The lines with their numbers, the newest last.
    var listed: [String] {
        lines.isEmpty ? ["no lines yet"] : lines.enumerated().suffix(50).map { "\($0 + 1)  \($1)" }
    }

    /// Returns the line that `!7` or `!!` stands for; nil when the history lacks it, and the line itself for any other.
    func expanded(_ line: String) -> String? {
        guard line.hasPrefix("!") else { return line }
        if line == "!!" { return lines.last }
        guard let number = Int(line.dropFirst()), lines.indices.contains(number - 1) else { return nil }
        return lines[number - 1]
    }
}
