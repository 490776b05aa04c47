import Foundation
import Encodings
import Synchronization

/// Agents that send requests one at a time, each on a persistent connection and its own thread.
///
/// They use plain sockets: the load shares the processors with the measured server, and an expensive load would hide the
/// differences.
struct Load {
    static let agents = 4

    let port: Int
    let method: String
    /// One per agent.
    let paths: [String]

    init(_ method: String, _ paths: [String], port: Int) {
        self.port = port
        self.method = method
        self.paths = paths
    }

    /// Exchanges per second, of all agents together.
    func rate(for time: Duration) -> Double {
        let count = Mutex(0)
        let ended = DispatchSemaphore(value: 0)
        let start = ContinuousClock.now
        for agent in 0..<Self.agents {
            Thread.detachNewThread { [self] in
                let connection = AgentConnection(port: port)
                let request = AgentConnection.request(method, paths[agent % paths.count])
                var made = 0
                while ContinuousClock.now < start + time {
                    _ = connection.exchange(request)
                    made += 1
                }
                count.withLock { $0 += made }
                ended.signal()
            }
        }
        for _ in 0..<Self.agents { ended.wait() }
        return Double(count.withLock { $0 }) / ((ContinuousClock.now - start) / .seconds(1))
    }

    /// The paths of new requests, one per agent.
    static func pathsOfNewRequests(port: Int) throws -> [String] {
        let connection = AgentConnection(port: port)
        return try (0..<agents).map { _ in
            let body = connection.exchange(AgentConnection.request("POST", "/request"))
            return "/request/\(try JSONReader.read(body)["request_id"]?.stringValue ?? "")"
        }
    }
}

/// A connection to a server on this machine.
final class AgentConnection {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    init(port: Int) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafeBytes(of: &address) { bytes in
            connect(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count)) == 0
        }
        guard isConnected else { fatalError("no server answers on port \(port)") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    static func request(_ method: String, _ path: String) -> [UInt8] {
        let body = method == "POST" ? #"{"type":"statement","month":1,"year":2026}"# : ""
        let head = [
            "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1", "Accept: */*",
            "Authorization: Bearer \(ServedBroker.token)",
        ]
        let length = method == "POST" ? ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] : []
        return Array(((head + length).joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    /// - Returns: the body of the answer, whose status must be a success.
    func exchange(_ request: [UInt8]) -> ArraySlice<UInt8> {
        guard send(descriptor, request, request.count, 0) == request.count else { fatalError("the server hung up") }
        var filled = 0
        while true {
            let room = buffer.count - filled
            let read = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + filled, room, 0) }
            guard read > 0 else { fatalError("the server hung up") }
            filled += read
            guard let end = endOfHead(filled) else { continue }
            guard buffer[9] == UInt8(ascii: "2") else {
                fatalError("answered " + String(decoding: buffer[..<filled], as: UTF8.self))
            }
            let length = contentLength(before: end)
            if filled >= end + length { return buffer[end..<end + length] }
        }
    }

    private func endOfHead(_ filled: Int) -> Int? {
        var place = 3
        while place < filled {
            if buffer[place] == 0x0A, buffer[place - 1] == 0x0D, buffer[place - 2] == 0x0A { return place + 1 }
            place += 1
        }
        return nil
    }

    /// The number after the field's name, which is matched without case.
    private func contentLength(before end: Int) -> Int {
        let name = Array("\ncontent-length:".utf8)
        var start = 0
        while start + name.count < end {
            var matched = 0
            while matched < name.count, buffer[start + matched] | 0x20 == name[matched] | 0x20 { matched += 1 }
            guard matched == name.count else {
                start += 1
                continue
            }
            return buffer[(start + matched)..<end].prefix { $0 != 0x0D }
                .reduce(0) { $1 == 0x20 ? $0 : $0 * 10 + Int($1 & 0x0F) }
        }
        return 0
    }
}
