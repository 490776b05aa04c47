import Clocks
import Encodings
import Testing

@testable import Messages

private let request = RequestID("0f0e0d0c-0b0a-4900-8807-060504030201")!
private let time = Timestamp("2026-01-31T09:00:00.000Z")!

/// A text that is not valid anywhere, of this many characters.
private func text(_ count: Int) -> JSONValue { .string(String(repeating: "x", count: count)) }

/// Aliases in their order: AA, AB, …
func someAliases(_ count: Int) -> [AccountAlias] {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    let names = letters.flatMap { first in letters.map { second in "\(first)\(second)" } }
    return names.prefix(count).compactMap(AccountAlias.init)
}

@Suite("The limits of messages")
struct MessageLimitTests {
    private static let bodies: [String: (JSONValue, @Sendable (JSONValue) throws -> Void)] = [
        "decision": (
            ["decision": "DENY", "decided_at": .string(time.description)], { _ = try DecisionBody(json: $0) }
        ),
        "failure": (
            [
                "error_code": "NAVIGATION_FAILED", "error_message": "m", "failed_at": .string(time.description),
            ], { _ = try FailureBody(json: $0) }
        ),
        "check": (
            ["nonce": "00112233445566778899aabbccddeeff", "signature": "s"], { _ = try SecretCheck(json: $0) }
        ),
        "token": (
            ["nonce": "00112233445566778899aabbccddeeff", "token_id": "abcdefghijklmnopqrstuv"],
            { _ = try TokenCheck(json: $0) }
        ),
        "statement": (
            ["type": "statement", "month": 1, "year": 2026], { _ = try StatementRequest(json: $0) }
        ),
    ]

    @Test("an envelope of an unknown type is refused for its type, whatever else it lacks")
    func unknownType() {
        let members: JSONValue = ["version": "1", "type": "payment"]
        let error = #expect(throws: MessageError.self) {
            try RequestEnvelope(MessageFields(members, what: "the envelope"))
        }
        #expect(error?.message == "the type “payment” is not known; “statement” and “documents” are")
    }

    @Test(
        "the text of a member has a longest length",
        arguments: [
            ("decision", "decision", 16), ("decision", "decided_at", 40), ("failure", "error_code", 64),
            ("failure", "error_message", 2000), ("failure", "failed_at", 40), ("check", "nonce", 64),
            ("check", "signature", 100), ("token", "token_id", 22), ("token", "nonce", 64), ("statement", "type", 64),
            ("statement", "bank_id", 64), ("statement", "agent_request_id", 200),
        ])
    func longest(body: String, member: String, longest: Int) throws {
        let (json, read) = try #require(Self.bodies[body])
        try read(json)
        for (count, isTooLong) in [(longest, false), (longest + 1, true)] {
            var members = try #require(json.objectValue)
            members[member] = text(count)
            var message: String?
            do { try read(.object(members)) } catch { message = "\(error)" }
            #expect((message == "“\(member)” is longer than \(longest) characters") == isTooLong, "\(count)")
        }
    }

    @Test("a member that is not a text is named", arguments: ["decision", "failure", "check", "token", "statement"])
    func notText(body: String) throws {
        let (json, read) = try #require(Self.bodies[body])
        for member in try #require(json.objectValue).keys where !["month", "year"].contains(member) {
            var members = try #require(json.objectValue)
            members[member] = 1
            let error = #expect(throws: BodyError.self) { try read(.object(members)) }
            #expect(error?.message == "“\(member)” is not a string" && error?.code == .invalidField)
        }
    }

    @Test(
        "a member with an invalid value is named",
        arguments: [
            ("check", "nonce", "“nonce” is not a nonce"), ("token", "nonce", "“nonce” is not a nonce"),
            ("token", "token_id", "“token_id” is not 22 characters of base64url"),
            ("decision", "decision", "“decision” is neither APPROVE nor DENY"),
            ("decision", "decided_at", "“decided_at” is not an ISO 8601 time"),
            (
                "failure", "error_code",
                "“error_code” is " + "not one of BANK_2FA_TIMEOUT, BANK_LOGIN_FAILED, BANK_ON_HOLD, CONSENT_ENDED, "
                    + "CREDENTIAL_UNAVAILABLE, EXECUTION_TIMEOUT, ICLOUD_WRITE_FAILED, NAVIGATION_FAILED, PDF_DOWNLOAD_FAILED"
            ),
        ])
    func invalid(body: String, member: String, message: String) throws {
        let (json, read) = try #require(Self.bodies[body])
        var members = try #require(json.objectValue)
        members[member] = "!"
        let error = #expect(throws: BodyError.self) { try read(.object(members)) }
        #expect(error?.message == message)
    }

    @Test(
        "a month of a year from 1990 to 2100",
        arguments: [
            (1, 1990, true), (12, 2100, true), (0, 2026, false), (13, 2026, false), (1, 1989, false), (1, 2101, false),
        ])
    func period(month: Int, year: Int, isOne: Bool) {
        #expect(
            (try? StatementRequest(month: month, year: year).period)
                == (isOne ? MonthYear(month: month, year: year) : nil))
        #expect(((try? StatementRequest(json: StatementRequest(month: month, year: year).json)) != nil) == isOne)
    }

    @Test("a month and a year are integers")
    func integers() {
        for (member, value) in [("month", "1"), ("year", .number(2026.5)), ("month", .null)] as [(String, JSONValue)] {
            var members: [String: JSONValue] = ["type": "statement", "month": 1, "year": 2026]
            members[member] = value
            let error = #expect(throws: BodyError.self) { try StatementRequest(json: .object(members)) }
            #expect(error?.message == (value == .null ? "“month” is missing" : "“\(member)” is not an integer"))
        }
    }

    @Test(
        "a bank has an id and a name that can be seen",
        arguments: [
            ("a", "N", true), (String(repeating: "a", count: 64), "N", true), ("a-_9", "N", true), ("", "N", false),
            (String(repeating: "a", count: 65), "N", false), ("A", "N", false), ("a b", "N", false),
            ("a", String(repeating: "n", count: 100), true), ("a", String(repeating: "n", count: 101), false),
            ("a", "", false), ("a", " ", false), ("a", "N\nM", false), ("a", "N\u{202E}M", false),
            ("a", "N\u{2028}M", false), ("a", "N\u{2029}M", false), ("a", "Nørth Bank", true),
        ])
    func banks(id: String, name: String, isOne: Bool) {
        #expect((OfferedBank(bankID: id, name: name) != nil) == isOne)
    }

    @Test("a bank has a kind, and at most 50 accounts, each once")
    func accounts() {
        let names = someAliases(51)
        #expect(OfferedBank(bankID: "a", name: "N", accounts: Array(names.prefix(50)))?.accounts.count == 50)
        #expect(OfferedBank(bankID: "a", name: "N", accounts: names) == nil)
        #expect(OfferedBank(bankID: "a", name: "N", kinds: []) == nil)
        let bank = OfferedBank(
            bankID: "a", name: "N", kinds: [.pdf, .csv, .pdf], accounts: [names[1], names[0], names[1]])
        #expect(bank?.kinds == [.csv, .pdf] && bank?.accounts == [names[0], names[1]])
        #expect(bank?.offersDays == false && bank?.offersDocuments == false)
    }

    @Test("a list has each bank once, the first of several, in the order of their ids")
    func list() {
        func bank(_ id: String, _ name: String) -> OfferedBank { OfferedBank(bankID: id, name: name)! }
        #expect(BankList([bank("b", "1"), bank("a", "2"), bank("b", "3")]).banks.map(\.name) == ["2", "1"])
    }

    @Test(
        "a list of banks that cannot be read names the member",
        arguments: [
            ([:], "“banks” is missing"), (["banks": 1], "“banks” is not a list of at most 100 banks"),
            (["banks": [["name": "N"]]], "“bank_id” is missing"), (["banks": [["bank_id": "a"]]], "“name” is missing"),
            (["banks": [["bank_id": text(65), "name": "N"]]], "“bank_id” is longer than 64 characters"),
            (["banks": [["bank_id": "a", "name": text(101)]]], "“name” is longer than 100 characters"),
            (["banks": [["bank_id": "a", "name": "N", "documents": 1]]], "“documents” is not true or false"),
            (["banks": [["bank_id": "a", "name": "N", "days": 1]]], "“days” is not true or false"),
            (
                ["banks": [["bank_id": "a", "name": "N", "kinds": .array(Array(repeating: "pdf", count: 21))]]],
                "“kinds” is not a list of at most 20 texts"
            ),
            (
                ["banks": [["bank_id": "a", "name": "N", "accounts": .array(Array(repeating: "A", count: 161))]]],
                "“accounts” is not a list of at most 160 texts"
            ),
            (
                ["banks": [["bank_id": "a", "name": "N", "accounts": ["A", "123456"]]]],
                "“accounts” is not aliases: \(AccountAlias.rule)"
            ),
            (
                ["banks": [["bank_id": "A", "name": "N"]]],
                "“banks” is invalid: each needs an id of lower-case letters, digits, - and _, a visible name, a known kind, "
                    + "and at most 50 accounts"
            ),
        ] as [(JSONValue, String)])
    func wrongLists(json: JSONValue, message: String) {
        let error = #expect(throws: BodyError.self) { try BankList(json: json) }
        #expect(error?.message == message)
    }

    @Test("a list has at most 100 banks, and leaves out kinds of a newer version")
    func longLists() throws {
        func list(_ count: Int) -> JSONValue {
            [
                "banks": .array(
                    (0..<count).map { ["bank_id": .string("bank-\($0)"), "name": "N", "kinds": ["pdf", "new"]] })
            ]
        }
        let banks = try BankList(json: list(100)).banks
        #expect(banks.count == 100 && banks.allSatisfy { $0.kinds == [.pdf] && $0.accounts.isEmpty })
        #expect(throws: BodyError.self) { try BankList(json: list(101)) }
        let strange: JSONValue = [
            "banks": [
                ["bank_id": "a", "name": "N", "kinds": ["new"]], ["bank_id": "b", "name": "N", "kinds": ["csv"]],
            ]
        ]
        #expect(try BankList(json: strange).banks.map(\.bankID) == ["b"])
        let many: JSONValue = [
            "banks": [["bank_id": "a", "name": "N", "kinds": .array(Array(repeating: "pdf", count: 20))]]
        ]
        #expect(try BankList(json: many).banks.count == 1)
    }
}

@Suite("The members of a manifest")
struct ManifestMemberTests {
    private static let manifest = CompletionManifest(
        requestID: request, filename: "\(request)-jan-2026.pdf", sha256: String(repeating: "0f", count: 32), bytes: 0,
        completedAt: time, nonce: Nonce("00112233445566778899aabbccddeeff")!)

    private static func document(_ number: Int, _ count: Int) -> CompletionManifest {
        let place = DocumentPlace(
            account: AccountAlias("Savings"), period: MonthYear(month: 1, year: 2026)!, kind: .csv, days: 2...30)
        let item = DocumentSelection.Item(place, id: DocumentID(bytes: Array(0..<16)))
        let document = CompletionManifest.Document(item, number: number, of: count)
        var manifest = manifest
        manifest.filename = document.filename(for: request)
        manifest.document = document
        return manifest
    }

    private static func read(_ members: [String: JSONValue]) throws -> CompletionManifest {
        try CompletionManifest(MessageFields(.object(members), what: "the manifest"))
    }

    @Test("read back, for the first and the last of 120 documents too")
    func roundTrip() throws {
        for manifest in [Self.manifest, Self.document(1, 1), Self.document(120, 120)] {
            #expect(try Self.read(manifest.members) == manifest)
        }
        #expect(Self.manifest.members["version"] == "1" && Self.document(1, 1).members["version"] == "2")
        #expect(Self.document(1, 1).filename == "\(request)-000102030405060708090a0b0c0d0e0f.csv")
    }

    @Test(
        "are refused with a reason",
        arguments: [
            ("bytes", -1, "“bytes” is negative"), ("bytes", .number(1.5), "“bytes” must be an integer"),
            ("bytes", nil, "“bytes” is missing"), ("version", "2", "“filename” must be the name of a PDF in the inbox"),
            ("version", "3", "version “3” is not known; “1” is"),
            ("version", text(21), "version “xxxxxxxxxxxxxxxxxxxx” is not known; “1” is"),
            ("sha256", text(64), "“sha256” must be a SHA-256 in lower-case hex"),
            ("filename", "a.pdf", "“filename” must be the name of a PDF in the inbox"),
            (
                "filename", "ffffffff-ffff-ffff-ffff-ffffffffffff-jan-2026.pdf",
                "“filename” does not begin with the request's ID"
            ),
            ("request_id", "0", "“request_id” must be a UUID in lower case"), ("nonce", 1, "“nonce” must be a string"),
            ("completed_at", "now", "“completed_at” must be an ISO 8601 time"),
        ] as [(String, JSONValue?, String)])
    func refused(member: String, value: JSONValue?, message: String) {
        var members = Self.manifest.members
        members[member] = value
        let error = #expect(throws: MessageError.self) { try Self.read(members) }
        #expect(error?.message == message)
    }

    @Test(
        "of a document are refused with a reason",
        arguments: [
            ("number", 0, "“number” must be from 1 to “of”, at most 120"),
            ("number", 121, "“number” must be from 1 to “of”, at most 120"),
            ("of", 121, "“number” must be from 1 to “of”, at most 120"),
            ("media_type", "text/plain", "“media_type” must be text/csv"),
            ("account", "123456", "“account” must be an account's alias"),
            ("to", nil, "“from” and “to” must be two days of “period”, in order"),
            ("document_id", .string(String(repeating: "a", count: 32)), "“filename” does not name the document"),
        ] as [(String, JSONValue?, String)])
    func refusedDocument(member: String, value: JSONValue?, message: String) {
        var members = Self.document(120, 120).members
        members[member] = value
        let error = #expect(throws: MessageError.self) { try Self.read(members) }
        #expect(error?.message == message)
    }

    @Test("of the end are 1 to 120 documents, each once, each with one outcome")
    func closing() throws {
        func closing(_ documents: [JSONValue]) throws -> ClosingManifest {
            var members = ClosingManifest(requestID: request, entries: [], completedAt: time).members
            members["documents"] = .array(documents)
            return try ClosingManifest(MessageFields(.object(members), what: "the closing manifest"))
        }
        func delivered(_ index: Int) -> [String: JSONValue] {
            [
                "document_id": .string(DocumentID(bytes: Array(repeating: UInt8(index), count: 16)).description),
                "sha256": .string(String(repeating: "0f", count: 32)),
            ]
        }
        #expect(try closing((0..<120).map { .object(delivered($0)) }).entries.count == 120)
        #expect(try closing([.object(delivered(0))]).entries.count == 1)
        var failed = delivered(0)
        failed["error_code"] = "BANK_ON_HOLD"
        failed["error_message"] = text(500)
        var both = failed
        failed["sha256"] = nil
        #expect(
            try closing([.object(failed)]).entries.first?.outcome
                == .failed(.bankOnHold, message: String(repeating: "x", count: 500)))
        both["error_message"] = "m"
        let twice = [JSONValue.object(delivered(0)), .object(delivered(0))]
        let wrong: [([JSONValue], String)] = [
            ([], "“documents” must be a list of 1 to 120 documents"),
            ((0..<121).map { .object(delivered($0)) }, "“documents” must be a list of 1 to 120 documents"),
            (twice, "“documents” names a document twice"), ([1], "a document is not a JSON object"),
            ([.object(both)], "a document has either “sha256” or “error_code”"),
        ]
        for (documents, message) in wrong {
            let error = #expect(throws: MessageError.self) { try closing(documents) }
            #expect(error?.message == message)
        }
    }

    @Test("name their request before anything is verified")
    func claimed() {
        #expect(SignedManifest(json: .object(Self.manifest.members)).claimedRequestID == request)
        #expect(SignedManifest(json: ["request_id": "0"]).claimedRequestID == nil)
        #expect(SignedManifest(json: ["a": 1]).bytes == Array(#"{"a":1}"#.utf8))
        #expect(SignedClosing(json: ["request_id": .string(request.description)]).claimedRequestID == request)
        #expect(SignedClosing(json: ["request_id": "0"]).claimedRequestID == nil)
        #expect(SignedClosing(json: ["a": 1]).bytes == Array(#"{"a":1}"#.utf8))
        #expect(SignedEnvelope(json: ["request_id": "r"]).claimedRequestID == "r")
        #expect(ClosingManifest.filename(for: request) == "\(request).closing.json")
    }
}
