import Encodings
import Foundation
import Synchronization

/// A socket on which two processes call each other, several calls at a time.
///
/// A call has a name, a JSON value and pieces of bytes, and so has its answer. A process can also tell the other something that
/// has no answer. What one end tells and then answers arrives in that order. A call whose task is cancelled is cancelled at the
/// other end, and waits for what that end answers then.
///
/// The other process is not trusted: what it sends is bounded, and anything else than this protocol ends the line.
package final class CallLine: Sendable {
    /// The content of a call, of an answer, or of what is told.
    package struct Message: Sendable {
        package var json: JSONValue
        package var pieces: [[UInt8]]

        package init(_ json: JSONValue = .null, pieces: [[UInt8]] = []) {
            self.json = json
            self.pieces = pieces
        }
    }

    /// The limits on what the other process sends.
    package struct Limits: Sendable {
        /// The bytes of a message, and of all calls that a handler works on.
        package var bytes: Int
        /// The bytes of a message's head, which has all but the pieces, and of the heads of all calls that a handler works on.
        package var headBytes: Int
        /// The JSON values of a head.
        package var headValues: Int
        /// The calls that are not answered yet.
        package var openCalls: Int
        /// The messages, all together.
        package var messages: Int

        package init(
            bytes: Int, headBytes: Int = .max, headValues: Int = .max, openCalls: Int = 64, messages: Int = .max
        ) {
            self.bytes = bytes
            self.headBytes = headBytes
            self.headValues = headValues
            self.openCalls = openCalls
            self.messages = messages
        }
    }

    /// The end of a line whose other process sent something senseless.
    package struct Nonsense: Error, Sendable {
        package let reason: String

        package init(_ reason: String) { self.reason = reason }
    }

    package typealias Handler = @Sendable (_ name: String, _ message: Message) async throws(Nonsense) -> Message
    package typealias Teller = @Sendable (_ name: String, _ message: Message) throws(Nonsense) -> Void

    private struct State {
        var next = 0
        var received = 0
        var waiting: [Int: CheckedContinuation<Message, any Error>] = [:]
        /// The calls that were cancelled before they were sent.
        var cancelled: Set<Int> = []
        var serving: [Int: Task<Void, Never>] = [:]
        /// The bytes of the calls that a handler works on.
        var openBytes = 0
        var openHeadBytes = 0
        var end: ProcessSocketError?
        var listeners: [CheckedContinuation<Void, Never>] = []
    }

    private enum Kind: String {
        case call, answer, tell, cancel
    }

    /// The time for a message on its way.
    private static let pause = Duration.seconds(60)
    private static let headLength = 4
    private static let mostPieces = 1000

    private let channel: FrameChannel
    private let limits: Limits
    private let onTell: Teller
    private let onCall: Handler
    private let writer = DispatchQueue(label: "countersign.call-line")
    private let state = Mutex(State())

    /// Starts to listen.
    init(_ channel: FrameChannel, limits: Limits, onTell: @escaping Teller, onCall: @escaping Handler) {
        self.channel = channel
        self.limits = limits
        self.onTell = onTell
        self.onCall = onCall
        Thread.detachNewThread { [self] in listen() }
    }

    // MARK: Calling

    /// Makes a call, and waits for its answer.
    ///
    /// - Throws: ``ProcessSocketError`` when the line ends before.
    package func call(_ name: String, _ message: Message = Message()) async throws -> Message {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let end = state.withLock { state -> ProcessSocketError? in
                    if let end = state.end { return end }
                    state.waiting[id] = continuation
                    // Under the lock, so that no cancellation overtakes the call.
                    send(.call, id, name, message)
                    if state.cancelled.remove(id) != nil { send(.cancel, id) }
                    return nil
                }
                if let end { continuation.resume(throwing: end) }
            }
        } onCancel: {
            state.withLock { state in
                if state.waiting[id] == nil { _ = state.cancelled.insert(id) } else { send(.cancel, id) }
            }
        }
    }

    /// Tells the other process something.
    package func tell(_ name: String, _ message: Message) { send(.tell, nil, name, message) }

    // MARK: Ending

    /// Ends the line.
    package func close() { finish(.unavailable("the line was closed")) }

    /// The reason of the end; nil while the line is open.
    package var end: ProcessSocketError? { state.withLock(\.end) }

    /// Waits for the end.
    package func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.end == nil { state.listeners.append(continuation) }
                return state.end != nil
            }
            if isOver { continuation.resume() }
        }
    }

    private func finish(_ error: ProcessSocketError) {
        let last = state.withLock { state -> State? in
            guard state.end == nil else { return nil }
            let last = state
            state.end = error
            (state.waiting, state.serving, state.listeners, state.cancelled) = ([:], [:], [], [])
            return last
        }
        guard let last else { return }
        channel.shutDown()
        for task in last.serving.values { task.cancel() }
        for continuation in last.waiting.values { continuation.resume(throwing: error) }
        for continuation in last.listeners { continuation.resume() }
    }

    // MARK: Listening

    private func listen() {
        do throws(ProcessSocketError) {
            while true {
                let frame = try channel.read(
                    atMost: limits.bytes, startingBy: .now + .seconds(1 << 30), within: Self.pause)
                guard let frame else { throw .unavailable("the other process has ended") }
                try take(frame)
            }
        } catch {
            finish(error)
        }
    }

    private func take(_ frame: [UInt8]) throws(ProcessSocketError) {
        let (head, message) = try Self.read(frame, limits)
        let count = state.withLock { state in
            state.received += 1
            return state.received
        }
        guard count <= limits.messages else { throw .malformed("it sends more than \(limits.messages) messages") }
        guard let kind = head["kind"]?.stringValue.flatMap(Kind.init(rawValue:)), let name = head["name"]?.stringValue,
            let id = head["id"]?.intValue, id >= 0
        else { throw .malformed("a message has a kind, a name and a number") }
        switch kind {
        case .tell:
            do throws(Nonsense) {
                try onTell(name, message)
            } catch {
                throw .malformed(error.reason)
            }
        case .call: try serve(id, name, message, frame)
        case .cancel: state.withLock { $0.serving[id] }?.cancel()
        case .answer:
            guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: id) }) else {
                throw .malformed("it answers what was not asked")
            }
            waiting.resume(returning: message)
        }
    }

    private func serve(
        _ id: Int, _ name: String, _ message: Message, _ frame: [UInt8]
    ) throws(ProcessSocketError) {
        let (bytes, headBytes) = (frame.count, Self.headBytes(of: frame))
        let refusal = state.withLock { state -> ProcessSocketError? in
            guard state.serving[id] == nil, state.serving.count < limits.openCalls, state.end == nil else {
                return .malformed("it makes more than \(limits.openCalls) calls at once")
            }
            // A call can wait for a person: many large ones would fill the memory.
            guard state.openBytes + bytes <= limits.bytes else { return .tooLarge(limit: limits.bytes) }
            guard state.openHeadBytes + headBytes <= limits.headBytes else { return .tooLarge(limit: limits.headBytes) }
            state.openBytes += bytes
            state.openHeadBytes += headBytes
            state.serving[id] = Task {
                do throws(Nonsense) {
                    let answer = try await onCall(name, message)
                    // Before the answer leaves, because the next call may follow it at once.
                    self.state.withLock { state in
                        state.openBytes -= bytes
                        state.openHeadBytes -= headBytes
                    }
                    // It counts as open until its answer has left.
                    send(.answer, id, "", answer) { [self] in
                        _ = self.state.withLock { $0.serving.removeValue(forKey: id) }
                    }
                } catch {
                    finish(.malformed(error.reason))
                }
            }
            return nil
        }
        if let refusal { throw refusal }
    }

    // MARK: Frames

    private func send(
        _ kind: Kind, _ id: Int?, _ name: String = "", _ message: Message = Message(),
        then done: @escaping @Sendable () -> Void = {}
    ) {
        writer.async { [self] in
            do throws(ProcessSocketError) {
                try channel.write(
                    Self.frame(
                        [
                            "kind": .string(kind.rawValue), "id": .number(Double(id ?? 0)), "name": .string(name),
                            "value": message.json,
                            "pieces": .array(message.pieces.map { .number(Double($0.count)) }),
                        ], message.pieces), by: .now + Self.pause)
                done()
            } catch {
                finish(error)
            }
        }
    }

    private static func frame(_ head: JSONValue, _ pieces: [[UInt8]]) -> [UInt8] {
        let head = head.compactBytes()
        var frame: [UInt8] = []
        // Growing would leave copies behind.
        frame.reserveCapacity(headLength + head.count + pieces.reduce(0) { $0 + $1.count })
        frame += withUnsafeBytes(of: UInt32(head.count).bigEndian) { Array($0) }
        frame += head
        for piece in pieces { frame += piece }
        return frame
    }

    private static func headBytes(of frame: [UInt8]) -> Int {
        frame.prefix(headLength).reduce(0) { $0 << 8 | Int($1) }
    }

    private static func read(
        _ frame: [UInt8], _ limits: Limits
    ) throws(ProcessSocketError) -> (head: JSONValue, message: Message) {
        let length = headBytes(of: frame)
        guard length <= limits.headBytes else { throw .tooLarge(limit: limits.headBytes) }
        guard frame.count >= headLength + length,
            let head = try? JSONReader.read(
                frame[headLength..<headLength + length],
                limits: JSONLimits(depth: 24, size: limits.bytes, values: limits.headValues)),
            let counts = head["pieces"]?.arrayValue, counts.count <= mostPieces
        else { throw .malformed("a message begins with its head") }
        var pieces: [[UInt8]] = []
        var place = headLength + length
        for count in counts {
            guard let count = count.intValue, count >= 0, count <= frame.count - place else {
                throw .malformed("a message has the pieces that its head names")
            }
            pieces.append(Array(frame[place..<place + count]))
            place += count
        }
        guard place == frame.count else { throw .malformed("a message ends with its last piece") }
        return (head, Message(head["value"] ?? .null, pieces: pieces))
    }
}
