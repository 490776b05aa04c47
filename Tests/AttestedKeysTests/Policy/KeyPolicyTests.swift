import Encodings
import Foundation
import TestSupport
import Testing

@testable import AttestedKeys

@Suite("Key policy") struct KeyPolicyTests {
    static let json: [String: JSONValue] = [
        "version": 1, "runtime": "software", "measurements": [.string(String(repeating: "0a", count: 32))],
        "active_key": ["token_key_id": "mk-1", "token_version": 2], "evidence_max_age_seconds": 60,
    ]

    @Test("it is read and written in the same form")
    func form() throws {
        let policy = try KeyPolicy(.object(Self.json))
        #expect(policy.activeKey == KeyReference(tokenKeyID: "mk-1", tokenVersion: 2))
        #expect(policy.evidenceMaxAge == 60)
        #expect(policy.json == .object(Self.json))
        var json = Self.json
        json["registers"] = ["8": [.string(String(repeating: "0b", count: 48))]]
        let narrow = try KeyPolicy(.object(json))
        #expect(narrow.registers == [8: [String(repeating: "0b", count: 48)]])
        #expect(narrow.json == .object(json))
    }

    @Test(
        "a wrong member is named",
        arguments: [
            ("version", 2), ("runtime", 1), ("measurements", ["XX"]), ("measurements", "x"), ("active_key", [:]),
            ("active_key", ["token_key_id": "k", "token_version": 0]), ("evidence_max_age_seconds", -1),
            ("evidence_max_age_seconds", 3601), ("measurement", "x"), ("registers", []), ("registers", ["32": ["x"]]),
            ("registers", ["08": ["x"]]),
            ("registers", ["8": []]), ("registers", ["8": ["x"]]), ("registers", ["8": "x"]),
        ] as [(String, JSONValue)])
    func wrong(_ name: String, _ value: JSONValue) {
        var json = Self.json
        json[name] = value
        #expect {
            try KeyPolicy(.object(json))
        } throws: {
            String(describing: $0).contains("“\(name)”")
        }
    }

    @Test("an edit of the file counts at the next decision; a file that others can read does not count")
    func file() throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("policy.json")
        let policy = KeyPolicyFile(file)
        #expect(throws: KeyPolicyError.self) { try policy.read() }
        var rules = try KeyPolicy(.object(Self.json))
        #expect(try policy.makeIfAbsent(rules))
        rules.evidenceMaxAge = 0
        #expect(try !policy.makeIfAbsent(rules))
        #expect(try policy.read().evidenceMaxAge == 60)
        try policy.write(rules)
        #expect(try policy.read().evidenceMaxAge == 0)
        chmod(file.path, 0o644)
        #expect { try policy.read() } throws: { String(describing: $0).contains("0600") }
    }
}
