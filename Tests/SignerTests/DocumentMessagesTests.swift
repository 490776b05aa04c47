import Clocks
import Encodings
import Foundation
import Messages
import Secrets
import Testing

@testable import Signer

@Suite("The messages about several documents")
struct DocumentMessagesTests {
    private static func month(_ text: String) -> MonthYear { MonthYear(text)! }

    private static let selection = DocumentSelection(periods: [month("2025-12"), month("2026-01"), month("2025-11")])!

    private static func envelope() -> RequestEnvelope {
        RequestEnvelope(
            bankID: "default", subject: .documents(selection), issuedAt: Timestamp(issued),
            approvalExpiresAt: Timestamp(issued.addingTimeInterval(300)))
    }

    private static func manifest() -> CompletionManifest {
        let id = RequestID()
        let document = CompletionManifest.Document(selection.items(ofBank: "default")[1], number: 2, of: 3)
        return CompletionManifest(
            requestID: id, filename: document.filename(for: id), sha256: String(repeating: "ab", count: 32),
            bytes: 12_345, completedAt: Timestamp(issued), document: document)
    }

    private static func closing() -> ClosingManifest {
        let items = selection.items(ofBank: "default")
        return ClosingManifest(
            requestID: RequestID(),
            entries: [
                .init(id: items[0].id, outcome: .delivered(sha256: String(repeating: "0f", count: 32))),
                .init(id: items[1].id, outcome: .failed(.navigationFailed, message: "row “December 2025” is missing")),
            ], completedAt: Timestamp(issued))
    }

    @Test("are what was signed")
    func roundTrips() throws {
        let envelope = Self.envelope()
        #expect(try envelope.signed(with: secret).verified(with: secret, at: issued).envelope == envelope)
        let manifest = Self.manifest()
        #expect(try manifest.signed(with: secret).verified(with: secret).manifest == manifest)
        let closing = Self.closing()
        #expect(try closing.signed(with: secret).verified(with: secret).closing == closing)
    }

    @Test("have version 2, and a statement's messages keep version 1")
    func versions() {
        #expect(Self.envelope().signed(with: secret).json["version"] == "2")
        #expect(Self.envelope().parameters == ["kinds": ["pdf"], "periods": ["2025-11", "2025-12", "2026-01"]])
        #expect(Self.manifest().signed(with: secret).json["version"] == "2")
        #expect(anEnvelope().signed(with: secret).json["version"] == "1")
    }

    @Test("name the same document alike in every request")
    func names() {
        let id = DocumentID(bankID: "default", period: Self.month("2026-01"), kind: .pdf)
        #expect(id == Self.selection.items(ofBank: "default")[2].id)
        #expect(id != DocumentID(bankID: "other", period: Self.month("2026-01"), kind: .pdf))
        #expect(DocumentID(id.description) == id)
        #expect(DocumentID(id.description.uppercased()) == nil)
    }

    /// Tries every message with each of its bits changed.
    private func refusesEveryChange(_ json: JSONValue, _ verify: (JSONValue) throws -> Void) throws {
        let bytes = try json.canonicalBytes()
        var refused = 0
        for position in 0..<bytes.count * 8 {
            var changed = bytes
            changed[position / 8] ^= 1 << (position % 8)
            guard let json = try? JSONReader.read(changed) else {
                refused += 1
                continue
            }
            #expect(throws: MessageError.self, "bit \(position)") { try verify(json) }
            refused += 1
        }
        #expect(refused == bytes.count * 8)
    }

    @Test("are refused after any change of a single bit")
    func bits() throws {
        try refusesEveryChange(Self.envelope().signed(with: secret).json) {
            _ = try SignedEnvelope(json: $0).verified(with: secret, at: issued)
        }
        try refusesEveryChange(Self.manifest().signed(with: secret).json) {
            _ = try SignedManifest(json: $0).verified(with: secret)
        }
        try refusesEveryChange(Self.closing().signed(with: secret).json) {
            _ = try SignedClosing(json: $0).verified(with: secret)
        }
    }

    private static func changed(_ json: JSONValue, _ change: (inout [String: JSONValue]) -> Void) throws -> JSONValue {
        var members = try #require(json.objectValue)
        change(&members)
        return try secret.signed(members)
    }

    @Test(
        "are refused when their content makes no sense, although the signature is right",
        arguments: [
            ("params", ["kinds": ["pdf"], "periods": []]), ("params", ["kinds": [], "periods": ["2026-01"]]),
            ("params", ["kinds": ["pdf"], "periods": ["2026-02", "2026-01"]]),
            ("params", ["kinds": ["pdf"], "periods": ["2026-01", "2026-01"]]),
            ("params", ["kinds": ["pdf", "exe"], "periods": ["2026-01"]]),
            ("params", ["kinds": ["pdf"], "periods": ["2026-13"]]),
            ("params", ["kinds": ["pdf"], "periods": ["2026-01"], "more": 1]),
            ("params", ["accounts": [], "kinds": ["pdf"], "periods": ["2026-01"]]),
            ("params", ["accounts": ["B", "A"], "kinds": ["pdf"], "periods": ["2026-01"]]),
            ("params", ["accounts": ["12345"], "kinds": ["pdf"], "periods": ["2026-01"]]),
            ("params", ["except": [], "kinds": ["pdf"], "periods": ["2026-01"]]),
            ("params", ["except": [["kind": "pdf", "period": "2026-01"]], "kinds": ["pdf"], "periods": ["2026-01"]]),
            (
                "params",
                [
                    "except": [["kind": "pdf", "period": "2026-01"]], "kinds": ["pdf"],
                    "periods": ["2026-01", "2026-02"],
                ]
            ),
            (
                "params",
                [
                    "except": [["kind": "pdf", "period": "2026-03"]], "kinds": ["camt", "pdf"],
                    "periods": ["2026-01", "2026-02"],
                ]
            ),
            ("params", ["month": 1, "year": 2026]), ("version", "1"), ("type", "statement"),
            (
                "params",
                ["kinds": ["pdf"], "periods": .array((1900..<2021).map { .string("\($0)-01") })]
            ),
        ] as [(String, JSONValue)])
    func envelopes(member: String, value: JSONValue) throws {
        let json = try Self.changed(Self.envelope().signed(with: secret).json) { $0[member] = value }
        #expect(throws: MessageError.self) { try SignedEnvelope(json: json).verified(with: secret, at: issued) }
    }

    @Test(
        "are refused when a document's description is wrong",
        arguments: [
            ("number", 4), ("number", 0), ("of", 0), ("of", 121), ("kind", "exe"), ("kind", "csv"),
            ("account", "123456"), ("account", ""), ("media_type", "text/html"),
            ("period", "2026-1"), ("document_id", "0"), ("version", "1"), ("version", "3"),
            ("filename", "../../etc/passwd.pdf"),
            ("document_id", .string(String(repeating: "a", count: 32))),
        ] as [(String, JSONValue)])
    func manifests(member: String, value: JSONValue) throws {
        let json = try Self.changed(Self.manifest().signed(with: secret).json) { $0[member] = value }
        #expect(throws: MessageError.self) { try SignedManifest(json: json).verified(with: secret) }
    }

    @Test(
        "are refused when the end of the documents is wrong",
        arguments: [
            ("type", "opening"), ("version", "1"), ("documents", []),
            ("documents", [["document_id": "0", "sha256": "0"]]),
            ("documents", [["document_id": .string(String(repeating: "a", count: 32))]]),
            (
                "documents",
                [
                    [
                        "document_id": .string(String(repeating: "a", count: 32)), "error_code": "UNAUTHORIZED",
                        "error_message": "x",
                    ]
                ]
            ),
            (
                "documents",
                [
                    [
                        "document_id": .string(String(repeating: "a", count: 32)), "error_code": "NAVIGATION_FAILED",
                        "error_message": .string(String(repeating: "x", count: 501)),
                    ]
                ]
            ),
        ] as [(String, JSONValue)])
    func closings(member: String, value: JSONValue) throws {
        let json = try Self.changed(Self.closing().signed(with: secret).json) { $0[member] = value }
        #expect(throws: MessageError.self) { try SignedClosing(json: json).verified(with: secret) }
    }
}
