import Encodings
import Foundation
import Secrets

/// The output of a command: lines of text without secrets, coloured only on a terminal that supports it.
package struct Console: Sendable {
    package static let standard = Console()

    package enum Style: String {
        case plain = ""
        case bold = "\u{1B}[1m"
        case faint = "\u{1B}[2m"
        case good = "\u{1B}[32m"
        case bad = "\u{1B}[31m"
    }

    private let hasColour: Bool
    /// True when a terminal shows the output: what a text holds must not control it.
    private let isShown: Bool
    private let output: @Sendable (String) -> Void

    /// Prints on standard output.
    package init() {
        let environment = ProcessInfo.processInfo.environment
        isShown = isatty(STDOUT_FILENO) == 1
        hasColour = isShown && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
        output = { Self.write($0, to: .standardOutput) }
    }

    /// Prints through `output`, without colour.
    package init(output: @escaping @Sendable (String) -> Void) {
        (hasColour, isShown) = (false, false)
        self.output = output
    }

    /// Prints one line. A line feed in the text is escaped, because the text may hold a stranger's words.
    package func line(_ text: String = "", _ style: Style = .plain) {
        print(line: OwnPaths.redact(Self.showingWords(in: text)).visible, style)
    }

    /// Prints a text of several lines, which the program itself has put together.
    package func lines(_ text: String, _ style: Style = .plain) {
        for line in Self.visibleLines(of: Self.showingWords(in: text)) { print(line: line, style) }
    }

    private func print(line clean: String, _ style: Style) {
        let styled = hasColour && style != .plain ? style.rawValue + clean + "\u{1B}[0m" : clean
        output(styled + "\n")
    }

    /// Prints a secret that the person asked to see: a code, a QR code, an export. Nothing is redacted.
    package func disclose(_ text: String) {
        output(text)
    }

    /// Prints a text without secrets: as it is into a file, and with each of its lines escaped at a terminal.
    package func text(_ text: String) {
        output(isShown ? Self.visibleLines(of: text).joined(separator: "\n") : OwnPaths.redact(text))
    }

    /// Prints a failure, which may have several lines. None of them is by a word of the command line.
    package func error(_ text: String) {
        let lines = Self.visibleLines(of: Self.showingWords(in: text)).joined(separator: "\n")
        Self.write("countersign: " + lines + "\n", to: .standardError)
    }

    /// The words of the command line that cannot stand in a line as they are. A stranger may have given a file its name.
    private static let unshown = CommandLine.arguments.dropFirst()
        .filter { $0.inLine(limit: .max) != $0 && !$0.allSatisfy(\.isWhitespace) }
        .sorted { $0.utf8.count > $1.utf8.count }

    /// Returns a message in which each word of the command line stands in one line.
    package static func showingWords(in message: String) -> String {
        // By bytes: a word may begin with a mark that joins the character before it.
        unshown.reduce(message) { message, word in
            String(
                decoding: Array(message.utf8).replacing(Array(word.utf8), with: Array(word.inLine().utf8)),
                as: UTF8.self)
        }
    }

    /// Redacts a text before it is split: a secret may have several lines.
    private static func visibleLines(of text: String) -> [String] {
        OwnPaths.redact(text).unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).visible }
    }

    private static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
