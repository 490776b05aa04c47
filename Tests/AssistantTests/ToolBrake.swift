import Foundation
import TestSupport
import Testing

/// Lets one program of tpm2-tools wait before it begins, for as long as a test says.
struct ToolBrake: Sendable {
    /// The folders of tpm2-tools, with colons between them.
    let path: String
    private let mark: URL

    init(on program: String, in folder: TemporaryFolder) throws {
        let programs = folder.appending("programs")
        mark = folder.appending("held")
        let real = try #require(Peers.program(program))
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        let script = """
            #!/bin/sh
            while [ -e '\(mark.path)' ]; do sleep 0.05; done
            exec '\(real.path)' "$@"
            """
        let file = programs.appending(path: program)
        try Data(script.utf8).write(to: file)
        chmod(file.path, 0o755)
        path = "\(programs.path):/usr/local/bin:/usr/bin:/bin"
    }

    func hold() throws { try Data().write(to: mark) }

    func release() { unlink(mark.path) }
}
