import BankScript
import Encodings

/// A bank's script on its way to the process that visits the bank.
///
/// It travels as YAML, with the places of its steps in their file beside it, which failures name. A script that is compiled in is
/// in the other process already. Either way the digest says whether it is the one that was approved.
enum VisitScript {
    static func json(of script: BankScript) -> JSONValue {
        var marks: [JSONValue] = []
        _ = script.changingMarks { mark in
            marks.append(mark.map(json) ?? .null)
            return mark
        }
        return [
            "id": .string(script.id), "digest": .string(script.digest.hex), "yaml": .string(script.yaml()),
            "origins": .array(script.origins.map(JSONValue.string)), "testing": .bool(script.isForTesting),
            "source": script.source.map(JSONValue.string) ?? .null, "marks": .array(marks),
        ]
    }

    /// Reads what ``json(of:)`` wrote.
    ///
    /// - Parameters:
    ///   - compiled: the scripts that are compiled in.
    ///   - steps: the steps that may stand in a script.
    /// - Returns: nil unless the result has the digest.
    static func script(_ json: JSONValue, compiled: [BankScript], steps: StepList) -> BankScript? {
        guard let id = json["id"]?.stringValue, let digest = json["digest"]?.stringValue,
            let text = json["yaml"]?.stringValue, let isForTesting = json["testing"]?.boolValue,
            let origins = json["origins"]?.arrayValue?.compactMap(\.stringValue), let marks = json["marks"]?.arrayValue
        else { return nil }
        for script in compiled where script.id == id {
            for script in [script, script.served(at: origins, isForTesting: isForTesting)]
            where script.digest.hex == digest { return script }
        }
        let file = json["source"]?.stringValue
        guard var script = try? BankScript(yaml: text, file: file ?? id, steps: steps) else { return nil }
        var rest = marks[...]
        script = script.changingMarks { _ in rest.popFirst().flatMap(mark) }
        script.source = file
        return script.digest.hex == digest && rest.isEmpty ? script : nil
    }

    private static func json(_ mark: Mark) -> JSONValue {
        [.string(mark.file), .number(Double(mark.line)), mark.column.map { .number(Double($0)) } ?? .null]
    }

    private static func mark(_ json: JSONValue) -> Mark? {
        guard let parts = json.arrayValue, parts.count == 3, let file = parts[0].stringValue,
            let line = parts[1].intValue
        else { return nil }
        return Mark(file: file, line: line, column: parts[2].intValue)
    }
}

extension BankScript {
    /// Returns the script with the place of each step and interruption changed, in one order for equal scripts.
    fileprivate func changingMarks(_ change: (Mark?) -> Mark?) -> BankScript {
        func changed(_ steps: [Step]) -> [Step] {
            steps.map { step in
                var copy = step
                copy.mark = change(step.mark)
                copy.action = step.action.changingBlocks(changed)
                return copy
            }
        }
        var copy = self
        copy.steps = changed(steps)
        copy.forEachAccount = changed(forEachAccount)
        copy.forEachPeriod = changed(forEachPeriod)
        copy.finally = changed(finally)
        copy.interruptions = interruptions.map { interruption in
            var copy = interruption
            copy.mark = change(interruption.mark)
            if case .pass(let steps) = interruption.response { copy.response = .pass(changed(steps)) }
            return copy
        }
        if case .session(var session) = exchange?.way {
            session.ask = changed(session.ask)
            session.redeem = changed(session.redeem)
            copy.exchange = CredentialExchange(.session(session))
        }
        return copy
    }
}
