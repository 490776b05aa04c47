#if os(Linux)
    import Encodings
    import Foundation
    import Synchronization
    import Testing

    @testable import Machine

    @Suite("A line between two processes", .timeLimit(.minutes(1)))
    struct CallLineTests {
        private static let limits = CallLine.Limits(
            bytes: 64 << 10, headBytes: 8 << 10, headValues: 200, openCalls: 2, messages: 100)

        /// Two connected sockets.
        private static func sockets() throws -> (FrameChannel, FrameChannel) {
            let ends = try #require(FrameChannel.pair())
            return (ends.channel, FrameChannel(ends.other))
        }

        private static func line(
            _ channel: FrameChannel, onCall: @escaping CallLine.Handler = { (_, message) in message }
        ) -> CallLine {
            CallLine(channel, limits: limits, onTell: { _, _ in }, onCall: onCall)
        }

        /// Waits until a condition holds.
        private static func until(_ isSo: () -> Bool) async throws {
            while !isSo() { try await Task.sleep(for: .milliseconds(2)) }
        }

        @Test("carries calls both ways, a call inside a call, and pieces of bytes")
        func calls() async throws {
            let (a, b) = try Self.sockets()
            let far = Mutex<CallLine?>(nil)
            let one = Self.line(a) { (name, message) in
                name == "inner" ? CallLine.Message(["twice": message.json], pieces: message.pieces) : message
            }
            let other = Self.line(b) { (_, message) async throws(CallLine.Nonsense) in
                guard let line = far.withLock(\.self), let inner = try? await line.call("inner", message) else {
                    throw CallLine.Nonsense("no line")
                }
                return inner
            }
            far.withLock { $0 = other }
            let answer = try await one.call("outer", CallLine.Message(["a": 1], pieces: [[], [0, 255], [1]]))
            #expect(answer.json == ["twice": ["a": 1]])
            #expect(answer.pieces == [[], [0, 255], [1]])
            one.close()
            await other.ended()
            await #expect(throws: ProcessSocketError.self) { try await one.call("late") }
        }

        @Test("brings what is told before the answer that follows it, in order")
        func order() async throws {
            let (a, b) = try Self.sockets()
            let heard = Mutex<[String]>([])
            let far = Mutex<CallLine?>(nil)
            let one = CallLine(a, limits: Self.limits) { name, _ in
                heard.withLock { $0.append(name) }
            } onCall: { (_, message) in
                message
            }
            let other = Self.line(b) { (_, message) in
                for number in 0..<30 { far.withLock(\.self)?.tell("\(number)", CallLine.Message()) }
                return message
            }
            far.withLock { $0 = other }
            _ = try await one.call("go")
            #expect(heard.withLock(\.self) == (0..<30).map(String.init))
            other.close()
        }

        @Test("cancels a call at the other end, and waits for what that end answers", arguments: [false, true])
        func cancellation(isEarly: Bool) async throws {
            let (a, b) = try Self.sockets()
            let began = Mutex(false)
            let one = Self.line(a)
            let other = Self.line(b) { (_, _) in
                began.withLock { $0 = true }
                try? await Task.sleep(for: .seconds(3600))
                return CallLine.Message(["cancelled": .bool(Task.isCancelled)])
            }
            let call = Task {
                if isEarly { withUnsafeCurrentTask { $0?.cancel() } }
                return try await one.call("wait")
            }
            if !isEarly {
                try await Self.until { began.withLock(\.self) }
                call.cancel()
            }
            #expect(try await call.value.json == ["cancelled": true])
            other.close()
        }

        @Test("fails the calls that wait when the other process ends")
        func end() async throws {
            let (a, b) = try Self.sockets()
            let one = Self.line(a)
            let other = Self.line(b) { (_, message) in
                try? await Task.sleep(for: .seconds(3600))
                return message
            }
            let call = Task { try await one.call("wait") }
            try await Task.sleep(for: .milliseconds(20))
            other.close()
            await #expect(throws: ProcessSocketError.self) { try await call.value }
            await one.ended()
        }

        /// A frame as the other process writes it: the length of its head, the head, and the pieces.
        private static func frame(_ head: String, _ pieces: String = "") -> [UInt8] {
            withUnsafeBytes(of: UInt32(head.utf8.count).bigEndian) { Array($0) } + Array((head + pieces).utf8)
        }

        private static func call(_ id: Int, _ name: String = "a") -> [UInt8] {
            frame(#"{"kind":"call","id":\#(id),"name":"\#(name)","value":null,"pieces":[]}"#)
        }

        private static func longHead(_ id: Int, _ bytes: Int) -> [UInt8] {
            call(id, String(repeating: "a", count: bytes))
        }

        private static func zeros(_ count: Int) -> String { Array(repeating: "0", count: count).joined(separator: ",") }

        private static func large(_ id: Int) -> [UInt8] {
            frame(
                #"{"kind":"call","id":\#(id),"name":"a","value":null,"pieces":[40000]}"#,
                String(repeating: "a", count: 40_000))
        }

        @Test("takes large calls one after the other")
        func largeCalls() async throws {
            let (a, b) = try Self.sockets()
            let one = Self.line(a)
            let other = Self.line(b)
            for _ in 0..<5 {
                let answer = try await one.call("a", CallLine.Message(pieces: [[UInt8](repeating: 1, count: 40_000)]))
                #expect(answer.pieces.first?.count == 40_000)
            }
            other.close()
        }

        @Test(
            "ends with anything but a message, and with too many",
            arguments: [
                [[UInt8]()], [[0, 0, 0, 200, 1]], [Array("GET / HTTP/1.1\r\n\r\n".utf8)], [frame("[1]")],
                [frame("{}")], [frame(#"{"kind":"order","id":1,"name":"a","value":null,"pieces":[]}"#)],
                [frame(#"{"kind":"call","id":-1,"name":"a","value":null,"pieces":[]}"#)],
                [frame(#"{"kind":"call","id":1,"name":"a","value":null,"pieces":[5]}"#, "abc")],
                [frame(#"{"kind":"call","id":1,"name":"a","value":null,"pieces":[-1]}"#, "abc")],
                [frame(#"{"kind":"call","id":1,"name":"a","value":null,"pieces":[1]}"#, "abc")],
                // A head that is too long, two such together, and one of too many values.
                [longHead(1, 9_000)], [longHead(1, 5_000), longHead(2, 5_000)],
                [frame(#"{"kind":"call","id":1,"name":"a","value":[\#(zeros(200))],"pieces":[]}"#)],
                // An answer to nothing, the same call twice, more calls than allowed, one too large, and two together.
                [frame(#"{"kind":"answer","id":1,"name":"","value":null,"pieces":[]}"#)],
                [call(1), call(1)], [call(1), call(2), call(3)],
                [[UInt8](repeating: 0, count: 65 << 10)], [large(1), large(2)],
                Array(repeating: frame(#"{"kind":"tell","id":0,"name":"a","value":null,"pieces":[]}"#), count: 101),
                // What the handlers refuse.
                [frame(#"{"kind":"tell","id":0,"name":"nonsense","value":null,"pieces":[]}"#)], [call(1, "nonsense")],
            ] as [[[UInt8]]])
        func nonsense(frames: [[UInt8]]) async throws {
            let (a, b) = try Self.sockets()
            let one = CallLine(a, limits: Self.limits) { (name, _) throws(CallLine.Nonsense) in
                if name == "nonsense" { throw CallLine.Nonsense("told nonsense") }
            } onCall: { (name, message) async throws(CallLine.Nonsense) in
                if name == "nonsense" { throw CallLine.Nonsense("asked nonsense") }
                try? await Task.sleep(for: .seconds(3600))
                return message
            }
            try await BlockingWork.run {
                // The line may be over before the last of them.
                for frame in frames { try? b.write(frame, by: .now + .seconds(10)) }
            }
            await one.ended()
            switch try #require(one.end) {
            case .malformed, .tooLarge: break
            case let other: Issue.record("\(other)")
            }
        }
    }
#endif
