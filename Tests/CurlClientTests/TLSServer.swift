import Crypto
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization
import TestServers

/// A TLS server on loopback with its own certificate. It answers every request and counts the bytes that come
/// after its handshakes.
final class TLSServer: Sendable {
    /// SHA-256 of the certificate in DER, as 64 hex digits.
    let certificate: String
    /// SHA-256 of its public key (SubjectPublicKeyInfo), in base64.
    let publicKey: String
    /// The self-signed certificate, in PEM.
    let authority: URL
    let port: Int
    private let channel: any Channel
    private let counter: ByteCounter

    var url: String { "https://127.0.0.1:\(port)" }
    /// The bytes of HTTP that clients have sent.
    var received: Int { counter.bytes.withLock { $0 } }
    var handshakes: Int { counter.handshakes.withLock { $0 } }

    init(names: [String] = [], lifetime: TimeInterval = 86_400) async throws {
        let made = try LoopbackCertificate(hosts: names, lifetime: lifetime, isAuthority: true)
        certificate = SHA256.hash(data: made.der).map { String(format: "%02x", $0) }.joined()
        publicKey = Data(SHA256.hash(data: made.key.publicKey.derRepresentation)).base64EncodedString()
        authority = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
        try made.pem.write(to: authority, atomically: true, encoding: .utf8)
        let context = try NIOSSLContext(configuration: made.tls)
        let counter = ByteCounter()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: context), AnyRequestAnswered(counter))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.counter = counter
        port = channel.localAddress?.port ?? 0
    }

    func stop() async {
        try? await channel.close()
        try? FileManager.default.removeItem(at: authority)
    }
}

private final class ByteCounter: Sendable {
    let bytes = Mutex(0)
    let handshakes = Mutex(0)
}

private final class AnyRequestAnswered: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let counter: ByteCounter

    init(_ counter: ByteCounter) { self.counter = counter }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { counter.handshakes.withLock { $0 += 1 } }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        counter.bytes.withLock { $0 += unwrapInboundIn(data).readableBytes }
        let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
