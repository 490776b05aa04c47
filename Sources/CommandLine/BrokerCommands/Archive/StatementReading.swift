import Archive
import FileKinds
import Foundation
import Machine
import Terminal

/// Accounts, and how many of the files that were found are not in them.
struct StatementHistories {
    let accounts: [AccountHistory]
    let leftOut: Int
    /// The number of files whose bookings may be counted twice.
    let doubtful: Int

    /// Says what was left out or guessed. Returns whether the accounts lack something, may have something twice, or contradict
    /// themselves.
    func report() -> Bool {
        for note in accounts.flatMap(\.notes) { Console.standard.error(note) }
        return leftOut > 0 || doubtful > 0 || accounts.contains { $0.unreadable > 0 || $0.isContradictory }
    }
}

/// Reads files of statements, also those in ZIP archives, and says which ones it leaves out.
struct StatementReading {
    private let options: ReadingOptions
    private var statements: [Statement] = []
    private var passedOver: Set<Int> = []
    private(set) var leftOut = 0
    /// True when a file was read, even if it has no transaction and says nothing of its account.
    private(set) var hasRead = false
    /// The files that were read, in their order.
    private var files: [ReadFile] = []
    /// The archive's documents that name no account, by the places of their statements.
    private var nameless: [(statements: Range<Int>, bank: String, account: String, filed: Date)] = []
    /// The number of files whose bookings are counted although another file may have them.
    private(set) var doubtful = 0

    init(_ options: ReadingOptions) { self.options = options }

    mutating func leaveOut(_ name: String, _ reason: String) {
        leftOut += 1
        Console.standard.error("\(name) is left out: \(reason)")
    }

    /// Reads a file that the person named.
    ///
    /// - Throws: ``CommandFailure`` with the file's name.
    mutating func read(_ url: URL) throws {
        try read(try bytes(of: url), url.lastPathComponent)
    }

    private mutating func take(_ read: [Statement], of bytes: [UInt8], from name: String) {
        let known = TransactionFile.kind(of: bytes.prefix(4096))?.rawValue
        let form = known ?? (bytes.starts(with: Self.zipMark) ? "xlsx" : "csv")
        files.append(ReadFile(statements: statements.count..<statements.count + read.count, name: name, form: form))
        statements += read
        hasRead = true
        if read.isEmpty { Console.standard.error("\(name) has no transactions") }
    }

    /// Reads standard input.
    ///
    /// - Throws: ``CommandFailure``.
    mutating func readInput() throws {
        var bytes: [UInt8] = []
        while let part = try FileHandle.standardInput.read(upToCount: 1 << 20), !part.isEmpty {
            bytes += part
            guard bytes.count <= options.limits.size else {
                throw CommandFailure("standard input is larger than \(options.limits.size) bytes; split it")
            }
        }
        try read(bytes, "standard input")
    }

    private mutating func read(_ bytes: [UInt8], _ name: String) throws {
        guard !bytes.starts(with: Self.zipMark) else { return try readZIP(bytes, name, isNamed: true) }
        do throws(ReadingError) {
            take(try TransactionFile.read(bytes, options: options, source: name), of: bytes, from: name)
        } catch {
            throw failure(error, name)
        }
    }

    /// Reads a file that was found, if its content is known. One that leaves something open is named and left out: it
    /// must not keep the others away.
    mutating func readKnown(_ url: URL) throws {
        guard let opened = try? OpenedFile(url, links: .followed), let start = try? opened.start(4096),
            Self.isKnown(start, url.lastPathComponent)
        else { return }
        try readKnown(try bytes(of: url), url.lastPathComponent)
    }

    /// Reads the content of a file that was found, if it is known.
    mutating func readKnown(_ bytes: [UInt8], _ name: String) throws {
        guard Self.isKnown(Array(bytes.prefix(4096)), name) else { return }
        if bytes.starts(with: Self.zipMark) {
            try readZIP(bytes, name, isNamed: false)
        } else {
            try readFound(bytes, name)
        }
    }

    private static func isKnown(_ start: [UInt8], _ name: String) -> Bool {
        start.starts(with: zipMark) || TransactionFile.kind(of: start) != nil || name.lowercased().hasSuffix(".csv")
    }

    /// Reads the content of a document of the archive, if it is known.
    mutating func readKnown(_ bytes: [UInt8], _ document: ArchivedDocument) throws {
        let (first, known) = (statements.count, files.count)
        try readKnown(bytes, document.path)
        let place = ReadFile.Place(bank: document.bank, account: document.account, period: document.period)
        for index in files[known...].indices { files[index].place = place }
        guard statements[first...].contains(where: \.account.isEmpty), !document.account.isEmpty else { return }
        nameless.append((first..<statements.count, document.bank, document.account, document.filedAt.date))
    }

    /// Leaves out the files that have the bookings of another one in another form.
    mutating func leaveOutRepeated() {
        let repeats = RepeatedStatements(files, statements)
        doubtful = repeats.doubtful
        for note in repeats.notes { Console.standard.error(note) }
        passedOver.formUnion(repeats.repeated.flatMap { files[$0].statements })
        // Of a ZIP archive, one file may be repeated and another not.
        nameless.removeAll { entry in
            entry.statements.allSatisfy { passedOver.contains($0) || !statements[$0].account.isEmpty }
        }
    }

    /// The statements that count.
    var read: [Statement] {
        statements.indices.filter { !passedOver.contains($0) }.map { statements[$0] }
    }

    /// Names accounts as the archive does, where documents name none: by the number that other documents of the account have, or
    /// by the archive's name of it where there are documents of several accounts.
    mutating func nameAccounts() {
        var numbers: [[String]: Set<String>] = [:]
        for file in files {
            guard let place = file.place, !place.account.isEmpty else { continue }
            numbers[[place.bank, place.account], default: []].formUnion(
                statements[file.statements].map(\.account).filter { !$0.isEmpty })
        }
        var owners: [String: String] = [:]
        nameless.removeAll { entry in
            guard let known = numbers[[entry.bank, entry.account]], known.count == 1, let number = known.first else {
                return false
            }
            for index in entry.statements where statements[index].account.isEmpty {
                statements[index].name(account: number, among: number, owners: &owners)
            }
            return true
        }
        let names = Set(nameless.map(\.account))
        let places = Set(nameless.map { [$0.bank, $0.account] })
        guard places.count > 1 else { return }
        Console.standard.error(
            "\(nameless.count) documents name no account; each has the name that the archive knows, such as "
                + "\(nameless[0].account.inLine(limit: 80))")
        // In the order in which they came, so that a later document takes no id from an earlier one.
        for (range, bank, account, _) in nameless.sorted(by: { $0.filed < $1.filed }) {
            for index in range where statements[index].account.isEmpty {
                // Two banks may have an account of one name.
                let name = names.count == places.count ? account : "\(bank) \(account)"
                statements[index].name(account: name, among: "\(bank) \(account)", owners: &owners)
            }
        }
    }

    /// The most bytes of a file that is read.
    var limit: Int { options.limits.size }

    private mutating func readFound(_ bytes: [UInt8], _ name: String) throws {
        guard TransactionFile.kind(of: bytes.prefix(4096)) != nil || options.columns != nil else {
            return leaveOut(name, "name its columns with --columns or --profile; archive columns proposes them")
        }
        do throws(ReadingError) {
            take(try TransactionFile.read(bytes, options: options, source: name), of: bytes, from: name)
        } catch {
            guard error.code == .ambiguous else { throw failure(error, name) }
            leaveOut(name, error.description)
        }
    }

    private mutating func readZIP(_ bytes: [UInt8], _ name: String, isNamed: Bool) throws {
        let archive: PackedDocuments
        do throws(FileRefusal) {
            archive = try PackedDocuments(bytes)
        } catch {
            // A spreadsheet is a ZIP archive, too.
            guard error.code == .wrongKind else { throw CommandFailure("\(name): \(error)") }
            return try readSpreadsheet(bytes, name, isNamed: isNamed)
        }
        for entry in archive.names {
            let inside = "\(name)/\(entry)"
            let content: [UInt8]
            do throws(FileRefusal) {
                content = try archive.bytes(named: entry)
            } catch {
                throw CommandFailure("\(name): \(error)")
            }
            if TransactionFile.kind(of: content.prefix(4096)) != nil || entry.lowercased().hasSuffix(".csv") {
                try readFound(content, inside)
            } else {
                // Nothing is missing without it, unless there are files inside.
                guard !content.starts(with: Self.zipMark) else {
                    leaveOut(inside, "it is a ZIP archive or a spreadsheet inside one; unpack it, and name its files")
                    continue
                }
                Console.standard.error("\(inside) is left out: it is not a file of transactions")
            }
        }
    }

    private mutating func readSpreadsheet(_ bytes: [UInt8], _ name: String, isNamed: Bool) throws {
        guard options.columns != nil || isNamed else {
            return leaveOut(name, "name its columns with --columns or --profile; archive columns proposes them")
        }
        do throws(ReadingError) {
            take(try TransactionFile.read(bytes, options: options, source: name), of: bytes, from: name)
        } catch {
            guard !isNamed, error.code == .ambiguous || error.code == .wrongKind else { throw failure(error, name) }
            leaveOut(name, error.description)
        }
    }

    private func bytes(of url: URL) throws -> [UInt8] {
        let opened: OpenedFile
        do {
            opened = try OpenedFile(url, links: .followed)
        } catch {
            throw CommandFailure("\(error); name a file of transactions, or a folder with such files")
        }
        // The size before the bytes: a file may be larger than the memory.
        guard opened.size <= options.limits.size else {
            throw CommandFailure(
                "\(url.lastPathComponent): the file is larger than \(options.limits.size) bytes; split it")
        }
        return try opened.bytes(atMost: options.limits.size)
    }

    private func failure(_ error: ReadingError, _ name: String) -> CommandFailure {
        let isOfOneBooking = [.amount, .date, .currency].contains(error.code) && error.line != nil
        let remedy = isOfOneBooking && !options.skipsUnreadable ? "; --skip-unreadable exports the other bookings" : ""
        return CommandFailure("\(name): \(error)\(remedy)")
    }

    private static let zipMark: [UInt8] = [0x50, 0x4B, 3, 4]
}
