import Archive
import ArgumentParser
import Encodings
import Terminal

struct ArchiveRebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild", abstract: "Bring the index in line with the files.",
        discussion: """
            Adds files that the index does not know, and follows files that moved inside the archive. Bank, account and \
            month are read from a path that the template makes. Documents whose file is missing stay known. To make the \
            index anew, remove the folder .countersign in the archive first: what only the index knows is then lost, which \
            are the requests, the banks' file names, and the documents without a file. Exit status: 1 when a file was refused.
            """)

    @OptionGroup var place: ArchiveOption

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let archive = try place.open()
            let result = try await archive.rebuild()
            archive.close()
            if json {
                let line: JSONValue = [
                    "added": .number(Double(result.added)), "moved": .number(Double(result.moved)),
                    "duplicates": .array(result.duplicates.map { .string($0) }),
                    "refused": .array(
                        result.refused.map { ["path": .string($0.path), "reason": .string($0.reason)] }),
                ]
                Console.standard.line(line.compactText())
            } else {
                for path in result.duplicates { Console.standard.line("duplicate: \(path.inLine(limit: 1000))") }
                for one in result.refused {
                    Console.standard.line("refused: \(one.path.inLine(limit: 1000)): \(one.reason.inLine(limit: 1000))")
                }
                Console.standard.line("added: \(result.added), moved: \(result.moved)")
                if let notice = DocumentArchive.notice { Console.standard.error(notice) }
            }
            if !result.refused.isEmpty { throw ExitCode(1) }
        }
    }
}
