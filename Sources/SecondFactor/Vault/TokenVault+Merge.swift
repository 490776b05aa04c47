import Clocks
import Foundation

extension TokenVault {
    /// What both know, the later change of each token winning.
    ///
    /// Per token this takes the greater of two entries in one total order, so that the result does not depend on who
    /// merges, in which order, or how often: the operation is commutative, associative and idempotent. Of a change and
    /// a deletion in the same millisecond the change wins, for a token that came back can be deleted again.
    public func merged(with other: TokenVault) -> TokenVault {
        TokenVault(
            entries: entries.merging(other.entries) { $0.isBefore($1) ? $1 : $0 },
            lastModified: max(lastModified, other.lastModified))
    }

    /// Whether both hold the same tokens and remember the same deletions.
    public func hasSameContent(as other: TokenVault) -> Bool {
        entries.count == other.entries.count && entries.allSatisfy { id, entry in other.entries[id] == entry }
    }
}

extension TokenVault.Entry {
    /// The order that a merge takes the greater of.
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
    /// Two devices can change a token in the same millisecond; any order does, as long as it is everyone's.
    fileprivate var tieBreaker: [String] {
        [issuer, account, "\(createdAt.milliseconds)", "\(digits) \(period) \(algorithm.rawValue)", secret.revealed()]
    }
}
