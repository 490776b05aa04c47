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

    private let hasColour: Bool
    private let output: @Sendable (String) -> Void

    /// On standard output.
    init() {
        let environment = ProcessInfo.processInfo.environment
        hasColour =
            isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
        output = { Self.write($0, to: .standardOutput) }
    }

    /// Into something else, without colour.
    init(output: @escaping @Sendable (String) -> Void) {
        hasColour = false
        self.output = output
    }

    func line(_ text: String = "", _ style: Style = .plain) {
        let clean = Redactor.redact(text).visible
        let styled = hasColour && style != .plain ? style.rawValue + clean + "\u{1B}[0m" : clean
        output(styled + "\n")
    }

    /// Prints what the person asked to see although it is secret: a code, a QR code, an export. Nothing is redacted.
    func disclose(_ text: String) {
        output(text)
    }

    /// A text as it is, secrets taken out.
    func text(_ text: String) { output(Redactor.redact(text)) }

    func error(_ text: String) {
        Self.write("countersign: " + Redactor.redact(text).visible + "\n", to: .standardError)
    }

    private static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
