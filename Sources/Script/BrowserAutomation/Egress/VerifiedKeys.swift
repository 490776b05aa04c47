import Clocks
import Crypto
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import WebURL

/// The public keys of servers whose certificates an additional authority has signed.
///
/// Chromium takes no authority for one run, but it takes keys to trust. So a connection of our own verifies each server
/// with the authority first, and the browser is told to trust the key that it showed, and no other.
enum VerifiedKeys {
    /// - Parameter authority: a PEM file.
    /// - Throws: ``BrowserError`` when a server cannot be verified.
    static func of(_ origins: [Origin], authority: URL) async throws -> [String] {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(authority.path))]
        let context = try NIOSSLContext(configuration: configuration)
        var keys: [String] = []
        for origin in origins where origin.scheme == "https" {
            let host = origin.host.description
            do {
                let key = try await withTimeLimit(.seconds(20), on: SystemClock()) {
                    try await Self.key(of: host, port: Int(origin.port), context)
                }
                keys.append(Data(SHA256.hash(data: key)).base64EncodedString())
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw BrowserError(
                    .refused, "\(origin) cannot be verified with \(authority.lastPathComponent): \(error)")
            }
        }
        return keys
    }

    private static func key(of host: String, port: Int, _ context: NIOSSLContext) async throws -> [UInt8] {
        let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
        let group = MultiThreadedEventLoopGroup.singleton
        let handshake = group.any().makePromise(of: [UInt8].self)
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: group).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host),
                        HandshakeEnd(handshake))
                }
            }.connect(host: host, port: port).get()
        } catch {
            handshake.fail(error)
            throw error
        }
        defer { channel.close(promise: nil) }
        return try await handshake.futureResult.get()
    }
}

/// Waits for the end of the handshake, and takes the key of the verified certificate.
private final class HandshakeEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<[UInt8]>

    init(_ promise: EventLoopPromise<[UInt8]>) {
        self.promise = promise
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent {
            do {
                let certificate = try context.pipeline.syncOperations.nioSSL_peerCertificate()
                promise.succeed(try certificate?.extractPublicKey().toSPKIBytes() ?? [])
            } catch {
                promise.fail(error)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
