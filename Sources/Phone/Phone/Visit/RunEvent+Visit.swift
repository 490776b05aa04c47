import Automation
import BankScript
import Clocks
import Encodings
import Foundation
import Messages

// What a visit tells and asks, from one process to the other.

extension RunEvent {
    private static let longestText = 4_000
    private static let mostAccounts = 1_000

    var visitJSON: JSONValue {
        func text(_ text: String) -> JSONValue { .string(String(text.prefix(Self.longestText))) }
        switch self {
        case .began(_, let steps): return ["event": "began", "steps": .number(Double(steps))]
        case .stepBegan(let place): return ["event": "step_began", "place": place.visitJSON]
        case .stepEnded(let place, let time):
            return ["event": "step_ended", "place": place.visitJSON, "time": .number(time.seconds)]
        case .stepFailed(let place, let failure, let time):
            return [
                "event": "step_failed", "place": place.visitJSON, "failure": failure.visitJSON,
                "time": .number(time.seconds),
            ]
        case .secondFactor(let event):
            switch event {
            case .answeredByVault: return ["event": "answered_by_vault"]
            case .answeredBy(let source): return ["event": "answered_by", "source": .string(source.rawValue)]
            case .unanswered(let source, let reason):
                return ["event": "unanswered", "source": .string(source.rawValue), "text": text(reason)]
            case .asked(let prompt): return ["event": "asked", "prompt": prompt.visitMessage(withPicture: false).json]
            case .answered: return ["event": "answered"]
            }
        case .captured(let name, let value): return ["event": "captured", "name": text(name), "text": text(value)]
        case .downloaded(let document): return ["event": "downloaded", "document": document.visitJSON]
        case .listedAccounts(let accounts):
            return [
                "event": "accounts",
                "accounts": .array(
                    accounts.prefix(Self.mostAccounts).map { account in
                        [
                            "name": text(account.name), "alias": .string(account.alias.description),
                            "id": account.id.map(text) ?? .null,
                        ]
                    }),
            ]
        case .warned(let step, let words):
            return ["event": "warned", "step": .number(Double(step)), "text": text(words)]
        case .ended(let time): return ["event": "ended", "time": .number(time.seconds)]
        }
    }

    /// Reads what ``visitJSON`` wrote; nil for anything else.
    ///
    /// - Parameters:
    ///   - script: the script that runs.
    ///   - folder: the folder of its documents.
    init?(visitJSON json: JSONValue, of script: BankScript, in folder: URL) {
        func text(_ name: String) -> String? { json.visitText(name, Self.longestText) }
        var place: StepPlace? { StepPlace(visitJSON: json["place"]) }
        var time: Duration? { json.visitDate("time").map { .seconds($0) } }
        var source: SecondFactorStep.Source? {
            json["source"]?.stringValue.flatMap(SecondFactorStep.Source.init(rawValue:))
        }
        var event: RunEvent?
        switch json["event"]?.stringValue {
        case "began":
            if let steps = json.visitCount("steps") { event = .began(script: script.digest, steps: steps) }
        case "step_began": event = place.map { .stepBegan($0) }
        case "step_ended": if let place, let time { event = .stepEnded(place, time) }
        case "step_failed":
            if let place, let time, let failure = RunFailure(visitJSON: json["failure"]) {
                event = .stepFailed(place, failure, time)
            }
        case "answered_by_vault": event = .secondFactor(.answeredByVault)
        case "answered_by": event = source.map { .secondFactor(.answeredBy($0)) }
        case "unanswered": if let source, let text = text("text") { event = .secondFactor(.unanswered(source, text)) }
        case "asked":
            event = json["prompt"].flatMap { Prompt(visitJSON: $0, pieces: [], bankName: script.name) }
                .map { .secondFactor(.asked($0)) }
        case "answered": event = .secondFactor(.answered)
        case "captured":
            if let name = text("name"), let value = text("text") { event = .captured(name: name, text: value) }
        case "downloaded": event = FetchedDocument(visitJSON: json["document"], in: folder).map { .downloaded($0) }
        case "accounts":
            guard let items = json["accounts"]?.arrayValue, items.count <= Self.mostAccounts else { return nil }
            let accounts = items.compactMap { item -> ListedAccount? in
                guard let name = item.visitText("name", Self.longestText),
                    let alias = item["alias"]?.stringValue.flatMap(AccountAlias.init)
                else { return nil }
                return ListedAccount(name: name, alias: alias, id: item.visitText("id", Self.longestText))
            }
            if accounts.count == items.count { event = .listedAccounts(accounts) }
        case "warned":
            if let step = json.visitCount("step"), let words = text("text") { event = .warned(step, words) }
        case "ended": event = time.map { .ended($0) }
        default: break
        }
        guard let event else { return nil }
        self = event
    }
}

extension FetchedDocument {
    /// The document, with its file's name in the folder of the visit.
    var visitJSON: JSONValue {
        [
            "file": .string(file.lastPathComponent), "kind": .string(kind.rawValue), "sha256": .string(sha256),
            "bytes": .number(Double(bytes)),
        ]
    }

    init?(visitJSON json: JSONValue?, in folder: URL) {
        guard let json, let name = json.visitText("file", 200), !name.isEmpty, !name.hasPrefix("."),
            !name.contains(where: { $0 == "/" || $0 == "\0" }),
            let kind = json["kind"]?.stringValue.flatMap(DocumentKind.init(rawValue:)),
            let sha256 = json.visitText("sha256", 64), let bytes = json["bytes"]?.intValue, bytes >= 0
        else { return nil }
        self.init(
            file: folder.appending(path: name, directoryHint: .notDirectory), kind: kind, sha256: sha256, bytes: bytes)
    }
}

extension Prompt {
    private static let longestQuestion = 4_000
    private static let mostChoices = 200
    /// The largest picture, in bytes.
    private static let largestPicture = 8 << 20

    /// - Parameter withPicture: true to add the picture's bytes as a piece.
    func visitMessage(withPicture: Bool) -> (json: JSONValue, pieces: [[UInt8]]) {
        var pieces: [[UInt8]] = []
        var members: [String: JSONValue] = [
            "question": .string(String(question.prefix(Self.longestQuestion))),
            "deadline": .number(deadline.timeIntervalSince1970),
        ]
        switch kind {
        case .code(let picture):
            members["kind"] = "code"
            if withPicture, let picture {
                members["media_type"] = .string(picture.mediaType)
                if let flicker = picture.flicker {
                    members["flicker"] = .string(flicker.code)
                    members["typed"] = .array(flicker.typed.map(JSONValue.string))
                }
                pieces.append(picture.bytes)
            }
        case .choice(let choices):
            members["kind"] = "choice"
            members["choices"] = .array(choices.map(JSONValue.string))
        case .confirmElsewhere: members["kind"] = "elsewhere"
        }
        return (.object(members), pieces)
    }

    /// Reads what ``visitMessage(withPicture:)`` wrote; nil for anything else.
    ///
    /// - Parameter bankName: the name that the question stands under, whatever the other process says.
    init?(visitJSON json: JSONValue, pieces: [[UInt8]], bankName: String) {
        guard let question = json.visitText("question", Self.longestQuestion), let deadline = json.visitDate("deadline")
        else { return nil }
        let kind: Kind
        switch json["kind"]?.stringValue {
        case "code":
            guard pieces.allSatisfy({ $0.count <= Self.largestPicture }), pieces.count <= 1 else { return nil }
            var picture: Picture?
            if let code = json["flicker"]?.stringValue {
                let typed = json["typed"]?.arrayValue?.compactMap(\.stringValue) ?? []
                guard typed.count <= 10, typed.allSatisfy({ $0.count <= 100 }),
                    let flicker = FlickerPicture(code, typed: typed)
                else { return nil }
                picture = Picture(flicker)
            } else if let bytes = pieces.first, let mediaType = json.visitText("media_type", 200) {
                picture = Picture(bytes: bytes, mediaType: mediaType)
            }
            kind = .code(picture: picture)
        case "choice":
            guard let items = json["choices"]?.arrayValue, items.count <= Self.mostChoices else { return nil }
            let choices = items.compactMap(\.stringValue)
            guard choices.count == items.count, choices.allSatisfy({ $0.count <= Self.longestQuestion }) else {
                return nil
            }
            kind = .choice(choices)
        case "elsewhere": kind = .confirmElsewhere
        default: return nil
        }
        self.init(
            kind: kind, bankName: bankName, question: question, deadline: Date(timeIntervalSince1970: deadline))
    }
}

extension Consent {
    var visitJSON: JSONValue {
        [
            "ends": endsAt.map { .number($0.timeIntervalSince1970) } ?? .null,
            "ended": endedAt.map { .number($0.timeIntervalSince1970) } ?? .null, "needs_owner": .bool(needsOwner),
        ]
    }

    init?(visitJSON json: JSONValue) {
        guard let needsOwner = json["needs_owner"]?.boolValue else { return nil }
        func date(_ name: String) -> Date? { json.visitDate(name).map(Date.init(timeIntervalSince1970:)) }
        self.init(endsAt: date("ends"), endedAt: date("ended"), needsOwner: needsOwner)
    }
}
