import Synchronization

/// Keeps the cookies by which a bank knows this device, sealed, each bank's apart.
public protocol DeviceMemory: Sendable {
    /// Returns what was kept for a bank; nil for nothing.
    func device(atBank bankID: String) async throws -> KnownDevice?

    /// Keeps a device in place of the one before; nil forgets it.
    func keep(_ device: KnownDevice?, atBank bankID: String) async throws
}

/// Keeps devices for the life of a program, such as a test.
public final class MemoryDevices: DeviceMemory {
    private let kept = Mutex<[String: KnownDevice]>([:])

    public init() {}

    public func device(atBank bankID: String) async throws -> KnownDevice? { kept.withLock { $0[bankID] } }

    public func keep(_ device: KnownDevice?, atBank bankID: String) async throws {
        kept.withLock { $0[bankID] = device }
    }
}
