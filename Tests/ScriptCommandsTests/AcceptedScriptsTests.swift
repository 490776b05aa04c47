import Foundation
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("The commands for a folder of scripts")
struct AcceptedScriptsTests {
    private static let head = "bank: x\nname: X\norigins: [https://x.example]\nsteps:\n"

    @Test("runs a script of a folder once it is accepted, by its digest without a terminal")
    func accepts() async throws {
        try await TemporaryFolder.with(["x.yaml": Self.head + "  - download: PDF\n"]) { folder in
            let home = ["COUNTERSIGN_HOME": try SharedScript.home(in: folder).path]
            func run(_ arguments: String...) async throws -> CountersignProcess.Outcome {
                try await CountersignProcess(["script"] + arguments, environment: home, in: folder).run()
            }
            let listed = try await run("list", "--scripts", ".")
            #expect(listed.output.contains("x.yaml (X, digest"))
            #expect(listed.output.contains("has not been accepted"))
            let refused = try await run("lint", "x", "--scripts", ".")
            #expect(refused.status == 2)
            #expect(refused.errors.contains("countersign script accept"))

            #expect(try await run("accept", "x.yaml").status == 2)
            #expect(try await run("accept", "x.yaml", "--digest", "000000000000").status == 1)
            let accepted = try await run(
                "accept", "x.yaml", "--digest", try await CountersignProcess.digest(of: "x.yaml", in: folder))
            #expect(accepted.status == 0, "\(accepted.errors)")
            #expect(accepted.output.contains("https://x.example"))
            #expect(try await run("lint", "x", "--scripts", ".").status == 0)
            #expect(try await run("list", "--scripts", ".", "--json").output.contains(#""bank_id" : "x""#))
        }
    }

    @Test("makes no folder in the place of a named one that is away, as with its disk")
    func awayHome() async throws {
        try await TemporaryFolder.with(["x.yaml": Self.head + "  - download: PDF\n"]) { folder in
            let home = folder.appending(path: "disk/phone")
            let digest = try await CountersignProcess.digest(of: "x.yaml", in: folder)
            for command in [
                ["script", "accept", "x.yaml", "--digest", digest], ["script", "collection", "add", "ours", "."],
            ] {
                let outcome = try await CountersignProcess(command + ["--home", home.path], in: folder).run()
                #expect(outcome.status == 1 && outcome.errors.contains("is its disk mounted?"), "\(outcome.all)")
                #expect(outcome.errors.contains("make it first: mkdir -p -m 700 \(home.path)"), "\(outcome.all)")
                #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "disk").path))
            }
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let accepted = try await CountersignProcess(
                ["script", "accept", "x.yaml", "--digest", digest, "--home", home.path], in: folder
            ).run()
            #expect(accepted.status == 0, "\(accepted.all)")
        }
    }

    @Test("shows where a changed script sends the password now, and refuses to hide a poll")
    func acceptsChange() async throws {
        let poll =
            "  - wait until: { json: $.ok, is: yes, polling: { POST: \"https://y.example/c\", body: { p: $password } }, within: 1 min }\n"
        let head = Self.head.replacing("[https://x.example]", with: "[https://x.example, https://y.example]")
        let files = ["x.yaml": Self.head + "  - download: PDF\n", "z.yaml": head + poll + "  - download: PDF\n"]
        try await TemporaryFolder.with(files) { folder in
            let home = ["COUNTERSIGN_HOME": try SharedScript.home(in: folder).path]
            func run(_ arguments: String...) async throws -> CountersignProcess.Outcome {
                try await CountersignProcess(["script"] + arguments, environment: home, in: folder).run()
            }
            let first = try await run(
                "accept", "x.yaml", "--digest", try await CountersignProcess.digest(of: "x.yaml", in: folder))
            #expect(first.status == 0, "\(first.errors)")
            #expect(!first.output.contains("Changed since"))
            let second = try await run(
                "accept", "z.yaml", "--digest", try await CountersignProcess.digest(of: "z.yaml", in: folder))
            #expect(second.status == 0, "\(second.errors)")
            for words in [
                "What leaves, and where to",
                "  https://y.example\n    the password  POST, again every 2 s\n      https://y.example/c",
                "Changed since", "  + origin https://y.example", "  +     body $.p: the password",
                "  + sends the password to https://y.example", "error: the password is sent again",
            ] { #expect(second.output.contains(words), "\(words)\n\(second.output)") }
        }
    }
}
