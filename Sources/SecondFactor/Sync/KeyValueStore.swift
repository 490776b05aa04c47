import Foundation

/// A small store that something else carries from device to device: iCloud's key-value store on Apple systems, a
/// folder that a sync client keeps alike here.
public protocol KeyValueStore: Sendable {
    /// The value, and beside it what the carrier kept aside when two devices wrote at once; none when there is none.
    /// The value itself comes first.
    func values(forKey key: String) async throws -> [StoredValue]

    /// Writes the value whole or not at all, then removes the versions kept aside that `superseded` names.
    func set(_ value: Data, forKey key: String, superseding superseded: [StoredValue]) async throws

    /// Says when something may have changed. It is a hint: read the value to know.
    func changes() throws -> AsyncStream<Void>
}

/// A value, and where it lay.
public struct StoredValue: Sendable, Hashable {
    public let data: Data
    /// What the store needs to find this version again; nil for the value itself.
    public let version: String?

    public init(data: Data, version: String? = nil) {
        self.data = data
        self.version = version
    }
}
