import Encodings
import Foundation
import Machine
import Terminal

/// The change of a program's file that lets its assistant use this broker.
struct ProgramSetup: Sendable {
    let program: AgentProgram
    let command: ServerCommand
    /// The file, behind any link to it.
    let file: URL

    /// The largest file that is changed, in bytes.
    private static let largest = 8 << 20

    init(_ program: AgentProgram, _ command: ServerCommand, environment: [String: String]) {
        self.program = program
        self.command = command
        file = program.place(environment).resolvingSymlinksInPath()
    }

    /// Returns the file's text now, and with the entry.
    ///
    /// - Throws: ``ProgramFileProblem``, or `FileError`.
    func change() throws -> (before: String, after: String) {
        let before = try text()
        return (before, try program.text.adding(command, to: before))
    }

    /// Returns the file's text now, and without the entry; nil when the entry is missing.
    func removal() throws -> (before: String, after: String)? {
        let before = try text()
        guard before.contains(ServerCommand.key) else { return nil }
        return try program.text.removing(from: before).map { (before, $0) }
    }

    private func text() throws -> String {
        guard FileManager.default.fileExists(atPath: file.path) else { return "" }
        guard let text = String(validating: try OpenedFile(file).bytes(atMost: Self.largest), as: UTF8.self) else {
            throw ProgramFileProblem(description: "it is not UTF-8")
        }
        return text
    }

    /// Writes the file with the permissions that it has. A text without content removes it.
    ///
    /// - Throws: ``CommandFailure`` when the file has changed since `before` was read.
    func write(_ after: String, insteadOf before: String) throws {
        guard try text() == before else {
            throw CommandFailure("another program has changed \(file.path) just now; try again")
        }
        let isEmpty = after.allSatisfy(\.isWhitespace) || (try? JSONReader.read(Array(after.utf8))) == [:]
        guard !isEmpty else {
            try FileManager.default.removeItem(at: file)
            return
        }
        var status = stat()
        let mode = stat(file.path, &status) == 0 ? status.st_mode & 0o777 : 0o600
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try AtomicFile.write(
            Array(after.utf8), to: file, mode: mode, temporaryName: "\(file.lastPathComponent).\(UUID().uuidString).tmp"
        )
    }
}
