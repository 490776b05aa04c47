import Clocks
import Encodings
import Foundation
import Messages
import Secrets
import TestSupport
import Testing

@testable import Signer

/// The examples of `docs/specification/documents.md`.
@Suite("The specification of several documents")
struct DocumentVectorTests {
    private static let file = Repository.file("docs/specification/documents.md")
    private static let secret = try! SharedSecret(Secret("documents.md test secret, 40 bytes long!"))

    private static func example(_ name: String) throws -> JSONValue {
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "```json \(name)\n")).upperBound
        let end = try #require(text.range(of: "\n```", range: start..<text.endIndex)).lowerBound
        return try JSONReader.read(String(text[start..<end]))
    }

    @Test("has names that ours equal")
    func names() throws {
        for (what, wanted) in try #require(Self.example("names").objectValue) {
            let parts = what.split(separator: " ", maxSplits: 3).map(String.init)
            let kind = try #require(DocumentKind(rawValue: parts[1]))
            let account = parts.count > 3 ? AccountAlias(parts[3]) : nil
            let days = parts[2].split(separator: "/").compactMap { RangeEnd(String($0))?.day }
            let place = DocumentPlace(
                account: account, period: try #require(MonthYear(String(parts[2].prefix(7)))), kind: kind,
                days: days.count == 2 ? days[0]...days[1] : nil)
            let id = DocumentID(bankID: parts[0], place)
            #expect(wanted.stringValue == id.description)
        }
    }

    @Test("has messages that we read, and write to the same bytes")
    func messages() throws {
        let json = try Self.example("envelope")
        let now = try #require(Timestamp("2026-02-03T10:01:00.000Z")).date
        let envelope = try SignedEnvelope(json: json).verified(with: Self.secret, at: now).envelope
        #expect(envelope.subject.words == "2025-11 to 2026-01, 3 documents")
        #expect(envelope.signed(with: Self.secret).json == json)

        let manifest = try Self.example("manifest")
        let document = try SignedManifest(json: manifest).verified(with: Self.secret).manifest
        #expect(document.signed(with: Self.secret).json == manifest)

        let end = try Self.example("closing")
        let closing = try SignedClosing(json: end).verified(with: Self.secret).closing
        #expect(closing.signed(with: Self.secret).json == end)
        guard case .documents(let selection) = envelope.subject else { throw MessageError(.malformed, "") }
        #expect(closing.entries.map(\.id) == selection.items(ofBank: envelope.bankID).map(\.id))
    }

    @Test("has messages with accounts and kinds that we read, and write to the same bytes")
    func accounts() throws {
        let json = try Self.example("accountenvelope")
        let now = try #require(Timestamp("2026-02-03T10:01:00.000Z")).date
        let envelope = try SignedEnvelope(json: json).verified(with: Self.secret, at: now).envelope
        #expect(envelope.subject.words == "2025-12 to 2026-01, Everyday and Rainy Day, camt and pdf, 7 documents")
        #expect(envelope.signed(with: Self.secret).json == json)
        guard case .documents(let selection) = envelope.subject else { throw MessageError(.malformed, "") }
        #expect(
            selection.places.map(\.description) == [
                "Everyday 2025-12 pdf", "Everyday 2026-01 camt", "Everyday 2026-01 pdf", "Rainy Day 2025-12 camt",
                "Rainy Day 2025-12 pdf", "Rainy Day 2026-01 camt", "Rainy Day 2026-01 pdf",
            ])

        let manifest = try Self.example("accountmanifest")
        let document = try SignedManifest(json: manifest).verified(with: Self.secret).manifest
        #expect(document.signed(with: Self.secret).json == manifest)
        #expect(document.document?.id == selection.items(ofBank: envelope.bankID)[1].id)
    }

    @Test("has messages with a range of days that we read, and write to the same bytes")
    func days() throws {
        let json = try Self.example("dayenvelope")
        let now = try #require(Timestamp("2026-02-03T10:01:00.000Z")).date
        let envelope = try SignedEnvelope(json: json).verified(with: Self.secret, at: now).envelope
        #expect(envelope.subject.words == "2025-11-15 to 2026-01-10, Everyday and Rainy Day, csv, 5 documents")
        #expect(envelope.signed(with: Self.secret).json == json)
        guard case .documents(let selection) = envelope.subject else { throw MessageError(.malformed, "") }
        #expect(
            selection.places.map(\.description) == [
                "Everyday 2025-12 csv", "Everyday 2026-01-01 to 2026-01-10 csv",
                "Rainy Day 2025-11-15 to 2025-11-30 csv", "Rainy Day 2025-12 csv",
                "Rainy Day 2026-01-01 to 2026-01-10 csv",
            ])

        let manifest = try Self.example("daymanifest")
        let document = try SignedManifest(json: manifest).verified(with: Self.secret).manifest
        #expect(document.signed(with: Self.secret).json == manifest)
        #expect(document.document?.id == selection.items(ofBank: envelope.bankID)[1].id)
        #expect(document.document?.place == selection.places[1])
    }
}

/// The same examples, recomputed by a program that was written from the text alone.
@Suite("The specification of several documents, read by others", .needsPeers)
struct DocumentVectorPeerTests {
    @Test("has examples that Python recomputes")
    func python() async throws {
        let page = Repository.file("docs/specification/documents.md").path
        let outcome = try await Peers.run(script: "document_messages.py", [page])
        #expect(outcome.text == "recomputed 8\n")
    }
}
