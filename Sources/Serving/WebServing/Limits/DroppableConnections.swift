import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

/// A server's connections, of which one may be dropped before it is served.
///
/// NIO ends the process when an unfinished `NIOAsyncChannel` goes away, and a server that is stopped drops the connections
/// that it has accepted and not yet served. So a client that connects in that moment would end the phone or the broker
/// before it has closed its files. Here a dropped connection is closed.
struct DroppableConnections<Base: ServerChildChannel>: ServerChildChannel
where Base.Value == NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart> {
    let base: Base

    /// A connection that is closed when it is dropped.
    final class Value: ServerChildChannelValue {
        let channel: any Channel
        private let unserved: Mutex<Base.Value?>

        init(_ connection: Base.Value) {
            channel = connection.channel
            unserved = Mutex(connection)
        }

        deinit {
            guard let connection = take() else { return }
            Task { try? await connection.executeThenClose { _, _ in } }
        }

        /// Returns the connection, once.
        func take() -> Base.Value? {
            unserved.withLock { unserved in
                defer { unserved = nil }
                return unserved
            }
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        base.setup(channel: channel, logger: logger).map { Value($0) }
    }

    func handle(value: Value, logger: Logger) async {
        guard let connection = value.take() else { return }
        await base.handle(value: connection, logger: logger)
    }
}
