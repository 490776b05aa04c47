import Messages
import Selectors

/// The steps to fetch a statement from one bank, as a value: a person would explain them to a friend in the same way.
///
/// A script is data. It does nothing by itself and sees no secret. Its ``digest`` identifies it: the person approves a
/// digest, and only the script with that digest runs. The Swift result builder and YAML are two ways to write the same
/// value.
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
    /// The only origins that the script may send requests to, such as `https://bank.example`. Paths in ``Open`` are
    /// resolved against the first one.
    public var origins: [String]
    /// The pinned public keys by origin. The bank's server must have one of them as well as a trusted certificate.
    /// Each is `sha256/` and the base64 of the SHA-256 of the SubjectPublicKeyInfo (RFC 7469, section 2.4).
    public var pins: [String: [String]]
    /// Allows plain HTTP to this machine. Never true for a real bank.
    public var isForTesting: Bool
    /// BCP 47 language tag: the language of month names, and the one requested from the bank.
    public var locale: String
    /// The number of times that one run may send the password, each other credential, and the code of each step. User
    /// names do not count.
    public var attempts: Int
    /// The names of the credentials that the script uses, in the order in which a person is asked for them.
    public var credentials: [String]
    /// The names of the cookies by which the bank knows a device again. They are kept over visits as a credential of this
    /// bank, and no step sees them. Empty for a bank that gets none: no other cookie outlives a visit.
    public var device: [String]
    /// The browser that the script needs.
    public var engine: ScriptEngine
    /// The most downloads that may run side by side, where they follow one another among the steps. 1 unless the bank allows
    /// more.
    public var atOnce: Int
    public var parameters: [Parameter]
    /// Pages that may appear after any step, declared once.
    public var interruptions: [Interruption]
    /// The answers to dialogs that a page may open.
    public var dialogs: [DialogRule]
    /// The place of the customer's accounts on the page after ``steps``; nil for a bank with one account.
    public var accounts: AccountList?
    public var steps: [Step]
    /// The steps that follow ``steps``, once for each account that is asked for. They see the bank's name of the account as
    /// `account_name`, and begin where the account before ended. They may be empty.
    public var forEachAccount: [Step]
    /// The steps that follow ``steps``, once for each month that is asked for. They see the month as `month` and `year`, and
    /// begin on the page where the month before ended. Empty in a script that fetches one document in a run.
    public var forEachPeriod: [Step]
    /// Steps that run at the end in any case, in order. A failure among them never replaces an earlier failure.
    public var finally: [Step]
    /// The source that takes the place of steps; nil for a script with steps, whose source is the bank's pages.
    public var documentSource: SourceDeclaration?
    /// The exchange in which the phone obtains credentials that the person does not give; nil without one.
    public var exchange: CredentialExchange?
    /// The end of the owner's consent; nil where an interface names none.
    public var consent: ConsentRule?
    /// The requests that the bank allows; nil for no limit.
    public var budget: RequestBudget?
    /// The file that contains the script, for messages. Not part of the digest.
    public var source: String?

    public init(
        _ id: String, named name: String, at origins: String..., pins: [String: [String]] = [:],
        isForTesting: Bool = false, locale: String = "en", attempts: Int = 1,
        credentials: [String] = Self.usualCredentials, device: [String] = [], engine: ScriptEngine = .html,
        atOnce: Int = 1, parameters: [Parameter] = Parameter.statementPeriod, interruptions: [Interruption] = [],
        dialogs: [DialogRule] = [], accounts: AccountList? = nil, @StepBuilder steps: () -> [Step],
        @StepBuilder forEachAccount: () -> [Step] = { [] }, @StepBuilder forEachPeriod: () -> [Step] = { [] },
        @StepBuilder finally: () -> [Step] = { [] }, source: String? = #fileID
    ) {
        self.init(
            id: id, name: name, origins: origins, pins: pins, isForTesting: isForTesting, locale: locale,
            attempts: attempts, credentials: credentials, device: device, engine: engine, atOnce: atOnce,
            parameters: parameters, interruptions: interruptions, dialogs: dialogs, accounts: accounts, steps: steps(),
            forEachAccount: forEachAccount(),
            forEachPeriod: forEachPeriod(), finally: finally(), source: source)
    }

    public init(
        id: String, name: String, origins: [String], pins: [String: [String]] = [:], isForTesting: Bool = false,
        locale: String = "en", attempts: Int = 1, credentials: [String] = Self.usualCredentials, device: [String] = [],
        engine: ScriptEngine = .html, atOnce: Int = 1, parameters: [Parameter] = Parameter.statementPeriod,
        interruptions: [Interruption] = [], dialogs: [DialogRule] = [], accounts: AccountList? = nil, steps: [Step],
        forEachAccount: [Step] = [],
        forEachPeriod: [Step] = [], finally: [Step] = [], source: String? = nil
    ) {
        self.id = id
        self.name = name
        self.origins = origins
        self.pins = pins
        self.isForTesting = isForTesting
        self.locale = locale
        self.attempts = attempts
        self.credentials = credentials
        self.device = device
        self.engine = engine
        self.atOnce = atOnce
        self.parameters = parameters
        self.interruptions = interruptions
        self.dialogs = dialogs
        self.accounts = accounts
        self.steps = steps
        self.forEachAccount = forEachAccount
        self.forEachPeriod = forEachPeriod
        self.finally = finally
        self.source = source
    }
}

extension BankScript {
    /// The credentials of a script that declares none.
    public static let usualCredentials = ["username", "password"]

    /// The values that ``attempts`` may have. Many banks lock an account after three refused sign-ins.
    package static let attemptsRange = 1...3

    /// The values that ``atOnce`` may have. A browser makes six connections to a host.
    package static let atOnceRange = 1...6

    /// The steps of a run for one month, without those of ``finally``.
    public var stepsForOnePeriod: [Step] { steps + forEachAccount + forEachPeriod }

    /// The kinds of documents that the script downloads, in the order of their names.
    public var kinds: [DocumentKind] {
        documentSource?.kinds ?? Set(stepsForOnePeriod.allActions.flatMap(\.kind.fetchedKinds)).sorted()
    }

    /// The kind of document that a run brings which asks for none: a PDF, else the script's first.
    package var usualKind: DocumentKind { kinds.contains(.pdf) ? .pdf : kinds.first ?? .pdf }
}

/// A part of a script's text that produces steps.
public protocol ScriptText {
    var steps: [Step] { get }
}

extension ScriptText {
    /// Gives the page this long to show what the steps look for, instead of the engine's own patience.
    public func within(_ patience: Duration) -> [Step] {
        steps.map { step in
            var step = step
            step.patience = patience
            return step
        }
    }
}

/// Collects the steps between the braces of a script.
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
