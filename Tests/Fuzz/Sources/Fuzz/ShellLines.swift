@testable import Authoring

/// Reads lines as the shell does, and decides which of them may be kept in a file.
func fuzzShellLine(_ input: [UInt8]) {
    for line in String(decoding: input, as: UTF8.self).split(whereSeparator: \.isNewline).prefix(20) {
        let line = String(line)
        do {
            _ = try ShellCommand(line)
        } catch {
            promise(!error.description.isEmpty, "an error says what it is")
            promise(!ScriptShell.mayKeep(line), "a line that is not understood may hold a typed value")
        }
    }
}
