import Archive
import ArgumentParser
import Clocks
import Encodings
import FileKinds
import Foundation
import Machine
import Terminal

struct ArchiveAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "File documents that you have already.",
        discussion: """
            Each file is checked by its content: \(kinds). A page in HTML is kept without scripts, forms and links to other \
            files. Your files stay where they are. A document that the archive knows is not filed again. One that is whole is \
            filed, and what is odd in it is said, such as bookings that cannot be read. Exit status: 1 when a file was \
            refused; the others are filed.

            Example: countersign archive add --bank meridian --account giro --month 2025-03 statement.pdf
            """)

    private static var kinds: String {
        let names = FileKind.allCases.map { $0.rawValue.uppercased() }
        return names.dropLast().joined(separator: ", ") + " or " + names.suffix(1).joined()
    }

    @Argument(help: "The files.")
    var files: [String]

    @OptionGroup var place: ArchiveOption

    @Option(help: ArgumentHelp("The bank's id.", valueName: "id"))
    var bank: String

    @Option(help: ArgumentHelp("Your alias for the account; not its number.", valueName: "alias"))
    var account = ""

    @Option(
        help: ArgumentHelp("The month, such as 2025-03; without it the document is undated.", valueName: "month"),
        transform: TypedMonth.month)
    var month: MonthYear?

    @Option(help: "The kind that the files must have; a file of another kind is refused.")
    var kind: FileKind?

    @Flag(help: "Print JSON, one file per line.")
    var json = false

    func validate() throws {
        guard !bank.isEmpty else { throw ValidationError("--bank needs the bank's id") }
    }

    func run() async throws {
        try await reportingFailures {
            let archive = try place.open()
            var refused = 0
            for path in files {
                let file = URL(filePath: TypedPath.expanded(path))
                do {
                    let outcome = try await archive.file(
                        IncomingDocument(
                            .file(file), kind: kind, bank: bank, account: account, period: month,
                            originalName: file.lastPathComponent))
                    show(outcome, of: path)
                } catch {
                    refused += 1
                    let isMissing = (error as? FileError)?.code == ENOENT
                    Console.standard.error(
                        isMissing ? "not filed: \(TypedPath.missing(path))" : "\(path): \(error)")
                }
            }
            archive.close()
            if let notice = DocumentArchive.notice, !json { Console.standard.error(notice) }
            if refused > 0 { throw ExitCode(1) }
        }
    }

    private func show(_ outcome: FilingOutcome, of path: String) {
        if let note = outcome.document.note { Console.standard.error("\(path): \(note)") }
        // Such as a password, without which the person cannot read the document either.
        if let problem = outcome.document.missingText, DocumentArchive.notice == nil {
            Console.standard.error("\(path): its text cannot be searched: \(problem)")
        }
        let isNew = if case .filed = outcome { true } else { false }
        guard json else {
            return Console.standard.line(
                isNew ? "filed \(outcome.document.path)" : "already in the archive: \(outcome.document.path)")
        }
        var members = outcome.document.json.objectValue ?? [:]
        members["file"] = .string(path)
        members["is_new"] = .bool(isNew)
        Console.standard.line(JSONValue.object(members).compactText())
    }
}
