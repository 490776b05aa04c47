import BankScript
import Encodings
import Selectors

/// Writes what a bank that is an app needs: its calls in their order, and which earlier answer each value comes from.
/// Literal values are left out.
struct SurveyCallWriter {
    let mask: SurveyMask

    /// Returns the lines for the steps that a draft of the recording has.
    func lines(of steps: [DraftedStep], finally: [Step]) -> [SurveyLine] {
        steps.flatMap { lines(of: $0.step.action) }
            + finally.flatMap { step -> [SurveyLine] in
                step.action.as(RequestStep.self).map { lines(of: $0, as: "sign-out") } ?? []
            }
    }

    private func lines(of action: Action) -> [SurveyLine] {
        switch action.kind {
        case is OpenStep: return [SurveyLine(0, "visit")]
        case let factor as SecondFactorStep:
            guard case .captured(let name) = factor.method else { return [] }
            return [SurveyLine(0, "asks", nil, [("code", name)])]
        case let request as RequestStep: return lines(of: request, as: "call")
        case let wait as WaitStep:
            guard let poll = wait.poll, case .json(let path, let value) = wait.condition else { return [] }
            var lines = lines(of: poll, as: "wait")
            lines[0].details.append(.init(name: "until", value: path.source))
            if let value { lines[0].details.append(.init(name: "is", value: mask.words(value.source))) }
            return lines
        case let capture as CaptureStep: return [line(of: capture)].compactMap(\.self)
        case let download as DownloadStep:
            guard case .request(let request) = download.source else { return [] }
            return lines(of: request, as: "statement")
        default: return []
        }
    }

    private func lines(of request: RequestStep, as kind: String) -> [SurveyLine] {
        var lines = [
            SurveyLine(0, kind, nil, [("by", request.method), ("at", reference(request.reference.source))])
        ]
        for header in request.headers {
            var details: [(String, String?)] = [("name", mask.technical(header.name))]
            if let scheme = header.scheme { details.append(("scheme", mask.technical(scheme))) }
            lines.append(SurveyLine(1, "header", nil, details + value(header.value)))
        }
        for field in request.form {
            lines.append(SurveyLine(1, "form-field", nil, [("name", mask.technical(field.name))] + value(field.value)))
        }
        if let body = request.body { lines += parts(of: body, at: "$") }
        return lines
    }

    private func parts(of body: RequestStep.Body, at path: String) -> [SurveyLine] {
        switch body {
        case .object(let members):
            return members.sorted { $0.key < $1.key }.flatMap { name, member in
                parts(of: member, at: "\(path).\(mask.technical(name))")
            }
        case .array(let items): return items.enumerated().flatMap { parts(of: $1, at: "\(path)[\($0)]") }
        case .bool: return [SurveyLine(1, "puts", nil, [("at", path), ("value", SurveyMask.gap), ("boolean", nil)])]
        case .null: return []
        case .number: return [SurveyLine(1, "puts", nil, [("at", path), ("value", SurveyMask.gap), ("number", nil)])]
        case .value(let leaf): return [SurveyLine(1, "puts", nil, [("at", path)] + value(leaf))]
        }
    }

    private func value(_ value: Value) -> [(String, String?)] {
        switch value {
        case .credential(let name): [("value", "$" + name)]
        case .captured(let name): [("value", "{{ \(name) }}"), ("secret", nil)]
        case .number(let template): [("value", placeholders(template.source)), ("number", nil)]
        case .template(let template): [("value", placeholders(template.source))]
        case .character: [("value", SurveyMask.gap)]
        }
    }

    /// A text that is placeholders and punctuation; a gap for any other one.
    private func placeholders(_ text: String) -> String {
        let rest = text.replacing(/\{\{[^{}]*\}\}/, with: "")
        let isPlain = rest.allSatisfy { !$0.isLetter && !$0.isNumber } && rest.count <= 4
        return isPlain && rest != text ? text : SurveyMask.gap
    }

    /// An address with its placeholders; every other part is masked.
    private func reference(_ text: String) -> String {
        guard text.hasPrefix("/") || text.contains("://") else { return placeholders(text) }
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let path =
            halves[0].firstRange(of: "://").map { halves[0][$0.upperBound...].drop { $0 != "/" } } ?? halves[0][...]
        let segments = path.split(separator: "/").map { segment -> String in
            let whole = placeholders(String(segment))
            guard whole == SurveyMask.gap else { return whole }
            return String(mask.path("/" + segment).dropFirst())
        }
        let fields = halves.dropFirst().joined().split(separator: "&").map { field -> String in
            let parts = field.split(separator: "=", maxSplits: 1).map(String.init)
            return "\(mask.technical(parts.first ?? ""))=\(parts.count > 1 ? placeholders(parts[1]) : "")"
        }
        return "/" + segments.joined(separator: "/") + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))
    }

    private func line(of capture: CaptureStep) -> SurveyLine? {
        var details: [(String, String?)] = [("name", capture.name)]
        switch capture.source {
        case .jsonPath(let path): details.append(("json", self.path(path)))
        case .signed: details.append(("signed", nil))
        case .header(let name): details.append(("header", mask.technical(name)))
        case .cookie(let name): details.append(("cookie", mask.technical(name)))
        case .text, .attribute, .template: return nil
        }
        if capture.isSecret { details.append(("secret", nil)) }
        return SurveyLine(1, "keeps", nil, details)
    }

    /// A JSONPath whose texts to compare with have placeholders and words of banking alone.
    private func path(_ path: String) -> String {
        path.replacing(/'([^']*)'/) { match in
            let text = String(match.1)
            let words = text.replacing(/\{\{[^{}]*\}\}/, with: "")
            return mask.words(words) == words.spaced ? "'\(text)'" : "'\(SurveyMask.gap)'"
        }
    }
}
