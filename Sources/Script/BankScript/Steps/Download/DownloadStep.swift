import Encodings
import Messages
import Selectors

/// Download a document with the link or button of this name; after ``Search``, the one inside the row it found.
public struct Download: ScriptText {
    public let steps: [Step]

    /// - Parameter kind: what the file is; a PDF unless told otherwise.
    public init(
        _ name: String, as kind: DocumentKind = .pdf, atMost limit: Int = DownloadStep.defaultLimit,
        file: String = #fileID, line: Int = #line
    ) {
        self.init(from: .control(.control(.name(name))), as: .document(kind), atMost: limit, file: file, line: line)
    }

    /// Downloads a ZIP archive that holds one document of each kind, or those of several months.
    ///
    /// - Parameter fileName: what the names of a month's files contain, such as `{{ year }}-{{ month | pad }}`; nil for an
    ///   archive of one month.
    public init(
        _ name: String, asZIPOf kinds: [DocumentKind], named fileName: Template? = nil,
        atMost limit: Int = DownloadStep.defaultLimit, file: String = #fileID, line: Int = #line
    ) {
        self.init(
            from: .control(.control(.name(name))), as: .zip(of: Set(kinds).sorted(), named: fileName), atMost: limit,
            file: file, line: line)
    }

    /// - Parameter limit: the maximum size in bytes.
    public init(
        from source: DownloadStep.Source, as content: DownloadStep.Content = .document(.pdf),
        pages: AnswerPages? = nil, atMost limit: Int = DownloadStep.defaultLimit, file: String = #fileID,
        line: Int = #line
    ) {
        steps = [
            Step(
                .download(DownloadStep(source: source, content: content, pages: pages, limit: limit)),
                at: Mark(file: file, line: line))
        ]
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

extension Action {
    public static func download(_ download: DownloadStep) -> Action { Action(download) }
}

extension DownloadStep: StepDescription {
    public static let names = ["download"]
    public static let companions = [StepCompanion.within]
    public static let parts = [
        "download": [
            "open", "request", "submit", "print", "as", "holding", "named", "at most", "pages", "account", "each",
            "entry",
        ],
        "pages": ["next", "as", "offset", "of", "at most"],
        "entry": [
            "id", "booked", "made", "valued", "amount", "in", "sign", "outgoing", "currency", "payee", "payer",
            "purpose",
            "balance", "pending", "besides",
        ],
        "besides": ["amount", "payee"],
        "a mark": ["json", "is"],
    ]

    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [DownloadStep] {
        [try value.download()]
    }

    public var written: YAMLText {
        var rest: [(String, YAMLText)] = (pages.map { [("pages", $0.written)] } ?? []) + content.written
        if limit != Self.defaultLimit {
            let text = limit.isMultiple(of: 1 << 20) ? "\(limit >> 20) MB" : "\(limit)"
            rest.append(("at most", .bare(text)))
        }
        switch source {
        case .control(let control):
            return rest.isEmpty ? control.written(as: .control) : .members(control.members + rest)
        case .open(let reference): return .members([("open", .text(reference.source))] + rest)
        case .request(let request): return .members([("request", request.written)] + rest)
        case .submit(let submit): return .members([("submit", submit.written)] + rest)
        case .encoded(let path):
            return .members([("json", .text(path.source)), ("decode", .text("base64"))] + rest)
        case .printedPage: return .members([("print", .text("page"))] + rest)
        }
    }

    public static func schema(of name: String) -> JSONValue { DownloadSchema.json }

    public var json: JSONValue {
        var members: [String: JSONValue?] = ["atMost": .number(Double(limit))]
        switch content {
        case .document(.pdf): break
        case .document(let kind): members["as"] = .string(kind.rawValue)
        case .zip(let kinds, let name):
            members["as"] = "zip"
            members["holding"] = .array(kinds.map { .string($0.rawValue) })
            if let name { members["named"] = .string(name.source) }
        case .transactions(let mapping):
            members["as"] = "transactions"
            members["mapping"] = mapping.json
        }
        members["pages"] = pages?.json
        switch source {
        case .control(let control): members["control"] = control.json
        case .open(let reference): members["open"] = .string(reference.source)
        case .request(let request): members["request"] = request.requestJSON
        case .submit(let submit): members["submit"] = submit.json
        case .encoded(let path):
            members["json"] = .string(path.source)
            members["decode"] = "base64"
        case .printedPage: members["print"] = "page"
        }
        return ["download": .members(members)]
    }

    public func words(filling filled: (Template) -> String) -> String {
        let kind = content.words(filling: filled)
        return switch source {
        case .control(let control): "download \(control.words(filling: filled))\(kind)"
        case .open(let reference): "download \(filled(reference))\(kind)"
        case .request(let request): "download \(request.requestWords(filling: filled))\(kind)"
        case .submit(let submit):
            "download the answer to the form \(submit.form.words(filling: filled))" + submit.fields.credentialWords
                + kind
        case .encoded(let path): "download \(filled(path)) of the answer, out of base64\(kind)"
        case .printedPage: "download the page, printed as a PDF"
        }
    }

    public var details: [String] {
        let exchange: [String] =
            switch source {
            case .request(let request): request.details
            case .submit(let submit): submit.details
            case .control, .open, .encoded, .printedPage: []
            }
        return ["at most \(limitWords)"] + exchange + (pages.map { [$0.details] } ?? []) + content.details
    }

    private var limitWords: String {
        limit > 0 && limit.isMultiple(of: 1 << 20) ? "\(limit >> 20) MiB" : "\(limit) bytes"
    }

    public func check(in lint: inout ScriptLint, at mark: Mark?) {
        lint.checkFileName(self, at: mark)
        lint.checkAnswers(of: self, at: mark)
        switch source {
        case .control(let locator): lint.check(locator, at: mark)
        case .open(let reference): lint.checkAddress(reference, at: mark)
        case .request(let request): lint.check(request, at: mark)
        case .submit(let submit): submit.check(in: &lint, at: mark)
        case .encoded(let path): lint.checkJSONPath(path, at: mark)
        case .printedPage: lint.checkPrinting(self, at: mark)
        }
    }

    public var sent: [Sending] {
        switch source {
        case .request(let request): [.request(request)]
        case .open(let reference): [.address(reference)]
        case .submit(let submit): submit.sent
        case .control, .encoded, .printedPage: []
        }
    }

    public var fetchedKinds: [DocumentKind] { content.kinds }

    public var facts: StepFacts {
        var facts: StepFacts =
            switch source {
            case .open, .request: [.completesPath, .comesFromAnywhere]
            case .control, .submit, .encoded, .printedPage: [.completesPath]
            }
        if case .transactions = content { facts.insert(.picksDays) }
        return facts
    }

    public func moving(_ moved: (Template) -> Template) -> DownloadStep {
        var copy = self
        switch source {
        case .open(let reference): copy.source = .open(moved(reference))
        case .request(let request): copy.source = .request(request.moving(moved))
        case .control, .submit, .encoded, .printedPage: break
        }
        return copy
    }
}

extension BankScript {
    /// True if a download prints a page, which only ``ScriptEngine/browser`` can.
    public var printsPage: Bool {
        stepsForOnePeriod.allActions.contains { $0.as(DownloadStep.self)?.source == .printedPage }
    }

    /// True if the steps for each month are downloads of addresses and requests alone, which no page has to be open for. An
    /// archive of several months does not count: the months after it may need nothing more.
    package var monthsNeedNoPage: Bool {
        !forEachPeriod.isEmpty
            && forEachPeriod.allSatisfy { step in
                guard let download = step.action.as(DownloadStep.self), download.content.fileName == nil,
                    download.readRequest == nil
                else { return false }
                return download.facts.contains(.comesFromAnywhere)
            }
    }
}

extension DownloadStep.Content {
    fileprivate var written: [(String, YAMLText)] {
        switch self {
        case .document(.pdf): []
        case .document(let kind): [("as", .text(kind.rawValue))]
        case .zip(let kinds, let name):
            [("as", .text("zip")), ("holding", .items(kinds.map { .text($0.rawValue) }))]
                + (name.map { [("named", .text($0.source))] } ?? [])
        case .transactions(let mapping):
            [
                ("as", .text("transactions")), ("account", .text(mapping.account.source)),
                ("each", .text(mapping.entries.source)), ("entry", .members(mapping.written)),
            ]
        }
    }

    /// Nothing for a PDF; otherwise ` as csv`, ` as zip of camt and pdf`, or ` as zip of pdf, each named “2026-01”`.
    fileprivate func words(filling filled: (Template) -> String) -> String {
        switch self {
        case .document(.pdf): ""
        case .document(let kind): " as \(kind.rawValue)"
        case .zip(let kinds, let name):
            " as zip of \(kinds.map(\.rawValue).joined(separator: " and "))"
                + (name.map { ", each named “\(filled($0))”" } ?? "")
        case .transactions(let mapping): " as transactions, each \(filled(mapping.entries))"
        }
    }

    fileprivate var details: [String] { if case .transactions(let mapping) = self { mapping.details } else { [] } }
}
