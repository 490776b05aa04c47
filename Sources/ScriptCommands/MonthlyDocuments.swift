import Automation
import BankScript
import Clocks
import Foundation
import JSON
import Synchronization
import Terminal

/// The documents of a run that fetches several months: each is kept and reported as it comes.
final class MonthlyDocuments: Sendable {
    /// The file for the document of a month.
    let destination: @Sendable (MonthYear) -> URL
    private let isDryRun: Bool
    private let json: Bool
    private let arrived = Mutex<Set<MonthYear>>([])

    init(isDryRun: Bool, json: Bool, destination: @escaping @Sendable (MonthYear) -> URL) {
        self.isDryRun = isDryRun
        self.json = json
        self.destination = destination
    }

    /// Keeps a month's document, or reports why it is missing.
    ///
    /// - Throws: `RunFailure` when the file cannot be kept.
    func receive(_ result: Result<FetchedDocument, RunFailure>, for month: MonthYear) throws(RunFailure) {
        switch result {
        case .success(let document):
            try keep(document, of: month)
            arrived.withLock { _ = $0.insert(month) }
        case .failure(let failure):
            report(
                "\(month): no document, \(failure.message)", .bad, month, ["error_code": .string(failure.code.rawValue)]
            )
        }
    }

    private func keep(_ document: FetchedDocument, of month: MonthYear) throws(RunFailure) {
        let file = destination(month)
        let about = "\(document.bytes) bytes, SHA-256 \(document.sha256)"
        if isDryRun {
            try? FileManager.default.removeItem(at: document.file)
            return report("\(month): would keep \(file.lastPathComponent), \(about)", .plain, month, [:])
        }
        do {
            try FileManager.default.moveItem(at: document.file, to: file)
        } catch {
            try? FileManager.default.removeItem(at: document.file)
            throw RunFailure(
                .inboxWriteFailed, message: "\(file.path) could not be written: \(error.localizedDescription)")
        }
        report(
            "\(month): \(file.path) (\(about))", .plain, month,
            ["path": .string(file.path), "sha256": .string(document.sha256)])
    }

    private func report(
        _ line: String, _ style: Console.Style, _ month: MonthYear, _ members: [String: JSONValue]
    ) {
        guard json else { return Console.standard.line(line, style) }
        let event: [String: JSONValue] = ["event": "document", "period": .string(month.description)]
        Console.standard.line(JSONValue.object(event.merging(members) { $1 }).compactText())
    }

    /// Ends the command with status 1 when a month has no document.
    func checkAllCame(_ months: [MonthYear]) throws {
        let missing = arrived.withLock { arrived in months.filter { !arrived.contains($0) } }
        guard !missing.isEmpty else { return }
        throw CommandFailure(
            "\(missing.count) of \(months.count) months have no document: "
                + missing.map(\.description).joined(separator: ", "))
    }
}

extension ScriptRunCommand {
    /// The most months of one run: ten years.
    private static let mostMonths = 120

    /// Returns the months of `--from` and `--to`, oldest first; nil without these options.
    func months(for loaded: BankScript) throws -> [MonthYear]? {
        guard from != nil || to != nil else { return nil }
        guard let first = from?.period(), let last = to?.period(), first <= last else {
            throw CommandFailure("give both --from and --to, the older month first", status: 2)
        }
        guard until == nil, pauseAt == nil else {
            throw CommandFailure("--until and --pause-at follow one month; give it with --param", status: 2)
        }
        guard !loaded.forEachPeriod.isEmpty else {
            throw CommandFailure(
                "the script fetches one document in a run; put the steps that fetch one under “for each period:”",
                status: 2)
        }
        let months = first.through(last)
        guard months.count <= Self.mostMonths else {
            throw CommandFailure("\(months.count) months are more than \(Self.mostMonths); ask for fewer", status: 2)
        }
        return months
    }
}

extension MonthYear {
    /// The month as a script's parameters.
    var parameters: [String: ParameterValue] {
        ["month": ParameterValue(month), "year": ParameterValue(year)]
    }
}
