import Encodings
import Foundation
import Machine
import Terminal

/// The refusals of banks in test logins, kept over several starts: a bank counts them, whether a phone is set up or not.
/// A test login that was interrupted is among them, because the bank may have counted it.
///
/// The file holds no credential, and nothing that is made of one.
struct RefusedLogins: Sendable {
    /// The test logins at one bank within ``span`` after which none is sent. Banks lock an account after three or more.
    static let limit = 2
    static let span: TimeInterval = 86_400

    /// The count at one bank since it last accepted a test login.
    struct Count: Sendable, Equatable {
        /// The times of the test logins, the oldest first.
        var times: [Date] = []
        /// The number of one-time codes that the bank refused in a row.
        var codes = 0
        /// The time of a test login whose credentials the bank may have refused unseen, and that were kept all the same; nil
        /// without one.
        var doubtedAt: Date?
        /// The files whose credentials the bank refused, as they were then: ``CredentialsFileVersion/mark``.
        var files: Set<String> = []
    }

    let file: URL
    /// True if an error may advise a setup without a test login, as the command does that sets up.
    private let namesSetup: Bool

    init(dataFolder: URL, namesSetup: Bool = true) {
        file = dataFolder.appending(path: "refused-logins.json")
        self.namesSetup = namesSetup
    }

    /// Returns the count at a bank as of now.
    ///
    /// - Throws: ``CommandFailure`` when the file cannot be read. Only a missing file means that there was nothing.
    func count(atBank id: String, at now: Date) throws -> Count {
        var count = try all()[id] ?? Count()
        count.times.removeAll { now.timeIntervalSince($0) >= Self.span }
        return count
    }

    /// Returns the banks with a count.
    func banks() throws -> [String] { try all().keys.sorted() }

    /// Notes that the bank may have refused, unseen, credentials that are kept.
    func doubt(bank id: String, at now: Date) throws { try change(id) { $0.doubtedAt = now } }

    /// Takes the doubt back: the bank has given a verdict, or the phone asks from now on.
    func endDoubt(bank id: String) throws { try change(id) { $0.doubtedAt = nil } }

    /// Notes a test login, which counts until the bank accepts one. A file that cannot be written ends the trials, because they could not be counted.
    func note(bank id: String, at now: Date) throws {
        try change(id) { count in
            count.times = count.times.filter { now.timeIntervalSince($0) < Self.span } + [now]
        }
    }

    /// Takes the latest note back: nothing was sent.
    func takeBack(bank id: String) throws { try change(id) { $0.times = $0.times.dropLast() } }

    /// Notes that the bank refused the credentials in a file.
    func note(_ version: CredentialsFileVersion, bank id: String) throws {
        try change(id) { $0.files.insert(version.mark) }
    }

    /// Changes the number of refused one-time codes in a row.
    func changeCodes(bank id: String, _ change: (Int) -> Int) throws {
        try self.change(id) { $0.codes = change($0.codes) }
    }

    /// Forgets the test logins at a bank that has taken a password. What it refused in a file stays refused.
    ///
    /// - Parameter end: the time of the acceptance; later test logins count on.
    func endCountOfLogins(bank id: String, until end: Date = .distantFuture) throws {
        guard let known = try all()[id],
            (known.times + [known.doubtedAt].compactMap(\.self)).contains(where: { $0 <= end })
        else { return }
        try change(id) { count in
            count.times.removeAll { $0 <= end }
            if let doubted = count.doubtedAt, doubted <= end { count.doubtedAt = nil }
        }
    }

    /// Reads the file and writes it under one lock, so that no other program's note is lost.
    private func change(_ id: String, _ body: (inout Count) -> Void) throws {
        let lock = try FileLock(URL(filePath: file.path + ".lock"), waits: true)
        defer { withExtendedLifetime(lock) {} }
        let former = try all()
        var changed = former
        body(&changed[id, default: Count()])
        if changed[id] == Count() { changed[id] = nil }
        guard changed != former else { return }
        try AtomicFile.replaceUnderLock(JSONValue.object(changed.mapValues(\.json)).compactBytes(), to: file)
    }

    private func all() throws -> [String: Count] {
        let bytes: [UInt8]
        do {
            bytes = try OpenedFile(file).bytes(atMost: 1 << 20)
        } catch let error as FileError where error.code == ENOENT {
            return [:]
        } catch {
            throw unreadable
        }
        guard let banks = (try? JSONReader.read(Data(bytes)))?.objectValue else { throw unreadable }
        return try banks.mapValues { bank in
            guard let count = Count(bank) else { throw unreadable }
            return count
        }
    }

    private var unreadable: CommandFailure {
        CommandFailure(
            "\(file.path) cannot be read, so it is not known how many test logins the bank has refused. Sign in at the bank's "
                + "own pages, then delete the file"
                + (namesSetup ? ". A setup with countersign up --no-test-login needs no count" : ""))
    }
}

extension RefusedLogins.Count {
    /// - Returns: nil for what this version would not write.
    fileprivate init?(_ json: JSONValue) {
        guard let members = json.objectValue else { return nil }
        func list(_ name: String) -> [String]? {
            guard let member = members[name] else { return [] }
            let texts = member.arrayValue?.compactMap(\.stringValue)
            return texts?.count == member.arrayValue?.count ? texts : nil
        }
        func date(_ text: String) -> Date? {
            Double(text).flatMap { $0.isFinite ? Date(timeIntervalSince1970: $0) : nil }
        }
        guard let logins = list("logins"), let marks = list("refused_files"),
            let codes = members["refused_codes"].map(\.intValue) ?? 0, codes >= 0
        else { return nil }
        let dates = logins.compactMap(date)
        guard dates.count == logins.count else { return nil }
        times = dates.sorted()
        files = Set(marks)
        self.codes = codes
        if let doubted = members["doubted"] {
            guard let moment = doubted.stringValue.flatMap(date) else { return nil }
            doubtedAt = moment
        }
    }

    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "logins": .array(times.map { .string("\($0.timeIntervalSince1970)") }),
            "refused_codes": .number(Double(codes)), "refused_files": .array(files.sorted().map(JSONValue.string)),
        ]
        members["doubted"] = doubtedAt.map { .string("\($0.timeIntervalSince1970)") }
        return .object(members)
    }
}
