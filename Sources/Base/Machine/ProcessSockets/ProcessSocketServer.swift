import Encodings
import Foundation
import Synchronization

/// Serves calls of other processes on a Unix socket, to processes of known users only.
///
///     let server = ProcessSocketServer(at: file, for: [geteuid()]) { call in
///         guard call.method == "add" else { throw ProcessRefusal("UNKNOWN_METHOD", "there is only add") }
///         return ["sum": 3]
///     }
///     try await server.run()
///
/// Each connection has a thread, as its calls block. Connections beyond the limit wait until another ends.
package final class ProcessSocketServer: Sendable {
    package typealias Handler = @Sendable (ProcessCall) async throws -> JSONValue

    /// The bounds of what a peer can take.
    package struct Limits: Sendable {
        /// The most bytes of a frame.
        package var frame = 64 << 10
        /// The most connections that are served at a time.
        package var connections = 64
        /// The time for which a connection may be silent.
        package var idle: Duration = .seconds(10)
        /// The time for a frame on its way.
        package var frameTime: Duration = .seconds(5)
        /// The time for a call's work.
        package var call: Duration = .seconds(60)
        /// The time to wait for another process that serves the socket and is about to end.
        package var takeover: Duration = .seconds(10)

        package init() {}
    }

    private let file: URL
    private let users: Set<UInt32>
    private let limits: Limits
    private let report: @Sendable (any Error) -> Void
    private let handler: Handler
    private let places: DispatchSemaphore
    private let open = Mutex<(channels: [ObjectIdentifier: FrameChannel], isOver: Bool)>(([:], false))

    /// - Parameters:
    ///   - file: the socket. Its folder is there already.
    ///   - users: the users whose processes may connect.
    ///   - report: called with a failure that the caller is not told about, and with peers that were turned away.
    package init(
        at file: URL, for users: Set<UInt32>, limits: Limits = Limits(),
        reporting report: @escaping @Sendable (any Error) -> Void = { _ in }, _ handler: @escaping Handler
    ) {
        self.file = file
        self.users = users
        self.limits = limits
        self.report = report
        self.handler = handler
        places = DispatchSemaphore(value: limits.connections)
    }

    /// Serves until the task is cancelled. Calls that are under way are then cancelled too.
    ///
    /// - Parameter onReady: called once the socket can be connected to.
    /// - Throws: ``ProcessSocketError``, `FileError`.
    package func run(onReady: @escaping @Sendable () -> Void = {}) async throws {
        let lock = try await BlockingWork.run { [file, limits] in
            guard let lock = try FileLock(file.appendingPathExtension("lock"), patience: limits.takeover) else {
                throw ProcessSocketError.alreadyServed(file.path)
            }
            return lock
        }
        defer { withExtendedLifetime(lock) {} }
        let listener = FrameChannel.Listener(try listen())
        defer { unlink(file.path) }
        onReady()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in
                    accept(from: listener)
                    continuation.resume()
                }
            }
        } onCancel: {
            end(listener)
        }
        end(listener)
    }

    /// Makes the socket, which only its owner can open, or also the owner's group when other users are expected.
    private func listen() throws(ProcessSocketError) -> Int32 {
        var address = try UnixSocketAddress(file)
        let descriptor = try UnixSocketAddress.makeSocket()
        let mode: mode_t = users.isSubset(of: [geteuid()]) ? 0o600 : 0o660
        // This process holds the lock, so a socket that is there belongs to a process that was killed.
        unlink(file.path)
        // On Linux a socket is made with its descriptor's mode, so it is never open to others, not for a moment.
        fchmod(descriptor, mode)
        guard address.withAddress({ bind(descriptor, $0, $1) }) == 0, chmod(file.path, mode) == 0,
            Foundation.listen(descriptor, 128) == 0
        else {
            let reason = "\(file.path): \(String(cString: strerror(errno)))"
            close(descriptor)
            throw .cannotServe(reason)
        }
        return descriptor
    }

    private func end(_ listener: FrameChannel.Listener) {
        listener.end()
        let channels = open.withLock { open in
            open.isOver = true
            return Array(open.channels.values)
        }
        for channel in channels { channel.shutDown() }
        // The accepting thread may wait for a place.
        places.signal()
    }

    private func accept(from listener: FrameChannel.Listener) {
        while true {
            places.wait()
            guard !open.withLock({ $0.isOver }), let descriptor = listener.next() else { return }
            let channel = FrameChannel(descriptor)
            guard let user = channel.peer, users.contains(user) else {
                report(ProcessSocketError.foreignUser(channel.peer ?? .max))
                places.signal()
                continue
            }
            open.withLock { open in
                open.channels[ObjectIdentifier(channel)] = channel
                if open.isOver { channel.shutDown() }
            }
            Thread.detachNewThread { [self] in
                serve(channel, user)
                open.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
                places.signal()
            }
        }
    }

    private func serve(_ channel: FrameChannel, _ user: UInt32) {
        do throws(ProcessSocketError) {
            while let frame = try channel.read(
                atMost: limits.frame, startingBy: .now + limits.idle, within: limits.frameTime)
            {
                let call = try ProcessCall(frame, by: user, limit: limits.frame)
                try channel.write(ProcessAnswer.frame(call.id, outcome(of: call)), by: .now + limits.frameTime)
            }
        } catch .tooSlow {
            // A silent peer is nothing to report.
        } catch {
            // The caller learns why before the connection ends, as far as it still reads.
            let refusal = ProcessRefusal("INVALID_FRAME", error.description)
            try? channel.write(ProcessAnswer.frame("", .failure(refusal)), by: .now + limits.frameTime)
            report(error)
        }
    }

    /// Runs the handler, and waits for it on this connection's thread.
    private func outcome(of call: ProcessCall) -> Result<JSONValue, ProcessRefusal> {
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<JSONValue, ProcessRefusal>?>(nil)
        let task = Task { [handler, report] in
            let result: Result<JSONValue, ProcessRefusal>
            do {
                result = .success(try await handler(call))
            } catch let refusal as ProcessRefusal {
                result = .failure(refusal)
            } catch {
                if !(error is CancellationError) { report(error) }
                result = .failure(ProcessRefusal("INTERNAL_ERROR", "the call failed; see the log of that process"))
            }
            outcome.withLock { $0 = result }
            done.signal()
        }
        let end = ContinuousClock.now + limits.call
        while done.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            let isOver = open.withLock { $0.isOver }
            guard isOver || ContinuousClock.now > end else { continue }
            task.cancel()
            return .failure(
                isOver
                    ? ProcessRefusal("UNAVAILABLE", "that process is ending")
                    : ProcessRefusal("TOO_SLOW", "the call took longer than allowed"))
        }
        return outcome.withLock { $0 }
            ?? .failure(ProcessRefusal("INTERNAL_ERROR", "the call has no result"))
    }
}

extension FrameChannel {
    /// A socket on which connections arrive.
    final class Listener: Sendable {
        private let descriptor: Int32
        private let isOver = Atomic(false)

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        deinit { close(descriptor) }

        /// Ends ``next()``, also while it waits.
        func end() {
            isOver.store(true, ordering: .sequentiallyConsistent)
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
        }

        /// Waits for a connection; nil at the end.
        func next() -> Int32? {
            while !isOver.load(ordering: .sequentiallyConsistent) {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&waiting, 1, 500)
                guard !isOver.load(ordering: .sequentiallyConsistent) else { return nil }
                let connection = accept(descriptor, nil, nil)
                if connection >= 0 {
                    UnixSocketAddress.makePrivate(connection)
                    return connection
                }
                // Without free descriptors there is nothing to do but to wait.
                if errno == EMFILE || errno == ENFILE { usleep(50_000) }
            }
            return nil
        }
    }
}
