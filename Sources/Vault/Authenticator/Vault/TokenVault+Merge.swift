import Clocks
import Encodings
import Foundation

extension TokenVault {
    /// Returns the tokens of both vaults; the later change of each token wins.
    ///
    /// For each token this takes the greater of two entries in one total order. So the result does not depend on which
    /// device merges, in which order, or how often: the operation is commutative, associative and idempotent. If a
    /// change and a deletion happen in the same millisecond, the change wins, because the person can delete the token
    /// again.
    package func merged(with other: TokenVault) -> TokenVault {
        let entries = entries.merging(other.entries) { $0.isBefore($1) ? $1 : $0 }
        var unknownOfTokens: [UUID: [String: JSONValue]] = [:]
        for id in Set(self.unknownOfTokens.keys).union(other.unknownOfTokens.keys) {
            guard case .token(let token) = entries[id] else { continue }
            let copies = [self, other].filter { $0.entries[id] == .token(token) }
            let unknown = copies.map { $0.unknownOfTokens[id] ?? [:] }.reduce([:], Self.joined)
            if !unknown.isEmpty { unknownOfTokens[id] = unknown }
        }
        return TokenVault(
            entries: entries, unknown: Self.joined(unknown, other.unknown), unknownOfTokens: unknownOfTokens,
            lastModified: max(lastModified, other.lastModified))
    }

    /// Joins members that this program does not know. Of two values the greater text stays, so that every order of merges ends in the
    /// same.
    private static func joined(
        _ first: [String: JSONValue], _ second: [String: JSONValue]
    ) -> [String: JSONValue] {
        first.merging(second) { $0.compactText() < $1.compactText() ? $1 : $0 }
    }

    /// Returns whether both vaults have the same tokens and the same deletions.
    package func hasSameContent(as other: TokenVault) -> Bool {
        entries.count == other.entries.count && entries.allSatisfy { id, entry in other.entries[id] == entry }
            && unknown == other.unknown && unknownOfTokens == other.unknownOfTokens
    }
}

extension TokenVault.Entry {
    /// Returns whether a merge prefers the other entry.
    func isBefore(_ other: Self) -> Bool {
        if changedAt.milliseconds != other.changedAt.milliseconds {
            return changedAt.milliseconds < other.changedAt.milliseconds
        }
        return switch (self, other) {
        case (.deleted, .token): true
        case (_, .deleted): false
        case (.token(let left), .token(let right)): left.tieBreaker.lexicographicallyPrecedes(right.tieBreaker)
        }
    }
}

extension Token {
    /// Orders two changes in the same millisecond. Any order works as long as all devices use the same one.
    fileprivate var tieBreaker: [String] {
        [issuer, account, "\(createdAt.milliseconds)", "\(digits) \(period) \(algorithm.rawValue)", secret.revealed()]
    }
}
