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

    /// Runs a command of `countersign script` in a folder, which has the person's home, too.
    static func run(_ arguments: String..., in folder: URL) async throws -> CountersignProcess.Outcome {
        try await CountersignProcess(
            ["script"] + arguments, environment: ["HOME": folder.path, "COUNTERSIGN_HOME": folder.path + "/home"],
            in: folder
        ).run()
    }
}
