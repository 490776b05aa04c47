import AssistantJobs
import Crypto
import Foundation
import Secrets
import TestSupport
import Testing

@Suite("The keys of the assistant's columns")
struct StateKeysTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var state: URL { folder.appending("state") }
    private var file: URL { state.appending(path: "root.key") }

    @Test("name their version in what they seal, and open every version after a rotation")
    func rotation() throws {
        let before = try StateKeys(in: state)
        let old = try before.seal(Secret("an invitation"), as: "mail of alert 1")
        #expect(StateKeys.version(of: old) == 1)
        #expect(try StateKeys.rotate(in: state) == 2)
        #expect(try Data(contentsOf: file).count == 64)

        let after = try StateKeys(in: state)
        let new = try after.seal(Secret("an invitation"), as: "mail of alert 1")
        #expect(StateKeys.version(of: new) == 2)
        for sealed in [old, new] {
            #expect(try after.open(sealed, as: "mail of alert 1").revealed() == "an invitation")
            // A program that has run since before the rotation reads the file again.
            #expect(try before.open(sealed, as: "mail of alert 1").revealed() == "an invitation")
        }
        #expect(StateKeys.version(of: try before.seal(Secret("x"), as: "y")) == 1)
        // Identities and sessions are as they were.
        #expect(before.digest("someone", for: "apple") == after.digest("someone", for: "apple"))
        #expect(before.accessTokens == after.accessTokens)
    }

    @Test("open what was sealed before there were versions")
    func unversioned() throws {
        let keys = try StateKeys(in: state)
        let columns = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: try Data(contentsOf: file)),
            info: Data("countersign assistant: columns".utf8), outputByteCount: 32)
        // Also one whose random nonce looks like the mark of a version.
        for nonce in [Array("ck\u{0}\u{1}12345678".utf8), Array("123456789012".utf8)] {
            let box = try AES.GCM.seal(
                Data("a text".utf8), using: columns, nonce: AES.GCM.Nonce(data: nonce),
                authenticating: Data("brief 1".utf8))
            let sealed = Array(try #require(box.combined))
            #expect(try keys.open(sealed, as: "brief 1").revealed() == "a text")
            #expect(throws: (any Error).self) { try keys.open(sealed, as: "brief 2") }
        }
    }

    @Test("refuse what was changed, cut, moved to another row or given another version")
    func forged() throws {
        let keys = try StateKeys(in: state)
        _ = try StateKeys.rotate(in: state)
        let sealed = try keys.seal(Secret("a text"), as: "brief 1")
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: (any Error).self, "byte \(index)") { try keys.open(changed, as: "brief 1") }
        }
        for length in 0..<sealed.count {
            #expect(throws: (any Error).self) { try keys.open(Array(sealed.prefix(length)), as: "brief 1") }
        }
        #expect(throws: (any Error).self) { try keys.open(sealed, as: "brief 2") }
    }

    @Test("are refused when the file is torn, empty or open to others; a rotation leaves it as it was then")
    func damaged() throws {
        #expect(throws: AssistantStartError.self) { try StateKeys.rotate(in: state) }
        _ = try StateKeys(in: state)
        let whole = try Data(contentsOf: file)
        for bytes in [Data(), whole.dropLast(), whole + Data([1])] {
            try Data(bytes).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            #expect(throws: AssistantStartError.self) { try StateKeys(in: state) }
            #expect(throws: AssistantStartError.self) { try StateKeys.rotate(in: state) }
            #expect(try Data(contentsOf: file) == bytes)
        }
        try whole.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        #expect(throws: AssistantStartError.self) { try StateKeys(in: state) }
    }

    @Test("each rotation counts when several come at once")
    func together() async throws {
        _ = try StateKeys(in: state)
        let state = state
        let versions = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try StateKeys.rotate(in: state) } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(versions == Set(2...9))
        #expect(StateKeys.version(of: try StateKeys(in: state).seal(Secret("x"), as: "y")) == 9)
    }
}
