import Foundation
import TestSupport
import Testing

/// The recipes with which a person makes secret files, in Markdown and in the household of containers.
@Suite("Secret files that a recipe makes", .needs("openssl"))
struct SecretsInGuidesTests {
    private static func text(_ file: String) throws -> String {
        try String(contentsOf: Repository.file(file), encoding: .utf8)
    }

    /// The lines of a file that write a new secret to a file, without the mark of a comment.
    private static func recipes(in file: String) throws -> [String] {
        try text(file).split(separator: "\n").map { line in
            String(line.trimmingPrefix { $0 == "#" || $0 == " " })
        }.filter { $0.contains("openssl rand") && $0.contains(">") && !$0.hasPrefix("|") }
    }

    private static var documents: [String] {
        get throws {
            let guides = try FileManager.default.subpathsOfDirectory(atPath: Repository.file("docs").path)
                .filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }
            return ["README.md", "compose.yaml"] + guides
        }
    }

    @Test("are readable for their owner alone", arguments: try documents)
    func modes(document: String) async throws {
        for recipe in try Self.recipes(in: document) {
            let place = try TemporaryFolder()
            let target = try #require(recipe.firstMatch(of: />\s*([^\s)]+)/), "\(recipe)").1
            // The folder is one of the recipe's other lines.
            let file = place.appending(String(target).replacing("~/", with: ""))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            let outcome = try await ChildProcess.run(
                URL(filePath: "/bin/sh"), ["-c", "umask 022; \(recipe)"],
                environment: ["HOME": place.url.path, "PATH": "/usr/bin:/bin"], input: nil, in: place.url)
            #expect(outcome.status == 0, "\(recipe): \(outcome)")
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(document): \(recipe)")
        }
    }

    @Test("lie outside the folder of the repository", arguments: ["compose.yaml", "docs/agents.md"])
    func places(document: String) throws {
        let recipes = try Self.recipes(in: document)
        #expect(recipes.count >= 2, "the recipes have moved")
        for recipe in recipes { #expect(recipe.contains("> ~/.config/countersign/"), "\(recipe)") }
    }

    @Test("are named so that neither a commit nor an image takes one along that lies in the folder all the same")
    func ignored() throws {
        let names = try Self.recipes(in: "compose.yaml").compactMap { $0.firstMatch(of: /\/([^\/\s]+)\)$/)?.1 }
        #expect(names.count == 2)
        for (file, prefix) in [(".gitignore", "*"), (".containerignore", "**/*")] {
            let patterns = try Self.text(file).split(separator: "\n")
            for name in names {
                let ending = try #require(name.split(separator: ".").last)
                #expect(patterns.contains { $0 == "\(prefix).\(ending)" }, "\(file) has no pattern for \(name)")
            }
        }
    }

    @Test("of the phone and of the signature do not get into the shell from which an agent is started")
    func agentsShell() throws {
        let guide = try Self.text("docs/agents.md")
        for name in ["PHONE_API_TOKEN", "BROKER_PHONE_SHARED_SECRET", "BROKER_SEALING_SECRET"] {
            #expect(try guide.firstMatch(of: Regex("(?m)^\\s*(export .*)?\\b\(name)=")) == nil, "\(name)")
        }
        #expect(guide.contains("export BROKER_API_TOKEN="), "the guide has moved: an agent has its own token")
    }
}
