import Foundation
import Storage
import TestSupport
import Testing

@testable import Phone

@Suite("A record of the audit log as a sentence")
struct AuditSentenceTests {
    @Test("names a bank by its name")
    func bank() {
        let event = AuditEvent("hold.overridden", severity: .warning, details: ["bank_id": "default"])
        let words = AuditSentence.words(event) { $0 == "default" ? "Meridian Savings" : $0 }
        #expect(words == "You allowed one more try at Meridian Savings")
    }

    @Test("there is one for every type of event that a phone records")
    func complete() throws {
        let types = try Self.recordedTypes()
        #expect(types.count > 45, "\(types.sorted())")
        for type in types.sorted() {
            let words = AuditSentence.words(AuditEvent(type)) { $0 }
            #expect(words != type && words.first?.isUppercase == true, "\(type): \(words)")
        }
    }

    @Test("a type that another program has written into the database fills no screen, and begins no line")
    func forged() {
        let words = AuditSentence.words(AuditEvent("a\nforged \u{202E}" + String(repeating: "x", count: 10_000))) { $0 }
        #expect(words.count <= 100 && !words.contains("\n"), "\(words)")
        #expect(words.hasPrefix("a\\u000aforged \\u202e"), "\(words)")
    }

    @Test("an event of a later version keeps its type")
    func unknown() {
        #expect(AuditSentence.words(AuditEvent("moon.landed")) { $0 } == "moon.landed")
    }

    /// Returns the types of events in the sources of the phone, its page and its commands.
    private static func recordedTypes() throws -> Set<String> {
        // Made of a request's state.
        var types: Set = [
            "request.approved", "request.executing", "request.completed", "request.failed", "request.denied",
            "request.expired", "audit.viewed", "audit.exported", "audit.pruned",
        ]
        for folder in ["Phone/Phone", "Phone/PhoneStore", "Phone/ApprovalPage", "CommandLine/PhoneCommands"] {
            let root = Repository.file("Sources/\(folder)")
            let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                guard
                    text.contains("AuditEvent") || text.contains("audit.record") || text.contains("BrokerTrust.record")
                else { continue }
                for kind in AuditKind.allCases where text.contains(try Regex("\\.\(kind)\\b")) {
                    types.insert(kind.rawValue)
                }
            }
        }
        return types
    }
}
