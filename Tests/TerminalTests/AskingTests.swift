import Machine

#if os(Linux)
    import Foundation
    import Secrets
    import Testing

    @testable import Terminal

    @Suite("A question at the terminal", .serialized)
    struct AskingTests {
        @Test("ignores a yes that was typed before the question", .timeLimit(.minutes(3)))
        func typedAhead() async throws {
            try await withTerminal { terminal in
                type("yes\n", at: terminal)
                async let answer = BlockingWork.run { Asking.yes("Really?") }
                // However late the question appears, one of these is typed after it.
                let typing = Task {
                    for _ in 0..<100 {
                        try await Task.sleep(for: .milliseconds(200))
                        type("no\n", at: terminal)
                    }
                }
                let isYes = try await answer
                #expect(!isYes)
                typing.cancel()
            }
        }

        @Test("that is withdrawn ends, and leaves the next line to the next question", .timeLimit(.minutes(3)))
        func withdrawn() async throws {
            try await withTerminal { terminal in
                for question in [Question.line, .secret] {
                    let withdrawal = try Withdrawal()
                    let first = Task { try await BlockingWork.run { question.ask("The code of before?", withdrawal) } }
                    withdrawal.withdraw()
                    #expect(try await first.value == nil, "\(question)")
                    let second = Task {
                        try await BlockingWork.run { question.ask("The code of now?", try Withdrawal()) }
                    }
                    // A question without echo discards what is typed before it, so type until it is there.
                    let typing = Task {
                        for _ in 0..<100 {
                            type("for the second question\n", at: terminal)
                            try await Task.sleep(for: .milliseconds(200))
                        }
                    }
                    #expect(try await second.value == "for the second question", "\(question)")
                    typing.cancel()
                    _ = await typing.result
                }
            }
        }

        @Test("that is withdrawn takes half a typed line with it", .timeLimit(.minutes(3)))
        func halfALine() async throws {
            try await withTerminal { terminal in
                let withdrawal = try Withdrawal()
                type("half an answer, ", at: terminal)
                try await awaitEcho(of: "half an answer, ", at: terminal)
                // No line is there yet, so the question waits until it is withdrawn.
                let first = Task {
                    try await BlockingWork.run { Question.line.ask("The code of before?", withdrawal) }
                }
                withdrawal.withdraw()
                #expect(try await first.value == nil)
                type("a whole answer\n", at: terminal)
                let second = try await BlockingWork.run {
                    Question.line.ask("The code of now?", try Withdrawal())
                }
                #expect(second == "a whole answer")
            }
        }

        private enum Question {
            case line, secret

            func ask(_ words: String, _ withdrawal: Withdrawal) -> String? {
                switch self {
                case .line: Asking.line(words, unless: withdrawal)
                case .secret: Asking.secret(words, unless: withdrawal)?.revealed()
                }
            }
        }

        /// Makes a terminal this process's standard input while `body` runs.
        private func withTerminal(_ body: (Int32) async throws -> Void) async throws {
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
            try await body(terminal)
        }

        /// Waits until the terminal has taken what was typed.
        private func awaitEcho(of text: String, at terminal: Int32) async throws {
            try await BlockingWork.run {
                var shown = ""
                var bytes = [UInt8](repeating: 0, count: 256)
                while !shown.contains(text) {
                    let count = read(terminal, &bytes, bytes.count)
                    try #require(count > 0, "\(shown)")
                    shown += String(decoding: bytes.prefix(count), as: UTF8.self)
                }
            }
        }

        private func type(_ text: String, at terminal: Int32) {
            _ = text.withCString { write(terminal, $0, strlen($0)) }
        }
    }
#endif
