import BankScript
import Clocks
import Foundation

extension ScriptExecution {
    func perform(_ download: DownloadStep) async throws {
        let file = try await services.downloads.destination()
        let source: EngineDownload =
            switch download.source {
            case .control(let control): .control(try await locate(control))
            case .open(let reference): .open(try absolute(try fill(reference)))
            case .request(let request): .request(try await engineRequest(request))
            }
        let received: EngineFile
        var sent: Set<SubmissionLedger.Item> = []
        do {
            received = try await receive(source, at: file, limit: download.limit) {
                switch download.source {
                case .control: sent = try ledger?.sendTyped() ?? []
                case .request(let request):
                    sent = items(of: request)
                    try ledger?.send(sent)
                case .open: break
                }
            }
            note(answer: received.status, to: sent)
            try await check(received)
        } catch {
            try? FileManager.default.removeItem(at: file)
            throw error
        }
        // A run has one document: a later download replaces it.
        discardDocument()
        let document = FetchedDocument(file: file, sha256: received.sha256, bytes: received.bytes)
        self.document = document
        services.tell(.downloaded(document))
    }

    /// Removes the document that was downloaded: the run has failed, or has another one.
    func discardDocument() {
        guard let document else { return }
        try? FileManager.default.removeItem(at: document.file)
        self.document = nil
    }

    /// Downloads, and asks again twice at most where the server has temporary trouble and asking again is safe.
    ///
    /// - Parameter count: counts what each request sends.
    private func receive(
        _ source: EngineDownload, at file: URL, limit: Int, counting count: () throws -> Void
    ) async throws -> EngineFile {
        for pause in Self.pausesBetweenAttempts {
            try count()
            let received = try await engine.download(source, to: file, limit: limit)
            guard Self.temporaryErrors.contains(received.status), await isRepeatable(source) else { return received }
            try? FileManager.default.removeItem(at: file)
            try await services.clock.sleep(for: pause)
        }
        try count()
        return try await engine.download(source, to: file, limit: limit)
    }

    /// A link is a GET; a button may send a form.
    private func isRepeatable(_ source: EngineDownload) async -> Bool {
        switch source {
        case .open: true
        case .request(let request): request.method == "GET"
        case .control(let control): (try? await engine.attribute("href", of: control)) ?? nil != nil
        }
    }

    private func check(_ received: EngineFile) async throws {
        guard received.isPDF, (200...299).contains(received.status) else {
            throw await failure(of: AnswerInsteadOfDocument(received))
        }
        guard received.isWholePDF else {
            throw RunFailure(
                .pdfDownloadFailed, reason: .notAPDF,
                message: "the PDF is incomplete: startxref and %%EOF are not at the end of its \(received.bytes) bytes")
        }
    }

    /// Explains why no document came. An interruption that the script declares counts here too.
    private func failure(of answer: AnswerInsteadOfDocument) async -> RunFailure {
        let words = answer.explanation.map(sanitised)
        for interruption in script.interruptions {
            // A condition that cannot be evaluated on this answer does not explain it.
            guard case .fail(let code, let reason) = interruption.response,
                (try? await holds(interruption.condition, on: answer)) == true
            else { continue }
            return declared(code, reason, saying: words)
        }
        guard (200...299).contains(answer.status) else {
            return RunFailure(
                .pdfDownloadFailed, reason: answer.status >= 500 ? .serverError : nil,
                message: "the bank answered \(answer.status) instead of the statement", bankWords: words)
        }
        return RunFailure(
            .pdfDownloadFailed, reason: .notAPDF, message: "the bank sent no PDF, but \(answer.summary)",
            bankWords: words)
    }
}
