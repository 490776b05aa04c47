import Foundation
import TestSupport
import Testing

/// Lets one program of tpm2-tools wait before it begins, for as long as a test says.
struct ToolBrake: Sendable {
    /// The folders of tpm2-tools, with colons between them.
    let path: String
    private let mark: URL

    init(on program: String, in folder: TemporaryFolder) async throws {
        let programs = folder.appending("programs")
        mark = folder.appending("held")
        let real = try #require(Peers.program(program))
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        let script = """
            while [ -e '\(mark.path)' ]; do sleep 0.05; done
            exec '\(real.path)' "$@"
            """
        try await WrittenProgram.script(script, as: programs.appending(path: program))
        path = "\(programs.path):/usr/local/bin:/usr/bin:/bin"
    }

    func hold() throws { try Data().write(to: mark) }

    func release() { unlink(mark.path) }
}
