import Encodings
import Selectors

// The JSON form of a script, from which its digest is computed. Optional members are left out when they have their
// default value, so that a new optional member of the language does not change the digests of existing scripts.

extension BankScript {
    /// The script as JSON. Only what this contains is part of the digest.
    public var json: JSONValue {
        .members([
            "language": .number(1),
            "id": .string(id),
            "name": .string(name),
            "origins": .array(origins.map(JSONValue.string)),
            "pins": pins.isEmpty ? nil : .object(pins.mapValues { .array($0.map(JSONValue.string)) }),
            "testing": isForTesting ? .bool(true) : nil,
            "locale": .string(locale),
            "engine": engine == .html ? nil : .string(engine.rawValue),
            "credentials": credentials == Self.usualCredentials ? nil : .array(credentials.map(JSONValue.string)),
            "device": device.isEmpty ? nil : .array(device.map(JSONValue.string)),
            "attempts": attempts == 1 ? nil : .number(Double(attempts)),
            "atOnce": atOnce == 1 ? nil : .number(Double(atOnce)),
            "parameters": .array(parameters.map(\.json)),
            "interruptions": interruptions.isEmpty ? nil : .array(interruptions.map(\.json)),
            "dialogs": dialogs.isEmpty ? nil : .array(dialogs.map(\.json)),
            "accounts": accounts?.json,
            "source": documentSource?.json,
            "exchange": exchange?.json,
            "consent": consent?.json,
            "budget": budget?.json,
            "steps": .array(steps.map(\.json)),
            "forEachAccount": forEachAccount.isEmpty ? nil : .array(forEachAccount.map(\.json)),
            "forEachPeriod": forEachPeriod.isEmpty ? nil : .array(forEachPeriod.map(\.json)),
            "finally": finally.isEmpty ? nil : .array(finally.map(\.json)),
        ])
    }
}

extension JSONValue {
    static func members(_ members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues(\.self))
    }

    static func milliseconds(_ duration: Duration) -> JSONValue {
        let (seconds, attoseconds) = duration.components
        return .number(Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000_000))
    }
}

extension SourceDeclaration {
    var json: JSONValue {
        [
            "name": .string(source.rawValue), "at": .string(address),
            "settings": .object(settings.mapValues(JSONValue.string)),
            "fetch": .array(kinds.map { .string($0.rawValue) }),
        ]
    }
}

extension CredentialExchange {
    var json: JSONValue {
        switch way {
        case .claim(let setup, let gives):
            ["claim": .string(setup), "gives": .array(gives.map(JSONValue.string))]
        case .authorize(let page, let endpoint):
            .members([
                "authorize": .string(page.address), "redirect": page.redirect?.json,
                "endpoint": endpoint.json,
            ])
        case .device(let address, let endpoint): ["device": .string(address.source), "endpoint": endpoint.json]
        case .session(let session): ["session": session.json]
        }
    }
}

extension CredentialExchange.TokenEndpoint {
    var json: JSONValue {
        var members: [String: JSONValue?] = [
            "token": .string(address.source), "client": client.json, "scope": scope.map(JSONValue.string),
        ]
        switch secret {
        case .form(let name): members["secret"] = .string(name)
        case .basic(let name): members["basic"] = .string(name)
        case nil: break
        }
        return .members(members)
    }
}

extension ConsentRule {
    var json: JSONValue {
        switch self {
        case .until(let path): ["until": .string(path)]
        case .lasts(let days): ["days": .number(Double(days))]
        }
    }
}

extension RequestBudget {
    var json: JSONValue {
        switch self {
        case .aDay(let count): ["aDay": .number(Double(count))]
        case .aMinute(let count): ["aMinute": .number(Double(count))]
        }
    }
}

extension AccountList {
    var json: JSONValue {
        let alias = alias.map(JSONValue.string)
        return switch source {
        case .page(let names): .members(["names": names.json, "alias": alias])
        case .answer(let accounts, let name, let id):
            .members([
                "json": .string(accounts), "name": .string(name), "id": id.map(JSONValue.string), "alias": alias,
            ])
        }
    }
}

extension Parameter {
    var json: JSONValue {
        switch kind {
        case .number(let range):
            ["name": .string(name), "from": .number(Double(range.lowerBound)), "to": .number(Double(range.upperBound))]
        case .text(let pattern): ["name": .string(name), "text": .string(pattern)]
        case .date(let range):
            ["name": .string(name), "date": [.string("\(range.lowerBound)"), .string("\(range.upperBound)")]]
        case .choice(let choices): ["name": .string(name), "choice": .array(choices.map(JSONValue.string))]
        }
    }
}

extension Interruption {
    var json: JSONValue {
        switch response {
        case .fail(let code, let reason):
            .members([
                "when": condition.json, "fail": .string(code.rawValue), "reason": .string(reason.rawValue),
            ])
        case .pass(let steps):
            .members(["when": condition.json, "pass": .array(steps.map(\.json))])
        }
    }
}

extension DialogRule {
    var json: JSONValue {
        switch answer {
        case .accept(let text):
            .members(["says": .string(words), "answer": "accept", "text": text.map(JSONValue.string)])
        case .dismiss: ["says": .string(words), "answer": "dismiss"]
        }
    }
}

extension ClosedRange<Int> {
    var json: JSONValue { [.number(Double(lowerBound)), .number(Double(upperBound))] }
}

extension Value {
    /// The value under the digest.
    public var json: JSONValue {
        switch self {
        case .template(let template): .string(template.source)
        case .credential(let name): ["credential": .string(name)]
        case .captured(let name): ["captured": .string(name)]
        case .number(let template): ["number": .string(template.source)]
        case .character(of: let name): ["characterOf": .string(name)]
        }
    }
}

extension Condition {
    /// The condition under the digest.
    public var json: JSONValue {
        switch self {
        case .shows(let locator): ["shows": locator.json]
        case .says(let text): ["says": .string(text.source)]
        case .titled(let text): ["titled": .string(text.source)]
        case .path(let path): ["path": .string(path)]
        case .status(let range):
            ["status": [.number(Double(range.lowerBound)), .number(Double(range.upperBound))]]
        case .json(let path, let text):
            .members(["json": .string(path.source), "is": text.map { .string($0.source) }])
        case .equal(let left, let right): ["equal": [.string(left.source), .string(right.source)]]
        case .not(let condition): ["not": condition.json]
        case .all(let conditions): ["all": .array(conditions.map(\.json))]
        case .any(let conditions): ["any": .array(conditions.map(\.json))]
        }
    }
}

extension Locator {
    /// The locator under the digest.
    public var json: JSONValue {
        if !alternatives.isEmpty { return ["any": .array(ways.map(\.json))] }
        var members: [String: JSONValue?] = [
            "containing": hasText?.json, "in": scope.first?.json, "nth": nth.map { .number(Double($0)) },
        ]
        switch target {
        case .css(let selector): members["css"] = .string(selector)
        case .xpath(let path): members["xpath"] = .string(path)
        case .field(let name): members["field"] = name.json
        case .button(let name): members["button"] = name.json
        case .link(let name): members["link"] = name.json
        case .control(let name): members["control"] = name.json
        case .row(let text): members["row"] = text.json
        case .cell(let header): members["cell"] = header.json
        case .text(let text): members["text"] = text.json
        case .heading(let text): members["heading"] = text.json
        }
        return .members(members)
    }
}

extension TextMatch {
    var json: JSONValue {
        switch self {
        case .name(let name): .string(name)
        case .exact(let text): ["exact": .string(text)]
        case .regex(let pattern): ["regex": .string(pattern)]
        }
    }
}
