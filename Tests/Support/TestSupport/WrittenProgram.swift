import Foundation
import Testing

/// Programs that a test writes and then starts.
///
/// A process that is being started has copies of our open files until exec. Linux starts no file that is open for writing
/// (`ETXTBSY`, execve(2)), so another process writes it.
package enum WrittenProgram {
    /// Writes a script for `/bin/sh` that everyone may start.
    package static func script(_ lines: String, as file: URL) async throws {
        try await write(
            file, by: #"{ echo '#!/bin/sh'; cat; } >"$0" && chmod 755 "$0""#, input: Data("\(lines)\n".utf8))
    }

    /// Writes a copy of a program.
    package static func copy(of program: URL, as file: URL) async throws {
        try await write(file, by: #"cp "$1" "$0""#, [program.path])
    }

    private static func write(
        _ file: URL, by command: String, _ arguments: [String] = [], input: Data? = nil
    ) async throws {
        let outcome = try await ChildProcess.run(
            URL(filePath: "/bin/sh"), ["-c", command, file.path] + arguments, input: input)
        try #require(outcome.status == 0, "\(file.path) cannot be written: \(outcome.text)")
    }
}
