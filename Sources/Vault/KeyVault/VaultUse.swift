import Foundation
import Synchronization

/// The use of a vault by a store that is open in this process, until the store is closed.
///
/// A new vault key makes every store useless that is open under the old one: a visit could not keep what a bank has just given it.
/// So a vault gets a new key only while no other store is open.
final class VaultUse: Sendable {
    private static let uses = Mutex<[String: (count: Int, isAlone: Bool)]>([:])

    private let path: String

    /// - Throws: `busy` while the vault gets a new key.
    init(_ vault: URL) throws(VaultError) {
        let path = vault.standardizedFileURL.path
        let isFree = Self.uses.withLock { uses in
            if uses[path]?.isAlone == true { return false }
            uses[path, default: (0, false)].count += 1
            return true
        }
        guard isFree else { throw VaultError(.busy, "the vault gets a new key just now; try again") }
        self.path = path
    }

    deinit {
        Self.uses.withLock { [path] uses in
            uses[path]?.count -= 1
            if uses[path]?.count == 0 { uses[path] = nil }
        }
    }

    /// Runs `body` while no other store can be open.
    ///
    /// - Throws: `inUse` when another one is.
    func alone<Result>(_ body: () throws -> Result) throws -> Result {
        let isAlone = Self.uses.withLock { [path] uses in
            guard uses[path]?.count == 1, uses[path]?.isAlone == false else { return false }
            uses[path]?.isAlone = true
            return true
        }
        guard isAlone else {
            throw VaultError(
                .inUse,
                "the vault is in use, for example because a statement is being fetched or a bank connected. Nothing was changed; try "
                    + "again when that has ended")
        }
        defer { Self.uses.withLock { [path] uses in uses[path]?.isAlone = false } }
        return try body()
    }
}
