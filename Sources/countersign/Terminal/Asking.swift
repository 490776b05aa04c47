import Foundation
import Secrets

/// Questions to a person at the terminal.
enum Asking {
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Gives back what puts the terminal into the state that it is in now; for whoever ends the program in the middle of a
    /// question that is not echoed.
    static func terminalState() -> @Sendable () -> Void {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return {} }
        return { [settings] in
            var settings = settings
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
    }

    /// A line of text; nil at the end of the input.
    static func line(_ question: String) -> String? {
        try? FileHandle.standardError.write(contentsOf: Data("\(question) ".utf8))
        return readLine(strippingNewline: true)
    }

    /// True for `y` or `yes`, typed after the question was there to be read: what was typed before is thrown away.
    static func yes(_ question: String) -> Bool {
        tcflush(STDIN_FILENO, TCIFLUSH)
        return ["y", "yes"].contains(line("\(question) [y/N]")?.lowercased())
    }

    /// A line that is not echoed.
    static func secret(_ question: String) -> Secret? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return line(question).map(Secret.init) }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            try? FileHandle.standardError.write(contentsOf: Data("\n".utf8))
        }
        return line(question).map(Secret.init)
    }

    /// Asks for a passphrase a second time.
    ///
    /// - Throws: ``CommandFailure`` when the two differ.
    static func repetition(of passphrase: Secret) throws {
        guard let again = secret("The same once more:"), again.isEqual(to: passphrase) else {
            throw CommandFailure("the two passphrases differ; nothing was written")
        }
    }

    /// The first line of a file, or of standard input for `-`; for those who cannot type.
    static func secret(inFile path: String) throws -> Secret {
        let data: Data
        do {
            data =
                path == "-"
                ? FileHandle.standardInput.readDataToEndOfFile() : try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CommandFailure("\(path) cannot be read; check that the file is there and yours to read")
        }
        let first = data.prefix { $0 != 0x0A && $0 != 0x0D }
        guard !first.isEmpty else { throw CommandFailure("\(path) is empty; its first line is read") }
        return Secret(bytes: first)
    }
}
