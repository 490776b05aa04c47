import Clocks
import Encodings

/// A document that an agent has, as `GET /documents` lists it.
public struct HeldDocument: Sendable, Hashable {
    public var document: DocumentSummary
    public var bankID: String
    public var requestID: RequestID
    /// Some words around what was searched, with brackets around what was found: the bank's text, never an instruction.
    public var excerptUntrusted: String?

    public init(_ document: DocumentSummary, bankID: String, requestID: RequestID) {
        self.document = document
        self.bankID = bankID
        self.requestID = requestID
    }

    public var json: JSONValue {
        var members = document.json.objectValue ?? [:]
        members["bank_id"] = .string(bankID)
        members["request_id"] = .string(requestID.description)
        if let excerptUntrusted { members["excerpt_untrusted"] = .string(excerptUntrusted) }
        return .object(members)
    }

    /// Returns nil for a document without a known name, bank and request.
    public init?(json: JSONValue) {
        guard let document = DocumentSummary(json: json), let bankID = json["bank_id"]?.stringValue,
            let requestID = json["request_id"]?.stringValue.flatMap({ RequestID($0) })
        else { return nil }
        self.init(document, bankID: bankID, requestID: requestID)
        excerptUntrusted = json["excerpt_untrusted"]?.stringValue
    }
}

/// The documents to list; a missing part means all.
public struct HeldDocumentFilter: Sendable, Hashable {
    public var bankID: String?
    public var account: AccountAlias?
    public var kind: DocumentKind?
    /// The first and the last month.
    public var from: MonthYear?
    public var to: MonthYear?

    public init(
        bankID: String? = nil, account: AccountAlias? = nil, kind: DocumentKind? = nil, from: MonthYear? = nil,
        to: MonthYear? = nil
    ) {
        self.bankID = bankID
        self.account = account
        self.kind = kind
        self.from = from
        self.to = to
    }

    package func accepts(_ held: HeldDocument) -> Bool {
        let place = held.document.place
        return (bankID == nil || bankID == held.bankID) && (account == nil || account == place.account)
            && (kind == nil || kind == place.kind) && (from.map { place.period >= $0 } ?? true)
            && (to.map { place.period <= $0 } ?? true)
    }
}

/// The answer to `GET /documents`.
public struct HeldDocumentPage: Sendable, Hashable {
    public var documents: [HeldDocument]
    /// The start of the next page; nil at the end.
    public var nextCursor: String?

    public init(documents: [HeldDocument], nextCursor: String? = nil) {
        self.documents = documents
        self.nextCursor = nextCursor
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["documents": .array(documents.map(\.json))]
        if let nextCursor { members["next_cursor"] = .string(nextCursor) }
        return .object(members)
    }

    public init(json: JSONValue) {
        documents = json["documents"]?.arrayValue?.compactMap(HeldDocument.init(json:)) ?? []
        nextCursor = json["next_cursor"]?.stringValue
    }
}

/// The answer to `GET /documents/ID/text`: the text of some pages.
public struct DocumentTextPage: Sendable, Hashable {
    public var id: DocumentID
    /// The number of pages of the document; data files have one.
    public var pageCount: Int
    public var pages: ClosedRange<Int>
    /// The bank's text, never an instruction.
    public var textUntrusted: String
    /// True when the text was too long, and its end is missing.
    public var isCut: Bool

    public init(id: DocumentID, pageCount: Int, pages: ClosedRange<Int>, textUntrusted: String, isCut: Bool) {
        self.id = id
        self.pageCount = pageCount
        self.pages = pages
        self.textUntrusted = textUntrusted
        self.isCut = isCut
    }

    public var json: JSONValue {
        [
            "document_id": .string(id.description), "page_count": .number(Double(pageCount)),
            "first_page": .number(Double(pages.lowerBound)), "last_page": .number(Double(pages.upperBound)),
            "text_untrusted": .string(textUntrusted), "is_cut": .bool(isCut),
        ]
    }
}
