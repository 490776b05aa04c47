import Archive
import ArgumentParser
import Encodings
import Terminal

struct ArchiveVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Compare every file with the digest that it was filed with.",
        discussion: """
            Names the files that are missing, changed, extra or unreadable, and changes nothing. A missing file stays known, \
            so that its document is not fetched again: move documents into another system as you like. Exit status: 0 \
            without a difference, 1 with one.
            """)

    @OptionGroup var place: ArchiveOption

    @Flag(help: "Print JSON: one line for each difference, and one for the sum.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let archive = try place.open()
            let result = try await archive.verify()
            archive.close()
            for document in result.missing { show("missing", document.path, document) }
            for document in result.changed { show("changed", document.path, document) }
            for path in result.extra { show("extra", path) }
            for one in result.unreadable { show("unreadable", one.document.path, one.document, one.reason) }
            let sum = "documents: \(result.documents), \(DocumentTable.size(result.bytes))"
            if json {
                let line: JSONValue = [
                    "documents": .number(Double(result.documents)), "bytes": .number(Double(result.bytes)),
                    "missing": .number(Double(result.missing.count)), "changed": .number(Double(result.changed.count)),
                    "extra": .number(Double(result.extra.count)),
                    "unreadable": .number(Double(result.unreadable.count)),
                ]
                Console.standard.line(line.compactText())
            } else if result.isClean {
                Console.standard.line("all files are as they were filed; \(sum)")
            } else {
                Console.standard.line(sum)
                if !result.extra.isEmpty {
                    Console.standard.line("countersign archive rebuild takes extra files into the index")
                }
            }
            if !result.isClean { throw ExitCode(1) }
        }
    }

    private func show(
        _ difference: String, _ path: String, _ document: ArchivedDocument? = nil, _ reason: String? = nil
    ) {
        guard json else {
            return Console.standard.line(
                "\(difference): \(path.inLine(limit: 1000))" + (document.map { " (\($0.id.inLine()))" } ?? "")
                    + (reason.map { ": \($0.inLine(limit: 1000))" } ?? ""))
        }
        let line: JSONValue = [
            "difference": .string(difference), "path": .string(path),
            "sha256": document.map { .string($0.sha256) } ?? .null, "reason": reason.map { .string($0) } ?? .null,
        ]
        Console.standard.line(line.compactText())
    }
}
