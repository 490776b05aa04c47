import DeviceTrust
import Encodings
import Foundation
import GRDB
import Machine
import Messages
import Secrets
import TestParties
import TestSupport
import Testing

@testable import Broker
@testable import BrokerStore

@Suite(
    "A phone in Python, written from docs/specification/phone.md and the pages that it names", .needsPeers,
    .timeLimit(.minutes(5)))
struct PhonePeerTests {
    private static let banks: JSONValue = [
        ["bank_id": "default", "name": "Meridian Savings"],
        [
            "bank_id": "data", "name": "Bank of Data", "documents": true, "days": true,
            "kinds": ["pdf", "csv", "ofx", "camt", "mt940", "qif", "html"], "accounts": ["Everyday", "Rainy Day"],
        ],
    ]

    /// One file of each kind.
    private static let files: [String: String] = [
        "pdf": "%PDF-1.4\nstartxref\n0\n%%EOF\n",
        "csv": "Date;Amount;Text\n2026-01-02;-1.00;Shop\n2026-01-03;-2.00;Shop\n",
        "qif": "!Type:Bank\nD2026-01-02\nT-1.00\nPShop\n^\n",
        "html": "<!doctype html><title>January</title><p>Statement of January</p>",
        "mt940": """
        :20:A
        :25:37040044/0532013000
        :28C:1/1
        :60F:C260101EUR100,00
        :61:2601020102D1,00NMSC
        :86:Shop
        :62F:C260131EUR99,00
        -
        """,
        "ofx": """
        OFXHEADER:100
        DATA:OFXSGML
        VERSION:102

        <OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>2<ACCTTYPE>CHECKING</BANKACCTFROM>
        <BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260102<TRNAMT>-1.00<FITID>1<NAME>Shop</STMTTRN></BANKTRANLIST>
        <LEDGERBAL><BALAMT>99.00<DTASOF>20260131</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
        """,
        "camt": """
        <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>1</Id>
        <Acct><Id><IBAN>DE89370400440532013000</IBAN></Id></Acct>
        <Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
        <Dt><Dt>2026-01-01</Dt></Dt></Bal>
        <Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">99.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
        <Dt><Dt>2026-01-31</Dt></Dt></Bal>
        <Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-02</Dt></BookgDt>
        </Ntry></Stmt></BkToCstmrStmt></Document>
        """,
    ]

    /// A request, and the number of documents that its envelope is for.
    private struct Wish: CustomStringConvertible {
        let description: String
        let body: JSONValue
        let count: Int
        /// The place of a document that the phone does not find.
        var missing: Int?
    }

    private static let wishes = [
        Wish(
            description: "a statement",
            body: ["type": "statement", "month": 1, "year": 2026, "bank_id": "default"], count: 1),
        Wish(
            description: "a statement with the agent's reason",
            body: [
                "type": "statement", "month": 12, "year": 2025, "bank_id": "default", "reason": "für die Steuer “2025”",
            ], count: 1),
        Wish(
            description: "three months of an account",
            body: [
                "type": "documents", "bank_id": "data", "from": "2025-11", "to": "2026-01", "account": "Everyday",
            ], count: 3),
        Wish(
            description: "every kind of two accounts",
            body: [
                "type": "documents", "bank_id": "data", "from": "2025-10", "to": "2025-10",
                "kinds": ["pdf", "csv", "ofx", "camt", "mt940", "qif", "html"], "accounts": ["Rainy Day", "Everyday"],
            ], count: 14),
        Wish(
            description: "a range of days",
            body: [
                "type": "documents", "bank_id": "data", "from": "2025-06-15", "to": "2025-08-10", "kinds": ["csv"],
                "account": "Everyday",
            ], count: 3),
        Wish(
            description: "months of which one is missing",
            body: [
                "type": "documents", "bank_id": "data", "from": "2025-02", "to": "2025-04", "account": "Rainy Day",
            ], count: 3, missing: 1),
        Wish(
            description: "months of which this agent has two",
            body: [
                "type": "documents", "bank_id": "data", "from": "2025-01", "to": "2025-04",
                "accounts": ["Everyday", "Rainy Day"],
            ], count: 6),
    ]

    /// Asks on a thread of its own: the broker that the phone calls needs those of the tests.
    private func ask(_ peer: PythonPeer, _ command: JSONValue) async throws -> JSONValue {
        let answer = try await BlockingWork.run { try peer.ask(command) }
        try #require(answer["error"] == nil, "\(command["do"]?.stringValue ?? ""): \(answer.compactText())")
        return answer
    }

    /// Starts the phone and pairs it as a person does.
    private func pairedPhone(_ stage: BrokerStage) async throws -> PythonPeer {
        let peer = try PythonPeer("phone.py")
        let broker = try stage.administration()
        let open = try await broker.openPairing(life: .seconds(120), name: nil, keepsDefaultDevice: false)
        let claim = try await ask(
            peer,
            [
                "do": "pair", "url": .string(stage.url), "code": .string(open.payload.code.written.revealed()),
                "name": "Python", "inbox": .string(stage.inbox.path),
            ])
        let session = try await broker.pairings.current(open.session)
        #expect(session.words == claim["words"]?.stringValue)
        #expect(try await broker.pairings.confirm(session))
        _ = try await ask(peer, ["do": "finished"])
        #expect(try await ask(peer, ["do": "banks", "banks": Self.banks])["banks"]?.arrayValue?.count == 2)
        return peer
    }

    private func approval(of id: String) -> JSONValue {
        [
            "do": "decide", "request_id": .string(id), "decision": "APPROVE", "verified_by": ["passphrase"],
            "script": .string(PairedPhone.script),
        ]
    }

    @Test("is accepted for every kind of request, whether the agent has a name or not")
    func everyRequest() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let peer = try await pairedPhone(stage)
            defer { peer.end() }
            let name = try #require(AgentName("books.of-2026"))
            let named = try await stage.administration().agents.add(name).revealed()
            for (agent, client) in [(BrokerStage.agentToken, JSONValue.null), (named, .string(name.description))] {
                for wish in Self.wishes {
                    try await take(wish, by: .token(agent), named: client, from: peer, on: stage)
                }
            }
            let evidence = try await stage.administration().database.pool.read { db in
                try String.fetchAll(db, sql: "SELECT summary_json FROM request_approvals").map {
                    try JSONReader.read($0)
                }
            }
            let types = evidence.map { [$0["version"]?.stringValue, $0["type"]?.stringValue] }
            #expect(types.count { $0 == ["1", "statement"] } == 4)
            #expect(types.count { $0 == ["2", "documents"] } == 10)
        }
    }

    /// Takes one request from the agent's question to its files.
    private func take(
        _ wish: Wish, by agent: BrokerStage.Party, named client: JSONValue, from peer: PythonPeer, on stage: BrokerStage
    ) async throws {
        let asked = try await stage.send("POST", "/request", as: agent, wish.body)
        let id = try #require(asked.json["request_id"]?.stringValue, "\(wish): \(asked.json.compactText())")
        let listed = try await ask(peer, ["do": "pending"])["requests"]?.arrayValue
        let shown = try #require(listed?.first { $0["request_id"]?.stringValue == id })
        #expect(shown["type"] == wish.body["type"] && shown["client"] == client, "\(wish)")
        #expect(shown["reason"] == wish.body["reason"] ?? .null, "\(wish)")
        let kinds = (shown["kinds"]?.arrayValue ?? []).compactMap(\.stringValue)
        #expect(kinds.count == wish.count, "\(wish): \(kinds)")
        let decided = try await ask(peer, approval(of: id))
        #expect(decided["status"] == 200, "\(wish): \(decided.compactText())")
        _ = try await ask(peer, ["do": "started", "request_id": .string(id)])
        let files = kinds.enumerated().map { place, kind -> JSONValue in
            place == wish.missing ? .null : Self.files[kind].map(JSONValue.string) ?? .null
        }
        _ = try await ask(peer, ["do": "deliver", "request_id": .string(id), "files": .array(files)])
        let ended = try await ended(id, for: agent, on: stage)
        #expect(ended["status"] == "COMPLETED", "\(wish): \(ended.compactText())")
        let arrived = (ended["documents"]?.arrayValue ?? []).count { $0["file_path"] != nil }
        if wish.body["type"] == "documents" {
            let earlier = (ended["documents"]?.arrayValue?.count ?? 0) - wish.count
            #expect(arrived - earlier == wish.count - (wish.missing == nil ? 0 : 1), "\(wish): \(ended.compactText())")
        }
        #expect(stage.logged.allSatisfy { !$0.contains("delivery refused") }, "\(wish)")
    }

    private func ended(_ id: String, for agent: BrokerStage.Party, on stage: BrokerStage) async throws -> JSONValue {
        let end = ContinuousClock.now + .seconds(120)
        while true {
            let request = try await stage.waiting("/request/\(id)?wait=30", as: agent)
            if request["status"] != "APPROVED", request["status"] != "EXECUTING" { return request }
            try #require(ContinuousClock.now < end, "\(request.compactText())")
        }
    }

    @Test("denies, reports a failure, rotates its credentials, and sees who else asked")
    func otherCalls() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let peer = try await pairedPhone(stage)
            defer { peer.end() }
            let other = try await stage.administration().agents.add(try #require(AgentName("second"))).revealed()
            let wish = Self.wishes[0].body
            let asked = try await stage.send("POST", "/request", wish).json["request_id"]
            #expect(try await stage.send("POST", "/request", as: .token(other), wish).json["request_id"] == asked)
            let id = try #require(asked?.stringValue)
            let shown = try await ask(peer, ["do": "pending"])["requests"]?.arrayValue?.first
            #expect(shown?["also_asked_by"] == ["second"])
            let denied = try await ask(peer, ["do": "decide", "request_id": .string(id), "decision": "DENY"])
            #expect(denied["status"] == 200)

            _ = try await ask(peer, ["do": "rotate"])
            let again = try #require(try await stage.send("POST", "/request", wish).json["request_id"]?.stringValue)
            _ = try await ask(peer, ["do": "pending"])
            #expect(try await ask(peer, approval(of: again))["status"] == 200)
            _ = try await ask(
                peer,
                [
                    "do": "failed", "request_id": .string(again), "error_code": "BANK_LOGIN_FAILED",
                    "message": "the bank did not take the password",
                ])
            let ended = try await stage.waiting("/request/\(again)")
            #expect(ended["status"] == "FAILED" && ended["error_code"] == "BANK_LOGIN_FAILED")
            #expect(ended["bank_says_untrusted"] == "the bank did not take the password")
        }
    }
}
