import BankScript
import Foundation
import HTMLEngine
import JSON

extension ScriptExecution {
    func perform(_ download: DownloadStep) async throws {
        let file = try await services.downloads.destination(
            forBank: script.id, parameters: templateValues.compactMapValues { Int($0) })
        let source: EngineDownload =
            switch download.source {
            case .control(let control): .control(try locate(control))
            case .open(let reference): .open(try absolute(try fill(reference)))
            case .request(let request): .request(try await engineRequest(request))
            }
        let received = try await receive(source, at: file, limit: download.limit)
        do {
            try check(received, at: file)
        } catch {
            try? FileManager.default.removeItem(at: file)
            throw error
        }
        let document = FetchedDocument(file: file, sha256: received.sha256, bytes: received.bytes)
        self.document = document
        services.observer.observe(.downloaded(document))
    }

    /// Asks again, twice at most, where the server has passing trouble and asking again does nothing.
    private func receive(_ source: EngineDownload, at file: URL, limit: Int) async throws -> EngineFile {
        for pause in Self.pausesBetweenTries where try await isRepeatable(source) {
            let received = try await engine.download(source, to: file, limit: limit)
            guard Self.passingTroubles.contains(received.status) else { return received }
            try? FileManager.default.removeItem(at: file)
            try await services.clock.sleep(for: pause)
        }
        return try await engine.download(source, to: file, limit: limit)
    }

    /// A link is a GET; a button may send a form.
    private func isRepeatable(_ source: EngineDownload) async throws -> Bool {
        switch source {
        case .open: true
        case .request(let request): request.method == "GET"
        case .control(let control): (try? await engine.attribute("href", of: control)) ?? nil != nil
        }
    }

    /// A PDF is told by its bytes: `%PDF-` within the first kilobyte and `%%EOF` within the last (ISO 32000-1, annex
    /// H, implementation notes 13 and 18). What a server labels it as does not count.
    private func check(_ received: EngineFile, at file: URL) throws {
        guard (200...299).contains(received.status) else {
            throw RunFailure(
                .pdfDownloadFailed, reason: received.status >= 500 ? .serverError : nil,
                message: "the bank answered \(received.status) instead of the statement",
                bankWords: received.words(in: file).map(sanitised))
        }
        guard received.firstBytes.prefix(1024).firstRange(of: Array("%PDF-".utf8)) != nil else {
            throw RunFailure(
                .pdfDownloadFailed, reason: .notAPDF, message: "what came is no PDF but \(received.inWords(file))",
                bankWords: received.words(in: file).map(sanitised))
        }
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(max(0, received.bytes - 1024)))
        let tail = try handle.readToEnd() ?? Data()
        guard tail.firstRange(of: Array("%%EOF".utf8)) != nil else {
            throw RunFailure(
                .pdfDownloadFailed, reason: .notAPDF,
                message: "the PDF breaks off after \(received.bytes) bytes, before its end")
        }
    }
}

extension EngineFile {
    /// A page that came instead of a document is read this far, in bytes.
    private static let longestPage = 1 << 20

    fileprivate func inWords(_ file: URL) -> String {
        let type = mediaType ?? "an answer without a type"
        guard let title = page(in: file)?.title, !title.isEmpty else { return "\(type), \(bytes) bytes" }
        return "a page titled “\(sanitised(title))” (\(type))"
    }

    /// What the page, or the JSON, that came instead of a document says about itself.
    fileprivate func words(in file: URL) -> String? {
        if mediaType?.contains("json") == true, bytes <= Self.longestPage, let data = try? Data(contentsOf: file) {
            return (try? JSONReader.read(data))?.ownWords
        }
        guard let page = page(in: file) else { return nil }
        for selector in ["[role=alert], [role=status]", "h1", "h2", "title"] {
            let found = (try? page.elements(.css(selector))) ?? []
            if let words = found.lazy.map(\.text).first(where: { !$0.isEmpty }) { return words }
        }
        return nil
    }

    private func page(in file: URL) -> Document? {
        guard mediaType?.contains("html") ?? true, bytes <= Self.longestPage, let data = try? Data(contentsOf: file)
        else { return nil }
        return try? Document.parse(Array(data), contentType: mediaType, url: "about:blank")
    }
}
