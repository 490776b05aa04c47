import Foundation

/// A small store that another program syncs between devices, such as a synced folder.
package protocol KeyValueStore: Sendable {
    /// Returns the value, followed by conflicting versions that the sync client kept when two devices wrote at once.
    /// Empty if nothing is stored.
    func values(forKey key: String) async throws -> [StoredValue]

    /// Writes the value atomically, then removes the conflicting versions listed in `superseded`.
    func set(_ value: Data, forKey key: String, superseding superseded: [StoredValue]) async throws

    /// Returns a stream that yields when a value may have changed. Read the value to find out.
    func changes() throws -> AsyncStream<Void>
}

/// A value and the place where it was stored.
package struct StoredValue: Sendable, Hashable {
    package let data: Data
    /// The store's name for a conflicting version; nil for the value itself.
    package let version: String?

    package init(data: Data, version: String? = nil) {
        self.data = data
        self.version = version
    }
}
