import Messages

/// The rules for a bank's file that names a source: the settings that it has, and the kinds that it can fetch.
public struct SourceRule: Sendable, Hashable {
    /// A setting of a source in a bank's file.
    public struct Setting: Sendable, Hashable {
        public var name: String
        public var isRequired: Bool
        /// A regular expression for the whole text.
        public var pattern: String
        /// What to write instead of a text that is not accepted.
        public var hint: String

        public init(_ name: String, isRequired: Bool, pattern: String, hint: String) {
            self.name = name
            self.isRequired = isRequired
            self.pattern = pattern
            self.hint = hint
        }

        func accepts(_ text: String) -> Bool {
            guard let expression = try? Regex(pattern) else { return false }
            return text.wholeMatch(of: expression) != nil
        }
    }

    public var source: SourceName
    public var settings: [Setting]
    public var kinds: [DocumentKind]
    /// The promises of the source, for the person who accepts the file: sentences without a full stop.
    public var promises: [String]

    public init(_ source: SourceName, settings: [Setting], kinds: [DocumentKind], promises: [String]) {
        self.source = source
        self.settings = settings
        self.kinds = kinds
        self.promises = promises
    }

    /// The rules for FinTS. The bank code has eight digits, and a product registration number up to 25 characters
    /// (FinTS 3.0, Formals, HKVVB: “Produktbezeichnung”).
    public static let fints = SourceRule(
        .fints,
        settings: [
            Setting(
                "bank code", isRequired: true, pattern: "[0-9]{8}",
                hint: "write its eight digits in quotes: bank code: \"12345678\""),
            Setting(
                "product", isRequired: false, pattern: "[A-Za-z0-9]{1,25}",
                hint: "write the registration number, up to 25 letters and digits, or leave it out"),
        ],
        kinds: [.pdf, .camt, .mt940],
        promises: [
            "reads accounts, statements and bookings; it cannot pay, and changes nothing at the bank",
            "does not acknowledge a statement, so the bank still shows it as new",
            "sends the PIN with each message of a visit, and nothing more after the bank refuses it",
        ])

    /// The rules of this project's own sources.
    public static let standard = [fints]
}
