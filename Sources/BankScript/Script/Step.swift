import Messages
import Selectors

/// One thing to do, and where it is written.
public struct Step: Sendable {
    public var action: Action
    /// Not part of the script's digest.
    public var mark: Mark?

    public init(_ action: Action, at mark: Mark? = nil) {
        self.action = action
        self.mark = mark
    }
}

/// A place in a script's text.
public struct Mark: Sendable, Hashable, CustomStringConvertible {
    /// File name as the person knows it.
    public var file: String
    /// Counted from 1.
    public var line: Int
    /// Counted from 1; nil where the language does not tell.
    public var column: Int?

    public init(file: String, line: Int, column: Int? = nil) {
        self.file = file
        self.line = line
        self.column = column
    }

    public var description: String {
        if let column { "\(file):\(line):\(column)" } else { "\(file):\(line)" }
    }
}

/// What a step does. Texts inside locators are templates.
public indirect enum Action: Sendable {
    /// Go to a path on the script's home, or to an absolute URL on one of its origins.
    case open(Template)
    /// Follow a link.
    case follow(Locator)
    case fill(Locator, Value)
    /// Pick an option of a select, or a radio button of a group, by what it says.
    case choose(Locator, Template)
    case check(Locator, Bool)
    /// Press a button.
    case press(Locator)
    /// Go inside a frame of the page.
    case enter(Locator)
    case secondFactor(SecondFactorStep)
    /// The run goes on only if the page answers yes.
    case expect(Condition)
    /// The run ends with this code if the page answers yes.
    case fail(ErrorCode, when: Condition, reason: FailureReason?)
    case when(Condition, [Step], otherwise: [Step])
    case search(SearchStep)
    case capture(CaptureStep)
    case request(RequestStep)
    case waitUntil(WaitStep)
    case download(DownloadStep)
}

/// A pause in which a second factor is obtained and given.
public struct SecondFactorStep: Sendable, Hashable {
    /// Who may answer, asked in this order.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        /// The person's TOTP vault, if a token is linked to this bank.
        case vault
        /// The person, asked on the phone's screen.
        case person
    }

    public enum Method: Sendable, Hashable {
        /// A code that goes into a field; the picture, if any, is shown to the person beside the question.
        case code(field: Locator, picture: Locator?)
        /// An approval in the bank's own app: the page is asked again until the condition holds.
        case push(until: Condition, every: Duration)
        /// The person picks one of the methods that the page offers.
        case choice(among: Locator)
        /// A code that is kept as a secret capture of that name, for a JSON body to send.
        case captured(as: String)
    }

    public var method: Method
    public var sources: [Source]
    /// How long the person has; then the run ends with BANK_2FA_TIMEOUT.
    public var limit: Duration
    /// The button that sends the code, the form's own one when nil.
    public var confirm: Locator?
    /// What the person is told, beside the bank's name.
    public var question: Template?
    /// The issuer or account of the token that the vault is to answer with; the one linked to the bank when nil.
    public var token: String?

    public init(
        method: Method, sources: [Source] = [.vault, .person], limit: Duration, confirm: Locator? = nil,
        question: Template? = nil, token: String? = nil
    ) {
        self.method = method
        self.sources = sources
        self.limit = limit
        self.confirm = confirm
        self.question = question
        self.token = token
    }
}

/// Turns pages until something is found; what follows the step, ``DownloadStep`` or another, is looked for inside it.
public struct SearchStep: Sendable, Hashable {
    /// What is looked for, a row as a rule.
    public var target: Locator
    /// The link or button to the next page.
    public var next: Locator
    /// The most pages that are looked at, the first included.
    public var limit: Int

    public init(target: Locator, next: Locator, limit: Int) {
        self.target = target
        self.next = next
        self.limit = limit
    }
}

/// Keeps something from the page under a name.
public struct CaptureStep: Sendable, Hashable {
    public enum Source: Sendable, Hashable {
        case text(Locator)
        case attribute(String, of: Locator)
        case header(String)
        case cookie(String)
        /// A JSONPath (RFC 9535) into the latest JSON answer; names are filled in as in a template.
        case jsonPath(String)
        case template(Template)
    }

    public var name: String
    public var source: Source
    /// The first group of this regular expression, or its whole match without one.
    public var pattern: String?
    /// A secret capture is redacted like a credential in everything that is written.
    public var isSecret: Bool

    public init(name: String, source: Source, pattern: String? = nil, isSecret: Bool = false) {
        self.name = name
        self.source = source
        self.pattern = pattern
        self.isSecret = isSecret
    }
}

/// A JSON exchange inside the session.
public struct RequestStep: Sendable, Hashable {
    public var method: String
    public var reference: Template
    public var headers: [Header]
    public var body: Body?
    /// The statuses that are as they should be.
    public var expected: ClosedRange<Int>

    public struct Header: Sendable, Hashable {
        public var name: String
        public var value: Value
        /// What stands before the value and a space, such as `Bearer` (RFC 9110, section 11.4).
        public var scheme: String?

        public init(_ name: String, _ value: Value, scheme: String? = nil) {
            self.name = name
            self.value = value
            self.scheme = scheme
        }
    }

    /// A JSON value whose leaves may be templates, credentials and captures.
    public indirect enum Body: Sendable, Hashable {
        case value(Value)
        case number(Double)
        case bool(Bool)
        case null
        case array([Body])
        case object([String: Body])
    }

    public init(
        method: String, reference: Template, headers: [Header] = [], body: Body? = nil,
        expected: ClosedRange<Int> = 200...299
    ) {
        self.method = method
        self.reference = reference
        self.headers = headers
        self.body = body
        self.expected = expected
    }
}

/// Asks again until the page, or a JSON answer, says yes.
public struct WaitStep: Sendable, Hashable {
    public var condition: Condition
    /// What is asked each time; the page itself when nil.
    public var poll: RequestStep?
    public var interval: Duration
    public var limit: Duration

    public init(condition: Condition, poll: RequestStep? = nil, interval: Duration, limit: Duration) {
        self.condition = condition
        self.poll = poll
        self.interval = interval
        self.limit = limit
    }
}

/// Fetches the statement.
public struct DownloadStep: Sendable, Hashable {
    public enum Source: Sendable, Hashable {
        /// A link, or a button that submits its form.
        case control(Locator)
        case open(Template)
        case request(RequestStep)
    }

    public var source: Source
    /// The most bytes that are accepted.
    public var limit: Int

    /// 64 MiB.
    public static let defaultLimit = 64 << 20

    public init(source: Source, limit: Int = Self.defaultLimit) {
        self.source = source
        self.limit = limit
    }
}
