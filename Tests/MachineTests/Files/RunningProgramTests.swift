import Foundation
import Testing

@testable import Machine

#if os(Linux)
    @Suite("A program that is started", .timeLimit(.minutes(1)))
    struct RunningProgramTests {
        private static func output(_ command: [String], reading input: Int32? = nil) async throws -> String {
            try await BlockingWork.run {
                let program = try RunningProgram(command, reading: input)
                let output = program.output(atMost: 4096)
                #expect(program.end() == .exited(0))
                return String(decoding: output, as: UTF8.self)
            }
        }

        @Test("reads nothing of this process's input, but the file that it is given")
        func input() async throws {
            let which = ["/usr/bin/readlink", "/proc/self/fd/0"]
            #expect(try await Self.output(which) == "/dev/null\n")
            let file = open("/etc/hostname", O_RDONLY | O_CLOEXEC)
            defer { close(file) }
            #expect(try await Self.output(which, reading: file) == "/etc/hostname\n")
        }

        @Test("is not started without the file that it is to read")
        func noInput() async {
            await #expect(throws: FileError.self) { try await Self.output(["/bin/cat"], reading: -1) }
        }
    }
#endif
