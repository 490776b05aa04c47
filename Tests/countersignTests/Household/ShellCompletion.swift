import Foundation
import TestSupport

/// A bash in which a person has typed the beginning of a command line, and pressed the tabulator key.
struct ShellCompletion: Sendable {
    let environment: [String: String]

    /// Returns what the shell offers for the last word, which may be empty.
    func values(of words: String...) async throws -> [String] {
        let script = try await CountersignProcess(["--generate-completion-script", "bash"]).run().output
        let program = Repository.countersign.deletingLastPathComponent().path
        let ask = """
            PATH='\(program)':$PATH
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            _countersign countersign "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let folder = try TemporaryFolder()
        let file = folder.appending("complete")
        try Data((script + "\n" + ask).utf8).write(to: file)
        let outcome = try await ChildProcess.run(
            URL(filePath: "/bin/bash"), [file.path, "countersign"] + words,
            environment: CountersignProcess.plainEnvironment.merging(environment) { $1 })
        return String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
