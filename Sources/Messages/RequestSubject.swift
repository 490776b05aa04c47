import Clocks
import Encodings
import JSON

/// The kind of a document that a request can ask for.
public enum DocumentKind: String, Sendable, Hashable, CaseIterable, Comparable {
    case pdf

    /// The media type (RFC 6838) of the files.
    public var mediaType: String {
        switch self {
        case .pdf: "application/pdf"
        }
    }

    public static func < (left: DocumentKind, right: DocumentKind) -> Bool { left.rawValue < right.rawValue }
}

/// Names a document of a bank, in 32 lower-case hexadecimal digits: the same bank, month and kind have the same name in every
/// request.
public struct DocumentID: Sendable, Hashable, LosslessStringConvertible {
    public let description: String

    /// Returns nil unless the text is 32 lower-case hexadecimal digits.
    public init?(_ text: String) {
        guard Base16.isEncoding(text, ofBytes: 16) else { return nil }
        description = text
    }

    /// - Parameter bytes: 16 bytes.
    package init(bytes: some Collection<UInt8>) {
        precondition(bytes.count == 16, "a document's name has 16 bytes")
        description = Base16.encode(bytes)
    }
}

/// The documents of one request of type `documents`: each kind of each month.
public struct DocumentSelection: Sendable, Hashable {
    /// The most documents of one request.
    public static let most = 120

    /// One of the documents.
    public struct Item: Sendable, Hashable {
        public let period: MonthYear
        public let kind: DocumentKind
        public let id: DocumentID

        package init(period: MonthYear, kind: DocumentKind, id: DocumentID) {
            self.period = period
            self.kind = kind
            self.id = id
        }
    }

    /// The months, oldest first, each once.
    public let periods: [MonthYear]
    /// The kinds, each once, in the order of their names.
    public let kinds: [DocumentKind]

    /// Returns nil for no document, and for more than ``most``.
    public init?(periods: [MonthYear], kinds: [DocumentKind] = [.pdf]) {
        self.periods = Set(periods).sorted()
        self.kinds = Set(kinds).sorted()
        guard (1...Self.most).contains(count) else { return nil }
    }

    public var count: Int { periods.count * kinds.count }
}

/// The subject of a request: one statement, or several documents.
public enum RequestSubject: Sendable, Hashable {
    case statement(MonthYear)
    case documents(DocumentSelection)

    /// The request's type, as it travels.
    public var type: String {
        switch self {
        case .statement: RequestEnvelope.statementType
        case .documents: RequestEnvelope.documentsType
        }
    }

    /// The months, oldest first; at least one.
    public var periods: [MonthYear] {
        switch self {
        case .statement(let period): [period]
        case .documents(let selection): selection.periods
        }
    }

    /// The number of documents; 1 for a statement.
    public var count: Int {
        switch self {
        case .statement: 1
        case .documents(let selection): selection.count
        }
    }

    /// The member `params` of an envelope.
    public var parameters: JSONValue {
        switch self {
        case .statement(let period): ["month": .number(Double(period.month)), "year": .number(Double(period.year))]
        case .documents(let selection):
            [
                "kinds": .array(selection.kinds.map { .string($0.rawValue) }),
                "periods": .array(selection.periods.map { .string($0.description) }),
            ]
        }
    }

    /// Reads ``parameters``. Documents have to be in order, each once, so that a subject has one form.
    ///
    /// - Throws: ``MessageError``.
    public init(type: String, parameters: JSONValue) throws(MessageError) {
        let fields = try MessageFields(parameters, what: "“params”")
        switch type {
        case RequestEnvelope.statementType:
            guard Set(fields.members.keys) == ["month", "year"],
                let month = MonthYear(month: try fields.whole("month"), year: try fields.whole("year"))
            else { throw MessageError(.malformed, "“params” must be a month (1-12) and a year") }
            self = .statement(month)
        case RequestEnvelope.documentsType:
            guard Set(fields.members.keys) == ["kinds", "periods"],
                let periods = fields.members["periods"]?.arrayValue?.map({ $0.stringValue.flatMap(MonthYear.init) }),
                let kinds = fields.members["kinds"]?.arrayValue?.map({ $0.stringValue.flatMap(DocumentKind.init) }),
                let selection = DocumentSelection(periods: periods.compactMap(\.self), kinds: kinds.compactMap(\.self)),
                selection.periods == periods, selection.kinds == kinds
            else {
                throw MessageError(
                    .malformed,
                    "“params” must be months such as 2026-01 and kinds, each in order and once, and at most "
                        + "\(DocumentSelection.most) documents")
            }
            self = .documents(selection)
        default:
            throw MessageError(.malformed, "the type “\(type.prefix(20))” is not known; “statement” is")
        }
    }

    /// `statement` or `documents`, for a sentence.
    public var noun: String { type }

    /// The months in words for a person who reads a list: `2026-01`, or `2025-01 to 2025-12, 12 documents`.
    public var words: String {
        guard case .documents(let selection) = self, let first = periods.first, let last = periods.last else {
            return periods[0].description
        }
        let months = first == last ? "\(first)" : "\(first) to \(last)"
        return selection.count == 1 ? "\(months), 1 document" : "\(months), \(selection.count) documents"
    }
}
