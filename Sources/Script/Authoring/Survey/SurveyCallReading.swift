import BankScript
import Encodings
import Selectors

/// Reads the calls of a survey, which ``SurveyCallWriter`` writes, as steps of a script.
struct SurveyCallReading {
    private static let kinds = ["visit", "asks", "call", "wait", "statement", "sign-out"]

    private(set) var steps: [DraftedStep] = []
    private(set) var finally: [Step] = []

    /// Returns nil for a survey without calls: the bank is one of pages.
    init?(_ survey: Survey) {
        let lines = survey.lines
        let starts = lines.indices.filter { lines[$0].depth == 0 && Self.kinds.contains(lines[$0].kind) }
        guard starts.contains(where: { lines[$0].kind == "call" }) else { return nil }
        for start in starts {
            let end = lines[(start + 1)...].firstIndex { $0.depth == 0 } ?? lines.endIndex
            add(lines[start], parts: Array(lines[(start + 1)..<end]))
        }
    }

    private mutating func add(_ line: SurveyLine, parts: [SurveyLine]) {
        switch line.kind {
        case "visit": steps.append(DraftedStep(.open("/")))
        case "asks":
            steps.append(
                DraftedStep(
                    .secondFactor(SecondFactorStep(method: .captured(as: line["code"] ?? "code"), limit: .minutes(2))),
                    .signsIn,
                    remarks: ["The code comes from your authenticator if one is linked; otherwise you are asked."]))
        default: addRequest(line, parts)
        }
        for part in parts where part.kind == "keeps" {
            guard let capture = Self.capture(part) else { continue }
            steps.append(
                DraftedStep(.capture(capture), remarks: question(about: part, "where does “\(capture.name)” come from"))
            )
        }
    }

    private mutating func addRequest(_ line: SurveyLine, _ parts: [SurveyLine]) {
        let request = Self.request(line, parts)
        var remarks: [String] = []
        let place = "\(request.method) \(request.reference.source)"
        if request.reference.source.contains(SurveyMask.gap) {
            remarks.append(
                DraftQuestion.mark + "What stands for “…” in the address \(place)? The survey leaves it out.")
        }
        for part in parts where part["value"]?.contains(SurveyMask.gap) == true {
            let name = part["name"] ?? part["at"] ?? ""
            remarks.append(
                DraftQuestion.mark
                    + "What does \(place) send as \(name)? The survey leaves the value out; write it below.")
        }
        switch line.kind {
        case "sign-out": finally.append(Step(.request(request)))
        case "statement":
            steps.append(DraftedStep(.download(DownloadStep(source: .request(request))), remarks: remarks))
        case "wait":
            let wait = WaitStep(
                condition: .json(Template(line["until"] ?? "$"), is: line["is"].map { Template($0) }), poll: request,
                interval: .seconds(2), limit: .minutes(5))
            if line["is"]?.contains(SurveyMask.gap) == true {
                remarks.append(DraftQuestion.mark + "Which value of \(line["until"] ?? "$") ends the wait?")
            }
            steps.append(DraftedStep(.waitUntil(wait), remarks: remarks))
        default:
            let signsIn = parts.contains { $0["value"] == "$password" }
            if signsIn {
                remarks.append(
                    DraftQuestion.mark + "What does the bank answer to a wrong password? Describe it below: "
                        + "- fail: { BANK_LOGIN_FAILED: { json: $.error }, reason: wrong_credentials }")
            }
            steps.append(DraftedStep(.request(request), signsIn ? .signsIn : .plain, remarks: remarks))
        }
    }

    private func question(about line: SurveyLine, _ words: String) -> [String] {
        line.details.contains { $0.value?.contains(SurveyMask.gap) == true }
            ? [DraftQuestion.mark + "The survey leaves out a part of this path: \(words)?"] : []
    }

    private static func request(_ line: SurveyLine, _ parts: [SurveyLine]) -> RequestStep {
        var request = RequestStep(method: line["by"]?.uppercased() ?? "GET", reference: Template(line["at"] ?? "/"))
        var body: [String: RequestStep.Body] = [:]
        for part in parts {
            switch part.kind {
            case "header":
                request.headers.append(
                    RequestStep.Header(part["name"] ?? "", value(of: part), scheme: part["scheme"]))
            case "form-field": request.form.append(FormField(part["name"] ?? "", value(of: part)))
            case "puts":
                // Items of a list have no names to write them back by; the person sees the path in the question.
                let names = (part["at"] ?? "").split(separator: ".").dropFirst().map(String.init)
                if !names.isEmpty { Self.put(.value(value(of: part)), at: names[...], in: &body) }
            default: break
            }
        }
        if !body.isEmpty { request.body = .object(body) }
        return request
    }

    private static func put(
        _ value: RequestStep.Body, at names: ArraySlice<String>, in members: inout [String: RequestStep.Body]
    ) {
        guard let first = names.first else { return }
        if names.count == 1 {
            members[first] = value
            return
        }
        var inner: [String: RequestStep.Body] = [:]
        if case .object(let known)? = members[first] { inner = known }
        put(value, at: names.dropFirst(), in: &inner)
        members[first] = .object(inner)
    }

    private static func value(of part: SurveyLine) -> Value {
        let text = part["value"] ?? SurveyMask.gap
        if text.hasPrefix("$"), text.count > 1 { return .credential(String(text.dropFirst())) }
        let template = Template(text)
        if part.has("secret"), let name = template.names.first { return .captured(name) }
        return part.has("number") && text != SurveyMask.gap ? .number(template) : .template(template)
    }

    private static func capture(_ line: SurveyLine) -> CaptureStep? {
        guard let name = line["name"] else { return nil }
        let source: CaptureStep.Source
        if let path = line["json"] {
            source = .jsonPath(path)
        } else if let header = line["header"] {
            source = .header(header)
        } else if let cookie = line["cookie"] {
            source = .cookie(cookie)
        } else {
            return nil
        }
        return CaptureStep(name: name, source: source, isSecret: line.has("secret"))
    }
}
