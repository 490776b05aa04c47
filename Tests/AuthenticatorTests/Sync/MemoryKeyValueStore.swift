import Authenticator
import Foundation
import Synchronization

/// A store in memory, shared by all references to it.
final class MemoryKeyValueStore: KeyValueStore {
    private struct State {
        var values: [String: Data] = [:]
        var listeners: [UUID: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Mutex(State())

    init() {}

    func values(forKey key: String) async throws -> [StoredValue] {
        state.withLock { $0.values[key] }.map { [StoredValue(data: $0)] } ?? []
    }

    func set(_ value: Data, forKey key: String, superseding superseded: [StoredValue]) async throws {
        let listeners = state.withLock { state in
            state.values[key] = value
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield() }
    }

    func changes() throws -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        state.withLock { $0.listeners[id] = continuation }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[id] = nil }
        }
        return stream
    }
}
