import Hummingbird
import HummingbirdCore
import HummingbirdTLS
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
        stoppable(
            .init(
                additionalChannelHandlers: [RequestDeadlines(timeouts, among: connections)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)),
            tls: tls)
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
