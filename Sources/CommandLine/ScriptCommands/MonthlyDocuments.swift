import Automation
import BankScript
import Clocks
import Encodings
import Foundation
import Messages
import Synchronization
import Terminal

/// The documents of a run that fetches several: each is kept and reported as it comes.
final class MonthlyDocuments: Sendable {
    /// The file for a document.
    let destination: @Sendable (DocumentPlace) -> URL
    private let isDryRun: Bool
    private let json: Bool
    private let arrived = Mutex<Set<DocumentPlace>>([])

    init(isDryRun: Bool, json: Bool, destination: @escaping @Sendable (DocumentPlace) -> URL) {
        self.isDryRun = isDryRun
        self.json = json
        self.destination = destination
    }

    /// Keeps a document, or reports why it is missing.
    ///
    /// - Throws: `RunFailure` when the file cannot be kept.
    func receive(_ result: Result<FetchedDocument, RunFailure>, for place: DocumentPlace) throws(RunFailure) {
        switch result {
        case .success(let document):
            try keep(document, of: place)
            arrived.withLock { _ = $0.insert(place) }
        case .failure(let failure):
            report(
                "\(place.words): no document, \(failure.message)", .bad, place,
                ["error_code": .string(failure.code.rawValue)]
            )
        }
    }

    private func keep(_ document: FetchedDocument, of place: DocumentPlace) throws(RunFailure) {
        let file = destination(place)
        let about = "\(document.bytes) bytes, SHA-256 \(document.sha256)"
        if isDryRun {
            try? FileManager.default.removeItem(at: document.file)
            return report("\(place.words): would keep \(file.lastPathComponent), \(about)", .plain, place, [:])
        }
        do {
            try OwnersFile.close(document.file)
            try FileManager.default.moveItem(at: document.file, to: file)
        } catch {
            try? FileManager.default.removeItem(at: document.file)
            throw RunFailure(
                .inboxWriteFailed, message: "\(file.path) could not be written: \(error.localizedDescription)")
        }
        report(
            "\(place.words): \(file.path) (\(about))", .plain, place,
            ["path": .string(file.path), "sha256": .string(document.sha256)])
    }

    private func report(
        _ line: String, _ style: Console.Style, _ place: DocumentPlace, _ members: [String: JSONValue]
    ) {
        guard json else { return Console.standard.line(line, style) }
        let event: [String: JSONValue] = [
            "event": "document", "period": .string(place.span), "kind": .string(place.kind.rawValue),
            "account": place.account.map { .string($0.description) } ?? .null, "part": .number(Double(place.part)),
        ]
        Console.standard.line(JSONValue.object(event.merging(members) { $1 }).compactText())
    }

    /// Ends the command with status 1 when a document is missing.
    func checkAllCame(_ places: [DocumentPlace]) throws {
        let missing = arrived.withLock { arrived in places.filter { !arrived.contains($0) } }
        guard !missing.isEmpty else { return }
        let isByMonth = places.allSatisfy { $0.account == nil && $0.kind == .pdf }
        throw CommandFailure(
            "\(missing.count) of \(places.count) "
                + (isByMonth ? "months have no document: " : "documents are missing: ")
                + missing.map(\.words).joined(separator: ", "))
    }
}

extension DocumentPlace {
    /// The month, with the account and the kind where they are not the usual ones.
    fileprivate var words: String {
        (account.map { "\($0) " } ?? "") + span + (kind == .pdf ? "" : " \(kind.rawValue)") + partWords
    }
}

extension ScriptRunCommand {
    /// Returns the documents of `--from`, `--to`, `--kinds` and `--account`, in order; nil without a range of months.
    func places(for loaded: BankScript) throws -> [DocumentPlace]? {
        guard from != nil || to != nil else {
            guard kinds == nil, account.isEmpty else {
                throw CommandFailure("--kinds and --account need --from and --to", status: 2)
            }
            return nil
        }
        guard let first = from?.end(), let last = to?.end(), first.month <= last.month else {
            throw CommandFailure("give both --from and --to, the older month first", status: 2)
        }
        guard until == nil, pauseAt == nil else {
            throw CommandFailure("--until and --pause-at follow one month; give it with --param", status: 2)
        }
        guard loaded.fetchesSeveral else {
            throw CommandFailure(
                "the script fetches one document in a run; put the steps that fetch one under “for each period:”",
                status: 2)
        }
        let selection = DocumentSelection(
            accounts: account.map(\.alias), periods: first.month.through(last.month), kinds: kinds?.kinds ?? [.pdf],
            firstDay: first.day, lastDay: last.day)
        guard let selection else {
            throw CommandFailure(
                "these are more than \(DocumentSelection.most) documents, the most that one run fetches, or days out of order; ask for fewer months",
                status: 2)
        }
        return selection.places
    }
}

extension MonthYear {
    /// The month as a script's parameters.
    var parameters: [String: ParameterValue] {
        ["month": ParameterValue(month), "year": ParameterValue(year)]
    }
}
