import Encodings
import Foundation
import Phone
import PhoneStore
import ScriptCollections
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("The commands for field results", .timeLimit(.minutes(5)))
struct ResultsCommandTests {
    @Test("are off, show every byte before and after a yes, and come back in the collection's summary")
    func whole() async throws {
        try await TemporaryFolder.with([:]) { folder in
            let scripts = folder.appending(path: "scripts")
            try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
            try Data(SharedScript.text.utf8).write(to: scripts.appending(path: "north.yaml"))
            let made = try await SharedScript.run(
                "collection", "make", "scripts", "--keys", "keys", "--output", "site", in: folder)
            let root = String(try #require(made.output.firstMatch(of: /SHA-256 ([0-9a-f]{64})/), "\(made.all)").1)
            let added = try await SharedScript.run(
                "collection", "add", "neighbours", "site", "--root-digest", root, in: folder)
            #expect(added.status == 0, "\(added.all)")

            let off = try await SharedScript.run("results", "show", "neighbours", in: folder)
            #expect(off.status == 1 && off.errors.contains("results for neighbours are off"), "\(off.all)")
            let asked = try await SharedScript.run("results", "on", "neighbours", in: folder)
            #expect(asked.status == 2 && asked.errors.contains("--yes"), "\(asked.all)")
            #expect(asked.output.contains(#""outcome":"layout_changed""#), "\(asked.all)")
            let on = try await SharedScript.run("results", "on", "neighbours", "--yes", in: folder)
            #expect(on.status == 0, "\(on.all)")

            // A run of two weeks ago, and a yes before it.
            let home = folder.appending(path: "home")
            let known = home.appending(path: "collections/collections.json")
            let text = try String(contentsOf: known, encoding: .utf8)
            let since = try #require(text.firstMatch(of: /"since":"([0-9]{4}-W[0-9]{2})"/), "\(text)")
            try Data(text.replacing(since.1, with: "2026-W01").utf8).write(to: known)
            let hex = try ScriptFile(path: folder.appending(path: "scripts/north.yaml").path).script().digest.hex
            let store = try PhoneDatabase(PhoneHome(home))
            let none = try await SharedScript.run("results", "show", "neighbours", in: folder)
            #expect(none.status == 0 && none.output.isEmpty, "\(none.all)")
            #expect(none.errors.contains("nothing to tell yet"), "\(none.all)")
            let ended = Date().addingTimeInterval(-14 * 86_400)
            try await store.keepOutcome(of: hex, engine: "html", reason: .wrongCredentials, step: 2, at: ended)
            try await store.keepOutcome(of: hex, engine: "html", reason: .layoutChanged, step: 4, at: ended)
            try await store.keepOutcome(of: String(hex.reversed()), engine: "html", reason: nil, step: nil, at: ended)
            try await store.keepOutcome(of: hex, engine: "html", reason: nil, step: nil, at: Date())

            let shown = try await SharedScript.run("results", "show", "neighbours", in: folder)
            let line = shown.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let json = try JSONReader.read(line.utf8)
            #expect(
                json.objectValue?.keys.sorted() == ["digest", "engine", "key", "outcome", "signature", "step", "week"],
                "\(shown.all)")
            #expect(json["digest"] == .string(hex) && json["step"] == 4)
            let send = try await SharedScript.run("results", "send", "neighbours", "--yes", in: folder)
            #expect(send.status == 2 && send.errors.contains("has no address"), "\(send.all)")
            let written = try await SharedScript.run("results", "write", "neighbours", "--output", "out", in: folder)
            #expect(written.output.contains("1 new files"), "\(written.all)")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "out").path)
            let file = try Data(contentsOf: folder.appending(path: "out").appending(path: try #require(names.first)))
            #expect(String(decoding: file, as: UTF8.self) == line)
            // The time of the file says no more than the week.
            let path = folder.appending(path: "out").appending(path: try #require(names.first)).path
            let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            let week = try #require(json["week"]?.stringValue.flatMap { ISOWeek($0) })
            #expect(time == week.start)

            // One household is not a summary.
            let folded = try await SharedScript.run(
                "collection", "make", "scripts", "--keys", "keys", "--output", "site", "--results", "out", in: folder)
            #expect(folded.output.contains("Results: 1 count, 0 do not. Scripts with a summary: 0"), "\(folded.all)")
            // Two more, who have the collection too.
            for name in ["second", "third"] {
                let other = home.appending(path: "../\(name)").standardizedFileURL
                try FileManager.default.copyItem(at: home, to: other)
                try FileManager.default.removeItem(at: other.appending(path: "collections/neighbours/result-keys"))
                let result = try await CountersignProcess(
                    ["script", "results", "write", "neighbours", "--output", "out-\(name)"],
                    environment: ["HOME": folder.path, "COUNTERSIGN_HOME": other.path], in: folder
                ).run()
                #expect(result.status == 0, "\(result.all)")
                for own in try FileManager.default.contentsOfDirectory(
                    atPath: folder.appending(path: "out-\(name)").path)
                {
                    try FileManager.default.copyItem(
                        at: folder.appending(path: "out-\(name)/\(own)"), to: folder.appending(path: "out/\(name).json")
                    )
                }
            }
            let again = try await SharedScript.run(
                "collection", "make", "scripts", "--keys", "keys", "--output", "site", "--results", "out", in: folder)
            #expect(again.output.contains("Results: 3 count, 0 do not. Scripts with a summary: 1"), "\(again.all)")
            _ = try await SharedScript.run("collection", "update", in: folder)
            let get = try await SharedScript.run("get", "north", in: folder)
            #expect(
                get.output.contains("In the field: 3 results, the last of")
                    && get.output.contains("3 of the last 3 ended with layout_changed at step 4"), "\(get.all)")

            let ends = try await SharedScript.run("results", "off", "neighbours", in: folder)
            #expect(ends.status == 0, "\(ends.all)")
            #expect(!FileManager.default.fileExists(atPath: home.path + "/collections/neighbours/result-keys"))
        }
    }
}
