import Files

#if os(Linux)
    import Foundation
    import Secrets
    import Testing

    @testable import Terminal

    @Suite("A question at the terminal", .serialized)
    struct AskingTests {
        @Test("ignores a yes that was typed before the question", .timeLimit(.minutes(1)))
        func typedAhead() async throws {
            let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var lock: Int32 = 0
            var number: Int32 = 0
            // TIOCSPTLCK and TIOCGPTN (asm-generic/ioctls.h): unlockpt and ptsname are not visible from Swift.
            try #require(terminal >= 0 && ioctl(terminal, 0x4004_5431, &lock) == 0)
            try #require(ioctl(terminal, 0x8004_5430, &number) == 0)
            let line = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
            // No other test reads standard input, which belongs to the process.
            let before = dup(STDIN_FILENO)
            try #require(line >= 0 && before >= 0 && dup2(line, STDIN_FILENO) == STDIN_FILENO)
            defer {
                dup2(before, STDIN_FILENO)
                for descriptor in [before, line, terminal] { close(descriptor) }
            }
            type("yes\n", at: terminal)
            async let answer = BlockingWork.run { Asking.yes("Really?") }
            // However late the question appears, one of these is typed after it.
            let typing = Task {
                for _ in 0..<100 {
                    try await Task.sleep(for: .milliseconds(200))
                    type("no\n", at: terminal)
                }
            }
            #expect(try await !answer)
            typing.cancel()
        }

        private func type(_ text: String, at terminal: Int32) {
            _ = text.withCString { write(terminal, $0, strlen($0)) }
        }
    }
#endif
