import Clocks
import Encodings

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

    /// A kind whose plug-in this program lacks, unlike the one that kept the subject; nil when it has them all.
    package var lackedKind: DocumentKind? {
        guard case .documents(let selection) = self else { return nil }
        return DocumentKind.lacked(among: selection.kinds)
    }

    /// The member `params` of an envelope.
    public var parameters: JSONValue {
        switch self {
        case .statement(let period): ["month": .number(Double(period.month)), "year": .number(Double(period.year))]
        case .documents(let selection): selection.json
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
            guard let selection = DocumentSelection(json: fields.members)
            else {
                throw MessageError(
                    .malformed,
                    "“params” must be months such as 2026-01, kinds and accounts, each in order and once, perhaps a first "
                        + "and a last day, and at most \(DocumentSelection.most) documents")
            }
            self = .documents(selection)
        default:
            throw MessageError(
                .malformed, "the type “\(type.prefix(20))” is not known; “statement” and “documents” are")
        }
    }

    /// Reads what this program, or one with other plug-ins, once kept, to list it or to prove it. An envelope is read by
    /// ``init(type:parameters:)``, so that nothing of an unknown kind can run.
    package init(kept type: String, parameters: JSONValue) throws(MessageError) {
        if type == RequestEnvelope.documentsType, let members = parameters.objectValue,
            let selection = DocumentSelection(json: members, kind: DocumentKind.told)
        {
            self = .documents(selection)
        } else {
            try self.init(type: type, parameters: parameters)
        }
    }

    /// `statement` or `documents`, for a sentence.
    public var noun: String { type }

    /// The request in words for a person who reads a list: `2026-01`, or `2025-01 to 2025-12, Savings, csv and pdf, 24
    /// documents`.
    public var words: String {
        guard case .documents(let selection) = self else { return periods[0].description }
        var parts = [selection.range]
        if !selection.accounts.isEmpty {
            parts.append(selection.accounts.map(\.description).joined(separator: " and "))
        }
        if selection.kinds != [.pdf] { parts.append(selection.kinds.map(\.rawValue).joined(separator: " and ")) }
        parts.append(selection.count.counted("document"))
        return parts.joined(separator: ", ")
    }
}
