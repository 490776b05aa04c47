import Automation
import Encodings
import Foundation

/// A bank's question on its way to the terminal.
extension Prompt {
    init?(_ json: JSONValue) {
        guard let bank = json["bank"]?.stringValue, let question = json["question"]?.stringValue,
            let deadline = json["deadline"]?.numberValue
        else { return nil }
        let kind: Kind
        switch json["kind"]?.stringValue {
        case "code":
            var picture: Picture?
            if let type = json["picture_type"]?.stringValue, let bytes = Base64URL.decode(json["picture"]) {
                picture = Picture(bytes: bytes, mediaType: type)
            }
            let typed = (json["typed"]?.arrayValue ?? []).compactMap(\.stringValue)
            if let code = json["flicker"]?.stringValue, let flicker = FlickerPicture(code, typed: typed) {
                picture = Picture(flicker)
            }
            kind = .code(picture: picture)
        case "choice": kind = .choice((json["choices"]?.arrayValue ?? []).compactMap(\.stringValue))
        case "elsewhere": kind = .confirmElsewhere
        default: return nil
        }
        self.init(
            kind: kind, bankName: bank, question: question, deadline: Date(timeIntervalSince1970: deadline))
    }

    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "bank": .string(bankName), "question": .string(question),
            "deadline": .number(deadline.timeIntervalSince1970),
        ]
        switch kind {
        case .code(let picture):
            members["kind"] = "code"
            if let flicker = picture?.flicker {
                members["flicker"] = .string(flicker.code)
                members["typed"] = .array(flicker.typed.map(JSONValue.string))
            } else if let picture {
                members["picture"] = .string(Base64URL.encode(picture.bytes))
                members["picture_type"] = .string(picture.mediaType)
            }
        case .choice(let choices):
            members["kind"] = "choice"
            members["choices"] = .array(choices.map(JSONValue.string))
        case .confirmElsewhere: members["kind"] = "elsewhere"
        }
        return members
    }
}
