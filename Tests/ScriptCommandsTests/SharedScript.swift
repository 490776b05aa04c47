import Foundation
import TestSupport

/// The script that the tests of collections share with others, and the commands with which they do.
enum SharedScript {
    static let text = """
        bank: north
        name: Northern Bank
        origins: [https://north.example]
        steps:
          - open: /login
          - fill: { Username: $username, Password: $password }
          - press: Sign in
          - follow: "{{ month.name }} {{ year }}"
          - download: PDF

        """

    /// Makes the phone's folder.
    static func home(in folder: URL) throws -> URL {
        let home = folder.appending(path: "home")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        return home
    }

    /// Runs a command of `countersign script` in a folder, which has the person's home, too.
    static func run(_ arguments: String..., in folder: URL) async throws -> CountersignProcess.Outcome {
        try await CountersignProcess(
            ["script"] + arguments, environment: ["HOME": folder.path, "COUNTERSIGN_HOME": try home(in: folder).path],
            in: folder
        ).run()
    }
}
