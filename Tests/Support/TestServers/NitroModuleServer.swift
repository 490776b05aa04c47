import Encodings
import Foundation
import Synchronization

/// A Nitro Secure Module behind a Unix socket: each message has its length in front, in four bytes. It reads the requests
/// of aws-nitro-enclaves-nsm-api, and answers with documents of a ``NitroAuthority``.
package final class NitroModuleServer: Sendable {
    package typealias Answer = @Sendable (NitroAuthority.Statement) throws -> [UInt8]

    package let socket: URL
    private let listener: LoopbackListener
    private let now: Date
    private let answer: Mutex<Answer>

    /// Serves the socket, until this object is released.
    ///
    /// - Parameters:
    ///   - now: the time on the module's clock.
    ///   - answer: makes the document from what the caller asked for.
    package init(_ socket: URL, at now: Date, _ answer: @escaping Answer) throws {
        self.socket = socket
        self.now = now
        self.answer = Mutex(answer)
        listener = try LoopbackListener(UnixSocket.bound(to: socket))
        listener.accept { [weak self] in self?.serve($0) }
    }

    deinit { listener.stop() }

    /// Answers the next requests in another way.
    package func change(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

    private func serve(_ connection: Int32) {
        guard let head = Self.read(4, from: connection) else { return }
        let length = head.reduce(0) { $0 << 8 | Int($1) }
        guard let request = Self.read(length, from: connection) else { return }
        let response = response(to: request)
        let size = UInt32(response.count).bigEndian
        let frame = withUnsafeBytes(of: size) { Array($0) } + response
        _ = frame.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    private func response(to request: [UInt8]) -> [UInt8] {
        do {
            let document = try document(for: request)
            return CBOR.map([.text("Attestation"): .map([.text("document"): .bytes(document)])]).encoded
        } catch {
            return CBOR.map([.text("Error"): .text("InvalidArgument")]).encoded
        }
    }

    private func document(for request: [UInt8]) throws -> [UInt8] {
        guard case .map(let members)? = try CBOR(request)[.text("Attestation")],
            Set(members.keys).isSubset(of: [.text("user_data"), .text("nonce"), .text("public_key")]),
            try Self.field("user_data", of: members) == nil
        else { throw POSIXError(.EINVAL) }
        let statement = NitroAuthority.Statement(
            at: now, nonce: try Self.field("nonce", of: members), publicKey: try Self.field("public_key", of: members))
        return try answer.withLock { $0 }(statement)
    }

    /// Returns a field that may be absent or null. As bytes it has at least one, as in the attestation document.
    private static func field(_ name: String, of members: [CBOR: CBOR]) throws -> [UInt8]? {
        switch members[.text(name)] {
        case nil, .null?: return nil
        case .bytes(let bytes)? where !bytes.isEmpty: return bytes
        default: throw POSIXError(.EINVAL)
        }
    }

    private static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var part = [UInt8](repeating: 0, count: count - bytes.count)
            let got = Foundation.read(descriptor, &part, part.count)
            guard got > 0 else { return nil }
            bytes += part.prefix(got)
        }
        return bytes
    }
}
