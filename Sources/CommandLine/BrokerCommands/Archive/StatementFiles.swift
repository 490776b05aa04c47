import Archive
import ArgumentParser
import FileKinds
import Foundation
import Terminal

/// The files of a command that reads transactions, and the facts that the files leave open.
struct StatementFiles: ParsableArguments {
    @Argument(
        help:
            "The files to read; of a folder, the files directly in it whose content is known. Without any, the archive's."
    )
    var files: [String] = []

    @OptionGroup var place: ArchiveOption

    @Option(help: ArgumentHelp("Of the archive, only documents of this bank, by its id.", valueName: "id"))
    var bank: String?

    @Option(help: ArgumentHelp("The account of a QIF file, or of CSV without a column for it.", valueName: "account"))
    var account = ""

    @Option(help: ArgumentHelp("The currency of a QIF file, or of CSV without a column for it.", valueName: "EUR"))
    var currency = ""

    @Option(help: ArgumentHelp("The order in written dates: dmy, mdy or ymd.", valueName: "order"))
    var dateOrder: ReadingOptions.DateOrder?

    @Option(
        help: ArgumentHelp(
            "The columns of CSV files, such as booked=Datum,amount=Betrag,purpose=Text.", valueName: "role=name,…"))
    var columns: String?

    @Option(help: ArgumentHelp("The decimal mark in CSV files.", valueName: "mark"))
    var decimalMark: String?

    @Option(help: ArgumentHelp("The first day, such as 2025-01-01.", valueName: "day"))
    var from: String?

    @Option(help: ArgumentHelp("The last day, such as 2025-12-31.", valueName: "day"))
    var to: String?

    func validate() throws {
        guard currency.isEmpty || currency.utf8.count == 3 && currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
        else { throw ValidationError("--currency takes three capital letters, such as EUR") }
        guard decimalMark.map({ $0 == "." || $0 == "," }) ?? true else {
            throw ValidationError("--decimal-mark takes a full stop or a comma")
        }
        guard files.isEmpty || place.archive == nil && bank == nil else {
            throw ValidationError("name files, or an archive with --archive and --bank; not both")
        }
        guard decimalMark == nil || columns != nil else { throw ValidationError("--decimal-mark needs --columns") }
        for (name, day) in [("--from", from), ("--to", to)] {
            guard let day, CalendarDay(iso: day) == nil else { continue }
            throw ValidationError("\(name) takes a day such as 2025-03-31")
        }
        if let first = from.flatMap({ CalendarDay(iso: $0) }), let last = to.flatMap({ CalendarDay(iso: $0) }) {
            guard first <= last else { throw ValidationError("--from is after --to; give the earlier day first") }
        }
        if let columns {
            do throws(ReadingError) {
                _ = try CSVColumns(columns)
            } catch {
                throw ValidationError("--columns: \(error)")
            }
        }
    }

    /// Returns each account's transactions in the range.
    ///
    /// - Throws: ``CommandFailure`` for the first file that cannot be read, with its name.
    func histories() async throws -> [AccountHistory] {
        var options = ReadingOptions()
        (options.account, options.currency, options.dateOrder) = (account, currency, dateOrder)
        options.columns = try columns.map { declaration throws(ReadingError) in try CSVColumns(declaration) }
        options.columns?.decimalMark = decimalMark?.first
        var statements: [Statement] = []
        if files.isEmpty { statements = try await filed(options) }
        for path in files {
            let url = URL(filePath: TypedPath.expanded(path))
            let isFolder = (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) ?? false
            guard isFolder else {
                statements += try read(url, options)
                continue
            }
            let inside = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            for file in inside.sorted(by: { $0.lastPathComponent < $1.lastPathComponent }) {
                guard let head = try? FileHandle(forReadingFrom: file), let start = try? head.read(upToCount: 4096)
                else { continue }
                if TransactionFile.kind(of: start) == nil {
                    guard file.pathExtension.lowercased() == "csv" else { continue }
                    guard options.columns != nil else {
                        Console.standard.error("\(file.lastPathComponent) is left out: name its columns with --columns")
                        continue
                    }
                }
                statements += try read(file, options)
            }
        }
        guard !statements.isEmpty else {
            let place = files.isEmpty ? "the archive" : files.joined(separator: ", ")
            throw CommandFailure("no file of transactions is in \(place)")
        }
        let (first, last) = (from.flatMap { CalendarDay(iso: $0) }, to.flatMap { CalendarDay(iso: $0) })
        return AccountHistory.of(statements).map { $0.part(from: first, to: last) }
    }

    /// Reads the archive's files of transactions. A CSV file counts when its columns are declared, or when this program
    /// wrote it.
    private func filed(_ options: ReadingOptions) async throws -> [Statement] {
        guard place.isNamed else {
            throw CommandFailure("name files, or an archive with --archive or BROKER_ARCHIVE_PATH", status: 2)
        }
        let archive = try place.open()
        defer { archive.close() }
        var statements: [Statement] = []
        for document in try await archive.documents(DocumentFilter(bank: bank)) where document.kind.hasTransactions {
            let file = archive.root.appending(path: document.path)
            // Another system may have taken the file.
            guard let head = try? FileHandle(forReadingFrom: file) else {
                Console.standard.error("\(document.path) is missing, and left out")
                continue
            }
            let isKnown = document.kind != .csv || options.columns != nil
            let start = try head.read(upToCount: 4096) ?? Data()
            guard isKnown || TransactionFile.kind(of: start) != nil else { continue }
            statements += try read(file, options)
        }
        return statements
    }

    private func read(_ url: URL, _ options: ReadingOptions) throws -> [Statement] {
        // The size before the bytes: a file may be larger than the memory.
        let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        guard size <= options.limits.size else {
            throw CommandFailure(
                "\(url.lastPathComponent): the file is larger than \(options.limits.size) bytes; split it")
        }
        let bytes = Array(try Data(contentsOf: url))
        do throws(ReadingError) {
            return try TransactionFile.read(bytes, options: options, source: url.lastPathComponent)
        } catch {
            throw CommandFailure("\(url.lastPathComponent): \(error)")
        }
    }
}

extension FileKind {
    /// Returns whether transactions can be read from files of this kind.
    fileprivate var hasTransactions: Bool {
        switch self {
        case .camt, .mt940, .ofx, .qif, .csv: true
        case .pdf, .xlsx, .zip, .html: false
        }
    }
}

extension ReadingOptions.DateOrder: ExpressibleByArgument {}
