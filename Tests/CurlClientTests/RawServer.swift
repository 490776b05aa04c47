import Foundation
import Synchronization
import TestServers

/// A TCP server on loopback that answers each request head with the test's bytes, well-formed or not.
final class RawServer: Sendable {
    enum Reply: Sendable {
        /// Sends the bytes and closes the connection.
        case close([UInt8])
        /// Sends the bytes and keeps the connection open.
        case keep([UInt8])
        /// Sends the bytes again and again, until the client disconnects.
        case endless(head: [UInt8], chunk: [UInt8])
        /// Sends nothing while the client waits.
        case silence

        static func ok(_ body: String, headers: String = "") -> Reply {
            .keep(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)".utf8))
        }
    }

    let port: Int
    private let listener: LoopbackListener
    private let answer: @Sendable (String, Int) -> Reply
    private let counter = Mutex(0)

    var url: String { "http://127.0.0.1:\(port)" }
    var connections: Int { counter.withLock { $0 } }

    /// - Parameter answer: takes the request's head and the number of earlier requests on its connection.
    init(_ answer: @escaping @Sendable (String, Int) -> Reply) throws {
        self.answer = answer
        signal(SIGPIPE, SIG_IGN)
        let bound = try LoopbackSocket.bound()
        port = bound.port
        listener = try LoopbackListener(bound.descriptor)
        listener.accept { [self] in serve($0) }
    }

    /// Refuses new connections; open ones continue.
    func stopListening() { listener.stop() }

    func stop() {
        stopListening()
        listener.endConnections()
    }

    private func serve(_ connection: Int32) {
        counter.withLock { $0 += 1 }
        var served = 0
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            while pending.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
                let count = recv(connection, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                pending += buffer[..<count]
            }
            let head = String(decoding: pending, as: UTF8.self)
            pending = []
            switch answer(head, served) {
            case .close(let bytes):
                _ = write(bytes, to: connection)
                return
            case .keep(let bytes): guard write(bytes, to: connection) else { return }
            case .endless(let head, let chunk):
                guard write(head, to: connection) else { return }
                while write(chunk, to: connection) {}
                return
            case .silence:
                while recv(connection, &buffer, buffer.count, 0) > 0 {}
                return
            }
            served += 1
        }
    }

    private func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
