import Encodings
import Foundation
import Machine
import Secrets

/// One end of a connection between two programs of one user: lines of JSON, each perhaps followed by a secret as raw bytes.
///
/// Secrets do not travel in the JSON, because its texts are ordinary memory that nothing wipes.
final class DeskConnection: Sendable {
    /// The longest line, in bytes: a question with its picture.
    private static let longestLine = 4 << 20
    private static let longestSecret = 4096

    private let descriptor: Int32
    private let writing = NSLock()

    /// Takes over the descriptor, and closes it at the end.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The user whose program is at the other end; nil when the system does not tell.
    var peer: UInt32? { PeerUser.of(descriptor) }

    /// Limits the time for which ``receive()`` waits.
    func limitWaiting(to seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Ends the connection for both sides; ``receive()`` returns nil from then on.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends a message. What the other end has closed is not sent.
    func send(_ message: [String: JSONValue], secret: Secret? = nil) {
        var message = message
        message["secret_bytes"] = secret.map { .number(Double($0.count)) }
        writing.lock()
        defer { writing.unlock() }
        let line = Array((JSONValue.object(message).compactText() + "\n").utf8)
        guard line.withUnsafeBytes(write) else { return }
        _ = secret?.withUnsafeBytes(write)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = sendPart(descriptor, part)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits for a message. Blocks its thread.
    ///
    /// - Returns: nil at the end of the connection, and for anything that is not a message.
    func receive() -> (message: JSONValue, secret: Secret?)? {
        var line: [UInt8] = []
        // Byte by byte, so that no part of a secret behind the line gets into it.
        var byte: UInt8 = 0
        while withUnsafeMutableBytes(of: &byte, read) {
            guard byte != UInt8(ascii: "\n") else { return message(line) }
            guard line.count < Self.longestLine else { return nil }
            line.append(byte)
        }
        return nil
    }

    private func message(_ line: [UInt8]) -> (message: JSONValue, secret: Secret?)? {
        guard let message = try? JSONReader.read(line), message.objectValue != nil else { return nil }
        guard let count = message["secret_bytes"]?.intValue else { return (message, nil) }
        guard (0...Self.longestSecret).contains(count) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        defer { bytes.wipe() }
        guard bytes.withUnsafeMutableBytes(read) else { return nil }
        return (message, Secret(bytes: bytes))
    }

    /// Fills the buffer. Returns false at the end of the connection.
    private func read(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        var start = 0
        while start < buffer.count {
            let count = recv(descriptor, buffer.baseAddress! + start, buffer.count - start, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }
}

/// Sends without a signal when the other end has closed.
private func sendPart(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
}
