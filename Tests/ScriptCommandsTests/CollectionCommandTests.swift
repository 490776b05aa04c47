import Foundation
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("The commands for collections", .timeLimit(.minutes(5)))
struct CollectionCommandTests {
    @Test("make, add, search, get and update a signed collection, and name a new origin")
    func whole() async throws {
        try await TemporaryFolder.with(["north.yaml": SharedScript.text]) { folder in
            let scripts = folder.appending(path: "scripts")
            try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: folder.appending(path: "north.yaml"), to: scripts.appending(path: "north.yaml"))
            try Data(#"{"author": "Ada", "country": "GB"}"#.utf8).write(to: scripts.appending(path: "collection.json"))
            let made = try await SharedScript.run(
                "collection", "make", "scripts", "--keys", "keys", "--output", "site", in: folder)
            #expect(made.status == 0 && made.output.contains("Version 1 with 1 script:"), "\(made.all)")
            let digest = String(try #require(made.output.firstMatch(of: /SHA-256 ([0-9a-f]{64})/)).1)
            let wrong = try await SharedScript.run(
                "collection", "add", "neighbours", "site", "--root-digest", String(digest.reversed()), in: folder)
            #expect(wrong.status == 1 && wrong.errors.contains("was not added"), "\(wrong.all)")
            let added = try await SharedScript.run(
                "collection", "add", "neighbours", "site", "--root-digest", digest, in: folder)
            #expect(added.status == 0 && added.output.contains(", 1 script\n"), "\(added.all)")
            let found = try await SharedScript.run("search", "northern", "gb", in: folder)
            #expect(found.output.contains("north") && found.output.contains("Ada"), "\(found.all)")
            let get = try await SharedScript.run("get", "north", in: folder)
            #expect(get.status == 0 && get.output.contains("https://north.example"), "\(get.all)")
            #expect(get.output.contains("the password") && get.output.contains("Nothing is kept"), "\(get.all)")
            let short = try await CountersignProcess.digest(of: "north.yaml", in: folder)
            let kept = try await SharedScript.run(
                "get", "north", "--output", "kept.yaml", "--digest", short, in: folder)
            #expect(kept.status == 0, "\(kept.all)")
            #expect(try String(contentsOf: folder.appending(path: "kept.yaml"), encoding: .utf8) == SharedScript.text)
            try Data("kept".utf8).write(to: folder.appending(path: "other.vouch"))
            for (name, existing) in [("kept.yaml", "kept.yaml"), ("other.yaml", "other.vouch")] {
                let over = try await SharedScript.run("get", "north", "--output", name, "--digest", short, in: folder)
                #expect(over.status == 2 && over.errors.contains("\(existing) already exists"), "\(over.all)")
            }
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "other.yaml").path))
            let nowhere = try await SharedScript.run("get", "north", "--output", "away/north.yaml", in: folder)
            #expect(nowhere.status == 2 && nowhere.errors.contains("make it with mkdir -p"), "\(nowhere.all)")
            #expect(nowhere.output.isEmpty, "nothing is shown, and nothing asked, that cannot be kept: \(nowhere.all)")
            let accepted = try await SharedScript.run("accept", "kept.yaml", "--digest", short, in: folder)
            #expect(accepted.status == 0, "\(accepted.all)")
            // The author's next version contacts another host.
            let wider = SharedScript.text.replacing(
                "[https://north.example]", with: "[https://north.example, https://stats.example]")
            try Data(wider.utf8).write(to: scripts.appending(path: "north.yaml"))
            // The root's key lies on another medium by now.
            try FileManager.default.removeItem(at: folder.appending(path: "keys/root.key"))
            let again = try await SharedScript.run(
                "collection", "make", "scripts", "--keys", "keys", "--output", "site", in: folder)
            #expect(again.status == 0, "\(again.all)")
            let root = try await SharedScript.run(
                "collection", "make", "scripts", "--keys", "keys", "--output", "site", "--new-root", in: folder)
            #expect(root.status == 2 && root.errors.contains("put it back"), "\(root.all)")
            let updated = try await SharedScript.run("collection", "update", in: folder)
            #expect(updated.status == 0 && updated.output.contains("version 2"), "\(updated.all)")
            let next = try await SharedScript.run("get", "north", "--output", "next.yaml", in: folder)
            #expect(next.output.contains("NEW ORIGIN: https://stats.example"), "\(next.all)")
            #expect(next.status == 2 && next.errors.contains("give --digest"), "\(next.all)")
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "next.yaml").path))
            let removed = try await SharedScript.run("collection", "remove", "neighbours", in: folder)
            #expect(removed.status == 0, "\(removed.all)")
            let gone = try await SharedScript.run("get", "north", in: folder)
            #expect(gone.status == 1 && gone.errors.contains("no collection of scripts is known here"), "\(gone.all)")
        }
    }

    @Test("refuse a recording that shows a cookie or a password")
    func unmasked() async throws {
        let har = #"""
            {"log": {"entries": [{"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1,
             "request": {"method": "GET", "url": "https://north.example/", "headers": [{"name": "Cookie", "value": "sid=abc123"}]},
             "response": {"status": 200, "headers": [], "content": {"size": 0, "mimeType": "text/html", "text": "hello"}}}]}}
            """#
        try await TemporaryFolder.with([:]) { folder in
            let scripts = folder.appending(path: "scripts")
            try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
            try Data(SharedScript.text.utf8).write(to: scripts.appending(path: "north.yaml"))
            try Data(har.utf8).write(to: scripts.appending(path: "north.har"))
            let made = try await SharedScript.run(
                "collection", "make", "scripts", "--keys", "keys", "--output", "site", in: folder)
            #expect(made.status == 3 && made.errors.contains("the value of a Cookie"), "\(made.all)")
        }
    }

    @Test("warn of a recording, of a script for testing, and of what collection.json says in vain")
    func warnings() async throws {
        let har = #"""
            {"log": {"entries": [{"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1,
             "request": {"method": "GET", "url": "https://north.example/", "headers": []},
             "response": {"status": 200, "headers": [], "content": {"size": 0, "mimeType": "text/html", "text": "hello"}}}]}}
            """#
        let about = #"{"auther": "Ada", "scripts": {"nroth.yaml": {}, "north.yaml": {"contry": "GB"}}}"#
        let testing = SharedScript.text.replacing("https://north.example", with: "http://localhost:1").replacing(
            "bank: north", with: "bank: local\ntesting: true")
        try await TemporaryFolder.with([:]) { folder in
            let scripts = folder.appending(path: "scripts")
            try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
            for (name, text) in [
                ("north.yaml", SharedScript.text), ("local.yaml", testing), ("north.har", har),
                ("collection.json", about),
            ] {
                try Data(text.utf8).write(to: scripts.appending(path: name))
            }
            let made = try await SharedScript.run(
                "collection", "make", "scripts", "--keys", "keys", "--output", "site", in: folder)
            #expect(made.status == 0, "\(made.all)")
            let warnings = made.errors.split(separator: "\n").map { $0.replacing("countersign: warning: ", with: "") }
            #expect(
                warnings == [
                    "collection.json: “auther” means nothing; write author, country or scripts",
                    "collection.json: “contry” of north.yaml means nothing; write author or country",
                    "collection.json names nroth.yaml, which is not a script of the folder",
                    "local.yaml is for testing: it reaches nothing but its reader's own machine",
                    "north.har is published. Secrets, account numbers and amounts in it are masked; names, addresses and the "
                        + "purposes of payments are not.",
                ], "\(made.all)")
        }
    }

    @Test("demand two vouches where the policy does", .needs("ssh-keygen"))
    func vouches() async throws {
        try await TemporaryFolder.with(["north.yaml": SharedScript.text]) { folder in
            let program = try #require(Peers.program("ssh-keygen"))
            var keys: [String: String] = [:]
            for name in ["ada", "bea", "eve"] {
                let outcome = try await ChildProcess.run(
                    program, ["-q", "-t", "ed25519", "-N", "", "-f", folder.appending(path: name).path],
                    environment: ProcessInfo.processInfo.environment, input: nil, in: folder)
                try #require(outcome.status == 0, "\(outcome.text)")
                keys[name] = try String(contentsOf: folder.appending(path: name + ".pub"), encoding: .utf8)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let home = folder.appending(path: "home")
            try FileManager.default.createDirectory(
                at: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let policy =
                "version: 1\nscripts:\n  vouches: 2\n  reviewers:\n    ada: \(keys["ada"] ?? "")\n    bea: \(keys["bea"] ?? "")\n"
            try Data(policy.utf8).write(to: home.appending(path: "policy.yaml"))
            let short = try await CountersignProcess.digest(of: "north.yaml", in: folder)
            for (name, count) in [("eve", 0), ("ada", 1), ("ada", 1), ("bea", 2)] {
                let vouched = try await SharedScript.run(
                    "vouch", "north.yaml", "--key", name, "--digest", short, in: folder)
                #expect(vouched.status == 0, "\(vouched.all)")
                let accepted = try await SharedScript.run("accept", "north.yaml", "--digest", short, in: folder)
                #expect(accepted.status == (count == 2 ? 0 : 1), "\(name): \(accepted.all)")
                #expect(accepted.output.contains("\(count) of the 2 that your policy demands"), "\(accepted.all)")
            }
        }
    }
}
