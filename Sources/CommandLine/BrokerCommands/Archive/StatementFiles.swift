import Archive
import ArgumentParser
import FileKinds
import Foundation
import Machine
import Terminal

/// The files of a command that reads transactions, and the facts that the files leave open.
struct StatementFiles: ParsableArguments {
    @Argument(
        help:
            "The files to read, or “-” for standard input; of a folder, the files directly in it whose content is known. Without any, the archive's."
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
            "The columns of CSV files, such as booked=Datum,amount=Betrag,purpose=Text; sign=Name for a column with the sign, and numbers without a header.",
            valueName: "role=name,…"))
    var columns: String?

    @Option(
        help: ArgumentHelp(
            "The bank whose CSV files have known columns: \(BankProfile.all.map(\.name).joined(separator: ", ")).",
            valueName: "name"))
    var profile: String?

    @Option(help: ArgumentHelp("The decimal mark in CSV, QIF and OFX files.", valueName: "mark"))
    var decimalMark: String?

    @Option(
        help: ArgumentHelp(
            "The encoding of files that are not Unicode and state none, such as windows-1250 or cp850.",
            valueName: "name"))
    var encoding: String?

    @Flag(help: "Make a booking of each payment of a CAMT batch, if they add up to it.")
    var splitBatches = false

    @Flag(help: "Leave out bookings that cannot be read, and end with 3.")
    var skipUnreadable = false

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
        guard profile.map({ BankProfile(named: $0) != nil }) ?? true else {
            let names = BankProfile.all.map(\.name).joined(separator: ", ")
            throw ValidationError("--profile takes one of \(names); for another bank: countersign archive columns FILE")
        }
        guard profile == nil || columns == nil else {
            throw ValidationError("--profile declares the columns; leave out --columns")
        }
        guard encoding.map({ CodePage(named: $0) != nil }) ?? true else {
            let names = CodePage.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--encoding takes one of \(names)")
        }
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
    func histories() async throws -> StatementHistories {
        var options = ReadingOptions()
        (options.account, options.currency, options.dateOrder) = (account, currency, dateOrder)
        let known = profile.flatMap { BankProfile(named: $0) }
        options.columns = try (columns ?? known?.columns).map { declaration throws(ReadingError) in
            try CSVColumns(declaration)
        }
        if currency.isEmpty, let known { options.currency = known.currency }
        options.decimalMark = decimalMark?.first
        options.encoding = encoding.flatMap { CodePage(named: $0) }
        options.splitsBatches = splitBatches
        options.skipsUnreadable = skipUnreadable
        let today = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day], from: Date())
        options.today = CalendarDay(year: today.year ?? 0, month: today.month ?? 0, day: today.day ?? 0)
        var reading = StatementReading(options)
        if files.isEmpty { try await readArchive(&reading) }
        for path in files {
            if path == "-" {
                try reading.readInput()
                continue
            }
            let url = URL(filePath: TypedPath.expanded(path))
            let isFolder = (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) ?? false
            guard isFolder else {
                try reading.read(url)
                continue
            }
            let inside = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            for file in inside.sorted(by: { $0.lastPathComponent < $1.lastPathComponent }) {
                try reading.readKnown(file)
            }
        }
        reading.leaveOutRepeated()
        reading.nameAccounts()
        guard reading.hasRead else {
            let place = files.isEmpty ? "the archive" : files.joined(separator: ", ")
            guard reading.leftOut == 0 else {
                throw CommandFailure("nothing in \(place) could be read; the reasons are above")
            }
            let advice = "; a PDF has none, so ask for another kind that countersign banks lists, with --kinds"
            throw CommandFailure("no file of transactions is in \(place)\(files.isEmpty ? advice : "")")
        }
        let (first, last) = (from.flatMap { CalendarDay(iso: $0) }, to.flatMap { CalendarDay(iso: $0) })
        return StatementHistories(
            accounts: AccountHistory.of(reading.read).map { $0.part(from: first, to: last) },
            leftOut: reading.leftOut, doubtful: reading.doubtful)
    }

    /// Reads the archive's files of transactions.
    private func readArchive(_ reading: inout StatementReading) async throws {
        guard place.isNamed else {
            throw CommandFailure("name files, or an archive with --archive or BROKER_ARCHIVE_PATH", status: 2)
        }
        let archive = try place.open()
        defer { archive.close() }
        for document in try await archive.documents(DocumentFilter(bank: bank)) where document.kind.hasTransactions {
            // Another system may have taken the file.
            guard let bytes = try await archive.unchangedContent(of: document, atMost: reading.limit) else {
                reading.leaveOut(document.path.inLine(limit: 1000), DocumentTable.absence)
                continue
            }
            try reading.readKnown(bytes, document)
        }
    }
}

extension ReadingOptions.DateOrder: ExpressibleByArgument {}
