import BrokerStore
import Clocks
import Encodings
import Foundation
import Hummingbird
import Messages
import Storage

/// The routes on which an agent lists, finds and reads the documents that it has.
struct DocumentsAPI: Sendable {
    let store: RequestStore
    /// Nil in a broker that reads no documents.
    let library: (any DocumentLibrary)?
    let policy: CurrentPolicy
    /// Records what agents got.
    let tally: AuditTally

    private var filed: FiledPlaces { FiledPlaces(library: library) }

    /// The longest answer of text, in characters.
    static let longestText = 100_000
    /// The most documents that a search returns.
    static let mostFound = 50

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.get("documents") { request, context in
            try await list(QueryFields(request), for: try context.callingAgent())
        }
        router.get("documents/:document/text") { request, context in
            try await text(of: try documentID(context), QueryFields(request), for: try context.callingAgent())
        }
    }

    /// Returns the `:document` of a route.
    func documentID(_ context: BrokerContext) throws(APIError) -> DocumentID {
        guard let id = context.parameters.get("document").flatMap({ DocumentID($0) }) else { throw Self.unknown }
        return id
    }

    static let unknown = APIError(
        .notFound, .notFound, "this agent has no such document; GET /documents lists those that it has")

    private func list(_ query: QueryFields, for agent: AgentName) async throws -> Response {
        let limit = try query.whole("limit", in: 1...200) ?? 50
        let filter = try Self.filter(query)
        var documents = try await there(agent).filter(filter.accepts)
        if let words = try query.text("q") {
            documents = try await find(words, among: documents, for: agent)
            await note(.documentsSearched, by: agent)
            let found = Array(documents.prefix(min(limit, Self.mostFound)))
            return .json(HeldDocumentPage(documents: try await named(found, for: agent)).json)
        }
        if let text = try query.text("cursor") {
            guard let id = DocumentID(text) else { throw APIError.invalid("cursor", "not a cursor of this broker") }
            guard let index = documents.firstIndex(where: { $0.document.id == id }) else {
                throw APIError.conflict(
                    "the document that the cursor names is not there any more; begin without a cursor")
            }
            documents = Array(documents[(index + 1)...])
        }
        let page = Array(documents.prefix(limit))
        await note(.documentsListed, by: agent)
        return .json(
            HeldDocumentPage(
                documents: try await named(page, for: agent),
                nextCursor: documents.count > limit ? page.last?.document.id.description : nil
            ).json)
    }

    private func named(_ documents: [HeldDocument], for agent: AgentName) async throws -> [HeldDocument] {
        let ways = try await policy.rules(of: agent).fileWays(of: agent)
        return await filed.named(in: documents).map { held in
            var held = held
            held.document = held.document.shown(in: ways)
            return held
        }
    }

    /// Returns a document of this agent's whose file is still there.
    func held(_ id: DocumentID, by agent: AgentName) async throws -> HeldDocument {
        guard let held = try await there(agent).first(where: { $0.document.id == id }) else { throw Self.unknown }
        return held
    }

    private func note(_ kind: AuditKind, by agent: AgentName, _ id: DocumentID? = nil) async {
        var details: [String: JSONValue] = ["agent": .string(agent.description)]
        details["document"] = id.map { .string($0.description) }
        await tally.note(AuditTally.Subject(kind: kind, details: details))
    }

    /// Returns the documents whose files are still there.
    private func there(_ agent: AgentName) async throws -> [HeldDocument] {
        try await store.heldDocuments(of: agent).filter { held in
            held.document.filePath.map { access($0, R_OK) == 0 } ?? false
        }
    }

    private static func filter(_ query: QueryFields) throws -> HeldDocumentFilter {
        func read<Value>(_ name: String, _ what: String, _ parse: (String) -> Value?) throws -> Value? {
            guard let text = try query.text(name) else { return nil }
            guard let value = parse(text) else { throw APIError.invalid(name, "not \(what)") }
            return value
        }
        return HeldDocumentFilter(
            bankID: try read("bank_id", "a bank's id; GET /banks lists them") { OfferedBank.isID($0) ? $0 : nil },
            account: try read("account", "an account's alias", AccountAlias.init),
            kind: try read(
                "kind", "among: \(DocumentKind.allCases.map(\.rawValue).joined(separator: ", "))",
                DocumentKind.init(rawValue:)),
            from: try read("from", "a month such as 2026-01") { MonthYear($0) },
            to: try read("to", "a month such as 2026-01") { MonthYear($0) })
    }

    private func checkMayRead(_ agent: AgentName) async throws {
        guard try await policy.rules(of: agent).fileWays(of: agent).contains(.text) else {
            throw APIError(
                .forbidden, .agentNotAllowed,
                "the owner's policy does not give the agent “\(agent)” the text of documents")
        }
    }

    private func find(
        _ words: String, among documents: [HeldDocument], for agent: AgentName
    ) async throws -> [HeldDocument] {
        guard (1...200).contains(words.count) else { throw APIError.invalid("q", "not 1 to 200 characters") }
        try await checkMayRead(agent)
        guard let library else {
            throw APIError.conflict("this broker has no archive to search in; its owner can set BROKER_ARCHIVE_PATH")
        }
        let own = Dictionary(documents.map { ($0.document.sha256 ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        do {
            return try await library.find(words).compactMap { found in
                guard var held = own[found.sha256] else { return nil }
                held.excerptUntrusted = RunFailureWords.cleaned(found.excerpt)
                return held
            }
        } catch let error as DocumentLibraryError {
            throw APIError.invalid("q", "not searched: \(error.message)")
        }
    }

    private func text(of id: DocumentID, _ query: QueryFields, for agent: AgentName) async throws -> Response {
        let first = try query.whole("first_page", in: 1...10_000) ?? 1
        let last = try query.whole("last_page", in: 1...10_000)
        guard first <= last ?? first else { throw APIError.invalid("last_page", "before “first_page”") }
        try await checkMayRead(agent)
        let held = try await held(id, by: agent)
        guard let path = held.document.filePath else { throw Self.unknown }
        guard let library else { throw APIError.invalid("document", "in a broker that reads no text") }
        let pages: [String]
        do {
            pages = try await library.pages(of: URL(filePath: path), held.document.kind)
        } catch let error as DocumentLibraryError {
            throw APIError.invalid("document", "without text: \(error.message)")
        }
        guard first <= pages.count else {
            throw APIError.invalid("first_page", "after the last page: the document has \(pages.count)")
        }
        let range = first...min(last ?? pages.count, pages.count)
        await note(.documentRead, by: agent, id)
        let text = pages[(range.lowerBound - 1)..<range.upperBound].joined(separator: "\n\u{C}\n")
        return .json(
            DocumentTextPage(
                id: id, pageCount: pages.count, pages: range, textUntrusted: String(text.prefix(Self.longestText)),
                isCut: text.count > Self.longestText
            ).json)
    }
}
