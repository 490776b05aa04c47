#if os(Linux)
    import Encodings
    import Foundation

    /// A process of this program that works for this one: with threads, connections and programs, on the files within a fence alone,
    /// and without this process's memory and environment.
    ///
    /// It ends with this object, and with this process, however that ends. A process that it has started in another session can go
    /// on, within the fence and without the line.
    package final class FencedProcess: Sendable {
        package let line: CallLine
        /// The version of Landlock's interface that holds in it; 0 on a kernel without Landlock, where no fence holds.
        package let landlock: Int
        private let program: RunningProgram

        /// Starts a process, and waits until its files are taken away. Blocks.
        ///
        /// - Parameters:
        ///   - command: this program, and the name that ``FencedService/begin(_:_:)`` knows.
        ///   - fence: the files that it may open, beside the program itself and the libraries that it has loaded.
        ///   - variables: its environment, all of it.
        ///   - onTell: takes what it tells, one after the other.
        ///   - onCall: answers its calls.
        package init(
            _ command: [String], within fence: FileFence, environment variables: [String: String],
            limits: CallLine.Limits, onTell: @escaping CallLine.Teller, onCall: @escaping CallLine.Handler
        ) throws(FencedProcessError) {
            guard let ends = FrameChannel.pair() else { throw .notStarted(String(cString: strerror(errno))) }
            let channel = ends.channel
            let program: RunningProgram
            do {
                // Once the process has its own copy: this one would keep its end from being heard.
                defer { close(ends.other) }
                // It ends with its output, a pipe to this process, which it needs no other program for.
                program = try RunningProgram(
                    // Not this process's own errors: a terminal is open for reading, too, and takes typed commands.
                    command, environment: variables, in: nil, input: .file(ends.other), errors: .dropped,
                    leadsGroup: true, endsWithParent: false)
            } catch {
                throw .notStarted("\(error)")
            }
            let hello: JSONValue
            do throws(ProcessSocketError) {
                let end = ContinuousClock.now + FencedFrames.pause
                try channel.write(fence.json.compactBytes(), by: end)
                let frame = try channel.read(
                    atMost: FencedFrames.longestHead, startingBy: end, within: FencedFrames.pause)
                hello = frame.flatMap { try? JSONReader.read($0) } ?? .null
            } catch {
                program.kill()
                let end = program.end()
                switch error {
                case .tooSlow: throw FencedProcessError.tooSlow
                case .malformed(let reason): throw FencedProcessError.malformed(reason)
                default: throw FencedProcessError.ended(end)
                }
            }
            guard let version = hello["landlock"]?.intValue, (0...1_000).contains(version) else {
                program.kill()
                let end = program.end()
                if let problem = hello["problem"]?.stringValue { throw .notFenced(problem) }
                if hello == .null { throw .ended(end) }
                throw .malformed("it does not say which files it has given up")
            }
            self.program = program
            landlock = version
            line = CallLine(channel, limits: limits, onTell: onTell, onCall: onCall)
        }

        deinit { _ = end() }

        /// The process's number.
        package var id: pid_t { program.id }

        /// Ends the process at once, and the line: a process that it has started can have that open.
        package func kill() {
            line.close()
            program.kill()
        }

        /// Ends the process, unless it has ended.
        ///
        /// - Returns: how it ended; a process that was ending by itself keeps its status.
        @discardableResult
        package func end() -> RunningProgram.End {
            line.close()
            program.kill()
            return program.end()
        }
    }

    /// The reason why a fenced process did not begin its work.
    package enum FencedProcessError: Error, Sendable, CustomStringConvertible {
        /// The system did not start the process.
        case notStarted(String)
        /// The process could not give its files up, and so did nothing.
        case notFenced(String)
        case ended(RunningProgram.End)
        case tooSlow
        /// Something else came than such a process says.
        case malformed(String)

        package var description: String {
            switch self {
            case .notStarted(let reason): "the system did not start it: \(reason)"
            case .notFenced(let reason): "it cannot give up its files on this system: \(reason)"
            case .ended(.killed(let signal)): "it was ended by signal \(signal)"
            case .ended(.exited(let status)): "it ended with status \(status)"
            case .tooSlow: "it took longer than \(FencedFrames.pause.components.seconds) s"
            case .malformed(let reason): reason
            }
        }
    }
#endif
