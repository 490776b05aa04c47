import Foundation
import Measuring

/// An archive with 100,000 documents: finding and verifying, each command from its start to its end.
///
///     ArchiveSpeed [COUNT]
@main
struct ArchiveSpeed {
    private static let rounds = 9
    private static let roundsOfVerifying = 3

    static func main() throws {
        let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let count = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 0 : 100_000
        guard count > 0 else { fatalError("usage: ArchiveSpeed [COUNT]") }
        let root = FileManager.default.temporaryDirectory.appending(path: "archive-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let bytes = try ManyDocuments(root: root, count: count).write()
        let launching = Launching(launch: products.appending(path: "Launch"))
        let program = products.appending(path: "countersign").path
        func archive(_ words: String...) throws -> Cost {
            try launching.run([program, "archive"] + words + ["--archive", root.path])
        }
        _ = try archive("rebuild")
        let index = root.appending(path: ".countersign/index.sqlite").path
        var memory = 0
        let size = "\(count) documents, \(bytes >> 20) MB"
        for (what, words) in [
            ("one word", [ManyDocuments.rareWord]), ("two words", [ManyDocuments.rareWord, ManyDocuments.commonWord]),
            ("a word of every document", [ManyDocuments.commonWord]),
        ] {
            let bare = ["sqlite3", index, bareQuery(words.joined(separator: " "))]
            var (costs, theirs) = ([Cost](), [Duration]())
            for _ in 0..<rounds {
                costs.append(try launching.run([program, "archive", "find"] + words + ["--archive", root.path]))
                theirs.append(try launching.run(bare).wall + launching.run([program, "--version"]).wall)
            }
            memory = max(memory, costs.map(\.memory).max() ?? 0)
            printRow(
                "\(size): find \(what), to the bare query in sqlite3 and a start of this program",
                median(costs.map(\.wall)), median(theirs), atMost: 1.5)
        }
        var ours: [Duration] = []
        var theirs: [Duration] = []
        for _ in 0..<roundsOfVerifying {
            let cost = try archive("verify")
            memory = max(memory, cost.memory)
            ours.append(cost.wall)
            let sums = "find '\(root.path)' -name '*.csv' -print0 | xargs -0 sha256sum >/dev/null"
            theirs.append(try launching.run(["/bin/sh", "-c", sums]).wall)
        }
        printRow("\(size): verify, to sha256sum over the same files", median(ours), median(theirs))
        printRow(
            "\(size): peak memory of find and verify", String(format: "%.1f MB", Double(memory) / 1024),
            value: Double(memory) / 1024, atMost: 100, unit: " MB")
    }

    /// The search of `archive find` without its program: the newest documents with a word, each with an excerpt.
    private static func bareQuery(_ words: String) -> String {
        """
        SELECT d.path, snippet(texts, 1, '[', ']', '…', 12) FROM texts CROSS JOIN documents AS d ON d.id = texts.rowid
        WHERE texts MATCH '\(words)' ORDER BY texts.rowid DESC LIMIT 20
        """
    }
}
