import Broker
import BrokerStore
import Encodings
import Foundation
import Inbox
import Machine
import Messages
import Secrets
import Signer
import Storage
import Testing

@Suite("A writer of the synced folder, and what a refused delivery leaves behind", .timeLimit(.minutes(3)))
struct RefusedDeliveryTests {
    @Test("a refused statement does not stay in the synced folder")
    func elsewhere() async throws {
        try await AttackedBroker().run { broker in
            let id = try RequestID(#require(try await broker.ask().json["request_id"]?.stringValue))!
            try broker.deliver(Self.pdf, for: id)
            try await Self.refused(broker)
            #expect(try Self.names(broker.inbox).isEmpty)
            let kept = try broker.configuration.rejected
            #expect(try Self.names(kept).count == 2, "its owner can look at it")
            let mode = try FileManager.default.attributesOfItem(atPath: kept.path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
    }

    @Test("a symbolic link named “rejected” receives nothing")
    func link() async throws {
        try await AttackedBroker().run { broker in
            let home = broker.root.appending(path: "home", directoryHint: .isDirectory)
            try PrivateFolder.make(home)
            #expect(symlink(home.path, broker.inbox.appending(path: "rejected").path) == 0)
            let id = try RequestID(#require(try await broker.ask().json["request_id"]?.stringValue))!
            try broker.deliver(Self.pdf, for: id)
            try await Self.refused(broker)
            #expect(try Self.names(home).isEmpty)
        }
    }

    @Test("a link in the broker's own place for refused deliveries is not followed either")
    func ownLink() async throws {
        let broker = try AttackedBroker()
        let home = broker.root.appending(path: "home", directoryHint: .isDirectory)
        try PrivateFolder.make(home)
        try PrivateFolder.make(broker.database.deletingLastPathComponent())
        #expect(symlink(home.path, try broker.configuration.rejected.path) == 0)
        try await broker.run { broker in
            let id = try RequestID(#require(try await broker.ask().json["request_id"]?.stringValue))!
            try broker.deliver(Self.pdf, for: id)
            try await Self.refused(broker)
            #expect(try Self.names(home).isEmpty)
        }
        let refusal = try #require(try await Self.audited("delivery.rejected", broker).first)
        #expect(refusal["files_without_copy"] == 2, "the log says that no evidence was kept: \(refusal)")
    }

    @Test("a folder with a manifest's name is reported once, not at every look")
    func folder() async throws {
        try await AttackedBroker().run { broker in
            let folder = broker.inbox.appending(path: "x.manifest.json", directoryHint: .isDirectory)
            try PrivateFolder.make(folder)
            try await Self.refused(broker)
            // A delivery is refused at the second look that sees it, so the folder has been seen again by then.
            let id = try RequestID(#require(try await broker.ask().json["request_id"]?.stringValue))!
            try broker.deliver(Self.pdf, for: id)
            func refusals(ofFolder isFolder: Bool) -> Int {
                broker.log.all.count { $0.contains("delivery refused") && $0.contains("x.manifest.json") == isFolder }
            }
            while refusals(ofFolder: false) == 0 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(refusals(ofFolder: true) == 1)
        }
    }

    @Test("refused deliveries are kept for a week")
    func age() async throws {
        let broker = try AttackedBroker()
        let folder = try broker.configuration.rejected
        try await broker.run { broker in
            let id = try RequestID(#require(try await broker.ask().json["request_id"]?.stringValue))!
            try broker.deliver(Self.pdf, for: id)
            try await Self.refused(broker)
        }
        #expect(try Self.names(folder).count == 2)
        // The removal of a file that is two days older shows that the broker has looked for old ones.
        let older = folder.appending(path: "older")
        try Data().write(to: older)
        try FileManager.default.setAttributes(
            [.modificationDate: Date().addingTimeInterval(-2 * 86_400)], ofItemAtPath: older.path)
        broker.advance(by: 6 * 86_400)
        try await broker.run { broker in try await Self.discarded(1, by: broker) }
        #expect(try Self.names(folder).count == 2)
        #expect(!FileManager.default.fileExists(atPath: older.path))
        broker.advance(by: 2 * 86_400)
        try await broker.run { broker in try await Self.discarded(2, by: broker) }
        #expect(try Self.names(folder).isEmpty)
        #expect(
            try await Self.audited("deliveries.discarded", broker) == [
                ["files": 1, "cause": "age"], ["files": 2, "cause": "age"],
            ])
    }

    /// Waits until the broker has recorded that it discarded old deliveries so many times.
    private static func discarded(_ count: Int, by broker: AttackedBroker) async throws {
        while try await audited("deliveries.discarded", broker).count < count {
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private static func audited(_ type: String, _ broker: AttackedBroker) async throws -> [JSONValue] {
        try await BrokerAudit.open(broker.database).records().map(\.event).filter { $0.type == type }.map(\.details)
    }

    @Test("the agent learns that a delivery was refused, when no good one came in time")
    func told() async throws {
        try await AttackedBroker().run { broker in
            let id = try await broker.approved()
            let foreign = try SharedSecret(Secret(String(repeating: "f", count: 40)))
            let file = broker.root.appending(path: "foreign.pdf")
            try AtomicFile.write(Self.pdf, to: file)
            _ = try InboxPublisher(folder: broker.inbox, secret: foreign).publish(
                pdf: file, for: id, period: .init(month: 1, year: 2026)!, completedAt: .init(broker.now))
            try await Self.refused(broker)
            #expect(try await broker.send("GET", "/request/\(id)").json["status"] == "APPROVED", "a good one may come")
            broker.advance(by: 601)
            let outcome = try await broker.outcome(of: id)
            #expect(
                outcome["status"] == "FAILED" && outcome["error_code"] == "MANIFEST_VERIFICATION_FAILED", "\(outcome)")
        }
    }

    @Test(
        "what is not a PDF by its bytes is refused, whatever its manifest says, and the agent learns it at once",
        arguments: [
            "PK\u{3}\u{4} a ZIP that holds %PDF-1.4 startxref 0 %%EOF", "<html>%PDF-1.4</html> startxref 0 %%EOF",
            "%PDF-1.4 cut off", "%PDF-1.4 startxref 0 %%EOF" + String(repeating: "x", count: 5000),
            "%PDF- startxref %%EOF",
            "MZ%PDF-1.4 startxref 0 %%EOF", "", "%PDF-1.4 %%EOF",
        ])
    func notPDF(text: String) async throws {
        try await AttackedBroker().run { broker in
            let id = try await broker.approved()
            try broker.deliver(Array(text.utf8), for: id)
            let outcome = try await broker.outcome(of: id)
            #expect(
                outcome["status"] == "FAILED" && outcome["error_code"] == "MANIFEST_VERIFICATION_FAILED", "\(outcome)")
        }
    }

    @Test(
        "a PDF with white space or a byte order mark before it, or bytes after its end, is one",
        arguments: ["", "\u{FEFF}", "\r\n  ", "\u{FEFF}\n"], ["", "\n", String(repeating: " ", count: 900)])
    func realPDF(before: String, after: String) async throws {
        try await AttackedBroker().run { broker in
            let id = try await broker.approved()
            let padding = String(repeating: "x", count: 300_000)
            try broker.deliver(Array("\(before)%PDF-1.7\n\(padding)\nstartxref\n0\n%%EOF\(after)".utf8), for: id)
            #expect(try await broker.outcome(of: id)["status"] == "COMPLETED")
        }
    }

    private static let pdf = Array("%PDF-1.4 a bank statement startxref 0 %%EOF".utf8)

    private static func refused(_ broker: AttackedBroker) async throws {
        while !broker.log.all.contains(where: { $0.contains("delivery refused") }) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Returns the names of what is in the folder, links aside.
    private static func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "rejected" }
    }
}
