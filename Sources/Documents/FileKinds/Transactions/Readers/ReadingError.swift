import Encodings

/// Why a file of transactions was refused: where, what was seen, and what to do.
public struct ReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The file, a text in it, or the number of its transactions is beyond the limits.
        case tooLarge
        case tooDeep
        /// Bytes that are not text in the encoding.
        case encoding
        /// The file breaks its format's rules, or ends early.
        case syntax
        /// The file is of another kind than its name or the caller says.
        case wrongKind
        /// A document type, an entity or an external reference.
        case forbidden
        case amount
        case date
        case currency
        /// The format leaves something open that the caller has to say, such as a column or the order of day and month.
        case ambiguous
    }

    public let code: Code
    /// From 1; nil when the error concerns the file as a whole.
    public let line: Int?
    /// The finding and the remedy.
    public let message: String

    /// - Parameter message: a sentence without a full stop: what was seen, and after a semicolon what to do. Messages end in logs, so
    ///   it has no number of an account.
    public init(_ code: Code, line: Int? = nil, _ message: String) {
        (self.code, self.line, self.message) = (code, line, message)
    }

    public var description: String { line.map { "line \($0): \(message)" } ?? message }

    /// Returns an amount, a date or a namespace for a message. Its digits are the fault, so they are shown, except where
    /// they could be an account number.
    static func figure(_ text: some StringProtocol) -> String {
        var (longest, run, all) = (0, 0, 0)
        for byte in text.utf8 where byte != 0x20 {
            run = (0x30...0x39).contains(byte) ? run + 1 : 0
            all += run > 0 ? 1 : 0
            longest = max(longest, run)
        }
        let isNumber = text.contains { $0 == "." || $0 == "," }
        let isDate = longest <= 4 && text.contains { "-/:".contains($0) }
        return quoted(text, hidesDigits: all > 8 && !isNumber && !isDate)
    }

    /// Returns text from a file for a message: short, without control characters, and with `#` for the digits of anything
    /// long enough to be an account number, because messages end in logs.
    static func quoted(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars
        let isDigit = { (scalar: Unicode.Scalar) in (0x30...0x39).contains(scalar.value) }
        var longest = 0
        var run = 0
        var all = 0
        for scalar in scalars where scalar != " " {
            run = isDigit(scalar) ? run + 1 : 0
            all += isDigit(scalar) ? 1 : 0
            longest = max(longest, run)
        }
        return quoted(text, hidesDigits: longest > 4 || all > 8)
    }

    private static func quoted(_ text: some StringProtocol, hidesDigits: Bool) -> String {
        let scalars = text.unicodeScalars
        let shown = scalars.prefix(40).map { scalar in
            if scalar.value < 0x20 || scalar.value == 0x7F { return " " }
            return hidesDigits && (0x30...0x39).contains(scalar.value) ? "#" : String(scalar)
        }
        return "“\(shown.joined().visible)\(scalars.dropFirst(40).isEmpty ? "" : "…")”"
    }
}

/// Limits on the files that the readers accept.
package struct ReadingLimits: Sendable, Hashable {
    /// The size of a file in bytes.
    package var size: Int
    /// The deepest nesting of elements.
    package var depth: Int
    /// The most transactions of a file.
    package var transactions: Int
    /// The longest text of one field, in bytes.
    package var text: Int

    /// Defaults to 1 GiB, 64 levels, 2,000,000 transactions and 64 KiB.
    package init(size: Int = 1 << 30, depth: Int = 64, transactions: Int = 2_000_000, text: Int = 64 << 10) {
        (self.size, self.depth, self.transactions, self.text) = (size, depth, transactions, text)
    }
}
