import ArgumentParser
import FileKinds
import Foundation
import Machine
import Terminal

struct ArchiveColumnsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "columns", abstract: "Propose the columns of a CSV file.",
        discussion: """
            Prints a declaration for --columns, found out from the file's header and from what its columns hold. Look at it \
            before you use it: a bank may call two columns alike. Columns without a role are named on standard error.

            Example: countersign archive columns bank.csv
            """)

    @Argument(help: "The CSV file.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The encoding of the file, such as windows-1250, if it is guessed wrongly.", valueName: "name"))
    var encoding: String?

    func validate() throws {
        guard encoding.map({ CodePage(named: $0) != nil }) ?? true else {
            throw ValidationError(
                "--encoding takes one of \(CodePage.allCases.map(\.rawValue).joined(separator: ", "))")
        }
    }

    func run() async throws {
        try await reportingFailures {
            var options = ReadingOptions()
            options.encoding = encoding.flatMap { CodePage(named: $0) }
            let bytes: [UInt8]
            do {
                bytes = try OpenedFile(URL(filePath: TypedPath.expanded(file)), links: .followed)
                    .bytes(atMost: options.limits.size)
            } catch {
                throw CommandFailure("\(error); name a CSV file")
            }
            let proposed: ProposedColumns
            do throws(ReadingError) {
                proposed = try ProposedColumns(for: bytes, options: options)
            } catch {
                throw CommandFailure("\(file): \(error)")
            }
            Console.standard.disclose(proposed.declaration + "\n")
            if !proposed.others.isEmpty {
                Console.standard.error("columns without a role: \(proposed.others.joined(separator: ", "))")
            }
            if proposed.declaration.contains(where: { !$0.isLetter && !$0.isNumber && !"=,._-".contains($0) }) {
                Console.standard.error(
                    "put the declaration in quotation marks behind --columns: its names have spaces or signs")
            }
            if !proposed.hasCurrency { Console.standard.error("no column has the currency; give it with --currency") }
        }
    }
}
