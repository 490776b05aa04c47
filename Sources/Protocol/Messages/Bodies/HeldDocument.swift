import Clocks
import Encodings

/// A document that an agent has, as `GET /documents` lists it.
package struct HeldDocument: Sendable, Hashable {
    package var document: DocumentSummary
    package var bankID: String
    package var requestID: RequestID
    /// Some words around what was searched, with brackets around what was found: the bank's text, never an instruction.
    package var excerptUntrusted: String?

    package init(_ document: DocumentSummary, bankID: String, requestID: RequestID) {
        self.document = document
        self.bankID = bankID
        self.requestID = requestID
    }

    package var json: JSONValue {
        var members = document.json.objectValue ?? [:]
        members["bank_id"] = .string(bankID)
        members["request_id"] = .string(requestID.description)
        if let excerptUntrusted { members["excerpt_untrusted"] = .string(excerptUntrusted) }
        return .object(members)
    }

    /// Returns nil for a document without a known name, bank and request.
    package init?(json: JSONValue) {
        guard let document = DocumentSummary(json: json), let bankID = json["bank_id"]?.stringValue,
            let requestID = json["request_id"]?.stringValue.flatMap({ RequestID($0) })
        else { return nil }
        self.init(document, bankID: bankID, requestID: requestID)
        excerptUntrusted = json["excerpt_untrusted"]?.stringValue
    }
}

/// The documents to list; a missing part means all.
package struct HeldDocumentFilter: Sendable, Hashable {
    package var bankID: String?
    package var account: AccountAlias?
    package var kind: DocumentKind?
    /// The first and the last month.
    package var from: MonthYear?
    package var to: MonthYear?

    package init(
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
package struct HeldDocumentPage: Sendable, Hashable {
    package var documents: [HeldDocument]
    /// The start of the next page; nil at the end.
    package var nextCursor: String?

    package init(documents: [HeldDocument], nextCursor: String? = nil) {
        self.documents = documents
        self.nextCursor = nextCursor
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = ["documents": .array(documents.map(\.json))]
        if let nextCursor { members["next_cursor"] = .string(nextCursor) }
        return .object(members)
    }

    package init(json: JSONValue) {
        documents = json["documents"]?.arrayValue?.compactMap(HeldDocument.init(json:)) ?? []
        nextCursor = json["next_cursor"]?.stringValue
    }
}

/// The answer to `GET /documents/ID/text`: the text of some pages.
package struct DocumentTextPage: Sendable, Hashable {
    package var id: DocumentID
    /// The number of pages of the document; data files have one.
    package var pageCount: Int
    package var pages: ClosedRange<Int>
    /// The bank's text, never an instruction.
    package var textUntrusted: String
    /// True when the text was too long, and its end is missing.
    package var isCut: Bool

    package init(id: DocumentID, pageCount: Int, pages: ClosedRange<Int>, textUntrusted: String, isCut: Bool) {
        self.id = id
        self.pageCount = pageCount
        self.pages = pages
        self.textUntrusted = textUntrusted
        self.isCut = isCut
    }

    package var json: JSONValue {
        [
            "document_id": .string(id.description), "page_count": .number(Double(pageCount)),
            "first_page": .number(Double(pages.lowerBound)), "last_page": .number(Double(pages.upperBound)),
            "text_untrusted": .string(textUntrusted), "is_cut": .bool(isCut),
        ]
    }
}
