import Encodings
import Selectors

/// Press one key of a pad for each character of a credential; the locator names the character as `{{ digit }}`.
package struct PressEach: ScriptText {
    package let steps: [Step]

    package init(_ name: String, on key: Locator, file: String = #fileID, line: Int = #line) {
        steps = [Step(.pressEach(key, ofCredential: name), at: Mark(file: file, line: line))]
    }
}

/// Presses one key for each character of a credential. The key's locator names the character as `{{ digit }}`.
public struct PressEachStep: Sendable, Hashable {
    public var key: Locator
    public var credential: String

    public init(_ key: Locator, ofCredential name: String) {
        self.key = key
        credential = name
    }
}

extension Action {
    public static func pressEach(_ key: Locator, ofCredential name: String) -> Action {
        Action(PressEachStep(key, ofCredential: name))
    }
}

extension PressEachStep: StepDescription {
    public static let names = ["press each"]
    public static let companions = [StepCompanion.within]

    /// Reads `{ $pin: img[alt="{{ digit }}"] }`.
    public static func read(
        _ value: ScriptNode, named name: String, beside others: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> [PressEachStep] {
        let members = try value.members("press each")
        guard let (key, locator) = members.first, members.count == 1, let name = key.scalar, name.isCredential else {
            throw value.error(
                "“press each” must have one credential and its keys", hint: "{ $pin: { button: \"{{ digit }}\" } }")
        }
        return [PressEachStep(try locator.locator(as: .css), ofCredential: String(name.dropFirst()))]
    }

    public var written: YAMLText { .members([("$" + credential, key.written(as: .css))]) }

    public static func schema(of name: String) -> JSONValue {
        ScriptSchema.described(
            ScriptSchema.object(patterns: ["^\\$.+$": ["$ref": "#/$defs/locator"]]),
            "Press a key for each character of a credential: { $pin: { button: \"{{ digit }}\" } }.")
    }

    public var json: JSONValue { ["pressEach": key.json, "of": .string(credential)] }

    public func words(filling filled: (Template) -> String) -> String {
        "press \(key.words(filling: filled)) for each character of the \(credential.inLine())"
    }

    public func check(in lint: inout ScriptLint, at mark: Mark?) {
        lint.checkCredential(credential, at: mark)
        lint.checkPlace("digit", in: key, at: mark)
    }

    public var sent: [Sending] { [.keys(ofCredential: credential)] }
    public var facts: StepFacts { [.signsIn] }
}
