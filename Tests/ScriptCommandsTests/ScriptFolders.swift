import Foundation
import TestSupport
import Testing

extension TemporaryFolder {
    /// Runs `body` in a folder with these files, given by their names.
    static func with(_ files: [String: String], _ body: (URL) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(name)) }
        try await body(folder.url)
    }
}

extension CountersignProcess {
    /// Returns the short digest of a script, as `script lint` prints it.
    static func digest(of file: String, in folder: URL) async throws -> String {
        let output = try await CountersignProcess(["script", "lint", file], in: folder).run().output
        return String(try #require(output.firstMatch(of: /digest ([0-9a-f]{12})/)).1)
    }
}
