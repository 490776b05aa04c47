import BankScript
import Clocks
import Foundation
import HTMLEngine
import JSON
import TextMatching

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
        services.tell(.downloaded(document))
    }

    /// Asks again, twice at most, where the server has passing trouble and asking again does nothing.
    private func receive(_ source: EngineDownload, at file: URL, limit: Int) async throws -> EngineFile {
        for pause in Self.pausesBetweenTries {
            let received = try await engine.download(source, to: file, limit: limit)
            guard Self.passingTroubles.contains(received.status), await isRepeatable(source) else { return received }
            try? FileManager.default.removeItem(at: file)
            try await services.clock.sleep(for: pause)
        }
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

    /// A PDF is told by its bytes: `%PDF-` within the first kilobyte and `%%EOF` within the last (ISO 32000-1, annex
    /// H, implementation notes 13 and 18). What a server labels it as does not count.
    private func check(_ received: EngineFile, at file: URL) throws {
        let isPDF = received.firstBytes.prefix(1024).holds("%PDF-")
        guard isPDF, (200...299).contains(received.status) else {
            throw failure(of: UnexpectedAnswer(received, at: file))
        }
        guard received.lastBytes.holds("%%EOF") else {
            throw RunFailure(
                .pdfDownloadFailed, reason: .notAPDF,
                message: "the PDF breaks off after \(received.bytes) bytes, before its end")
        }
    }

    /// Why something else came; what the script declared as an interruption is one here too.
    private func failure(of answer: UnexpectedAnswer) -> RunFailure {
        let words = answer.words.map(sanitised)
        for interruption in script.interruptions {
            guard case .fail(let code, let reason) = interruption.response, holds(interruption.condition, on: answer)
            else { continue }
            return declared(code, reason, saying: words)
        }
        guard (200...299).contains(answer.status) else {
            return RunFailure(
                .pdfDownloadFailed, reason: answer.status >= 500 ? .serverError : nil,
                message: "the bank answered \(answer.status) instead of the statement", bankWords: words)
        }
        return RunFailure(
            .pdfDownloadFailed, reason: .notAPDF, message: "what came is no PDF but \(answer.inWords)",
            bankWords: words)
    }

    /// As ``holds(_:)``, of an answer that the browser does not show.
    private func holds(_ condition: Condition, on answer: UnexpectedAnswer) -> Bool {
        switch condition {
        case .shows(let locator):
            guard let located = try? locate(locator), let page = answer.page else { return false }
            return (try? page.elements(located).isEmpty) == false
        case .says(let text): return answer.text.containsFolded((try? fill(text)) ?? "")
        case .titled(let text): return answer.title.containsFolded((try? fill(text)) ?? "")
        case .status(let range): return range.contains(answer.status)
        case .json(let path, let text):
            guard let json = answer.json, let path = try? JSONPath(fill(path)),
                let values = try? path.values(in: json).filter({ $0 != .null })
            else { return false }
            guard let wanted = text.map({ (try? fill($0)) ?? "" }) else { return !values.isEmpty }
            return values.contains { ($0.stringValue ?? $0.compactText()) == wanted }
        case .equal(let left, let right): return (try? fill(left) == fill(right)) ?? false
        case .path: return false
        case .not(let condition): return !holds(condition, on: answer)
        case .all(let conditions): return conditions.allSatisfy { holds($0, on: answer) }
        case .any(let conditions): return conditions.contains { holds($0, on: answer) }
        }
    }
}

extension ContiguousBytes {
    fileprivate func holds(_ mark: String) -> Bool {
        var mark = mark
        return withUnsafeBytes { bytes in
            mark.withUTF8 { bytes.bindMemory(to: UInt8.self).firstOffset(of: $0) != nil }
        }
    }
}
