import Files
import Foundation
import JSON
import Terminal

/// The test logins that no bank has accepted, kept over several starts: a bank counts them, whether a phone is set up or not.
/// One that was interrupted is among them, because the bank may have counted it.
///
/// The file holds no credential.
struct RefusedLogins: Sendable {
    /// The refused test logins at one bank within ``span`` after which none is sent. Banks lock an account after three or more.
    static let limit = 2
    static let span: TimeInterval = 86_400

    let file: URL

    init(dataFolder: URL) {
        file = dataFolder.appending(path: "refused-logins.json")
    }

    /// Returns the times of the refusals that still count, the oldest first.
    ///
    /// - Throws: ``CommandFailure`` when the file cannot be read. Only a missing file means that there were none.
    func times(ofBank id: String, at now: Date) throws -> [Date] {
        try all()[id, default: []].filter { now.timeIntervalSince($0) < Self.span }.sorted()
    }

    /// Notes a test login as refused. A file that cannot be written ends the trials, because they could not be counted.
    func note(bank id: String, at now: Date) throws {
        try write(all().merging([id: try times(ofBank: id, at: now) + [now]]) { $1 })
    }

    /// Takes the latest note back: the bank did not refuse that sign-in.
    func takeBack(bank id: String) throws {
        let all = try all()
        try write(all.merging([id: Array(all[id, default: []].sorted().dropLast())]) { $1 })
    }

    /// Forgets the refusals of a bank that has accepted a sign-in.
    func forget(bank id: String) throws {
        let all = try all()
        guard all[id] != nil else { return }
        try write(all.filter { $0.key != id })
    }

    private func all() throws -> [String: [Date]] {
        let bytes: [UInt8]
        do {
            bytes = try OpenedFile(file).bytes(atMost: 1 << 20)
        } catch let error as FileError where error.code == ENOENT {
            return [:]
        } catch {
            throw unreadable
        }
        guard let banks = (try? JSONReader.read(Data(bytes)))?.objectValue else { throw unreadable }
        return try banks.mapValues { times in
            guard let times = times.arrayValue else { throw unreadable }
            return try times.map { time in
                guard let seconds = time.stringValue.flatMap(Double.init), seconds.isFinite else { throw unreadable }
                return Date(timeIntervalSince1970: seconds)
            }
        }
    }

    private var unreadable: CommandFailure {
        CommandFailure(
            "\(file.path) cannot be read, so it is not known how many test logins the bank has refused; nothing was stored. Go "
                + "on with countersign up --no-test-login, or sign in at the bank's own pages and then delete the file")
    }

    private func write(_ refusals: [String: [Date]]) throws {
        let json = JSONValue.object(
            refusals.mapValues { .array($0.map { .string("\($0.timeIntervalSince1970)") }) })
        try AtomicFile.replaceUnderLock(json.compactBytes(), to: file)
    }
}
