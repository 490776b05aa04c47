import Automation
import BankScript
import Encodings
import Messages
import Secrets

// A failure crosses whole, so that messages, reports and holds are the same wherever the bank was visited. The process that
// reads the bank's pages masks the secrets that it alone knows; the phone masks its own when it writes a report.

extension RunFailure {
    /// The longest message, in characters.
    private static let longestText = 20_000
    /// The longest page, in bytes; another one is left out.
    private static let longestPage = 16 << 20
    private static let mostCandidates = 100

    /// The failure without its page.
    var visitJSON: JSONValue { .object(visitMembers) }

    /// The failure with its page, for a report that is kept. The page's text is a piece.
    func visitMessage() -> (json: JSONValue, pieces: [[UInt8]]) {
        var members = visitMembers
        guard code == .navigationFailed, let snapshot else { return (.object(members), []) }
        let html = snapshot.sanitised()
        guard html.utf8.count <= Self.longestPage else { return (.object(members), []) }
        let texts = Redactor.redact([snapshot.url, snapshot.title]).map { String($0.prefix(Self.longestText)) }
        members["snapshot"] = [
            "url": .string(texts[0]), "title": .string(texts[1]), "status": .number(Double(snapshot.status)),
            "matches": .number(Double(snapshot.matchCount)),
        ]
        return (.object(members), [Array(html.utf8)])
    }

    private var visitMembers: [String: JSONValue] {
        var texts = [message, bankWords ?? "", page?.url ?? "", page?.title ?? "", place?.words ?? ""]
        texts = Redactor.redact(texts + candidates.prefix(Self.mostCandidates)).map {
            String($0.prefix(Self.longestText))
        }
        var members: [String: JSONValue] = [
            "code": .string(code.rawValue), "message": .string(texts[0]),
            "candidates": .array(texts.dropFirst(5).map(JSONValue.string)),
            "refused_codes": .number(Double(refusedCodes)), "code_confirmed": .bool(isCodeConfirmed),
            "last_code_refused": .bool(isLastCodeRefused), "sent_credentials": .bool(hasSentCredentials),
            "sign_in_unconfirmed": .bool(isSignInUnconfirmed), "sign_in_unanswered": .bool(isSignInUnanswered),
        ]
        members["reason"] = reason.map { .string($0.rawValue) }
        if bankWords != nil { members["bank_words"] = .string(texts[1]) }
        if page != nil { members["page"] = ["url": .string(texts[2]), "title": .string(texts[3])] }
        if var place {
            place.words = texts[4]
            members["place"] = place.visitJSON
        }
        return members
    }

    /// Reads what ``visitMessage()`` wrote; nil for anything else.
    init?(visitJSON json: JSONValue?, pieces: [[UInt8]] = []) {
        guard let json, let code = json["code"]?.stringValue.flatMap(ErrorCode.init(rawValue:)),
            let message = json.visitText("message", Self.longestText),
            let candidates = json["candidates"]?.arrayValue, candidates.count <= Self.mostCandidates,
            let refusedCodes = json["refused_codes"]?.intValue, (0...100).contains(refusedCodes)
        else { return nil }
        self.init(
            code, reason: json["reason"]?.stringValue.flatMap(FailureReason.init(rawValue:)), message: message,
            bankWords: json.visitText("bank_words", Self.longestText), place: StepPlace(visitJSON: json["place"]),
            candidates: candidates.compactMap(\.stringValue).map { String($0.prefix(Self.longestText)) })
        if let url = json["page"]?.visitText("url", Self.longestText),
            let title = json["page"]?.visitText("title", Self.longestText)
        {
            page = PageReference(url: url, title: title)
        }
        self.refusedCodes = refusedCodes
        isCodeConfirmed = json["code_confirmed"] == true
        isLastCodeRefused = json["last_code_refused"] == true
        hasSentCredentials = json["sent_credentials"] == true
        isSignInUnconfirmed = json["sign_in_unconfirmed"] == true
        isSignInUnanswered = json["sign_in_unanswered"] == true
        if let kept = json["snapshot"], let html = pieces.first { snapshot = VisitedPage(kept, html: html) }
    }

    /// The sanitised page of a failure, as another process made it.
    private struct VisitedPage: PageSnapshot {
        let url: String
        let title: String
        let status: Int
        let matchCount: Int
        private let html: String

        init?(_ json: JSONValue, html: [UInt8]) {
            guard let url = json.visitText("url", RunFailure.longestText),
                let title = json.visitText("title", RunFailure.longestText),
                let status = json["status"]?.intValue, let matchCount = json["matches"]?.intValue,
                html.count <= RunFailure.longestPage, let html = String(validating: html, as: UTF8.self)
            else { return nil }
            (self.url, self.title, self.status, self.matchCount, self.html) = (url, title, status, matchCount, html)
        }

        /// The digits are dots already.
        func sanitised(keepingDigits: Bool) -> String { html }
    }
}

extension StepPlace {
    private static let longestWords = 2_000

    var visitJSON: JSONValue {
        var members: [String: JSONValue] = [
            "number": .number(Double(number)), "depth": .number(Double(depth)), "finally": .bool(isFinally),
            "words": .string(String(words.prefix(Self.longestWords))),
        ]
        if let mark {
            members["mark"] = [
                .string(mark.file), .number(Double(mark.line)), mark.column.map { .number(Double($0)) } ?? .null,
            ]
        }
        return .object(members)
    }

    init?(visitJSON json: JSONValue?) {
        guard let json, let number = json.visitCount("number"), let depth = json.visitCount("depth"),
            let words = json.visitText("words", Self.longestWords)
        else { return nil }
        var mark: Mark?
        if let parts = json["mark"]?.arrayValue, parts.count == 3, let file = parts[0].stringValue, file.count <= 1_000,
            let line = parts[1].intValue
        {
            mark = Mark(file: file, line: line, column: parts[2].intValue)
        }
        self.init(number: number, depth: depth, isFinally: json["finally"] == true, words: words, mark: mark)
    }
}

extension JSONValue {
    /// Returns a text that the other process sends; nil for a longer one.
    func visitText(_ name: String, _ longest: Int) -> String? {
        // One character can have any number of bytes; eight are more than those of a text by a person have on average.
        guard let text = self[name]?.stringValue, text.utf8.count <= 8 * longest, text.count <= longest else {
            return nil
        }
        return text
    }

    /// Returns a number of steps, or of one among them, that the other process sends.
    func visitCount(_ name: String) -> Int? {
        self[name]?.intValue.flatMap { (0...100_000).contains($0) ? $0 : nil }
    }

    /// Returns a time that the other process sends.
    func visitDate(_ name: String) -> Double? {
        guard let seconds = self[name]?.numberValue, abs(seconds) < 1e11 else { return nil }
        return seconds
    }
}
