import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Machine
import NIOCore
import NIOSSL

extension HTTPServerBuilder {
    /// Returns an HTTP/1.1 server with limits on the size of a head and the time of a request, which can be stopped at any
    /// moment.
    ///
    /// - Parameters:
    ///   - timeouts: the times after which a slow client is cut off.
    ///   - connections: the open connections; their limit decides which one makes room.
    ///   - tls: nil for plain HTTP.
    package static func limited(
        _ timeouts: ConnectionTimeouts, among connections: OpenConnections, tls: TLSConfiguration? = nil
    ) -> HTTPServerBuilder {
        stoppable(configuration(timeouts, connections), tls: tls)
    }

    /// Returns the same for a Unix socket, at which only its users are served.
    package static func limited(
        _ timeouts: ConnectionTimeouts, among connections: OpenConnections, at socket: ServedSocket
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let http = HTTP1Channel(responder: responder, configuration: configuration(timeouts, connections))
            return ExpectedPeers(base: DroppableConnections(base: http), socket: socket)
        }
    }

    private static func configuration(
        _ timeouts: ConnectionTimeouts, _ connections: OpenConnections
    ) -> HTTP1Channel.Configuration {
        .init(
            additionalChannelHandlers: [RequestDeadlines(timeouts, among: connections)],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
    }

    /// Returns an HTTP/1.1 server that can be stopped at any moment, also while a client connects.
    ///
    /// - Parameter tls: nil for plain HTTP.
    package static func stoppable(
        _ configuration: HTTP1Channel.Configuration = .init(), tls: TLSConfiguration? = nil
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let http = HTTP1Channel(responder: responder, configuration: configuration)
            guard let tls else { return DroppableConnections(base: http) }
            return DroppableConnections(base: try TLSChannel(http, tlsConfiguration: tls))
        }
    }
}
