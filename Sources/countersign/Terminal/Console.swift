import Foundation
import Secrets

/// Where a command prints: plain lines, colour only on a terminal that wants it, and nothing that is secret.
struct Console: Sendable {
    static let standard = Console()

    enum Style: String {
        case plain = ""
        case bold = "\u{1B}[1m"
        case faint = "\u{1B}[2m"
        case good = "\u{1B}[32m"
        case bad = "\u{1B}[31m"
    }

    let isTerminal = isatty(STDOUT_FILENO) == 1
    private let hasColour =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    func line(_ text: String = "", _ style: Style = .plain) {
        let clean = Redactor.redact(text)
        let styled = hasColour && style != .plain ? style.rawValue + clean + "\u{1B}[0m" : clean
        write(styled + "\n", to: .standardOutput)
    }

    func error(_ text: String) {
        write("countersign: " + Redactor.redact(text) + "\n", to: .standardError)
    }

    private func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
