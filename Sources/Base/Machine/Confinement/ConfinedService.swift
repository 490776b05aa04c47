#if os(Linux)
    import CLinux
    import Encodings
    import Foundation

    /// The inside of a confined process: it gives its rights up, then answers calls until its parent is gone.
    package enum ConfinedService {
        /// Serves, and never returns, if this process was started for that by a ``ConfinedReader``.
        ///
        /// - Parameters:
        ///   - arguments: of this process, without the program's name.
        ///   - tasks: all that a confined process can be started for. It performs one of them.
        package static func serve(_ arguments: [String], _ tasks: [any ConfinedTask.Type]) {
            switch arguments.first {
            case ConfinedReader.readingCommand:
                guard let task = tasks.first(where: { $0.name == arguments.dropFirst().first }) else {
                    ending("countersign starts this command itself, with the name of a task")
                }
                run(task)
            case ConfinedReader.programCommand: ConfinedProgram.run(Array(arguments.dropFirst()))
            default: return
            }
        }

        /// Serves calls on standard input, a socket. Standard output is a pipe on which nothing is written: the process ends
        /// with its other end.
        private static func run(_ task: any ConfinedTask.Type) -> Never {
            var status = stat()
            guard fstat(0, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
                ending("countersign starts this command itself, to read files without any right")
            }
            task.prepare()
            let channel = FrameChannel(0)
            guard countersign_end_with_pipe(1) == 0 else { ending("the pipe to the parent cannot be watched") }
            let hello: JSONValue
            do throws(ConfinementError) {
                hello = ["landlock": .number(Double(try Confinement.enter(.reading)))]
            } catch {
                _ = try? channel.write(
                    (["problem": .string("\(error)")] as JSONValue).compactBytes(),
                    by: .now + ConfinedFrames.pause)
                _exit(1)
            }
            do throws(ProcessSocketError) {
                try channel.write(hello.compactBytes(), by: .now + ConfinedFrames.pause)
                while try answer(channel, task) {}
                _exit(0)
            } catch {
                _exit(1)
            }
        }

        /// Answers a call. Returns false when the parent has ended the connection.
        private static func answer(
            _ channel: FrameChannel, _ task: any ConfinedTask.Type
        ) throws(ProcessSocketError) -> Bool {
            let head = try channel.read(
                atMost: ConfinedFrames.longestHead, startingBy: .now + .seconds(1 << 30), within: ConfinedFrames.pause)
            guard let head else { return false }
            let bytes = try channel.read(
                atMost: ConfinedFrames.longestPiece, startingBy: .now + ConfinedFrames.pause,
                within: ConfinedFrames.pause)
            guard let order = ConfinedFrames.json(head), let bytes else {
                throw .malformed("a call has an order and bytes")
            }
            let answer = task.perform(order, on: bytes)
            let end = ContinuousClock.now + ConfinedFrames.pause
            try channel.write(
                (["facts": answer.facts, "pieces": .number(Double(answer.pieces.count))] as JSONValue).compactBytes(),
                by: end)
            for piece in answer.pieces { try channel.write(piece, by: end) }
            return true
        }

        private static func ending(_ message: String) -> Never {
            try? FileHandle.standardError.write(contentsOf: Data("\(message)\n".utf8))
            _exit(2)
        }
    }

    /// The start of a program of someone else's making that reads a stranger's file, inside the confinement.
    enum ConfinedProgram {
        /// Becomes a program, and never returns.
        ///
        /// - Parameter arguments: the seconds and the bytes of memory that it may use, its full path, and its arguments.
        static func run(_ arguments: [String]) -> Never {
            guard arguments.count >= 3, let seconds = Int(arguments[0]), let memory = Int(arguments[1]),
                arguments[2].hasPrefix("/")
            else { _exit(2) }
            do throws(ConfinementError) {
                _ = try Confinement.enter(
                    .program(arguments[2]), Confinement.Limits(seconds: seconds, memory: memory))
            } catch {
                _exit(126)
            }
            let environment = RunningProgram.bareEnvironment.map { strdup("\($0)=\($1)") } + [nil]
            execve(arguments[2], arguments.dropFirst(2).map { strdup($0) } + [nil], environment)
            _exit(127)
        }
    }
#endif
