import Automation
import BankScript
import Clocks
import Foundation
import Messages
import PhoneStore
import Secrets
import Synchronization

// One approval, one sign-in, several documents.

extension Runs {
    /// Fetches and delivers each document, and then says what became of them all.
    ///
    /// - Throws: the reason when every document is missing.
    func fetchAll(
        _ run: ApprovedRun, _ selection: DocumentSelection, _ reports: FailureReports?, _ copies: DocumentCopies?
    ) async throws -> RunOutcome {
        let delivery = DocumentsDelivery(run.envelope, selection)
        let there = try await store.documentsDelivered(sinceIssueOf: run.id)
        let places = delivery.placesToFetch(besides: there)
        guard !places.isEmpty else {
            run.secrets.close()
            try await close(run.id, delivery.entries)
            return .delivered(documents: delivery.count, of: selection.count)
        }
        let known = try await store.accounts(ofBank: run.script.id)
        let names = Dictionary(known.map { ($0.alias, $0.name) }, uniquingKeysWith: { $1 })
        do {
            try await visit(
                run, verdict: { delivery.verdict },
                { (runner) async throws(RunFailure) in
                    try await runner.run(
                        run.script, fetching: places, naming: names
                    ) { (place, result) throws(RunFailure) in
                        try await self.take(result, at: place, in: delivery, for: run, copies)
                    }
                })
        } catch {
            if let ended = delivery.ended { throw ended }
            guard delivery.count > 0, let failure = error as? RunFailure else { throw error }
            let report = FailureReport(failure)
            keep(report, of: run, reports)
            delivery.failRest(report)
        }
        guard delivery.count > 0 else {
            throw delivery.firstFailure ?? RunFailure(.navigationFailed, message: "no document came")
        }
        try await close(run.id, delivery.entries)
        return .delivered(documents: delivery.count, of: selection.count)
    }

    private func take(
        _ result: Result<FetchedDocument, RunFailure>, at place: DocumentPlace, in delivery: DocumentsDelivery,
        for run: ApprovedRun, _ copies: DocumentCopies?
    ) async throws(RunFailure) {
        switch result {
        case .failure(let failure): delivery.fail(place, failure)
        case .success(let document):
            defer { try? FileManager.default.removeItem(at: document.file) }
            do {
                try await confirm(run, .beforeDelivery)
            } catch {
                delivery.end(error)
                throw RunFailure(.navigationFailed, reason: .cancelled, message: "the broker has ended the request")
            }
            guard let description = delivery.description(of: place) else { return }
            let name = description.id.description
            let isKept = keepCopy(of: document, as: name, of: run, copies)
            do {
                try await broker.publisher.publish(document: document.file, description, for: run.id, at: now)
            } catch {
                throw RunFailure(.inboxWriteFailed, message: "a document could not be written to the inbox: \(error)")
            }
            delivery.deliver(place, sha256: document.sha256)
            // The document is delivered even if the database cannot record it.
            try? await store.rememberDocument(description.id, of: run.id, sha256: document.sha256, at: now)
            await note(document, as: name, of: run, place, isKept: isKept)
            events.send(.delivered(run.id, delivery.count, of: delivery.all))
        }
    }

    /// Writes the closing manifest, and marks the request as completed.
    func close(_ id: RequestID, _ entries: [ClosingManifest.Entry]) async throws {
        let closing = ClosingManifest(requestID: id, entries: entries, completedAt: Timestamp(now))
        let kept = try await store.keep(closing)
        do {
            try await broker.publisher.close(kept)
        } catch {
            throw RunFailure(.inboxWriteFailed, message: "the end of the documents could not be written: \(error)")
        }
        let count = entries.count { if case .delivered = $0.outcome { true } else { false } }
        if try await store.recordDelivery(of: id, as: "\(count) documents", at: now) {
            events.send(.changed(id, .completed))
        }
    }

    /// Ends a request for several documents whose run was cut short.
    ///
    /// - Returns: false when nothing was delivered, so that it ends as a statement's run does.
    func closeInterrupted(_ stored: StoredRequest, _ selection: DocumentSelection) async throws -> Bool {
        await broker.publisher.removeUnfinishedDocuments(of: stored.id)
        let there = try await store.documents(of: stored.id)
            .merging(store.documentsDelivered(sinceIssueOf: stored.id)) { own, _ in own }
        guard !there.isEmpty, stored.status == .executing else { return false }
        let reason = FailureReport.interrupted
        let entries = selection.items(ofBank: stored.bankID).map { item in
            ClosingManifest.Entry(
                id: item.id,
                outcome: there[item.id].map { .delivered(sha256: $0) } ?? .failed(reason.code, message: reason.message))
        }
        try await close(stored.id, entries)
        return true
    }
}

/// The outcomes of the documents of one run.
private final class DocumentsDelivery: Sendable {
    private struct State {
        var outcomes: [DocumentID: ClosingManifest.Outcome] = [:]
        var firstFailure: RunFailure?
        /// True once this visit has brought a document.
        var hasBrought = false
        /// The failure after which the bank had refused the last code, until a document shows that it accepted another.
        var refusal: RunFailure?
        var ended: (any Error)?
    }

    private let items: [DocumentSelection.Item]
    private let state = Mutex(State())

    init(_ envelope: RequestEnvelope, _ selection: DocumentSelection) {
        items = selection.items(ofBank: envelope.bankID)
    }

    /// The number of documents that were asked for.
    var all: Int { items.count }

    /// The number of documents that were delivered.
    var count: Int {
        state.withLock { state in
            state.outcomes.values.count { if case .delivered = $0 { true } else { false } }
        }
    }

    /// The bank's verdict after a visit that came to its end. A refused code after the last document counts, whatever came
    /// before. Else a document shows that the bank accepted the credentials; without one, the first failure tells.
    var verdict: SignInVerdict? {
        let (refusal, hasBrought, failure) = state.withLock { ($0.refusal, $0.hasBrought, $0.firstFailure) }
        if let refusal { return SignInVerdict(refusal) }
        guard !hasBrought, let failure else { return .accepted }
        return SignInVerdict(failure)
    }

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
        guard let index = items.firstIndex(where: { $0.place == place }) else { return nil }
        return CompletionManifest.Document(items[index], number: index + 1, of: items.count)
    }

    func deliver(_ place: DocumentPlace, sha256: String) {
        state.withLock { state in
            state.hasBrought = true
            state.refusal = nil
        }
        set(.delivered(sha256: sha256), of: place)
    }

    func fail(_ place: DocumentPlace, _ failure: RunFailure) {
        state.withLock { state in
            state.firstFailure = state.firstFailure ?? failure
            if failure.isLastCodeRefused { state.refusal = failure }
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
