import BankScript
import Clocks
import FileKinds
import Foundation
import Machine
import Messages

extension ScriptExecution {
    /// The source of a download.
    enum Source: Sendable {
        case engine(EngineDownload)
        /// The bytes themselves, which came in an answer.
        case bytes([UInt8])
    }

    /// A download that is ready to begin.
    struct Order: Sendable {
        let download: DownloadStep
        let source: Source
        let file: URL
        let began = ContinuousClock.now
    }

    /// An answer, and what its request had sent.
    struct Arrival: Sendable {
        let file: EngineFile
        let sent: Set<SubmissionLedger.Item>
        /// The credentials outside the body.
        var shown: Set<SubmissionLedger.Item> = []
    }

    /// Returns true if a document of the download is asked for.
    func wants(_ download: DownloadStep) -> Bool { !wanted.isDisjoint(with: download.content.kinds) }

    func perform(_ download: DownloadStep) async throws {
        guard wants(download) else { return }
        let order = try await order(download)
        try await take(await arrival(of: order), of: order)
    }

    /// Prepares a download: the page and the captures are read now.
    func order(_ download: DownloadStep) async throws -> Order {
        let source: Source =
            switch download.source {
            case .control(let control): .engine(.control(try await locateShown(control)))
            case .open(let reference): .engine(.open(try address(reference)))
            case .request(let request): .engine(.request(try await engineRequest(request)))
            case .submit(let submit):
                .engine(.submit(form: try await locateShown(submit.form), with: try await typed(submit.fields)))
            case .encoded(let path): .bytes(try await decoded(path, limit: download.limit))
            case .printedPage: .engine(.printedPage)
            }
        // The reading process starts while the bank answers.
        if download.readRequest == nil, download.content.needsReader { files.start() }
        return Order(download: download, source: source, file: try await services.downloads.destination())
    }

    /// Makes the exchanges of a download. Several of these may be under way.
    func arrival(of order: Order) async -> Result<Arrival, any Error> {
        var sent: Set<SubmissionLedger.Item> = []
        var shown: Set<SubmissionLedger.Item> = []
        do {
            let source: EngineDownload
            switch order.source {
            case .engine(let engine): source = engine
            case .bytes(let bytes): return .success(Arrival(file: try await store(bytes, in: order.file), sent: []))
            }
            let received = try await receive(source, at: order.file, limit: order.download.limit) {
                switch order.download.source {
                case .control, .submit: sent = try ledger?.sendTyped() ?? []
                case .request(let request):
                    sent = items(of: request)
                    // A GET repeats no body at a redirect, and the form of a button beside it has to stay the latest.
                    if request.method != "GET" || !sent.isEmpty { try ledger?.send(sent) }
                    shown = headItems(of: request)
                    try ledger?.show(shown)
                case .open, .encoded, .printedPage: break
                }
            }
            return .success(Arrival(file: received, sent: sent, shown: shown))
        } catch {
            note(unanswered: error, sent)
            return .failure(error)
        }
    }

    /// Checks what arrived, and keeps its documents.
    func take(_ arrival: Result<Arrival, any Error>, of order: Order) async throws {
        do {
            let arrival = try arrival.get()
            note(answer: arrival.file.status, to: arrival.sent, showing: arrival.shown)
            if let request = order.download.readRequest {
                return try await takeAnswers(arrival, of: order, by: request)
            }
            if let name = order.download.content.fileName {
                return try await unpack(arrival.file, of: order, named: name)
            }
            let kinds = wanted.intersection(order.download.content.kinds)
            let documents = try await check(arrival.file, at: order.file, as: order.download.content, keeping: kinds)
            for document in documents { keep(document) }
        } catch {
            try? FileManager.default.removeItem(at: order.file)
            throw error
        }
    }

    func keep(_ document: FetchedDocument) {
        // A run has one document of each kind: a later download replaces it.
        if case .success(let earlier) = documents[document.kind] {
            try? FileManager.default.removeItem(at: earlier.file)
        }
        documents[document.kind] = .success(document)
        latestDocument = document
        services.tell(.downloaded(document))
    }

    /// Removes the documents of the month that were downloaded and that the receiver did not take.
    func discardDocuments() {
        for case .success(let document) in documents.values { try? FileManager.default.removeItem(at: document.file) }
        documents = [:]
    }

    /// Removes every document that the receiver did not take.
    func discardAllDocuments() {
        discardDocuments()
        for case .success(let document) in ahead.values.flatMap(\.values) {
            try? FileManager.default.removeItem(at: document.file)
        }
        ahead = [:]
    }

    /// Keeps the reason why a download brought nothing, where other downloads follow.
    ///
    /// - Returns: false when the failure ends the steps.
    func note(_ failure: RunFailure, of download: DownloadStep) -> Bool {
        guard goesOnAfterDownloads, failure.concernsOneDocument else { return false }
        for kind in download.content.kinds where documents[kind] == nil { documents[kind] = .failure(failure) }
        return true
    }

    /// Downloads, and asks again twice at most where the server has temporary trouble and asking again is safe.
    ///
    /// - Parameter count: counts what each request sends.
    func receive(
        _ source: EngineDownload, at file: URL, limit: Int, counting count: () throws -> Void
    ) async throws -> EngineFile {
        for pause in Self.pausesBetweenAttempts {
            try await countRequest()
            try count()
            let received = try await engine.download(source, to: file, limit: limit)
            let asked = received.retryAfter.flatMap { RetryAfter($0, now: services.clock.now) }
            guard let wait = Self.pause(after: received.status, asked, usual: pause), await isRepeatable(source) else {
                return received
            }
            try? FileManager.default.removeItem(at: file)
            try await services.clock.sleep(for: wait)
        }
        try await countRequest()
        try count()
        return try await engine.download(source, to: file, limit: limit)
    }

    /// A link is a GET; a button may send a form.
    private func isRepeatable(_ source: EngineDownload) async -> Bool {
        switch source {
        case .open: true
        case .printedPage, .submit: false
        case .request(let request): request.method == "GET"
        case .control(let control): (try? await engine.attribute("href", of: control)) ?? nil != nil
        }
    }

    /// Checks by its content that a file is what the script says.
    ///
    /// - Parameter kinds: the kinds to keep of an archive.
    /// - Returns: the documents in it, each in a file of its own.
    private func check(
        _ received: EngineFile, at file: URL, as content: DownloadStep.Content, keeping kinds: Set<DocumentKind>
    ) async throws -> [FetchedDocument] {
        switch content {
        case .document(.pdf):
            guard received.isPDF, (200...299).contains(received.status) else {
                throw await failure(
                    of: AnswerInsteadOfDocument(received), wanting: .pdf, found: await kind(of: received, at: file))
            }
            guard received.isWholePDF else {
                throw RunFailure(
                    .pdfDownloadFailed, reason: .notAPDF,
                    message: "the PDF is incomplete: startxref and %%EOF are not at the end of its "
                        + "\(received.bytes) bytes")
            }
            return [FetchedDocument(file: file, sha256: received.sha256, bytes: received.bytes)]
        case .document(let kind):
            let (checked, isOther) = try await read(received, at: file, wanting: FileKind(kind)) {
                [files, period] (bytes) throws(FileRefusal) in
                let checked = try files.check(bytes, as: FileKind(kind))
                guard let period else { return ([checked], false) }
                return ([checked], try files.hasBookings(in: period, checked) == false)
            }
            if isOther, let period {
                throw RunFailure(
                    .pdfDownloadFailed,
                    message: "the file has no booking of \(period); look whether the steps name the month")
            }
            guard checked.first?.isChanged == true else {
                return [FetchedDocument(file: file, kind: kind, sha256: received.sha256, bytes: received.bytes)]
            }
            return try await store(checked, unpackedFrom: file)
        case .transactions:
            throw RunFailure(
                .navigationFailed,
                message: "only the answer to a request has transactions; write download: { request: … }")
        case .zip(let held, _):
            let parts = try await read(received, at: file, wanting: .zip) { [files] (bytes) throws(FileRefusal) in
                try files.documents(inZIP: bytes)
            }
            for kind in held {
                let count = parts.count { $0.kind == FileKind(kind) }
                guard count != 1 else { continue }
                throw RunFailure(
                    .pdfDownloadFailed,
                    message: "the archive holds \(count) files of the kind \(kind.rawValue), and one is needed")
            }
            let wanted = parts.filter { $0.kind.document.map(kinds.contains) ?? false }
            return try await store(wanted, unpackedFrom: file)
        }
    }

    /// Reads a file whole, and checks it on a thread of its own.
    func read<Checked: Sendable>(
        _ received: EngineFile, at file: URL, wanting kind: FileKind,
        _ check: @escaping @Sendable ([UInt8]) throws(FileRefusal) -> Checked
    ) async throws -> Checked {
        guard (200...299).contains(received.status) else {
            throw await failure(of: AnswerInsteadOfDocument(received), wanting: kind)
        }
        do {
            return try await BlockingWork.run { try check(try OpenedFile(file).bytes(atMost: FileLimits().size)) }
        } catch let refusal as FileRefusal {
            // A page, or another answer: it may say why nothing came.
            if refusal.code == .wrongKind {
                throw await failure(
                    of: AnswerInsteadOfDocument(received), wanting: kind,
                    found: await self.kind(of: received, at: file))
            }
            throw RunFailure(refusal)
        }
    }

    /// Writes documents that are not the file itself, and removes it.
    private func store(_ checked: [CheckedFile], unpackedFrom file: URL) async throws -> [FetchedDocument] {
        try? FileManager.default.removeItem(at: file)
        var documents: [FetchedDocument] = []
        do {
            for part in checked {
                guard let kind = part.kind.document else { continue }
                documents.append(try await write(part, as: kind))
            }
        } catch {
            for document in documents { try? FileManager.default.removeItem(at: document.file) }
            throw error
        }
        return documents
    }

    /// Writes a document into a file of its own.
    func write(_ part: CheckedFile, as kind: DocumentKind) async throws -> FetchedDocument {
        let place = try await services.downloads.destination()
        try await BlockingWork.run { try PassingFile.write(part.bytes, to: place) }
        return FetchedDocument(file: place, kind: kind, sha256: part.sha256, bytes: part.bytes.count)
    }

    /// Returns the kind of a file that is another one than the script says; nil for a page, which has words of its own, and for
    /// what no bank's document is.
    private func kind(of received: EngineFile, at file: URL) async -> FileKind? {
        guard (200...299).contains(received.status), received.page == nil else { return nil }
        let kind = try? await BlockingWork.run { [files] in
            try files.check(try OpenedFile(file).bytes(atMost: FileLimits().size)).kind
        }
        return kind == .html ? nil : kind
    }

    /// Explains why no document came. An interruption that the script declares counts here too.
    ///
    /// - Parameter found: the kind of document that came instead.
    private func failure(
        of answer: AnswerInsteadOfDocument, wanting kind: FileKind, found: FileKind? = nil
    ) async -> RunFailure {
        let words = answer.explanation.map(sanitised)
        for interruption in script.interruptions {
            // A condition that cannot be evaluated on this answer does not explain it.
            guard case .fail(let code, let reason) = interruption.response,
                (try? await holds(interruption.condition, on: answer)) == true
            else { continue }
            return declared(code, reason, saying: words)
        }
        if passwordGiven != nil, answer.finds(.css("input[type=password]")),
            await showsPasswordField(answer.file.page)
        {
            return RunFailure(
                isSignInUnconfirmed ? .bankLoginFailed : .pdfDownloadFailed,
                reason: isSignInUnconfirmed ? .wrongCredentials : .sessionExpired,
                message: "the bank asks for the password again instead of sending the statement", bankWords: words)
        }
        if let refusal = answer.turningAway {
            return RunFailure(
                .pdfDownloadFailed, reason: refusal.reason, message: refusal.message, bankWords: words)
        }
        guard (200...299).contains(answer.status) else {
            return RunFailure(
                .pdfDownloadFailed, reason: answer.status >= 500 ? .serverError : nil,
                message: "the bank answered \(answer.status) instead of the statement", bankWords: words)
        }
        return RunFailure(
            .pdfDownloadFailed, reason: kind == .pdf ? .notAPDF : nil,
            message:
                "the bank sent no \(kind == .pdf ? "PDF" : "file of the kind \(kind.rawValue)"), but \(answer.summary)"
                + (found.map { ": it is \($0.words); if that is what you want, write as: \($0.rawValue)" } ?? ""),
            bankWords: words)
    }
}

extension DownloadStep.Content {
    /// True for files that ``ForeignFiles`` checks. A PDF is checked by its ends alone.
    fileprivate var needsReader: Bool {
        switch self {
        case .document(.pdf), .transactions: false
        case .document, .zip: true
        }
    }
}
