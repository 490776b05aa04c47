import CLinux
import Encodings
import Foundation
import TestSupport
import Testing

@testable import Machine

/// Says what it got.
private enum EchoTask: ConfinedTask {
    static let name = "echo"
    static func prepare() {}
    static func perform(_ order: JSONValue, on bytes: [UInt8]) -> ConfinedAnswer {
        ConfinedAnswer(["order": order], pieces: [bytes])
    }
}

@Suite("A program without confined processes")
struct UnconfinedReaderTests {
    @Test("does the work itself")
    func own() throws {
        let answer = try ConfinedReader(for: EchoTask.self).perform(["a": 1], on: [1, 2])
        #expect(answer == ConfinedAnswer(["order": ["a": 1]], pieces: [[1, 2]]))
    }
}

#if os(Linux)
    @Suite("A confined process that fails")
    struct FailingReaderTests {
        /// A shell in the place of the confined process. Its standard input is the socket.
        private static func outcome(_ script: String, limit: Duration = .seconds(60)) async throws -> String {
            try await BlockingWork.run {
                let reader = ConfinedReader(for: EchoTask.self, command: ["/bin/sh", "-c", script], limit: limit)
                do throws(ConfinedReaderError) {
                    return "\(try reader.perform([:], on: [1]))"
                } catch {
                    return error.description
                }
            }
        }

        /// A frame as a shell prints it: a length of four bytes, then the text.
        private static func frame(_ text: String) -> String {
            let length = String(text.utf8.count, radix: 8)
            return "printf '\\000\\000\\000\\\(length)%s' '\(text)' >&0"
        }

        @Test(
            "is named in one clear error",
            arguments: [
                ("kill -9 $$", "was ended by signal 9"), ("exit 3", "ended with status 3"),
                ("printf 'Segmentation fault, and much more of this' >&0; exec /bin/sleep 600", "senseless"),
                (frame("{\"landlock\":7}") + "; kill -11 $$", "was ended by signal 11"),
                (frame("{\"landlock\":7}") + "; \(frame("[1]")); exec /bin/sleep 600", "senseless"),
                (frame("{\"landlock\":7}") + "; \(frame("{\"facts\":{}}")); exec /bin/sleep 600", "senseless"),
                (frame("{\"problem\":\"seccomp: denied\"}"), "cannot give up its rights on this system"),
                (frame("{\"landlock\":-1}") + "; exec /bin/sleep 600", "senseless"),
            ])
        func failures(script: String, words: String) async throws {
            let error = try await Self.outcome(script)
            #expect(error.contains(words), "\(error)")
            #expect(error.hasPrefix("the confined reader (the process of countersign that reads foreign files)"))
        }

        @Test(
            "is ended when its time is up",
            arguments: ["exec /bin/sleep 600", frame("{\"landlock\":7}") + "; exec /bin/sleep 600"])
        func hanging(script: String) async throws {
            #expect(try await Self.outcome(script, limit: .seconds(1)).contains("took longer than 1 s"))
        }

        @Test("cannot be started where its program is missing")
        func missing() throws {
            let reader = ConfinedReader(for: EchoTask.self, command: ["/nonexistent/countersign"])
            let error = #expect(throws: ConfinedReaderError.self) { try reader.perform([:], on: []) }
            #expect(error?.description.contains("could not be started") == true)
        }

        @Test("is followed by another one for the next call")
        func next() async throws {
            let folder = try TemporaryFolder()
            let mark = folder.appending("began").path
            let script = "test -e \(mark) && exit 5; : >\(mark); kill -9 $$"
            let (first, second) = try await BlockingWork.run {
                let reader = ConfinedReader(for: EchoTask.self, command: ["/bin/sh", "-c", script])
                func call() -> String {
                    do throws(ConfinedReaderError) {
                        return "\(try reader.perform([:], on: []))"
                    } catch {
                        return error.description
                    }
                }
                return (call(), call())
            }
            #expect(first.contains("signal 9"))
            #expect(second.contains("status 5"))
        }
    }

    @Suite("A confined process of the program", .enabled(if: !Sanitizer.isActive))
    struct ConfinedProcessTests {
        @Test("can do nothing but compute")
        func rights() async throws {
            let folder = try TemporaryFolder()
            let file = folder.appending("a")
            try Data("x".utf8).write(to: file)
            let escapes = try await BlockingWork.run {
                let reader = ConfinedReader(for: ProbeTask.self, command: ConfinementOfTests.command(ProbeTask.self))
                return try ProbeTask.escapes(reader, path: file.path)
                    + ProbeTask.escapes(reader, path: "/proc/\(getpid())/mem")
            }
            #expect(escapes.isEmpty)
        }

        @Test(
            "is refused what this process can do",
            arguments: [
                COUNTERSIGN_PROBE_OPEN, COUNTERSIGN_PROBE_CONNECT, COUNTERSIGN_PROBE_SIGNAL, COUNTERSIGN_PROBE_RUN_DATA,
                COUNTERSIGN_PROBE_MODE, COUNTERSIGN_PROBE_OWNER, COUNTERSIGN_PROBE_TIMES, COUNTERSIGN_PROBE_ATTRIBUTES,
                COUNTERSIGN_PROBE_OTHERS_PROGRAM, COUNTERSIGN_PROBE_SLOW_DOWN, COUNTERSIGN_PROBE_SEND,
                COUNTERSIGN_PROBE_READ_ENVIRONMENT,
            ].map { Int32($0) })
        func control(deed: Int32) {
            #expect(countersign_probe(deed, "/etc/passwd", getpid()) == 0)
        }

        @Test("tells which Landlock holds in it")
        func landlock() async throws {
            let version = try await BlockingWork.run {
                let command = ConfinementOfTests.command(ProbeTask.self)
                return try ConfinedReader(for: ProbeTask.self, command: command).landlockVersion()
            }
            #expect(version == ConfinementOfTests.landlock)
        }

        @Test(
            "has no environment, and nothing open but its socket and its pipe",
            .enabled(if: geteuid() == 0, "only root may look"))
        func descriptors() async throws {
            let (environment, files) = try await BlockingWork.run {
                let process = try ConfinedProcess(ConfinementOfTests.command(ProbeTask.self))
                defer { _ = process.end() }
                _ = try process.ready(within: .seconds(60))
                let folder = "/proc/\(process.id)"
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").sorted()
                let files = try names.map {
                    try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\($0)")
                }
                return (try Data(contentsOf: URL(filePath: "\(folder)/environ")), files.map { $0.prefix { $0 != ":" } })
            }
            #expect(environment.isEmpty)
            #expect(files == ["socket", "pipe", "/dev/null"])
        }

        @Test("ends with its parent, whatever it is doing")
        func orphan() async throws {
            let process = try await BlockingWork.run {
                let process = try ConfinedProcess(ConfinementOfTests.command(ProbeTask.self))
                _ = try process.ready(within: .seconds(60))
                return process
            }
            // Stopped, it cannot see that its connection ends: the kernel has to end it when the pipe is closed.
            kill(process.id, SIGSTOP)
            #expect(try await BlockingWork.run { process.program.end() } == .killed(SIGKILL))
        }

        @Test("serves its parent alone")
        func byHand() async throws {
            let outcome = try await CountersignProcess([ConfinedReader.readingCommand, ProbeTask.name]).run()
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("countersign starts this command itself"))
        }
    }
#endif
