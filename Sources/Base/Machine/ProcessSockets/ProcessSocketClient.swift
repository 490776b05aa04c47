import Encodings
import Foundation
import Synchronization

/// Calls a process on its Unix socket. Each call has a connection of its own, so calls run side by side.
package struct ProcessSocketClient: Sendable {
    package struct Limits: Sendable {
        /// The most bytes of a frame.
        package var frame = 64 << 10
        /// The time for a call as a whole.
        package var call: Duration = .seconds(60)
        /// The time to wait for a process that is being started.
        package var start: Duration = .seconds(5)

        package init() {}
    }

    private let file: URL
    private let users: Set<UInt32>
    private let limits: Limits

    /// - Parameter users: the users one of whom has to run the process that serves the socket.
    package init(_ file: URL, servedBy users: Set<UInt32>, limits: Limits = Limits()) {
        self.file = file
        self.users = users
        self.limits = limits
    }

    /// Makes a call and returns its result. Cancelling the task ends the connection.
    package func call(_ method: String, _ params: JSONValue = [:]) async throws(ProcessSocketError) -> JSONValue {
        let id = UUID().uuidString.lowercased()
        let frame = (["id": .string(id), "method": .string(method), "params": params] as JSONValue).compactBytes()
        return try ProcessAnswer.result(of: try await exchange(frame), to: id, limit: limits.frame)
    }

    /// Sends one frame and returns the one that answers it, for a peer whose messages are not ``ProcessCall``s. Cancelling
    /// the task ends the connection.
    package func exchange(_ frame: [UInt8]) async throws(ProcessSocketError) -> [UInt8] {
        guard frame.count <= limits.frame else { throw .tooLarge(limit: limits.frame) }
        let answer = try await connected(start: limits.start) { [limits] channel throws(ProcessSocketError) in
            let end = ContinuousClock.now + limits.call
            try channel.write(frame, by: end)
            return try channel.read(atMost: limits.frame, startingBy: end, within: limits.call)
        }
        guard let answer else { throw .unavailable("it ended before it answered") }
        return answer
    }

    /// Returns whether a process of an expected user serves the socket at this moment.
    package func isServed() async -> Bool {
        (try? await connected(start: .zero) { _ throws(ProcessSocketError) in true }) == true
    }

    /// Connects, checks who serves the socket, and runs blocking work on a thread of its own.
    private func connected<Value: Sendable>(
        start: Duration, _ work: @escaping @Sendable (FrameChannel) throws(ProcessSocketError) -> Value
    ) async throws(ProcessSocketError) -> Value {
        let current = Mutex<(channel: FrameChannel?, isCancelled: Bool)>((nil, false))
        let outcome: Result<Value, ProcessSocketError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in
                    let result: Result<Value, ProcessSocketError>
                    do throws(ProcessSocketError) {
                        let channel = try connect(by: .now + start) { current.withLock { $0.isCancelled } }
                        let isCancelled = current.withLock { current in
                            current.channel = channel
                            return current.isCancelled
                        }
                        if isCancelled { channel.shutDown() }
                        result = .success(try work(channel))
                    } catch {
                        result = .failure(error)
                    }
                    continuation.resume(returning: result)
                }
            }
        } onCancel: {
            current.withLock { current in
                current.isCancelled = true
                current.channel?.shutDown()
            }
        }
        return try outcome.get()
    }

    /// Connects. While the socket is missing, or no process listens at it, it tries again up to the given moment.
    private func connect(
        by end: ContinuousClock.Instant, unless isCancelled: () -> Bool
    ) throws(ProcessSocketError) -> FrameChannel {
        var address = try UnixSocketAddress(file)
        while true {
            let descriptor = try UnixSocketAddress.makeSocket()
            let channel = FrameChannel(descriptor)
            if address.withAddress({ Foundation.connect(descriptor, $0, $1) }) == 0 {
                guard let user = channel.peer, users.contains(user) else {
                    throw .foreignUser(channel.peer ?? .max)
                }
                return channel
            }
            let code = errno
            // EAGAIN: the queue of connections is full.
            guard [ENOENT, ECONNREFUSED, EAGAIN, EINTR].contains(code), ContinuousClock.now < end, !isCancelled()
            else { throw .unavailable("\(file.path): \(String(cString: strerror(code)))") }
            usleep(20_000)
        }
    }
}
