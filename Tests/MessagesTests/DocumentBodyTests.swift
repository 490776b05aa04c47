import Clocks
import Encodings
import Testing

@testable import Messages

private let request = RequestID("0f0e0d0c-0b0a-4900-8807-060504030201")!
private let offer = OfferID("1f0e0d0c-0b0a-4900-8807-060504030201")!
private let document = DocumentID("00112233445566778899aabbccddeeff")!
private let nonce = Nonce("ffeeddccbbaa99887766554433221100")!
private let time = Timestamp("2026-01-31T09:00:00.000Z")!
private let later = Timestamp("2026-02-28T09:00:00.000Z")!
private let savings = AccountAlias("Savings")!

private func month(_ text: String) -> MonthYear { MonthYear(text)! }

private let everyKind = DocumentKind.allCases.map(\.rawValue).joined(separator: ", ")

private let place = DocumentPlace(account: savings, period: month("2026-01"), kind: .csv, days: 2...30)

private let summary: DocumentSummary = {
    var summary = DocumentSummary(id: document, place)
    summary.filePath = "/x.csv"
    summary.filedPath = "/y.csv"
    summary.sha256 = "d"
    summary.bytes = 7
    summary.errorCode = "NAVIGATION_FAILED"
    summary.errorMessage = "m"
    summary.bankSaysUntrusted = "b"
    return summary
}()

private let summaryText =
    #""account":"Savings","bank_says_untrusted":"b","bytes":7,"document_id":"\#(document)","#
    + #""error_code":"NAVIGATION_FAILED","error_message":"m","file_path":"/x.csv","filed_path":"/y.csv","#
    + #""from":"2026-01-02","kind":"csv","media_type":"text/csv","period":"2026-01""#

private let held: HeldDocument = {
    var held = HeldDocument(summary, bankID: "default", requestID: request)
    held.excerptUntrusted = "a [word]"
    return held
}()

private let anOffer = DocumentOffer(
    id: offer, status: .opened, bankID: "default",
    DocumentsRequest(from: month("2025-10"), to: month("2025-12"), kinds: [.csv, .pdf], accounts: [savings]),
    agent: .standard, isScheduled: true, createdAt: time, expiresAt: later, requestID: request)

private let offerText =
    #"{"accounts":["Savings"],"agent":"default","bank_id":"default","created_at":"\#(time)","expires_at":"\#(later)","#
    + #""from":"2025-10","kinds":["csv","pdf"],"offer_id":"\#(offer)","request_id":"\#(request)","scheduled":true,"#
    + #""status":"OPENED","to":"2025-12"}"#

private let bank = OfferedBank(
    bankID: "north", name: "North Bank", offersDocuments: true, kinds: [.pdf, .csv], accounts: [savings],
    offersDays: true)!

private let fullSummary: RequestSummary = {
    var full = RequestSummary(id: request, status: .failed)
    full.bankSaysUntrusted = "b"
    full.decisionID = nonce
    full.documents = [DocumentSummary(id: document, DocumentPlace(period: month("2026-01")))]
    return full
}()

/// Every body about documents, banks and offers, with the canonical JSON that it has on the wire.
private let bodies: [(String, JSONValue, String)] = [
    ("a document", summary.json, "{\(summaryText),\"sha256\":\"d\",\"to\":\"2026-01-30\"}"),
    (
        "a held document", held.json,
        #"{"account":"Savings","bank_id":"default","bank_says_untrusted":"b","bytes":7,"document_id":"\#(document)","#
            + #""error_code":"NAVIGATION_FAILED","error_message":"m","excerpt_untrusted":"a [word]","#
            + #""file_path":"/x.csv","filed_path":"/y.csv","from":"2026-01-02","kind":"csv","media_type":"text/csv","#
            + #""period":"2026-01","#
            + #""request_id":"\#(request)","sha256":"d","to":"2026-01-30"}"#
    ),
    (
        "a page of documents", HeldDocumentPage(documents: [], nextCursor: "n").json,
        #"{"documents":[],"next_cursor":"n"}"#
    ),
    (
        "a page of text",
        DocumentTextPage(id: document, pageCount: 3, pages: 1...2, textUntrusted: "t", isCut: true).json,
        #"{"document_id":"\#(document)","first_page":1,"is_cut":true,"last_page":2,"page_count":3,"text_untrusted":"t"}"#
    ),
    ("an offer", anOffer.json, offerText),
    ("a list of offers", OfferList([anOffer]).json, #"{"offers":[\#(offerText)]}"#),
    (
        "a list of banks", BankList([bank, OfferedBank(bankID: "default", name: "Meridian")!]).json,
        #"{"banks":[{"bank_id":"default","name":"Meridian"},"#
            + #"{"accounts":["Savings"],"bank_id":"north","days":true,"documents":true,"kinds":["csv","pdf"],"#
            + #""name":"North Bank"}]}"#
    ),
    (
        "a list of banks",
        BankList(
            [
                OfferedBank(
                    bankID: "default", name: "Meridian",
                    consent: BankConsent(endsAt: time.date, endedAt: nil, needsOwner: false))!
            ], language: "de"
        ).json,
        #"{"banks":[{"bank_id":"default","consent":{"ends_at":"\#(time)","needs_owner":false},"name":"Meridian"}],"#
            + #""language":"de"}"#
    ),
    (
        "a request for documents",
        DocumentsRequest(
            from: month("2025-10"), to: month("2025-12"), kinds: [.csv], accounts: [savings], bankID: "north",
            refetches: true, agentRequestID: "k"
        ).json,
        #"{"accounts":["Savings"],"agent_request_id":"k","bank_id":"north","from":"2025-10","kinds":["csv"],"#
            + #""refetch":true,"to":"2025-12","type":"documents"}"#
    ),
    (
        "a plain request for documents", DocumentsRequest(from: month("2025-10"), to: month("2025-12")).json,
        #"{"from":"2025-10","kinds":["pdf"],"to":"2025-12","type":"documents"}"#
    ),
    (
        "a named failure",
        FailureBody(code: .bankOnHold, message: "m", failedAt: time, decisionID: nonce).json,
        #"{"decision_id":"\#(nonce)","error_code":"BANK_ON_HOLD","error_message":"m","failed_at":"\#(time)"}"#
    ),
    (
        "a statement of a bank", StatementRequest(month: 1, year: 2026, bankID: "north").json,
        #"{"bank_id":"north","month":1,"type":"statement","year":2026}"#
    ),
    (
        "a check of a token", TokenCheck(tokenID: "abcdefghijklmnopqrst-_", nonce: nonce).json,
        #"{"nonce":"\#(nonce)","token_id":"abcdefghijklmnopqrst-_"}"#
    ),
    (
        "its proof", TokenCheckAnswer(address: "127.0.0.1:8765", client: "127.0.0.1:50412", proof: "p").json,
        #"{"address":"127.0.0.1:8765","client":"127.0.0.1:50412","proof":"p"}"#
    ),
    (
        "a named decision", DecisionBody(.approve, at: time, id: nonce).json,
        #"{"decided_at":"\#(time)","decision":"APPROVE","decision_id":"\#(nonce)"}"#
    ),
    (
        "a named start", StartedBody(startedAt: time, decisionID: nonce).json,
        #"{"decision_id":"\#(nonce)","started_at":"\#(time)"}"#
    ),
    (
        "a conflict", ErrorBody(code: .conflict, message: "m", status: .approved, decisionID: nonce).json,
        #"{"decision_id":"\#(nonce)","error_code":"CONFLICT","error_message":"m","status":"APPROVED"}"#
    ),
    (
        "a failed request", fullSummary.json,
        #"{"bank_says_untrusted":"b","decision_id":"\#(nonce)","documents":[{"document_id":"\#(document)","#
            + #""kind":"pdf","media_type":"application/pdf","period":"2026-01"}],"request_id":"\#(request)","#
            + #""status":"FAILED"}"#
    ),
]

/// Reads a body of the same kind and writes it again.
private func rewritten(_ kind: String, _ json: JSONValue) throws -> JSONValue? {
    switch kind {
    case "a document": DocumentSummary(json: json)?.json
    case "a held document": HeldDocument(json: json)?.json
    case "a page of documents": HeldDocumentPage(json: json).json
    case "an offer": DocumentOffer(json: json)?.json
    case "a list of offers": OfferList(json: json)?.json
    case "a list of banks": try BankList(json: json).json
    case "a named failure": try FailureBody(json: json).json
    case "a request for documents", "a plain request for documents", "a statement of a bank":
        switch try AgentRequestBody(json: json) {
        case .documents(let request): request.json
        case .statement(let request): request.json
        }
    case "a check of a token": try TokenCheck(json: json).json
    case "its proof": TokenCheckAnswer(json: json)?.json
    case "a named decision": try DecisionBody(json: json).json
    case "a conflict": ErrorBody(json: json).json
    case "a failed request": RequestSummary(json: json)?.json
    default: json
    }
}

@Suite("Bodies about documents")
struct DocumentBodyTests {
    @Test("have the members of documents.md", arguments: bodies)
    func written(kind: String, json: JSONValue, text: String) throws {
        #expect(String(decoding: try json.canonicalBytes(), as: UTF8.self) == text)
    }

    @Test("are the same after reading and writing", arguments: bodies)
    func read(kind: String, json: JSONValue, text: String) throws {
        #expect(try rewritten(kind, json) == json)
    }

    @Test(
        "cannot be read without a member that they need, or with a number in its place",
        arguments: [
            ("a document", ["document_id", "period", "kind"]), ("a held document", ["bank_id", "request_id"]),
            (
                "an offer",
                ["offer_id", "status", "bank_id", "from", "to", "agent", "created_at", "expires_at", "kinds"]
            ),
            ("a list of offers", ["offers"]), ("a list of banks", ["banks"]),
            ("a request for documents", ["type", "from", "to"]), ("a check of a token", ["nonce", "token_id"]),
            ("its proof", ["address", "client", "proof"]), ("a named decision", ["decision", "decided_at"]),
            ("a failed request", ["request_id", "status"]),
        ])
    func needed(kind: String, members: [String]) throws {
        let whole = try #require(bodies.first { $0.0 == kind }?.1.objectValue)
        for member in members {
            for value in [nil, .number(1.5)] as [JSONValue?] {
                var changed = whole
                changed[member] = value
                #expect((try? rewritten(kind, .object(changed))) == nil, "\(member)")
            }
        }
    }

    @Test("a page of documents keeps the documents that it can read")
    func page() {
        let page = HeldDocumentPage(json: ["documents": [held.json, ["document_id": "0"]]])
        #expect(page == HeldDocumentPage(documents: [held]))
    }

    @Test("of a kind whose plug-in is gone are read where they are listed, with the name of a kind alone")
    func goneKind() throws {
        var members = try #require(held.json.objectValue)
        members["kind"] = "gone"
        #expect(HeldDocument(json: .object(members))?.document.kind.rawValue == "gone")
        let limits: JSONValue = ["banks": .null, "kinds": ["gone", "pdf"], "per_day": .null]
        #expect(try ClientLimits(kept: limits).json == limits)
        #expect(throws: BodyError.self) { try ClientLimits(json: limits) }
        let offer = DocumentsRequest(from: month("2026-01"), to: month("2026-01"), kinds: [.kept("gone")])
        #expect(try DocumentsRequest(kept: offer.json) == offer)
        #expect(throws: BodyError.self) { try AgentRequestBody(json: offer.json) }
        for name in ["Gone", "g one", "gone\n", "", "9", String(repeating: "a", count: 41)] {
            members["kind"] = .string(name)
            #expect(HeldDocument(json: .object(members)) == nil, "\(name)")
            #expect(throws: BodyError.self) { try ClientLimits(kept: ["kinds": [.string(name)]]) }
        }
    }

    @Test("a request takes null for each member that it can do without")
    func nulls() throws {
        let names = ["kinds", "account", "accounts", "bank_id", "refetch", "agent_request_id"]
        let members: [String: JSONValue] = ["type": "documents", "from": "2026-01", "to": "2026-01"]
        let json = members.merging(names.map { ($0, .null) }) { $1 }
        guard case .documents(let request) = try AgentRequestBody(json: .object(json)) else {
            Issue.record("it is not a request for documents")
            return
        }
        #expect(request == DocumentsRequest(from: month("2026-01"), to: month("2026-01")))
    }

    @Test("an offer has at most 50 accounts")
    func accountsOfOffer() throws {
        var members = try #require(anOffer.json.objectValue)
        members["accounts"] = .array(someAliases(50).map { .string($0.description) })
        #expect(DocumentOffer(json: .object(members))?.accounts == someAliases(50))
    }

    @Test("a list of offers has at most 100, and leaves out what is not an offer")
    func offers() throws {
        let list = try #require(OfferList(json: ["offers": .array([1] + Array(repeating: anOffer.json, count: 100))]))
        #expect(list.offers.count == 99)
    }

    @Test(
        "an offer with a member that is not the project's own is not one",
        arguments: [
            ("from", "2026-01"), ("bank_id", "No Id"), ("status", "LOST"), ("agent", "An Agent"), ("kinds", []),
            ("kinds", ["csv", "csv"]), ("kinds", ["csv", "exe"]), ("accounts", ["123456"]),
            ("accounts", .array(someAliases(51).map { .string($0.description) })),
        ] as [(String, JSONValue)])
    func noOffer(member: String, value: JSONValue) throws {
        var members = try #require(anOffer.json.objectValue)
        members[member] = value
        #expect(DocumentOffer(json: .object(members)) == nil)
    }

    @Test("an offer says in words what it has, and makes the request for it")
    func words() {
        #expect(anOffer.words == "2025-10 to 2025-12, Savings, csv and pdf")
        #expect(
            anOffer.request.json
                == DocumentsRequest(
                    from: month("2025-10"), to: month("2025-12"), kinds: [.csv, .pdf], accounts: [savings],
                    bankID: "default"
                ).json)
        let short = DocumentOffer(
            bankID: "default", DocumentsRequest(from: month("2025-10"), to: month("2025-10")), agent: .standard,
            createdAt: time, expiresAt: later)
        #expect(short.words == "2025-10, pdf")
        #expect(!short.isScheduled && short.status == .waiting && short.requestID == nil)
        #expect(short.json["accounts"] == nil && short.json["scheduled"] == false)
    }

    @Test("a pending request names at most ten other agents, and only by names that agents may have")
    func otherAgents() {
        let names = ["An Agent"] + (0..<11).map { "agent-\($0)" }
        let entry = PendingList.Entry(json: ["also_asked_by": .array(names.map { .string($0) })])
        #expect(entry.alsoAskedBy.map(\.description) == (0..<10).map { "agent-\($0)" })
        #expect(!entry.isApprovedHere && entry.requirement == nil && entry.alsoOn.isEmpty)
    }

    @Test("a pending request names at most five other phones, and none with an empty or endless name")
    func otherPhones() {
        let names = ["", String(repeating: "x", count: 65)] + (0..<6).map { "Phone \($0)" }
        let entry = PendingList.Entry(json: ["also_on": .array(names.map { .string($0) } + [7])])
        #expect(entry.alsoOn == (0..<5).map { "Phone \($0)" })
    }

    @Test(
        "a filter accepts what each of its parts accepts",
        arguments: [
            (HeldDocumentFilter(), true), (HeldDocumentFilter(bankID: "default"), true),
            (HeldDocumentFilter(bankID: "north"), false), (HeldDocumentFilter(account: savings), true),
            (HeldDocumentFilter(account: AccountAlias("Current")), false), (HeldDocumentFilter(kind: .csv), true),
            (HeldDocumentFilter(kind: .pdf), false), (HeldDocumentFilter(from: month("2026-01")), true),
            (HeldDocumentFilter(from: month("2026-02")), false), (HeldDocumentFilter(to: month("2026-01")), true),
            (HeldDocumentFilter(to: month("2025-12")), false),
        ])
    func filter(filter: HeldDocumentFilter, accepts: Bool) {
        #expect(filter.accepts(held) == accepts)
    }

    @Test(
        "a request for documents names the field that is wrong",
        arguments: [
            (["from": "1989-12"], "“from” is not from 1990 to 2100"),
            (["to": "2101-01"], "“to” is not from 1990 to 2100"),
            (["from": "2026-13"], "“from” is not a month such as 2026-01, or a day such as 2026-01-15"),
            (["from": "2026-02"], "“to” is before “from”"),
            (
                ["account": "Savings", "accounts": ["Savings"]],
                "“accounts” is given beside “account”; give one of them"
            ),
            (["account": "123456"], "“account” is not an alias: \(AccountAlias.rule)"),
            (["accounts": []], "“accounts” is not an alias: \(AccountAlias.rule)"),
            (["accounts": ["Savings", "123456"]], "“accounts” is not an alias: \(AccountAlias.rule)"),
            (["accounts": ["Savings", "Savings"]], "“accounts” is a list that names one twice"),
            (["accounts": ["Savings", 1]], "“accounts” is not a list of texts"),
            (["accounts": "Savings"], "“accounts” is not a list of at most 160 texts"),
            (
                ["accounts": .array(Array(repeating: "Savings", count: 161))],
                "“accounts” is not a list of at most 160 texts"
            ),
            (["account": .string(String(repeating: "x", count: 161))], "“account” is longer than 160 characters"),
            (["kinds": []], "“kinds” is not among: \(everyKind)"),
            (["kinds": ["pdf", "exe"]], "“kinds” is not among: \(everyKind)"),
            (["kinds": ["pdf", "pdf"]], "“kinds” is a list that names one twice"),
            (["kinds": .array(Array(repeating: "pdf", count: 20))], "“kinds” is a list that names one twice"),
            (["kinds": .array(Array(repeating: "pdf", count: 21))], "“kinds” is not a list of at most 20 texts"),
            (["refetch": "yes"], "“refetch” is not true or false"),
            (["agent_request_id": ""], "“agent_request_id” is empty; leave it out"),
            (["bank_id": .string(String(repeating: "x", count: 65))], "“bank_id” is longer than 64 characters"),
            (
                ["from": "2015-12", "to": "2026-01"],
                "“to” is too far from “from”: a request has at most 120 documents, and these are 122 months × 1 kinds × 1 accounts; ask in parts"
            ),
            (
                ["a": 1],
                "unknown fields: “a”; the fields are type, from, to, kinds, account, accounts, bank_id, refetch, agent_request_id, reason"
            ),
            (
                ["a": 1, "b c": 2],
                "unknown fields: “a”, 1 more; the fields are type, from, to, kinds, account, accounts, bank_id, refetch, agent_request_id, reason"
            ),
            (
                ["a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1],
                "unknown fields: “a”, “b”, “c”, “d”, “e”, 2 more; the fields are type, from, to, kinds, account, accounts, bank_id, refetch, agent_request_id, reason"
            ),
            (["type": .string(String(repeating: "x", count: 65))], "“type” is longer than 64 characters"),
            (["type": .string(String(repeating: "x", count: 64))], "the types are “statement” and “documents”"),
        ] as [(JSONValue, String)])
    func refused(change: JSONValue, message: String) {
        let members: [String: JSONValue] = ["type": "documents", "from": "2026-01", "to": "2026-01"]
        let json = JSONValue.object(members.merging(change.objectValue ?? [:]) { $1 })
        let error = #expect(throws: BodyError.self) { try AgentRequestBody(json: json) }
        #expect(error?.message == message)
    }

    @Test("a request for documents remembers which member named its accounts, and an offer has the members that select")
    func accountsField() throws {
        let members: JSONValue = ["from": "2026-01", "to": "2026-02", "account": "Savings", "bank_id": "north"]
        let one = try DocumentsRequest(offer: members)
        #expect(one.accountsField == "account" && one.accounts == [savings] && one.kinds == [.pdf])
        let several = try DocumentsRequest(offer: [
            "from": "2026-01", "to": "2026-02", "accounts": ["Savings", "Current"],
        ])
        #expect(several.accountsField == "accounts" && several.accounts.map(\.description) == ["Current", "Savings"])
        #expect(several.naming("account").accountsField == "account")
        #expect(try DocumentsRequest(offer: ["from": "2026-01", "to": "2026-02"]).accountsField == "accounts")
        #expect(
            String(decoding: try one.offerJSON.canonicalBytes(), as: UTF8.self)
                == #"{"accounts":["Savings"],"bank_id":"north","from":"2026-01","kinds":["pdf"],"to":"2026-02"}"#)
        let error = #expect(throws: BodyError.self) {
            try DocumentsRequest(offer: ["from": "2026-01", "to": "2026-02-03"])
        }
        #expect(error?.message == "“to” is a day; an offer has whole months such as 2026-01")
        let more = #expect(throws: BodyError.self) {
            try DocumentsRequest(offer: ["from": "2026-01", "to": "2026-02", "refetch": true])
        }
        #expect(more?.message.contains("refetch") == true, "\(more?.message ?? "nothing")")
    }

    @Test("an offer of a single month reads back")
    func singleMonth() {
        let documents = DocumentsRequest(from: month("2025-10"), to: month("2025-10"), kinds: [.pdf])
        let one = DocumentOffer(bankID: "default", documents, agent: .standard, createdAt: time, expiresAt: later)
        #expect(DocumentOffer(json: one.json) == one)
    }

    @Test(
        "the longest texts are taken, and one character more is not",
        arguments: [("agent_request_id", 200), ("bank_id", 64)])
    func lengths(member: String, longest: Int) throws {
        func body(_ count: Int) -> JSONValue {
            [
                "type": "documents", "from": "2026-01", "to": "2026-01",
                member: .string(String(repeating: "x", count: count)),
            ]
        }
        _ = try AgentRequestBody(json: body(longest))
        let error = #expect(throws: BodyError.self) { try AgentRequestBody(json: body(longest + 1)) }
        #expect(error?.message == "“\(member)” is longer than \(longest) characters")
    }
}
