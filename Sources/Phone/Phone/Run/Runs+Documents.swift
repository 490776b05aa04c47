import Automation
import BankScript
import Clocks
import Foundation
import Messages
import PhoneStore
import Secrets

// One approval, one sign-in, several documents.

extension Runs {
    /// Fetches and delivers each document, and then says what became of them all.
    ///
    /// - Throws: the reason when every document is missing.
    func fetchAll(
        _ run: ApprovedRun, _ selection: DocumentSelection, _ reports: FailureReports?, _ copies: DocumentCopies?
    ) async throws -> RunOutcome {
        let delivery = DocumentsDelivery(selection, ofBank: run.envelope.bankID)
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
                { (visit) async throws(RunFailure) in
                    try await visit.run(
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
        let entries = entries.map { $0.replacingMessage(localPaths.removed) }
        let closing = ClosingManifest(requestID: id, entries: entries, completedAt: Timestamp(now))
        let kept = try await store.keep(closing)
        do {
            try await broker.publisher.close(kept)
        } catch {
            throw RunFailure(.inboxWriteFailed, message: "the end of the documents could not be written: \(error)")
        }
        let count = entries.count { if case .delivered = $0.outcome { true } else { false } }
        let result = StoredRequest.result(delivered: count, of: entries.count)
        if try await store.recordDelivery(of: id, as: result, at: now) {
            events.send(.changed(id, .completed))
        }
    }

    /// Ends a request for several documents whose run was cut short.
    ///
    /// - Returns: false when nothing that was asked for was delivered, so that it ends as a statement's run does.
    func closeInterrupted(_ stored: StoredRequest, _ selection: DocumentSelection) async throws -> Bool {
        await broker.publisher.removeUnfinishedDocuments(of: stored.id)
        let there = try await store.documents(of: stored.id)
            .merging(store.documentsDelivered(sinceIssueOf: stored.id)) { own, _ in own }
        let items = selection.items(ofBank: stored.bankID)
        // A further document of a place comes before the one that was asked for, and does not stand for it.
        guard items.contains(where: { there[$0.id] != nil }), stored.status == .executing else { return false }
        let reason = FailureReport.interrupted
        let entries = items.map { item in
            ClosingManifest.Entry(
                id: item.id,
                outcome: there[item.id].map { .delivered(sha256: $0) } ?? .failed(reason.code, message: reason.message))
        }
        try await close(stored.id, entries)
        return true
    }
}

extension ClosingManifest.Entry {
    /// Returns the entry with other words of its reason, if it has one. They may be longer than the ones before.
    fileprivate func replacingMessage(_ replace: (String) -> String) -> Self {
        guard case .failed(let code, let message) = outcome else { return self }
        let words = String(replace(message).prefix(ClosingManifest.longestMessage))
        return Self(id: id, outcome: .failed(code, message: words))
    }
}
