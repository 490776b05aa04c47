import Encodings
import Foundation
import Secrets
import Testing

@testable import Authenticator

@Suite("Merging")
struct TokenVaultMergeTests {
    /// All states of a few tokens, including ties in time: the same id with other names, or deleted at the same moment.
    private static func states() throws -> [UUID: [TokenVault.Entry]] {
        var states: [UUID: [TokenVault.Entry]] = [:]
        for number in 0..<5 {
            let id = UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)")!
            let token = try aToken("Bank \(number)", id: id)
            var entries: [TokenVault.Entry] = [.token(token), .deleted(token.updatedAt.after(token.updatedAt))]
            for name in ["a", "b", "c"] {
                let renamed = try token.renamed(account: name, at: someMoment.addingTimeInterval(1))
                entries += [.token(renamed), .deleted(renamed.updatedAt), .token(try renamed.renamed(issuer: name))]
            }
            states[id] = entries
        }
        return states
    }

    @Test("100,000 random merges of three replicas converge in any order")
    func convergence() throws {
        let states = try Self.states()
        var generator = SeededGenerator(seed: 7)
        var merges = 0
        var failures = 0
        while merges < 100_000 {
            let replicas = (0..<3).map { _ in
                let entries = states.compactMapValues {
                    Bool.random(using: &generator) ? $0.randomElement(using: &generator) : nil
                }
                func unknown() -> [String: JSONValue] {
                    Bool.random(using: &generator)
                        ? ["colour": .string(["green", "red"].randomElement(using: &generator)!)] : [:]
                }
                return TokenVault(
                    entries: entries, unknown: unknown(),
                    unknownOfTokens: entries.compactMapValues { entry in
                        guard case .token = entry else { return nil }
                        let members = unknown()
                        return members.isEmpty ? nil : members
                    },
                    lastModified: someMoment.addingTimeInterval(Double(Int.random(in: 0..<9, using: &generator))))
            }
            let (a, b, c) = (replicas[0], replicas[1], replicas[2])
            let results = [
                a.merged(with: b).merged(with: c), c.merged(with: b).merged(with: a),
                b.merged(with: c.merged(with: a)), a.merged(with: a).merged(with: c.merged(with: b)).merged(with: b),
            ]
            merges += 10
            let first = results[0]
            let agree = results.allSatisfy { $0.hasSameContent(as: first) && $0.lastModified == first.lastModified }
            // Nothing is lost: each token is in its latest state on any replica.
            let isComplete = Set(first.entries.keys) == Set(replicas.flatMap(\.entries.keys))
            let isLatest = first.entries.allSatisfy { id, entry in
                let known = replicas.compactMap { $0.entries[id] }
                return known.contains(entry) && known.allSatisfy { !entry.isBefore($0) }
            }
            if !(agree && isComplete && isLatest) { failures += 1 }
        }
        #expect(failures == 0)
    }

    @Test("keeps changes of both devices")
    func both() throws {
        let shared = try aToken("Shared")
        let base = try aVault(shared)
        var one = base
        var two = base
        try one.add(aToken("One"))
        try two.add(aToken("Two"))
        try two.rename(shared.id, account: "new")
        let merged = one.merged(with: two)
        #expect(merged.tokens.map(\.issuer) == ["One", "Shared", "Two"])
        #expect(merged.token(shared.id)?.account == "new")
    }

    @Test("keeps a deletion that another copy has not seen")
    func deletion() throws {
        let token = try aToken()
        let old = try aVault(token)
        var new = old
        try new.delete(token.id)
        #expect(old.merged(with: new).tokens.isEmpty && new.merged(with: old).tokens.isEmpty)
    }

    @Test("restores a deleted token that changed later")
    func resurrection() throws {
        let token = try aToken()
        var one = try aVault(token)
        var two = one
        try one.delete(token.id, at: someMoment.addingTimeInterval(1))
        try two.rename(token.id, account: "kept", at: someMoment.addingTimeInterval(5))
        #expect(one.merged(with: two).tokens.map(\.account) == ["kept"])
    }
}

/// SplitMix64, so that a failure can be reproduced.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
