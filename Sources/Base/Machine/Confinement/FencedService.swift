#if os(Linux)
    import CLinux
    import Encodings
    import Foundation

    /// The inside of a fenced process: it gives its files up before it has a second thread, and talks with its parent from then on.
    package struct FencedService: Sendable {
        private let channel: FrameChannel

        /// Begins, if this process was started for that by a ``FencedProcess``.
        ///
        /// - Parameters:
        ///   - arguments: of this process, without the program's name.
        ///   - name: the work that the program does in such a process.
        /// - Returns: nil in another process. A process whose files cannot be taken away ends here.
        package static func begin(_ arguments: [String], _ name: String) -> FencedService? {
            guard arguments.first == name else { return nil }
            var status = stat()
            guard arguments.count == 1, fstat(0, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
                try? FileHandle.standardError.write(
                    contentsOf: Data("countersign starts this command itself\n".utf8))
                _exit(2)
            }
            // Away from the numbers that this process's own programs, and what prints in it, use. A byte on the pipe would end it.
            let (socket, pipe) = (fcntl(0, F_DUPFD_CLOEXEC, 3), fcntl(1, F_DUPFD_CLOEXEC, 3))
            let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
            guard socket >= 0, pipe >= 0, nothing >= 0, dup2(nothing, 0) == 0, dup2(nothing, 1) == 1,
                countersign_end_with_pipe(pipe) == 0
            else { _exit(1) }
            close(nothing)
            let channel = FrameChannel(socket)
            let hello: JSONValue
            do throws(ProcessSocketError) {
                hello = try enter(channel)
                try channel.write(hello.compactBytes(), by: .now + FencedFrames.pause)
            } catch {
                _exit(1)
            }
            guard hello["problem"] == nil else { _exit(1) }
            return FencedService(channel: channel)
        }

        private static func enter(_ channel: FrameChannel) throws(ProcessSocketError) -> JSONValue {
            let frame = try channel.read(
                atMost: FencedFrames.longestHead, startingBy: .now + FencedFrames.pause, within: FencedFrames.pause)
            guard let frame, let json = try? JSONReader.read(frame), let fence = FileFence(json) else {
                throw .malformed("a fenced process is told first which files it may open")
            }
            do throws(ConfinementError) {
                return ["landlock": .number(Double(try Confinement.enter(.working(fence + ownFiles))))]
            } catch {
                return ["problem": .string(error.description)]
            }
        }

        /// This program, its libraries and its loader, which the process needs to start confined readers.
        private static var ownFiles: FileFence {
            FileFence(reads: libraries, runs: Confinement.loaders + ["/proc/self/exe"])
        }

        /// The files that are mapped into this process.
        private static var libraries: [String] {
            guard let maps = try? OpenedFile(URL(filePath: "/proc/self/maps")).bytes(atMost: 16 << 20) else {
                return []
            }
            let paths = String(decoding: maps, as: UTF8.self).split(separator: "\n").compactMap { line in
                line.firstIndex(of: "/").map { String(line[$0...]) }
            }
            return Set(paths.filter { $0.contains(".so") }).sorted()
        }

        /// Takes calls of the parent, and makes calls to it.
        package func talk(
            limits: CallLine.Limits, onTell: @escaping CallLine.Teller, onCall: @escaping CallLine.Handler
        ) -> CallLine {
            CallLine(channel, limits: limits, onTell: onTell, onCall: onCall)
        }
    }

    /// The frames before the first call.
    enum FencedFrames {
        /// The longest of them, in bytes.
        static let longestHead = 256 << 10
        /// The time for one.
        static let pause = Duration.seconds(60)
    }
#endif
