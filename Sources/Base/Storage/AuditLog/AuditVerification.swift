import Encodings
import Secrets

/// A place in the chain: a record's id and hash. Its text, `17:9f86d0…`, can be written down or sent elsewhere.
package struct AuditCheckpoint: Sendable, Hashable, LosslessStringConvertible {
    package let id: Int64
    package let hash: String

    init(id: Int64, hash: String) {
        self.id = id
        self.hash = hash
    }

    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = Int64(parts[0]), id >= 0, Base16.isEncoding(parts[1], ofBytes: 32)
        else { return nil }
        self.init(id: id, hash: String(parts[1]))
    }

    package var description: String { "\(id):\(hash)" }
}

/// The result of verifying the chain.
package enum AuditVerification: Sendable, Hashable, CustomStringConvertible {
    case intact(count: Int, last: AuditCheckpoint)
    /// The first record that was changed, or does not follow the one before.
    case broken(at: Int64)
    /// The checkpoint's record is missing, like all records after this one.
    case truncated(after: Int64)
    /// The chain begins after this record, and no record says that the ones before were pruned.
    case unexplainedStart(after: Int64)
    /// The chain is unbroken, but does not contain the checkpoint.
    case rewritten(before: Int64)
    /// The chain is unbroken, but the checkpoint's record was pruned, so the checkpoint proves nothing any more.
    case checkpointPruned(id: Int64, through: Int64)

    package var isIntact: Bool { if case .intact = self { true } else { false } }

    package var description: String {
        switch self {
        case .intact(let count, let last): "\(count.counted("record")), unbroken; checkpoint \(last)"
        case .broken(let id): "record \(id) was changed, or a record before it is missing"
        case .truncated(let id): "records after \(id) are missing"
        case .unexplainedStart(let id): "the records up to \(id) are gone, and no record says that they were pruned"
        case .rewritten(let id): "the log was rewritten: record \(id) differs from the checkpoint"
        case .checkpointPruned(let id, let through):
            "the records are unbroken, but those up to \(through) were pruned, and the checkpoint's record \(id) with them: "
                + "this checkpoint proves nothing any more. Verify without it, and keep the checkpoint that is printed"
        }
    }
}
