#if os(Linux)
    import Encodings
    import Foundation
    import Synchronization

    /// A confined process as its parent sees it: one socket, on which it answers calls, one after the other.
    final class ConfinedProcess: Sendable {
        /// The version of Landlock's interface that holds in it; 0 without Landlock. Nil before its first answer.
        private let landlock = Mutex<Int?>(nil)
        let program: RunningProgram
        private let channel: FrameChannel

        /// Starts the process, and does not wait for it.
        init(_ command: [String]) throws(ConfinedReaderError) {
            guard let ends = FrameChannel.pair() else { throw .notStarted(String(cString: strerror(errno))) }
            defer { close(ends.other) }
            channel = ends.channel
            do {
                // It ends with its output, a pipe to this process, which it needs no other program for.
                program = try RunningProgram(command, environment: [:], input: .file(ends.other), endsWithParent: false)
            } catch {
                throw .notStarted("\(error)")
            }
        }

        /// Ends the process, unless it has ended. Call it once.
        ///
        /// - Returns: how it ended; a process that was ending by itself keeps its status.
        func end() -> RunningProgram.End {
            program.kill()
            return program.end()
        }

        /// The process's number.
        var id: pid_t { program.id }

        /// Waits until the process has given its rights up.
        ///
        /// - Returns: the version of Landlock's interface that holds in it.
        func ready(within duration: Duration) throws(ConfinedReaderError) -> Int {
            if let known = landlock.withLock(\.self) { return known }
            let hello = try head(within: duration)
            if let problem = hello["problem"]?.stringValue { throw .notConfined(problem) }
            guard let version = hello["landlock"]?.intValue, (0...1_000).contains(version) else {
                throw .malformed("it does not say which rights it has given up")
            }
            landlock.withLock { $0 = version }
            return version
        }

        /// Makes a call. The process has to be ended after an error.
        func call(
            _ order: JSONValue, on bytes: [UInt8], within duration: Duration
        ) throws(ConfinedReaderError) -> ConfinedAnswer {
            _ = try ready(within: duration)
            let end = ContinuousClock.now + duration
            do throws(ProcessSocketError) {
                try channel.write(order.compactBytes(), by: end)
                try channel.write(bytes, by: end)
            } catch {
                throw Self.reading(error, duration)
            }
            let head = try head(within: duration)
            guard let facts = head["facts"], let count = head["pieces"]?.intValue,
                (0...ConfinedFrames.mostPieces).contains(count)
            else { throw .malformed("an answer has facts and pieces") }
            var pieces: [[UInt8]] = []
            var left = ConfinedFrames.longestPiece
            for _ in 0..<count {
                let piece = try frame(atMost: left, by: end, duration)
                left -= piece.count
                pieces.append(piece)
            }
            return ConfinedAnswer(facts, pieces: pieces)
        }

        private func head(within duration: Duration) throws(ConfinedReaderError) -> JSONValue {
            let frame = try frame(atMost: ConfinedFrames.longestHead, by: .now + duration, duration)
            guard let json = ConfinedFrames.json(frame), json.objectValue != nil else {
                throw .malformed("an answer begins with a JSON object")
            }
            return json
        }

        private func frame(
            atMost limit: Int, by end: ContinuousClock.Instant, _ duration: Duration
        ) throws(ConfinedReaderError) -> [UInt8] {
            do throws(ProcessSocketError) {
                let left = end - ContinuousClock.now
                if let frame = try channel.read(atMost: limit, startingBy: end, within: max(left, .zero)) {
                    return frame
                }
            } catch {
                throw Self.reading(error, duration)
            }
            throw .ended
        }

        private static func reading(_ error: ProcessSocketError, _ duration: Duration) -> ConfinedReaderError {
            switch error {
            case .tooSlow: .tooSlow(duration)
            case .unavailable: .ended
            default: .malformed(error.description)
            }
        }
    }
#endif
