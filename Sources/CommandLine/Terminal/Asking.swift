import Encodings
import Foundation
import Secrets

/// Questions for a person at the terminal.
package enum Asking {
    package static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Returns a function that restores the terminal's current state, for a program that ends during a question without
    /// echo.
    package static func terminalState() -> @Sendable () -> Void {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return {} }
        return { [settings] in
            var settings = settings
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
    }

    /// Asks for a line of text. Returns nil at the end of the input, or when the question is withdrawn.
    ///
    /// - Parameter question: one line. It may hold a stranger's words, so a line feed in it is escaped.
    package static func line(_ question: String, unless withdrawal: Withdrawal? = nil) -> String? {
        try? FileHandle.standardError.write(contentsOf: Data("\(question.visible) ".utf8))
        if let withdrawal, !withdrawal.waitForLine() { return nil }
        return readLine(strippingNewline: true)
    }

    /// Reads the line with which a program answers in place of a person. Without a question, it waits for nothing but the line.
    ///
    /// - Returns: nil at the end of the input, when the line is too long, or when no answer is wanted any more.
    package static func writtenLine(unless withdrawal: Withdrawal) -> String? {
        var line: [UInt8] = []
        // Byte by byte: a thread that waits for the rest of a line could not be stopped.
        while line.count < longestWrittenLine, withdrawal.waitForLine() {
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count < 1 { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    private static let longestWrittenLine = 4096

    /// Asks a yes-or-no question, until the answer is one of the two or empty. Returns true for `y` or `yes`; input typed
    /// before the question is discarded.
    package static func yes(_ question: String, unless withdrawal: Withdrawal? = nil) -> Bool {
        decision("\(question) [y/N]", empty: false, unless: withdrawal) ?? false
    }

    /// Asks whether to go on with a change for which there is `--yes`.
    ///
    /// - Throws: ``CommandFailure`` when the answer is no, or no terminal can be asked.
    package static func confirmChange(_ question: String) throws {
        guard isPossible else { throw CommandFailure("nothing was changed; give --yes", status: 2) }
        guard yes(question) else { throw CommandFailure("nothing was changed") }
    }

    /// Asks a yes-or-no question to which an empty answer means yes. Input typed before the question is discarded.
    ///
    /// - Returns: nil at the end of the input, or when the question is withdrawn.
    package static func yesByDefault(_ question: String, unless withdrawal: Withdrawal? = nil) -> Bool? {
        decision("\(question) [Y/n]", empty: true, unless: withdrawal)
    }

    private static func decision(_ question: String, empty: Bool, unless withdrawal: Withdrawal?) -> Bool? {
        tcflush(STDIN_FILENO, TCIFLUSH)
        return valid(question, unless: withdrawal) { answer throws(CommandFailure) in
            switch answer.trimmingCharacters(in: .whitespaces).lowercased() {
            case "": empty
            case "y", "yes": true
            case "n", "no": false
            default: throw CommandFailure("please answer y or n")
            }
        }
    }

    /// Asks for a line of text until it can be used. Says each time why it cannot.
    ///
    /// - Parameter use: returns the value of the answer, or throws what is wrong with it.
    /// - Returns: nil at the end of the input, or when the question is withdrawn.
    package static func valid<Value>(
        _ question: String, unless withdrawal: Withdrawal? = nil, _ use: (String) throws(CommandFailure) -> Value
    ) -> Value? {
        while let answer = line(question, unless: withdrawal) {
            do throws(CommandFailure) {
                return try use(answer)
            } catch {
                say(error.message)
            }
        }
        return nil
    }

    /// Says what is wrong with an answer before the question is asked again.
    package static func say(_ problem: String) { Console.standard.error(problem) }

    /// Asks on a thread of its own, because reading a terminal blocks. A task that is cancelled withdraws its question.
    ///
    /// - Throws: `CancellationError`; ``CommandFailure`` when the program has too many open files.
    package static func waiting<Answer: Sendable>(
        for ask: @escaping @Sendable (Withdrawal) -> Answer
    ) async throws -> Answer {
        let withdrawal = try Withdrawal()
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread { continuation.resume(returning: ask(withdrawal)) }.start()
            }
        } onCancel: {
            withdrawal.withdraw()
        }
        try Task.checkCancellation()
        return answer
    }

    /// Asks for a line without echo. Returns nil at the end of the input, or when the question is withdrawn.
    package static func secret(_ question: String, unless withdrawal: Withdrawal? = nil) -> Secret? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            return line(question, unless: withdrawal).map(Secret.init)
        }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            try? FileHandle.standardError.write(contentsOf: Data("\n".utf8))
        }
        return line(question, unless: withdrawal).map(Secret.init)
    }

    /// Returns the first line of a file, or of standard input for `-`.
    package static func secret(inFile path: String) throws -> Secret {
        var bytes = try TypedPath.bytes(path, atMost: 1 << 20, failingWith: 1)
        defer { bytes.wipe() }
        let end = bytes.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex
        guard end > 0 else {
            let name = path == "-" ? "standard input" : path
            throw CommandFailure("\(name) is empty or begins with an empty line; put the text on its first line")
        }
        return Secret(bytes: bytes[..<end])
    }
}
