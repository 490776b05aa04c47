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
    private let output: @Sendable (String) -> Void

    /// Prints on standard output.
    package init() {
        let environment = ProcessInfo.processInfo.environment
        hasColour =
            isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
        output = { Self.write($0, to: .standardOutput) }
    }

    /// Prints through `output`, without colour.
    package init(output: @escaping @Sendable (String) -> Void) {
        hasColour = false
        self.output = output
    }

    package func line(_ text: String = "", _ style: Style = .plain) {
        let clean = Redactor.redact(text).visible
        let styled = hasColour && style != .plain ? style.rawValue + clean + "\u{1B}[0m" : clean
        output(styled + "\n")
    }

    /// Prints a secret that the person asked to see: a code, a QR code, an export. Nothing is redacted.
    package func disclose(_ text: String) {
        output(text)
    }

    /// Prints a text as it is, without secrets.
    package func text(_ text: String) { output(Redactor.redact(text)) }

    package func error(_ text: String) {
        Self.write("countersign: " + Redactor.redact(text).visible + "\n", to: .standardError)
    }

    private static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
