import Selectors

/// How to fetch a statement from one bank, as a value: what a person would tell a friend, step by step.
///
/// A script is data. It does nothing by itself, sees no secret, and is named by its ``digest``: the person approves a
/// digest, and what runs is that digest. The Swift result builder and YAML are two spellings of the same value.
///
/// ```swift
/// let bank = BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
///     Open("/login")
///     Fill("Username", with: .username)
///     Fill("Password", with: .password)
///     Press("Sign in")
///     Follow("Statements")
///     Download("PDF")
/// } finally: {
///     Press("Sign out")
/// }
/// ```
public struct BankScript: Sendable {
    /// The bank's identifier, the `bank_id` of an envelope.
    public var id: String
    /// The bank's name as its customers know it.
    public var name: String
    /// The only origins that the script may speak to, such as `https://bank.example`. The first one is home: paths in
    /// ``Open`` are resolved against it.
    public var origins: [String]
    /// By origin, the public keys of which the bank's server has to have one, besides a certificate that is trusted:
    /// `sha256/` and the base64 of the SHA-256 of its SubjectPublicKeyInfo (RFC 7469, section 2.4).
    public var pins: [String: [String]]
    /// Plain HTTP to this machine is allowed when true. A script for a real bank never says so.
    public var isForTesting: Bool
    /// BCP 47 language tag: the language in which month names are written, and that the bank is asked for.
    public var locale: String
    public var parameters: [Parameter]
    /// Pages that may come up after any step, declared once.
    public var interruptions: [Interruption]
    public var steps: [Step]
    /// Steps that run on every way out, in order; a failure among them never hides the first one.
    public var finally: [Step]
    /// Where the script's text is, for messages; not part of the digest.
    public var source: String?

    public init(
        _ id: String, named name: String, at origins: String..., pins: [String: [String]] = [:],
        isForTesting: Bool = false, locale: String = "en",
        parameters: [Parameter] = Parameter.statementPeriod, interruptions: [Interruption] = [],
        @StepBuilder steps: () -> [Step], @StepBuilder finally: () -> [Step] = { [] }, source: String? = #fileID
    ) {
        self.init(
            id: id, name: name, origins: origins, pins: pins, isForTesting: isForTesting, locale: locale,
            parameters: parameters,
            interruptions: interruptions, steps: steps(), finally: finally(), source: source)
    }

    public init(
        id: String, name: String, origins: [String], pins: [String: [String]] = [:], isForTesting: Bool = false,
        locale: String = "en",
        parameters: [Parameter] = Parameter.statementPeriod, interruptions: [Interruption] = [], steps: [Step],
        finally: [Step] = [], source: String? = nil
    ) {
        self.id = id
        self.name = name
        self.origins = origins
        self.pins = pins
        self.isForTesting = isForTesting
        self.locale = locale
        self.parameters = parameters
        self.interruptions = interruptions
        self.steps = steps
        self.finally = finally
        self.source = source
    }
}

extension BankScript {
    /// Whether some step of the script may be answered by the person's TOTP vault.
    public var asksVault: Bool {
        func asks(_ steps: [Step]) -> Bool {
            steps.contains { step in
                switch step.action {
                case .secondFactor(let pause):
                    if case .code = pause.method { pause.sources.contains(.vault) } else { false }
                case .when(_, let steps, let otherwise): asks(steps) || asks(otherwise)
                default: false
                }
            }
        }
        return asks(steps) || asks(finally)
    }
}

/// Something that stands for steps in a script's text.
public protocol ScriptText {
    var steps: [Step] { get }
}

/// Gathers the steps between the braces of a script.
@resultBuilder
public enum StepBuilder {
    public static func buildExpression(_ text: any ScriptText) -> [Step] { text.steps }
    public static func buildExpression(_ steps: [Step]) -> [Step] { steps }
    public static func buildBlock(_ parts: [Step]...) -> [Step] { parts.flatMap(\.self) }
    public static func buildOptional(_ part: [Step]?) -> [Step] { part ?? [] }
    public static func buildEither(first: [Step]) -> [Step] { first }
    public static func buildEither(second: [Step]) -> [Step] { second }
    public static func buildArray(_ parts: [[Step]]) -> [Step] { parts.flatMap(\.self) }
}
