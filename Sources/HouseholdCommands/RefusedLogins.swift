import Files
import Foundation
import JSON

/// The test logins that banks have refused, kept over several starts: a bank counts them, whether a phone is set up or not.
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
    func times(ofBank id: String, at now: Date) -> [Date] {
        all[id, default: []].filter { now.timeIntervalSince($0) < Self.span }.sorted()
    }

    /// Notes a test login as refused. A file that cannot be written ends the trials, because they could not be counted.
    func note(bank id: String, at now: Date) throws {
        try write(all.merging([id: times(ofBank: id, at: now) + [now]]) { $1 })
    }

    /// Takes the latest note back: the bank did not refuse that sign-in.
    func takeBack(bank id: String) throws {
        try write(all.merging([id: Array(all[id, default: []].sorted().dropLast())]) { $1 })
    }

    /// Forgets the refusals of a bank that has accepted a sign-in.
    func forget(bank id: String) throws {
        guard all[id] != nil else { return }
        try write(all.filter { $0.key != id })
    }

    private var all: [String: [Date]] {
        guard let data = try? Data(contentsOf: file), let json = try? JSONReader.read(data) else { return [:] }
        return (json.objectValue ?? [:]).mapValues { times in
            (times.arrayValue ?? []).compactMap { $0.stringValue.flatMap(Double.init) }.map(
                Date.init(timeIntervalSince1970:))
        }
    }

    private func write(_ refusals: [String: [Date]]) throws {
        let json = JSONValue.object(
            refusals.mapValues { .array($0.map { .string("\($0.timeIntervalSince1970)") }) })
        try AtomicFile.replaceUnderLock(json.compactBytes(), to: file)
    }
}
