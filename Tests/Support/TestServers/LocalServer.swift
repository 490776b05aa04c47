import Foundation
import Synchronization

/// An HTTP server at a Unix socket that answers everything with the same JSON, and writes down what it hears.
package final class LocalServer: Sendable {
    package let file: URL
    private let listener: LoopbackListener
    private let text = Mutex("")
    private let accepted = Atomic(0)

    /// - Parameter file: the socket, which is made anew.
    package init(at file: URL, answering json: String = #"{"requests":[],"banks":[]}"#) throws {
        self.file = file
        listener = try LoopbackListener(UnixSocket.bound(to: file))
        listener.accept { [self] connection in
            accepted.add(1, ordering: .relaxed)
            serve(connection, json)
        }
    }

    package var heard: String { text.withLock { $0 } }

    /// The number of connections until now.
    package var connections: Int { accepted.load(ordering: .relaxed) }

    /// Listens no more, and ends the open connections. The file stays, as after a program that was killed.
    package func end() {
        listener.stop()
        listener.endConnections()
    }

    private func serve(_ connection: Int32, _ json: String) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(connection, &buffer, buffer.count, 0), count > 0 {
            let part = String(decoding: buffer[..<count], as: UTF8.self)
            text.withLock { $0 += part }
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)".utf8)
            guard send(connection, answer, answer.count, Int32(MSG_NOSIGNAL)) > 0 else { return }
        }
    }
}
