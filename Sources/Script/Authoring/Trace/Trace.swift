import Automation
import BankScript
import Clocks
import Encodings
import Foundation
import Machine
import Secrets

/// A recorded run, and the files that show it.
public struct Trace: Sendable {
    let record: TraceRecord

    public init(_ recorder: TraceRecorder) {
        record = recorder.record
    }

    /// The masked exchanges, with an archive page for each step that made any.
    public var archive: HTTPArchive {
        var archive = HTTPArchive(entries: [])
        for (index, step) in record.steps.enumerated() where !step.traffic.isEmpty {
            let id = "step_\(index + 1)"
            let startedAt = record.startedAt.addingTimeInterval(step.offset.seconds)
            archive.pages.append(.init(id: id, title: step.place.words, startedAt: startedAt))
            archive.entries += step.traffic.map { .init(exchange: $0.exchange, page: id) }
        }
        return archive
    }

    /// The report: one self-contained page to open in a browser.
    public var html: String {
        let report = TraceReport(record)
        // Pictures come in after the redaction: a short secret may occur in the base64 of any picture by chance.
        return report.insertingPictures(into: Redactor.redact(report.html))
    }

    /// The `Content-Security-Policy` under which ``html`` is to be served.
    package var policy: String { TraceReport(record).policy }

    /// The events as JSON, one on each line. Characters of the bank's that a reader would not see are escapes.
    public var jsonLines: String {
        events.map { $0.redacted().compactText().visible + "\n" }.joined()
    }

    /// Writes `trace.html`, `trace.har` and `trace.jsonl` into the folder, readable for the owner alone.
    ///
    /// - Returns: the URL of `trace.html`.
    /// - Throws: ``FileError``.
    @discardableResult
    public func write(to folder: URL) throws -> URL {
        try PrivateFolder.make(folder)
        let page = folder.appending(path: "trace.html")
        try AtomicFile.write(html.utf8, to: page)
        try AtomicFile.write(archive.json.redacted().compactBytes(), to: folder.appending(path: "trace.har"))
        try AtomicFile.write(jsonLines.utf8, to: folder.appending(path: "trace.jsonl"))
        return page
    }
}

extension Trace {
    private var events: [JSONValue] {
        var events: [JSONValue] = [
            [
                "event": "run", "script": .string(record.scriptName), "digest": .string(record.scriptDigest),
                "started_at": .string(record.startedAt.archived), "milliseconds": record.duration.inMilliseconds,
                "outcome": .string(record.failure == nil ? "done" : "failed"),
            ]
        ]
        for step in record.steps {
            events.append(step.json)
            events += step.traffic.map { $0.json(of: step) }
        }
        return events
    }
}

extension TraceRecord.Step {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "event": "step", "step": .number(Double(place.number)), "depth": .number(Double(place.depth)),
            "words": .string(place.words), "finally": .bool(place.isFinally), "at": offset.inMilliseconds,
            "milliseconds": duration.inMilliseconds,
        ]
        if let mark = place.mark { members["mark"] = .string("\(mark)") }
        switch outcome {
        case .running: members["outcome"] = "unfinished"
        case .done: members["outcome"] = "done"
        case .failed(let failure):
            members["outcome"] = "failed"
            members["error_code"] = .string(failure.code.rawValue)
            members["reason"] = failure.reason.map { .string($0.rawValue) }
            members["message"] = .string(failure.message)
            members["candidates"] = .array(failure.candidates.map(JSONValue.string))
        }
        if let page = arrived ?? acted {
            members["page"] = [
                "url": .string(page.url), "title": .string(page.title), "status": .number(Double(page.status)),
            ]
        }
        if let acted { members["matches"] = .number(Double(acted.matches)) }
        if !console.isEmpty {
            members["console"] = .array(
                console.map { ["level": .string($0.level.rawValue), "text": .string($0.text)] })
        }
        if !notes.isEmpty { members["notes"] = .array(notes.map(JSONValue.string)) }
        if !captures.isEmpty {
            members["captures"] = .array(captures.map { ["name": .string($0.name), "text": .string($0.text)] })
        }
        return .object(members)
    }
}

extension TraceRecord.Traffic {
    fileprivate func json(of step: TraceRecord.Step) -> JSONValue {
        [
            "event": "exchange", "step": .number(Double(step.place.number)), "at": offset.inMilliseconds,
            "method": .string(exchange.method), "url": .string(exchange.url),
            "status": .number(Double(exchange.status)), "bytes": .number(Double(exchange.responseBytes)),
            "type": exchange.mediaType.map(JSONValue.string) ?? .null,
            "milliseconds": exchange.timings.total.inMilliseconds,
        ]
    }
}

extension Duration {
    fileprivate var inMilliseconds: JSONValue { .number((seconds * 1000).rounded()) }
}

extension JSONValue {
    /// Redacts every living secret in the texts. Numbers and names stay, so that the structure stays.
    func redacted() -> JSONValue {
        var texts: [String] = []
        func gather(_ value: JSONValue) {
            switch value {
            case .string(let text): texts.append(text)
            case .array(let items): items.forEach(gather)
            case .object(let members): for name in members.keys.sorted() { gather(members[name] ?? .null) }
            case .null, .bool, .number: break
            }
        }
        gather(self)
        var clean = Redactor.redact(texts)[...]
        func rebuilt(_ value: JSONValue) -> JSONValue {
            switch value {
            case .string: return .string(clean.removeFirst())
            case .array(let items): return .array(items.map(rebuilt))
            case .object(let members):
                var result = members
                for name in members.keys.sorted() { result[name] = rebuilt(members[name] ?? .null) }
                return .object(result)
            case .null, .bool, .number: return value
            }
        }
        return rebuilt(self)
    }
}
