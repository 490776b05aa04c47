import Automation
import BankScript
import Clocks
import Crypto
import CurlClient
import Foundation
import HTMLAutomation
import HTMLEngine
import JSON

/// A trace as one page: the steps on the left, and for each step its page and its exchanges.
///
/// The page loads nothing: the content security policy allows its own style, its own script by hash, and no network. The
/// pages of the bank stand in frames in which no script runs.
struct TraceReport {
    private let record: TraceRecord

    init(_ record: TraceRecord) {
        self.record = record
    }

    /// The whole page. Its frame, style and script are the files in `Resources`.
    var html: String {
        let script = Self.text(PackageResources.trace_js)
        let hash = Data(SHA256.hash(data: Data(script.utf8))).base64EncodedString()
        let parts = [
            "policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(hash)'; base-uri 'none'; "
                + "form-action 'none'",
            "title": "\(escaped(record.scriptName)): \(outcomeWords)", "style": Self.text(PackageResources.trace_css),
            "header": head, "steps": record.steps.indices.map(entry).joined(separator: "\n"),
            "sections": record.steps.indices.map(section).joined(separator: "\n"), "script": script,
        ]
        return Self.text(PackageResources.trace_html).fillingPlaces(with: parts)
    }

    private static func text(_ resource: [UInt8]) -> String { String(decoding: resource, as: UTF8.self) }

    /// The step to show first: the failed one, or else the last one.
    private var first: Int {
        record.steps.lastIndex { step in
            if case .failed = step.outcome { !step.place.isFinally } else { false }
        } ?? record.steps.lastIndex { !$0.place.isFinally } ?? 0
    }

    private var outcomeWords: String {
        record.failure.map { "\($0.code.rawValue)\($0.reason.map { " (\($0.rawValue))" } ?? "")" } ?? "done"
    }

    private var head: String {
        let stamp = record.startedAt.formatted(
            Date.ISO8601FormatStyle().year().month().day().dateTimeSeparator(.space).time(
                includingFractionalSeconds: false))
        let masked = record.keepsDigits ? "Digits are shown." : "Account numbers and amounts are dots."
        let style = record.failure == nil ? "good" : "bad"
        return """
            <header>
            <h1>\(escaped(record.scriptName))</h1>
            <span class="badge \(style)">\(escaped(outcomeWords))</span>
            <dl>
            <div><dt>took</dt><dd>\(record.duration.inWords)</dd></div>
            <div><dt>exchanges</dt><dd>\(record.exchanges.count)</dd></div>
            <div><dt>started</dt><dd>\(stamp) UTC</dd></div>
            <div><dt>script</dt><dd><code>\(record.scriptDigest.prefix(12))</code></dd></div>
            </dl>
            <p>Secrets are dots. \(masked)</p>
            </header>
            """
    }

    // MARK: The list

    private func entry(_ index: Int) -> String {
        let step = record.steps[index]
        let share = record.duration > .zero ? step.duration.seconds / record.duration.seconds : 0
        let width = Int((share * 100).rounded())
        let bar = width < 2 ? "" : "<span class=\"bar\" style=\"width:\(width)%\"></span>"
        let traffic =
            step.traffic.isEmpty ? "" : "<span class=\"count\" title=\"exchanges\">\(step.traffic.count)</span>"
        return """
            <li class="\(style(of: step))" style="--depth:\(min(step.place.depth, 6))"><a href="#step-\(index + 1)">\
            <span class="mark">\(mark(of: step))</span><span class="number">\(step.place.number)</span>\
            <span class="words">\(escaped(step.place.words))</span>\(traffic)\
            <span class="time">\(step.duration.inWords)</span>\(bar)</a></li>
            """
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

    // MARK: A step

    private func section(_ index: Int) -> String {
        let step = record.steps[index]
        var parts: [String] = []
        if case .failed(let failure) = step.outcome { parts.append(card(failure)) }
        if !step.notes.isEmpty {
            parts.append("<ul class=\"notes\">\(step.notes.map { "<li>\(escaped($0))</li>" }.joined())</ul>")
        }
        if !step.captures.isEmpty { parts.append(table("Captured", step.captures.map { ($0.name, $0.text) })) }
        if let pages = pages(of: step, index) { parts.append(pages) }
        if !step.traffic.isEmpty {
            parts.append("<h3>Exchanges</h3>\n" + step.traffic.map { exchange($0, of: step) }.joined(separator: "\n"))
        }
        if parts.isEmpty { parts.append("<p class=\"quiet\">This step looked for nothing and sent nothing.</p>") }
        let place = step.place.mark.map { " · <code>\(escaped("\($0)"))</code>" } ?? ""
        let role = step.place.isFinally ? "in any case" : "step \(step.place.number)"
        return """
            <section id="step-\(index + 1)" class="\(style(of: step))\(index == first ? " first" : "")">
            <h2>\(escaped(step.place.words))</h2>
            <p class="quiet">\(role)\(place) · began after \(step.offset.inWords) · took \(step.duration.inWords)</p>
            \(parts.joined(separator: "\n"))
            </section>
            """
    }

    private func card(_ failure: RunFailure) -> String {
        var lines = [
            "<p class=\"code\">\(failure.code.rawValue)\(failure.reason.map { " · \($0.rawValue)" } ?? "")</p>",
            "<p>\(escaped(failure.message.replacing(/[;,] nearest on the page:$/, with: "")))</p>",
        ]
        if let words = failure.bankWords { lines.append("<blockquote>\(escaped(words))</blockquote>") }
        if !failure.candidates.isEmpty {
            let items = failure.candidates.map { "<li>\(escaped($0))</li>" }.joined()
            lines.append("<p>The page has:</p><ul>\(items)</ul>")
        }
        return "<div class=\"card\">\(lines.joined())</div>"
    }

    private func pages(of step: TraceRecord.Step, _ index: Int) -> String? {
        var shown: [(label: String, page: TraceRecord.Page)] = []
        if let acted = step.acted {
            let count = acted.matches
            shown.append(
                (
                    count == 0 ? "Where it looked, without success" : count == 1 ? "Where it acted" : "\(count) found",
                    acted
                ))
        }
        if let arrived = step.arrived, arrived != step.acted {
            shown.append((shown.isEmpty ? "The page" : "The page after", arrived))
        }
        guard !shown.isEmpty else { return nil }
        var tabs = ""
        var frames = ""
        for (number, (label, page)) in shown.enumerated() {
            let id = "p\(index + 1)-\(number)"
            tabs += """
                <input type="radio" name="p\(index + 1)" id="\(id)"\(number == 0 ? " checked" : "")>\
                <label for="\(id)">\(escaped(label))</label>
                """
            frames += """
                <figure><figcaption><span class="status s\(page.status / 100)">\(page.status)</span> \
                <b>\(escaped(page.title.isEmpty ? "no title" : page.title))</b> <code>\(escaped(page.url))</code></figcaption>\
                <iframe sandbox="allow-same-origin" loading="lazy" title="\(attribute(page.title))" \
                srcdoc="\(attribute(page.html))"></iframe></figure>
                """
        }
        return "<div class=\"pages\">\(tabs)\(frames)</div>"
    }

    // MARK: An exchange

    private func exchange(_ traffic: TraceRecord.Traffic, of step: TraceRecord.Step) -> String {
        let exchange = traffic.exchange
        let form = form(of: exchange)
        let type = exchange.mediaType ?? "no type"
        let timings = exchange.timings
        let parts = [
            form.map { table("Sent", $0) } ?? "",
            table("Request", exchange.requestHeaders.map { ($0.name, $0.value) }),
            table("Answer", exchange.responseHeaders.map { ($0.name, $0.value) }), json(of: exchange),
            table(
                "Times",
                [
                    ("connected after", timings.connected.inWords), ("first byte after", timings.firstByte.inWords),
                    ("all of it after", timings.total.inWords),
                ]),
        ]
        return """
            <details class="exchange"><summary><b>\(escaped(exchange.method))</b> \
            <code>\(escaped(pathAndQuery(of: exchange.url)))</code> \
            <span class="status s\(exchange.status / 100)">\(exchange.status)</span> \
            <span class="quiet">\(escaped(type)), \(exchange.responseBytes) bytes, \(timings.total.inWords)</span>\
            </summary>\(parts.joined())</details>
            """
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
    private func json(of exchange: Exchange) -> String {
        guard exchange.mediaType?.hasSuffix("json") == true, let body = exchange.responseBody,
            let value = try? JSONReader.read(body)
        else { return "" }
        let text = value.indentedText()
        let shown = text.count > 20_000 ? text.prefix(20_000) + "\n…" : text[...]
        return "<pre>\(escaped(String(shown)))</pre>"
    }

    private func pathAndQuery(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...].drop { $0 != "/" }
        return rest.removingPercentEncoding ?? String(rest)
    }

    private func table(_ title: String, _ rows: [(String, String)]) -> String {
        guard !rows.isEmpty else { return "" }
        let body = rows.map { "<tr><th scope=\"row\">\(escaped($0.0))</th><td>\(escaped($0.1))</td></tr>" }
        return "<table><caption>\(escaped(title))</caption><tbody>\(body.joined())</tbody></table>"
    }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private func attribute(_ text: String) -> String { escaped(text).replacing("\"", with: "&quot;") }
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

extension String {
    /// Replaces each `{{name}}` by the part of that name, in one pass: parts may contain braces.
    fileprivate func fillingPlaces(with parts: [String: String]) -> String {
        var pieces = components(separatedBy: "{{")
        var result = pieces.removeFirst()
        for piece in pieces {
            guard let end = piece.firstRange(of: "}}") else { continue }
            result += (parts[String(piece[..<end.lowerBound])] ?? "") + piece[end.upperBound...]
        }
        return result
    }
}
