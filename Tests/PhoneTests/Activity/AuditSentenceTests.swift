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

    @Test("an event of a later version keeps its type")
    func unknown() {
        #expect(AuditSentence.words(AuditEvent("moon.landed")) { $0 } == "moon.landed")
    }

    /// Returns the types of events in the sources of the phone, its page and its commands.
    private static func recordedTypes() throws -> Set<String> {
        var types: Set<String> = []
        for folder in [
            "Phone/Phone", "Phone/PhoneStore", "Phone/ApprovalPage", "CommandLine/PhoneCommands/Desk",
        ] {
            let root = Repository.file("Sources/\(folder)")
            let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(
                    of: /(?:AuditEvent|record|let event =)[^"\n]{0,60}\s*[^"\n]{0,60}"([a-z]+\.[a-z_]+)"/)
                {
                    types.insert(String(match.1))
                }
                // The events of tokens share one beginning.
                for match in text.matches(of: /AuditEvent \{\s*token\("([a-z_]+)"/) { types.insert("totp.\(match.1)") }
            }
        }
        return types
    }
}
