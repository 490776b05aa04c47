import Foundation
import Machine
import Secrets
import Synchronization
import WebURL

/// A port of this machine to which a browser brings the answer of a bank's page back (RFC 8252, section 7.3).
///
/// It serves 127.0.0.1 alone, takes requests one after the other, and goes on until one has the mark that the page was opened
/// with: another program of this machine, or a page that guesses the port, is answered with 404.
final class LoopbackRedirect: Sendable {
    /// The address to bring the browser to.
    let address: String
    private let path: String
    private let listener: Int32
    private let isOver = Mutex(false)

    /// The longest head of a request, and the time that a request has.
    private static let longestHead = 16 << 10
    private static let timeOfRequest: Duration = .seconds(3)

    /// - Parameter wanted: an address such as `http://127.0.0.1:17265/`; nil for a free port.
    /// - Returns: nil where the address does not lead to this machine over plain HTTP.
    /// - Throws: ``CommandFailure`` for a port that is taken.
    init?(_ wanted: String?) throws {
        var port: UInt16 = 0
        var host = "127.0.0.1"
        var path = "/"
        if let wanted {
            guard let url = try? URLRecord(parsing: wanted), url.scheme == "http", let named = url.host?.description,
                ["127.0.0.1", "localhost"].contains(named), url.query == nil, !url.hasCredentials
            else { return nil }
            port = url.effectivePort ?? 80
            host = named
            path = url.path
        }
        self.path = path
        listener = try Self.listening(at: port)
        guard let bound = Self.port(of: listener) else { throw Self.failure(port) }
        address = wanted ?? "http://\(host):\(bound)/"
    }

    deinit { close(listener) }

    /// Waits for the browser.
    ///
    /// - Returns: the query that it brought, with the right `state` in it; nil when the deadline passed, or ``stop()`` was called.
    func query(bringing state: Secret, until deadline: Date) async throws -> Secret? {
        try await BlockingWork.run { [self] in
            while Date() < deadline, !isOver.withLock({ $0 }) {
                var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, 200) > 0 else { continue }
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { continue }
                defer { close(connection) }
                guard let brought = Self.head(from: connection).flatMap({ self.query(in: $0) }),
                    Self.has(state, in: brought)
                else {
                    Self.answer(connection, "404 Not Found", "Nothing is here.")
                    continue
                }
                Self.answer(connection, "200 OK", "Thank you. You can close this window, and go on in the terminal.")
                return brought
            }
            return nil
        }
    }

    func stop() { isOver.withLock { $0 = true } }

    // MARK: Requests

    /// Returns the query of a GET request for the path; nil for another request.
    private func query(in head: Secret) -> Secret? {
        let line = head.revealed().prefix { $0 != "\r\n" && $0 != "\n" }
        let words = line.split(separator: " ")
        guard words.count == 3, words[0] == "GET", words[2].hasPrefix("HTTP/1.") else { return nil }
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == path else { return nil }
        return Secret(String(parts[1]))
    }

    private static func has(_ state: Secret, in query: Secret) -> Bool {
        query.revealed().split(separator: "&").contains { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == "state"
                && Secret(parts[1].removingPercentEncoding ?? "").isEqual(to: state)
        }
    }

    /// Reads to the end of a request's head; nil for one that is too long, or comes too slowly.
    private static func head(from connection: Int32) -> Secret? {
        let end = ContinuousClock.now + timeOfRequest
        var bytes: [UInt8] = []
        defer { for index in bytes.indices { bytes[index] = 0 } }
        var buffer = [UInt8](repeating: 0, count: 4096)
        defer { for index in buffer.indices { buffer[index] = 0 } }
        while ContinuousClock.now < end, bytes.count < longestHead {
            var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 200) > 0 else { continue }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            if bytes.suffix(4) == [13, 10, 13, 10] { return Secret(bytes: bytes) }
        }
        return nil
    }

    private static func answer(_ connection: Int32, _ status: String, _ words: String) {
        let page = "<!doctype html><meta charset=utf-8><title>Countersign</title><p>\(words)</p>\n"
        let head =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(page.utf8.count)\r\n"
            + "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
        let bytes = Array((head + page).utf8)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        _ = shutdown(connection, Int32(SHUT_WR))
    }

    // MARK: Sockets

    private static func listening(at port: UInt16) throws -> Int32 {
        #if os(Linux)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw failure(port) }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        guard isBound, listen(descriptor, 8) == 0 else {
            close(descriptor)
            throw failure(port)
        }
        return descriptor
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        }
        return isKnown ? UInt16(bigEndian: address.sin_port) : nil
    }

    private static func failure(_ port: UInt16) -> FileError {
        FileError("listened at", "127.0.0.1:\(port)")
    }
}
