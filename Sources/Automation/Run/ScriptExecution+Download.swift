import BankScript
import Foundation

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
        let received = try await engine.download(source, to: file, limit: download.limit)
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

    /// A PDF is told by its bytes: `%PDF-` within the first kilobyte and `%%EOF` within the last (ISO 32000-1, annex
    /// H, implementation notes 13 and 18). What a server labels it as does not count.
    private func check(_ received: EngineFile, at file: URL) throws {
        guard (200...299).contains(received.status) else {
            throw RunFailure(
                .pdfDownloadFailed, reason: received.status >= 500 ? .serverError : nil,
                message: "the bank answered \(received.status) instead of the statement")
        }
        guard received.firstBytes.prefix(1024).firstRange(of: Array("%PDF-".utf8)) != nil else {
            throw RunFailure(
                .pdfDownloadFailed, reason: .notAPDF, message: "what came is no PDF but \(received.inWords)")
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
    fileprivate var inWords: String {
        let text = String(decoding: firstBytes, as: UTF8.self)
        let type = mediaType.map { "\($0)" } ?? "an answer without a type"
        guard let open = text.range(of: "<title>", options: .caseInsensitive),
            let close = text.range(of: "</title>", options: .caseInsensitive, range: open.upperBound..<text.endIndex)
        else { return "\(type), \(bytes) bytes" }
        return "a page titled “\(sanitised(String(text[open.upperBound..<close.lowerBound])))” (\(type))"
    }
}
