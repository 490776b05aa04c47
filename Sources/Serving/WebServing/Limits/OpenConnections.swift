import NIOCore
import Synchronization

/// The limit on a server's open connections, in all and for each address.
///
/// A server that only stops accepting can be stalled by a few hundred connections that send nothing. Here the oldest
/// silent connection is closed instead, so that a new client is served at once. A connection's id is its channel's.
package final class OpenConnections: Sendable {
    private struct State {
        var roster: ConnectionRoster<ObjectIdentifier>
        /// Closes a connection at once.
        var cuts: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state: Mutex<State>

    /// - Parameter limit: the most connections; one address may have half of them.
    package init(limit: Int) {
        state = Mutex(State(roster: ConnectionRoster(limit: limit)))
    }

    /// Adds a connection.
    ///
    /// - Parameter cut: closes it at once; called at most once, from any thread.
    func open(_ id: ObjectIdentifier, from address: SocketAddress?, cut: @escaping @Sendable () -> Void) {
        let leaving = state.withLock { state in
            state.cuts[id] = cut
            let leaving = state.roster.open(id, from: Self.origin(of: address))
            return leaving.compactMap { state.cuts.removeValue(forKey: $0) }
        }
        for cut in leaving { cut() }
    }

    func waitForClient(_ id: ObjectIdentifier) { state.withLock { $0.roster.waitForClient(id) } }

    func prepareAnswer(_ id: ObjectIdentifier) { state.withLock { $0.roster.prepareAnswer(id) } }

    /// Notes that the client of this connection has proved to be a phone: the connection does not make room for others,
    /// up to a quarter of the limit.
    package func prefer(_ channel: any Channel) {
        state.withLock { $0.roster.prefer(ObjectIdentifier(channel)) }
    }

    func close(_ id: ObjectIdentifier) {
        state.withLock { state in
            state.roster.close(id)
            state.cuts[id] = nil
        }
    }

    /// Returns what counts as one address: an IPv4 address, or an IPv6 network of 64 bits, which one machine owns.
    package static func origin(of address: SocketAddress?) -> String {
        switch address {
        case .v6(let v6) where !v6.address.isMapped:
            withUnsafeBytes(of: v6.address.sin6_addr) { $0.prefix(8).map(String.init).joined(separator: ".") }
        default: address?.machine ?? "unknown"
        }
    }

    /// Returns what counts as one address; the text itself when it is not an IP address.
    package static func origin(of text: String) -> String {
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return text }
        return origin(of: address)
    }
}
