import ArgumentParser
import FileKinds
import Foundation
import Terminal

/// The place of an export: a new file, or standard output.
struct TransactionOutput: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON; the same as --format json.")
    var isJSON = false

    @Option(
        name: .customLong("output"),
        help: ArgumentHelp(
            "A new file for the result, readable by you only, instead of standard output.", valueName: "file"))
    var path: String?

    /// Writes the transactions, whole or not at all, and says on standard error what the form could not hold.
    ///
    /// - Returns: the form in which they were written: JSON where `--json` says so.
    /// - Throws: ``CommandFailure`` where a file of the name exists, or cannot be written whole.
    func write(_ accounts: [AccountHistory], as format: TransactionExport) throws -> TransactionExport {
        let format = isJSON ? .json : format
        try write(try format.text(accounts))
        for note in format.notes(accounts) { Console.standard.error(note) }
        return format
    }

    private func write(_ text: String) throws {
        guard let path else { return Console.standard.disclose(text) }
        let url = try TypedPath.newFile(path)
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("\(path): \(String(cString: strerror(errno))); give another name")
        }
        do {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: Data(text.utf8))
        } catch {
            // Half an export looks like a whole one, and would be in the way of the next try.
            unlink(url.path)
            throw CommandFailure("\(path) could not be written whole; free space on its disk and try again")
        }
    }
}
