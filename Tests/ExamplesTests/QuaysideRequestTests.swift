import Automation
import BankScript
import BrokerStore
import Clocks
import DeviceTrust
import Encodings
import FileKinds
import Foundation
import KeyVault
import Messages
import Phone
import QuaysideExport
import Secrets
import TestParties
import TestSupport
import Testing

@Suite("A request for a kind of files that is plugged in", .timeLimit(.minutes(3)))
struct QuaysideRequestTests {
    private static func wish(_ month: JSONValue) -> JSONValue {
        ["type": "documents", "bank_id": "default", "from": month, "to": month, "kinds": ["quayside"]]
    }

    static let script = BankScript("default", named: "Quayside Bank", at: "https://bank.example") {
        Open("/login")
        Fill("Username", with: .username)
        Fill("Password", with: .password)
        Press("Sign in")
    } forEachPeriod: {
        Download("Export", as: .quayside)
        Download("PDF")
    }

    @Test("is refused by a broker without it, with the kinds there are")
    func unknown() async throws {
        try await BrokerStage().run { stage in
            let answer = try await stage.send("POST", "/request", Self.wish("2025-01"))
            #expect(answer.status == 400, "\(answer.json)")
            let words = answer.json["error_message"]?.stringValue ?? ""
            #expect(words.contains("“kinds” is not among: pdf, csv"), "\(words)")
        }
    }

    @Test("goes from the agent to the bank and back, and each part knows the kind")
    func delivered() async {
        await #expect(processExitsWith: .success) {
            FileKind.plug([QuaysideExport.kind])
            try await QuaysideRequestTests.deliver()
        }
    }

    private static func deliver() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let home = PhoneHome(
                stage.root.appending(path: "phone", directoryHint: .isDirectory), scrypt: .cheapForTests)
            let connection = try PhoneConnection(
                brokerURL: stage.url, token: Secret(BrokerStage.phoneToken),
                sharedSecret: Secret("a shared secret of more than thirty-two bytes"), inbox: stage.inbox.path)
            try await PhoneSetup(
                home: home, connection: connection, bankID: "default",
                credentials: ["username": Secret("ada.lovelace"), "password": Secret("analytical engine")]
            ).apply(passphrase: TestPhone.passphrase)
            let engine = ScriptedEngine()
            engine.tell { $0.pdf = Data(QuaysideExportTests.export.utf8) }
            let services = PhoneServices(
                scripts: ScriptRegistry([script]), person: AbsentOwner(), engine: { _ in engine })
            let runner = try PhoneRunner(home: home, connection: connection, services: services)
            _ = try await runner.refresh()
            let banks = try await stage.send("GET", "/banks").json["banks"]?.arrayValue
            #expect(banks?.first?["kinds"] == ["pdf", "quayside"], "\(String(describing: banks))")
            let description = try await stage.send("GET", "/openapi.json", as: .nobody).json
            let schemas = description["components"]?["schemas"]
            #expect(schemas?["Kind"]?["enum"]?.arrayValue?.contains("quayside") == true)
            #expect(schemas?["MediaType"]?["enum"]?.arrayValue?.contains("application/vnd.quayside.export") == true)

            let asked = try await stage.send("POST", "/request", wish("2025-01"))
            #expect(asked.status == 202, "\(asked.json)")
            let id = try #require(asked.json["request_id"]?.stringValue.flatMap { RequestID($0) })
            let request = try #require(try await runner.refresh().pending.first)
            let outcome = try await runner.approve(request, with: PassphraseVerification(TestPhone.passphrase))
            #expect(outcome == .delivered(documents: 1, of: 1), "\(outcome)")
            #expect(try await BrokerStage.waitForEnd(of: id, on: stage) == .completed)
            let documents = try await stage.send("GET", "/request/\(id)").json["documents"]?.arrayValue ?? []
            #expect(documents.map { $0["kind"] } == ["quayside"], "\(documents)")
            #expect(documents.first?["media_type"] == "application/vnd.quayside.export")
            let path = try #require(documents.first?["file_path"]?.stringValue)
            #expect(path.hasSuffix(".qsx"))
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(QuaysideExportTests.export.utf8))

            // The same broker after the plug-in was left out, while another request and an offer wait.
            let waiting =
                try await stage.send("POST", "/request", wish("2024-12")).json["request_id"]?.stringValue ?? ""
            var offered = wish("2024-11").objectValue ?? [:]
            offered["type"] = nil
            let offer =
                try await stage.send("POST", "/offers", .object(offered)).json["offer_id"]?.stringValue ?? ""
            _ = try await stage.request(month: 2, year: 2025)
            #expect(
                try await stage.send("GET", "/phone/requests/pending", as: .phone).json["requests"]?.arrayValue?.count
                    == 2)
            FileKind.plug([])
            let pending = try await stage.send("GET", "/phone/requests/pending", as: .phone)
            #expect(pending.json["requests"]?.arrayValue?.count == 1, "\(pending.json)")
            let later = try await stage.send("GET", "/request/\(id)")
            #expect(later.status == 200, "\(later.json)")
            #expect(later.json["documents"]?.arrayValue?.map { $0["kind"] } == ["quayside"])
            try await keeps(id, on: stage)
            try await refuses(waiting, offer, on: stage)
        }
    }

    /// Checks that a document that was fetched stays listed and proved, and waits to be filed.
    private static func keeps(_ id: RequestID, on stage: BrokerStage) async throws {
        let held = try await stage.send("GET", "/documents")
        let page = HeldDocumentPage(json: held.json)
        #expect(page.documents.map(\.document.kind.rawValue) == ["quayside"], "\(held.json)")
        let receipt = try await stage.send("GET", "/request/\(id)/receipt")
        #expect(receipt.status == 200, "\(receipt.json)")
        let verified = try VerifiedReceipt(file: receipt.json.canonicalBytes() + [0x0A])
        #expect(verified.receipt.documents.map(\.place.kind.rawValue) == ["quayside"])
        #expect(verified.receipt.subject.words == "2025-01, quayside, 1 document")
        let database = try BrokerDatabase(administering: stage.database)
        let unfiled = try await database.requests.unfiledDocuments().documents
        #expect(unfiled.map(\.place.kind.rawValue) == ["quayside"])
    }

    /// Checks that documents that were not fetched can neither be approved nor asked for again, with the reason.
    private static func refuses(_ request: String, _ offer: String, on stage: BrokerStage) async throws {
        let decision: JSONValue = [
            "decision": "APPROVE", "decided_at": .string(Timestamp(stage.clock.now).description),
        ]
        for (path, body) in [
            ("/phone/requests/\(request)/decision", decision), ("/phone/requests/\(request)/again", [:]),
            ("/phone/offers/\(offer)/open", [:]),
        ] as [(String, JSONValue)] {
            let answer = try await stage.send("POST", path, as: .phone, body)
            let words = answer.json["error_message"]?.stringValue ?? ""
            #expect(
                answer.status == 409 && words.contains("no plug-in for documents of the kind “quayside”"),
                "\(path) \(words)")
        }
        #expect(try await stage.send("GET", "/phone/offers", as: .phone).json["offers"] == [])
        let withdrawn = try await stage.send("DELETE", "/offers/\(offer)")
        #expect(withdrawn.json["status"] == "WITHDRAWN", "\(withdrawn.json)")
    }
}
