import Secrets

/// Keeps what a source of documents needs again at its next visit, such as the id that the bank gave this installation.
public protocol SourceMemory: Sendable {
    /// Returns what was kept for a bank; nil for nothing.
    func kept(forBank bankID: String) async throws -> Secret?

    /// Keeps a value for a bank in place of the one before; nil forgets it.
    func keep(_ value: Secret?, forBank bankID: String) async throws
}

/// Keeps nothing, so that each visit is like the first.
package struct NoSourceMemory: SourceMemory {
    package init() {}

    package func kept(forBank bankID: String) async throws -> Secret? { nil }
    package func keep(_ value: Secret?, forBank bankID: String) async throws {}
}
