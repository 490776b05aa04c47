import Automation
import BankScript
import Clocks
import Crypto
import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Mustache

/// A trace as one page: the steps on the left, and for each step its page and its exchanges.
///
/// The page loads nothing: the content security policy allows its own style, its own script by hash, and no network. The
/// bank's pages stand in frames in which no script runs.
struct TraceReport {
    private let record: TraceRecord
    /// Stands for a picture, with its number behind it. No page can know it.
    private let pictureMark = "picture-\(UUID().uuidString)-"

    init(_ record: TraceRecord) {
        self.record = record
    }

    /// The templates `trace.mustache` and `traceTable.mustache`. Every value is escaped here but style, script and policy.
    private static let library: MustacheLibrary = {
        MustacheContentTypes.register(Markup(), named: "trace")
        var library = MustacheLibrary()
        let templates = [
            "trace": PackageResources.trace_mustache, "traceTable": PackageResources.traceTable_mustache,
        ]
        for (name, bytes) in templates {
            // The templates are part of this module: a syntax error in one fails the first test.
            library.register(try! MustacheTemplate(string: "{{% CONTENT_TYPE:trace}}" + text(bytes)), named: name)
        }
        return library
    }()

    /// HTML as values in it are escaped. The library's own escaping (1.0 to 2.0) passes over a `"` that a combining mark
    /// follows, so that a bank's page could end its frame. A bank's characters that show nothing, or turn the direction of what
    /// stands around them, are shown as escapes.
    private struct Markup: MustacheContentType {
        func escapeText(_ text: String) -> String { text.visibleLines.escapedForHTML }
    }

    private static func text(_ resource: [UInt8]) -> String { String(decoding: resource, as: UTF8.self) }

    /// The page's `Content-Security-Policy`.
    var policy: String {
        let hash = Data(SHA256.hash(data: Data(PackageResources.trace_js))).base64EncodedString()
        return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(hash)'; "
            + "\(record.hasPictures ? "img-src data:; " : "")base-uri 'none'; form-action 'none'"
    }

    /// The whole page.
    var html: String {
        let started = record.startedAt.formatted(
            Date.ISO8601FormatStyle().year().month().day().dateTimeSeparator(.space).time(
                includingFractionalSeconds: false))
        let values: [String: Any] = [
            "policy": policy, "style": Self.text(PackageResources.trace_css),
            "script": Self.text(PackageResources.trace_js), "name": record.scriptName,
            "outcome": outcome, "badge": record.failure == nil ? "good" : "bad", "took": record.duration.inWords,
            "exchangeCount": record.exchanges.count, "started": started, "digest": record.scriptDigest.prefix(12),
            "keepsDigits": record.keepsDigits, "steps": record.steps.indices.map(step),
        ]
        return Self.library.render(values, withTemplate: "trace") ?? ""
    }

    private var outcome: String {
        record.failure.map { "\($0.code.rawValue)\($0.reason.map { " (\($0.rawValue))" } ?? "")" } ?? "done"
    }

    /// The step to show first: the failed one, or else the last one.
    private var first: Int {
        record.steps.lastIndex { step in
            if case .failed = step.outcome { !step.place.isFinally } else { false }
        } ?? record.steps.lastIndex { !$0.place.isFinally } ?? 0
    }

    // MARK: A step

    private func step(_ index: Int) -> [String: Any] {
        let step = record.steps[index]
        let pages = pages(of: step, index)
        var values: [String: Any] = [
            "id": index + 1, "style": style(of: step), "depth": min(step.place.depth, 6), "mark": mark(of: step),
            "number": step.place.number, "words": step.place.words, "took": step.duration.inWords,
            "offset": step.offset.inWords, "isFirst": index == first,
            "role": step.place.isFinally ? "in any case" : "step \(step.place.number)",
            "hasNotes": !step.notes.isEmpty, "notes": step.notes, "hasPages": !pages.isEmpty, "pages": pages,
            "hasExchanges": !step.traffic.isEmpty, "exchanges": step.traffic.map { exchange($0.exchange) },
            "hasConsole": !step.console.isEmpty, "console": step.console.map(message),
        ]
        if let source = source(of: step) { values["source"] = ["lines": source] }
        if !step.traffic.isEmpty { values["traffic"] = step.traffic.count }
        let share = record.duration > .zero ? step.duration.seconds / record.duration.seconds : 0
        let width = Int((share * 100).rounded())
        if width >= 2 { values["bar"] = width }
        if let mark = step.place.mark { values["place"] = "\(mark)" }
        if !step.captures.isEmpty { values["captures"] = table("Captured", step.captures.map { ($0.name, $0.text) }) }
        if case .failed(let failure) = step.outcome {
            values["failure"] = card(failure)
        } else {
            values["isQuiet"] =
                step.notes.isEmpty && step.captures.isEmpty && pages.isEmpty && step.traffic.isEmpty
                && step.console.isEmpty
        }
        return values
    }

    private func style(of step: TraceRecord.Step) -> String {
        let outcome =
            switch step.outcome {
            case .done: "done"
            case .failed: "failed"
            case .running: "unfinished"
            }
        return step.place.isFinally ? outcome + " finally" : outcome
    }

    private func mark(of step: TraceRecord.Step) -> String {
        switch step.outcome {
        case .done: "✓"
        case .failed: "✗"
        case .running: "…"
        }
    }

    private func card(_ failure: RunFailure) -> [String: Any] {
        var values: [String: Any] = [
            "code": failure.code.rawValue,
            "message": failure.message,
            "hasCandidates": !failure.candidates.isEmpty, "candidates": failure.candidates,
        ]
        values["reason"] = failure.reason?.rawValue
        values["bankWords"] = failure.bankWords
        return values
    }

    private func pages(of step: TraceRecord.Step, _ index: Int) -> [[String: Any]] {
        let shown = shownPages(of: step).enumerated().map { number, page in
            (label: number == 0 && step.acted != nil ? whereItActed(page) : afterwards(number), page: page)
        }
        return shown.enumerated().map { number, shown in
            var values: [String: Any] = [
                "group": "p\(index + 1)", "id": "p\(index + 1)-\(number)", "isFirst": number == 0,
                "label": shown.label, "status": shown.page.status, "statusClass": shown.page.status / 100,
                "heading": shown.page.title.isEmpty ? "no title" : shown.page.title, "title": shown.page.title,
                // The page's hidden characters stay, because a frame shows the page apart from the report.
                "url": shown.page.url, "html": shown.page.html.escapedForHTML,
            ]
            if let picture = shown.page.picture {
                values["picture"] = [
                    "source": "\(pictureMark)\(index)-\(number).", "matches": picture.matches.map(outline),
                ]
            }
            return values
        }
    }

    private func whereItActed(_ page: TraceRecord.Page) -> String {
        switch page.matches {
        case 0: "Where it looked, without success"
        case 1: "Where it acted"
        default: "\(page.matches) found"
        }
    }

    private func afterwards(_ number: Int) -> String { number == 0 ? "The page" : "The page after" }

    /// The pages of a step, as they are shown one after the other.
    private func shownPages(of step: TraceRecord.Step) -> [TraceRecord.Page] {
        guard let acted = step.acted else { return [step.arrived].compactMap(\.self) }
        return [acted] + [step.arrived].compactMap(\.self).filter { $0 != acted }
    }

    /// Puts the pictures into a page that names them.
    func insertingPictures(into html: String) -> String {
        guard record.hasPictures else { return html }
        var result = html
        for (index, step) in record.steps.enumerated() {
            for (number, page) in shownPages(of: step).enumerated() {
                guard let picture = page.picture else { continue }
                let data = "data:\(picture.mediaType);base64,\(Data(picture.bytes).base64EncodedString())"
                result = result.replacing("\(pictureMark)\(index)-\(number).", with: data)
            }
        }
        return result
    }

    /// The place of a match on the picture, for a style.
    private func outline(_ box: PagePicture.Box) -> String {
        func percent(_ fraction: Double) -> String {
            (fraction * 100).formatted(
                .number.precision(.fractionLength(0...2)).locale(Locale(identifier: "en_US_POSIX")))
        }
        return "left:\(percent(box.x))%;top:\(percent(box.y))%;width:\(percent(box.width))%;"
            + "height:\(percent(box.height))%"
    }

    private func message(_ message: ConsoleMessage) -> [String: Any] {
        var values: [String: Any] = ["level": message.level.rawValue, "text": message.text]
        values["from"] = message.place
        return values
    }

    /// The lines of the script around a step; nil for a step of another file, or of a script that is compiled in.
    private func source(of step: TraceRecord.Step) -> [[String: Any]]? {
        guard let mark = step.place.mark, record.source.indices.contains(mark.line - 1) else { return nil }
        let lines = max(1, mark.line - 2)...min(record.source.count, mark.line + 2)
        return lines.map { ["number": $0, "text": record.source[$0 - 1], "isHere": $0 == mark.line] }
    }

    // MARK: An exchange

    private func exchange(_ exchange: Exchange) -> [String: Any] {
        let timings = exchange.timings
        var tables = [
            table("Request", exchange.requestHeaders.map { ($0.name, $0.value) }),
            table("Answer", exchange.responseHeaders.map { ($0.name, $0.value) }),
        ]
        if let form = form(of: exchange) { tables.insert(table("Sent", form), at: 0) }
        var values: [String: Any] = [
            "method": exchange.method, "target": pathAndQuery(of: exchange.url), "status": exchange.status,
            "statusClass": exchange.status / 100, "type": exchange.mediaType ?? "no type",
            "bytes": exchange.responseBytes, "total": timings.total.inWords,
            "tables": tables.compactMap { $0 },
        ]
        values["times"] = table(
            "Times",
            [
                ("connected after", timings.connected.inWords), ("first byte after", timings.firstByte.inWords),
                ("all of it after", timings.total.inWords),
            ])
        values["json"] = json(of: exchange)
        return values
    }

    private func form(of exchange: Exchange) -> [(String, String)]? {
        guard let body = exchange.requestBody, !body.isEmpty else { return nil }
        let text = String(decoding: body, as: UTF8.self)
        guard exchange.requestHeader("content-type")?.hasPrefix("application/json") != true else {
            return [("body", text)]
        }
        return FormFields(urlEncoded: text).fields.map { ($0.name, $0.value) }
    }

    /// A JSON answer as it was recorded, masked.
    private func json(of exchange: Exchange) -> String? {
        guard exchange.mediaType?.hasSuffix("json") == true, let body = exchange.responseBody,
            let value = try? JSONReader.read(body)
        else { return nil }
        let text = value.indentedText()
        return text.count > 20_000 ? text.prefix(20_000) + "\n…" : text
    }

    private func pathAndQuery(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...].drop { $0 != "/" }
        return rest.removingPercentEncoding ?? String(rest)
    }

    private func table(_ title: String, _ rows: [(name: String, value: String)]) -> [String: Any]? {
        guard !rows.isEmpty else { return nil }
        return ["title": title, "rows": rows.map { ["name": $0.name, "value": $0.value] }]
    }
}

extension JSONValue {
    /// Writes the value on several lines, for a reader.
    func indentedText(margin: String = "") -> String {
        let inner = margin + "  "
        switch self {
        case .array(let items) where !items.isEmpty:
            let lines = items.map { inner + $0.indentedText(margin: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(margin)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.sorted { $0.key < $1.key }.map { member in
                "\(inner)\(JSONValue.string(member.key).compactText()): \(member.value.indentedText(margin: inner))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
        default: return compactText()
        }
    }
}
