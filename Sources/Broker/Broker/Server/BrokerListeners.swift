import Foundation
import Hummingbird
import Machine
import NIOCore
import ServiceLifecycle

/// The broker's server as a service: its socket first, where it has one, and then its port.
///
/// It explains why it cannot listen. On a disk that takes no sockets it goes on with its port. A broker for this machine alone
/// goes on without its port when another program has that one, as long as it has its socket: a program of another user must not
/// be able to keep a household from working.
struct BrokerListeners: Service {
    private let http: BrokerServer
    private let network: BrokerApplication
    private let local: BrokerSocketListener?
    /// Called when the broker answers at its socket alone.
    private let onSocketAlone: @Sendable () async -> Void
    /// Ends what calls wait for.
    private let endWaiting: @Sendable () async -> Void

    /// - Parameter onReady: called with the port once the broker answers on it, and on its socket where it can be made.
    /// - Throws: like ``BrokerServer/applications(notices:onReady:onSocketReady:)``.
    init(
        http: BrokerServer, notices: OwnerNotices, onReady: @escaping @Sendable (Int) async -> Void,
        onSocketAlone: @escaping @Sendable () async -> Void, endWaiting: @escaping @Sendable () async -> Void
    ) throws {
        self.http = http
        self.onSocketAlone = onSocketAlone
        self.endWaiting = endWaiting
        let made = http.configuration.socket.map { MadeSocket(BrokerSocket(served: $0)) }
        let applications = try http.applications(notices: notices, onReady: onReady) { made?.note() }
        network = applications.network
        local = made.flatMap { made in
            applications.socket.map {
                BrokerSocketListener(made, $0, look: http.configuration.socketLook, logger: http.logger)
            }
        }
    }

    func run() async throws {
        try await withGracefulShutdownHandler {
            guard let local else { return try await serveNetwork(hasSocket: false) }
            let lock = try await local.made.socket.claim()
            defer {
                local.made.remove()
                withExtendedLifetime(lock) {}
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await local.run() }
                let hasSocket = try await local.made.isMade()
                group.addTask { try await serveNetwork(hasSocket: hasSocket) }
                while try await group.next() != nil {}
            }
        } onGracefulShutdown: {
            Task { await endWaiting() }
        }
    }

    /// - Parameter hasSocket: true when the broker answers at its socket.
    private func serveNetwork(hasSocket: Bool) async throws {
        do {
            try await network.run()
        } catch let error as IOError {
            let reason = http.explanation(of: error)
            guard error.errnoCode == EADDRINUSE, hasSocket, http.configuration.isForThisMachine else {
                throw BrokerStartError(message: reason)
            }
            http.logger.error(
                "\(BrokerService.socketAlone), so only programs of its own user reach it",
                metadata: ["problem": "\(reason)"])
            await onSocketAlone()
            try await gracefulShutdown()
        }
    }
}
