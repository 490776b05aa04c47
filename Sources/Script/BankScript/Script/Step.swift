import Encodings
import Messages
import Selectors

/// One action, and its place in the script.
public struct Step: Sendable {
    public var action: Action
    /// The statuses of 400 or more that do not end the step; only for a step that opens a page.
    public var expected: ClosedRange<Int>?
    /// Not part of the script's digest.
    public var mark: Mark?

    public init(_ action: Action, expecting expected: ClosedRange<Int>? = nil, at mark: Mark? = nil) {
        self.action = action
        self.expected = expected
        self.mark = mark
    }
}

/// The action of a step. Texts in locators are templates.
public indirect enum Action: Sendable {
    /// Open a path on the first origin, or an absolute URL on one of the origins.
    case open(Template)
    /// Follow a link.
    case follow(Locator)
    case fill(Locator, Value)
    /// Choose an option of a select, or a radio button of a group, by its text.
    case choose(Locator, Value)
    case check(Locator, Bool)
    /// Press a button.
    case press(Locator)
    /// Press one key for each character of a credential. The key's locator names the character as `{{ digit }}`.
    case pressEach(Locator, ofCredential: String)
    /// Submit a form without a button, as a page's own script would.
    case submit(SubmitStep)
    /// Continue inside a frame of the page.
    case enter(Locator)
    case secondFactor(SecondFactorStep)
    /// Continue only if the condition holds.
    case expect(Condition)
    /// End the run with this code if the condition holds.
    case fail(ErrorCode, when: Condition, reason: FailureReason?)
    case when(Condition, [Step], otherwise: [Step])
    case search(SearchStep)
    case capture(CaptureStep)
    case request(RequestStep)
    case waitUntil(WaitStep)
    case download(DownloadStep)
}

/// A form that is submitted without its button.
public struct SubmitStep: Sendable, Hashable {
    public var form: Locator
    /// Values to set before, hidden fields included.
    public var fields: [FormField]

    public init(form: Locator, fields: [FormField] = []) {
        self.form = form
        self.fields = fields
    }
}

/// A field of a form by its name in the form's data.
public struct FormField: Sendable, Hashable {
    public var name: String
    public var value: Value

    public init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

/// A pause in which a second factor is obtained and sent.
public struct SecondFactorStep: Sendable, Hashable {
    /// A source of the answer, by its name. Sources are asked in the given order.
    public struct Source: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        /// - Parameter rawValue: a plug-in's name, see ``PluginName``. A script that names a source which is not plugged in is
        ///   refused by ``ScriptLint``.
        public init?(rawValue: String) {
            guard PluginName.isValid(rawValue) else { return nil }
            self.rawValue = rawValue
        }

        private init(standard name: String) { rawValue = name }

        /// The person's TOTP vault, if one of its tokens is linked to this bank.
        public static let vault = Source(standard: "vault")
        /// The person, asked on the phone's screen.
        public static let person = Source(standard: "person")
        /// The sources that need no plug-in.
        public static let standard = [vault, person]
    }

    public enum Method: Sendable, Hashable {
        /// Fill a code into a field. The picture, if any, is shown to the person with the question.
        case code(field: Locator, picture: Locator?)
        /// Wait for an approval in the bank's own app: repeat a request, or look at the page again, until the condition
        /// holds. ``reloads`` says how.
        case push(until: Condition, polling: RequestStep? = nil, every: Duration)
        /// Let the person choose one of the methods that the page offers.
        case choice(among: Locator)
        /// Keep a code as a secret capture with this name, for use in a JSON body.
        case captured(as: String)
    }

    /// The values that ``tries`` may have. Many banks lock an account after three refused codes.
    package static let triesRange = 1...3

    public var method: Method
    public var sources: [Source]
    /// The number of codes that may be sent. While the bank asks in the same field again, the person is asked for another.
    public var tries: Int
    /// The time limit for the answer, all tries together; after it the run ends with BANK_2FA_TIMEOUT.
    public var limit: Duration
    /// The button that sends the code; the form's own button when nil.
    public var confirm: Locator?
    /// The question for the person, shown with the bank's name.
    public var question: Template?
    /// The issuer or account of the token to use; the token linked to the bank when nil.
    public var token: String?
    /// Loads the page anew before each look for an approval, also a page that its scripts change.
    public var reloads: Bool

    public init(
        method: Method, sources: [Source] = [.vault, .person], tries: Int = 1, limit: Duration,
        confirm: Locator? = nil, question: Template? = nil, token: String? = nil, reloads: Bool = false
    ) {
        self.method = method
        self.sources = sources
        self.tries = tries
        self.limit = limit
        self.confirm = confirm
        self.question = question
        self.token = token
        self.reloads = reloads
    }
}

/// Turns pages until the target is found. The steps that follow, such as ``DownloadStep``, look inside the target.
public struct SearchStep: Sendable, Hashable {
    public enum Pages: Sendable, Hashable {
        /// An element to find, usually a row, and the link or button to the next page.
        case html(target: Locator, next: Locator)
        /// A JSONPath that finds one item of an answer, the request for the next answer, and the path of the cursor in
        /// the answer. The request names the cursor as `{{ cursor }}`. An answer without a cursor is the last one.
        case json(path: Template, next: RequestStep, cursor: String)
    }

    /// The name of the cursor in the request for the next answer.
    package static let cursorName = "cursor"

    public var pages: Pages
    /// Holds on the last page; when nil, the last page is the one whose ``Pages/html(target:next:)`` link is disabled, or
    /// has gone after it was there.
    public var last: Condition?
    /// The maximum number of pages to look at, including the first.
    public var limit: Int

    public init(pages: Pages, last: Condition? = nil, limit: Int) {
        self.pages = pages
        self.last = last
        self.limit = limit
    }

    public init(target: Locator, next: Locator, last: Condition? = nil, limit: Int) {
        self.init(pages: .html(target: target, next: next), last: last, limit: limit)
    }
}

extension CaptureStep {
    /// The filters as a template of the captured value, which it names `value`.
    package var filterTemplate: Template? { filter.map { Template("{{ \(Self.valueName) | \($0) }}") } }

    /// The name of the captured value in ``filterTemplate``.
    package static let valueName = "value"
}

/// Keeps a value from the page under a name.
public struct CaptureStep: Sendable, Hashable {
    public enum Source: Sendable, Hashable {
        case text(Locator)
        case attribute(String, of: Locator)
        case header(String)
        case cookie(String)
        /// A JSONPath (RFC 9535) into the latest JSON answer. Its placeholders are filled in like those of a template.
        case jsonPath(String)
        case template(Template)
        /// A token that a private key signs. It is always secret.
        case signed(SignedToken)
    }

    public var name: String
    public var source: Source
    /// A regular expression: the capture is its first group, or the whole match if it has no group.
    public var pattern: String?
    /// Filters for the result, such as `urldecode`, separated by `|`.
    public var filter: String?
    /// True if the value is redacted in all output, like a credential.
    public var isSecret: Bool

    public init(
        name: String, source: Source, pattern: String? = nil, filter: String? = nil, isSecret: Bool = false
    ) {
        self.name = name
        self.source = source
        self.pattern = pattern
        self.filter = filter
        self.isSecret = isSecret
    }
}

/// A JSON request in the same session.
public struct RequestStep: Sendable, Hashable {
    public var method: String
    public var reference: Template
    public var headers: [Header]
    /// The name and the password of Basic authentication (RFC 7617); nil without it.
    public var basic: BasicAuthentication?
    /// Values that are added to the address's query. A secret among them is masked wherever the address is shown.
    public var query: [FormField]
    public var body: Body?
    /// The fields of a form (application/x-www-form-urlencoded, in UTF-8), instead of a JSON body.
    public var form: [FormField]
    /// The statuses that count as success.
    public var expected: ClosedRange<Int>

    public struct Header: Sendable, Hashable {
        public var name: String
        public var value: Value
        /// The authentication scheme before the value, such as `Bearer` (RFC 9110, section 11.4).
        public var scheme: String?

        public init(_ name: String, _ value: Value, scheme: String? = nil) {
            self.name = name
            self.value = value
            self.scheme = scheme
        }
    }

    /// The two values of Basic authentication.
    public struct BasicAuthentication: Sendable, Hashable {
        public var user: Value
        public var password: Value

        public init(user: Value, password: Value) {
            self.user = user
            self.password = password
        }
    }

    /// A JSON value whose texts may be templates, credentials and captures.
    public typealias Body = JSONBody<Value>

    public init(
        method: String, reference: Template, headers: [Header] = [], basic: BasicAuthentication? = nil,
        query: [FormField] = [], body: Body? = nil, form: [FormField] = [],
        expected: ClosedRange<Int> = 200...299
    ) {
        self.method = method
        self.reference = reference
        self.headers = headers
        self.basic = basic
        self.query = query
        self.body = body
        self.form = form
        self.expected = expected
    }
}

/// Waits until a condition holds for the page or the JSON answer.
public struct WaitStep: Sendable, Hashable {
    public var condition: Condition
    /// The request to repeat; when nil, the page is looked at. A page that nothing else changes is loaded anew.
    public var poll: RequestStep?
    public var interval: Duration
    public var limit: Duration
    /// Loads the page anew before each look, also a page that its scripts change.
    public var reloads: Bool

    public init(
        condition: Condition, poll: RequestStep? = nil, interval: Duration, limit: Duration, reloads: Bool = false
    ) {
        self.condition = condition
        self.poll = poll
        self.interval = interval
        self.limit = limit
        self.reloads = reloads
    }
}

/// Downloads a document.
public struct DownloadStep: Sendable, Hashable {
    /// The kind of a file.
    public enum Content: Sendable, Hashable {
        case document(DocumentKind)
        /// A ZIP archive that holds one document of each of these kinds, which are in order.
        ///
        /// With `named`, it holds those of several months, such as of a year. The template is filled in for each month that
        /// is asked for, and the names of that month's files contain it.
        case zip(of: [DocumentKind], named: Template? = nil)
        /// The entries of a JSON answer, which become a CAMT file.
        case transactions(TransactionMapping)

        /// The kinds of the documents, in order.
        public var kinds: [DocumentKind] {
            switch self {
            case .document(let kind): [kind]
            case .zip(let kinds, _): kinds
            case .transactions: [.camt]
            }
        }

        /// The text that the names of a month's files contain; nil for anything but an archive of several months.
        public var fileName: Template? {
            if case .zip(_, let name) = self { name } else { nil }
        }
    }

    public enum Source: Sendable, Hashable {
        /// A link, or a button that submits its form.
        case control(Locator)
        case open(Template)
        case request(RequestStep)
        /// A form that is submitted without its button; its answer is the document.
        case submit(SubmitStep)
        /// A text of the latest JSON answer, by its JSONPath: the document in base64, or a `data:` address.
        case encoded(in: Template)
        /// The open page, printed as a PDF: for statements that exist as a page only. It needs ``ScriptEngine/browser``.
        case printedPage
    }

    public var source: Source
    public var content: Content
    /// The further pages of a JSON answer; nil where it is whole.
    public var pages: AnswerPages?
    /// The maximum size in bytes, all pages together.
    public var limit: Int

    /// 64 MiB.
    public static let defaultLimit = 64 << 20

    public init(
        source: Source, content: Content = .document(.pdf), pages: AnswerPages? = nil, limit: Int = Self.defaultLimit
    ) {
        self.source = source
        self.content = content
        self.pages = pages
        self.limit = limit
    }
}

extension DownloadStep {
    /// The request whose answers are read, where the document is made of them; nil for a file that is kept as it comes.
    package var readRequest: RequestStep? {
        guard case .request(let request) = source else { return nil }
        if case .transactions = content { return request }
        return pages == nil ? nil : request
    }
}
