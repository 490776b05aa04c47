import Foundation

/// A connected Unix socket on which frames travel: a length of four bytes, big-endian, then so many bytes.
///
/// Its calls block, each up to a moment that the caller sets, so they belong on threads of their own.
final class FrameChannel: Sendable {
    typealias Moment = ContinuousClock.Instant

    private static let headLength = 4

    private let descriptor: Int32

    /// - Parameter descriptor: of a socket that does not block. It is closed with this object.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    #if os(Linux)
        /// Makes two sockets that are connected with each other: a channel, and the descriptor for another process, which the caller
        /// closes. Programs that this process starts get neither.
        ///
        /// - Returns: nil, with `errno`, when the system gives none.
        static func pair() -> (channel: FrameChannel, other: Int32)? {
            var ends: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
            return (FrameChannel(ends[0]), ends[1])
        }
    #endif

    deinit { close(descriptor) }

    /// The user at the other end.
    var peer: UInt32? { PeerUser.of(descriptor) }

    /// Ends the connection for both sides, also while another thread waits on it.
    func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Reads a frame.
    ///
    /// - Parameters:
    ///   - start: the moment until which its first byte has to come.
    ///   - duration: the time for the rest of it.
    /// - Returns: nil when the peer has ended the connection before the frame.
    func read(atMost limit: Int, startingBy start: Moment, within duration: Duration) throws(ProcessSocketError)
        -> [UInt8]?
    {
        var head = try bytes(atMost: Self.headLength, by: start)
        if head.isEmpty { return nil }
        let end = ContinuousClock.now + duration
        while head.count < Self.headLength {
            let more = try bytes(atMost: Self.headLength - head.count, by: end)
            guard !more.isEmpty else { throw .malformed("the connection ended within a frame") }
            head += more
        }
        let length = head.reduce(0) { $0 << 8 | Int($1) }
        guard length <= limit else { throw .tooLarge(limit: limit) }
        var body: [UInt8] = []
        body.reserveCapacity(length)
        while body.count < length {
            let more = try bytes(atMost: length - body.count, by: end)
            guard !more.isEmpty else { throw .malformed("the connection ended within a frame") }
            body += more
        }
        return body
    }

    /// Writes a frame.
    func write(_ body: [UInt8], by end: Moment) throws(ProcessSocketError) {
        let length = UInt32(body.count).bigEndian
        let frame = withUnsafeBytes(of: length) { Array($0) } + body
        var sent = 0
        while sent < frame.count {
            let count = frame.withUnsafeBytes { bytes in
                send(descriptor, bytes.baseAddress! + sent, frame.count - sent, Self.withoutSignal)
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                try wait(for: Int16(POLLOUT), by: end)
            } else if errno != EINTR {
                throw .unavailable(String(cString: strerror(errno)))
            }
        }
    }

    /// Reads what is there; waits while there is nothing.
    ///
    /// - Returns: an empty array at the end of the connection.
    private func bytes(atMost limit: Int, by end: Moment) throws(ProcessSocketError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: min(limit, 64 << 10))
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count >= 0 { return Array(buffer.prefix(count)) }
            switch errno {
            case EAGAIN, EWOULDBLOCK: try wait(for: Int16(POLLIN), by: end)
            case EINTR: continue
            case ECONNRESET: return []
            default: throw .unavailable(String(cString: strerror(errno)))
            }
        }
    }

    /// Waits until the socket is ready.
    private func wait(for events: Int16, by end: Moment) throws(ProcessSocketError) {
        while true {
            let left = (end - ContinuousClock.now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { throw .tooSlow }
            let milliseconds = min(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1, 60_000)
            var waiting = pollfd(fd: descriptor, events: events, revents: 0)
            let count = poll(&waiting, 1, Int32(milliseconds))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw .unavailable(String(cString: strerror(errno))) }
        }
    }

    /// A peer that is gone must not end this process with SIGPIPE.
    private static var withoutSignal: Int32 {
        #if os(Linux)
            Int32(MSG_NOSIGNAL)
        #else
            0
        #endif
    }
}
