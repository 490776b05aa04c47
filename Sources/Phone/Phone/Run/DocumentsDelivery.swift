import Automation
import Messages
import PhoneStore
import Synchronization

/// The outcomes of the documents of one run.
final class DocumentsDelivery: Sendable {
    private struct State {
        var outcomes: [DocumentID: ClosingManifest.Outcome] = [:]
        var firstFailure: RunFailure?
        /// The bank's verdict by now, renewed at each document.
        var verdict: SignInVerdict?
        var ended: (any Error)?
    }

    private let items: [DocumentSelection.Item]
    private let bankID: String
    private let state = Mutex(State())

    init(_ selection: DocumentSelection, ofBank bankID: String) {
        items = selection.items(ofBank: bankID)
        self.bankID = bankID
    }

    /// The number of documents that were asked for.
    var all: Int { items.count }

    /// The number of documents that were delivered.
    var count: Int {
        state.withLock { state in
            state.outcomes.values.count { if case .delivered = $0 { true } else { false } }
        }
    }

    /// The bank's verdict after a visit that came to its end; nil when nothing tells.
    var verdict: SignInVerdict? { state.withLock { $0.firstFailure == nil ? .accepted : $0.verdict } }

    /// The reason why the first document without a file has none.
    var firstFailure: RunFailure? { state.withLock { $0.firstFailure } }

    /// The reason why the broker no longer waits for documents; nil while it does.
    var ended: (any Error)? { state.withLock { $0.ended } }

    var entries: [ClosingManifest.Entry] {
        let outcomes = state.withLock { $0.outcomes }
        let none = ClosingManifest.Outcome.failed(.navigationFailed, message: "it was not fetched")
        return items.map { ClosingManifest.Entry(id: $0.id, outcome: outcomes[$0.id] ?? none) }
    }

    /// Returns the documents that the agent does not have by now, and notes the others as delivered.
    ///
    /// - Parameter there: the digests of what was delivered for other requests of the agent.
    func placesToFetch(besides there: [DocumentID: String]) -> [DocumentPlace] {
        for item in items { if let sha256 = there[item.id] { set(.delivered(sha256: sha256), of: item.place) } }
        return items.filter { there[$0.id] == nil }.map(\.place)
    }

    func description(of place: DocumentPlace) -> CompletionManifest.Document? {
        guard let index = items.firstIndex(where: { $0.place == place.numbered(1) }) else { return nil }
        let item =
            place.part == 1 ? items[index] : DocumentSelection.Item(place, id: DocumentID(bankID: bankID, place))
        return CompletionManifest.Document(item, number: index + 1, of: items.count)
    }

    func deliver(_ place: DocumentPlace, sha256: String) {
        // The bank accepted the credentials, and each code that it had refused before was followed by a right one.
        state.withLock { $0.verdict = .accepted }
        set(.delivered(sha256: sha256), of: place)
    }

    func fail(_ place: DocumentPlace, _ failure: RunFailure) {
        state.withLock { state in
            // If the bank refused the last code, that is the verdict. Otherwise the first failure gives it, unless a document
            // came before: then the bank had accepted the credentials.
            let isTelling = state.firstFailure == nil && state.verdict == nil
            if failure.isLastCodeRefused || isTelling { state.verdict = SignInVerdict(failure) }
            state.firstFailure = state.firstFailure ?? failure
        }
        let report = FailureReport(failure)
        set(.failed(report.code, message: String(report.message.prefix(ClosingManifest.longestMessage))), of: place)
    }

    /// Gives every document without an outcome the same reason.
    func failRest(_ report: FailureReport) {
        let message = String(report.message.prefix(ClosingManifest.longestMessage))
        state.withLock { state in
            for item in items where state.outcomes[item.id] == nil {
                state.outcomes[item.id] = .failed(report.code, message: message)
            }
        }
    }

    func end(_ error: any Error) { state.withLock { $0.ended = error } }

    private func set(_ outcome: ClosingManifest.Outcome, of place: DocumentPlace) {
        guard let item = items.first(where: { $0.place == place }) else { return }
        state.withLock { $0.outcomes[item.id] = outcome }
    }
}
