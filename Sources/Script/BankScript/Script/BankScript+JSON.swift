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
            "attempts": attempts == 1 ? nil : .number(Double(attempts)),
            "atOnce": atOnce == 1 ? nil : .number(Double(atOnce)),
            "parameters": .array(parameters.map(\.json)),
            "interruptions": interruptions.isEmpty ? nil : .array(interruptions.map(\.json)),
            "dialogs": dialogs.isEmpty ? nil : .array(dialogs.map(\.json)),
            "accounts": accounts?.json,
            "source": documentSource?.json,
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

extension Step {
    var json: JSONValue {
        guard let expected, case .object(var members) = action.json else { return action.json }
        members["expecting"] = expected.json
        return .object(members)
    }
}

extension Action {
    var json: JSONValue {
        switch self {
        case .open(let reference): ["open": .string(reference.source)]
        case .follow(let link): ["follow": link.json]
        case .fill(let field, let value): ["fill": field.json, "with": value.json]
        case .choose(let list, let option): ["choose": option.json, "in": list.json]
        case .check(let box, let isOn): ["check": box.json, "on": .bool(isOn)]
        case .press(let button): ["press": button.json]
        case .pressEach(let key, let name): ["pressEach": key.json, "of": .string(name)]
        case .submit(let submit):
            .members(submit.members)
        case .enter(let frame): ["enter": frame.json]
        case .secondFactor(let step): ["secondFactor": step.json]
        case .expect(let condition): ["expect": condition.json]
        case .fail(let code, let condition, let reason):
            .members([
                "fail": .string(code.rawValue), "when": condition.json, "reason": reason.map { .string($0.rawValue) },
            ])
        case .when(let condition, let steps, let otherwise):
            .members([
                "when": condition.json, "then": .array(steps.map(\.json)),
                "otherwise": otherwise.isEmpty ? nil : .array(otherwise.map(\.json)),
            ])
        case .search(let search):
            search.json
        case .capture(let capture): ["capture": capture.json]
        case .request(let request): ["request": request.json]
        case .waitUntil(let wait):
            .members([
                "waitUntil": wait.condition.json, "poll": wait.poll?.json,
                "every": .milliseconds(wait.interval), "within": .milliseconds(wait.limit),
                "reload": wait.reloads ? .bool(true) : nil,
            ])
        case .download(let download): ["download": download.json]
        }
    }
}

extension SubmitStep {
    fileprivate var members: [String: JSONValue?] {
        ["submit": form.json, "with": fields.isEmpty ? nil : .array(fields.map(\.json))]
    }
}

extension SecondFactorStep {
    var json: JSONValue {
        var members: [String: JSONValue?] = [
            "from": .array(sources.map { .string($0.rawValue) }), "within": .milliseconds(limit),
            "confirm": confirm?.json, "question": question.map { .string($0.source) },
            "token": token.map(JSONValue.string), "tries": tries == 1 ? nil : .number(Double(tries)),
            "reload": reloads ? .bool(true) : nil,
        ]
        switch method {
        case .code(let field, let picture):
            members["code"] = field.json
            members["picture"] = picture?.json
        case .push(let condition, let poll, let interval):
            members["push"] = condition.json
            members["poll"] = poll?.json
            members["every"] = .milliseconds(interval)
        case .choice(let choices):
            members["choice"] = choices.json
        case .captured(let name):
            members["as"] = .string(name)
        }
        return .members(members)
    }
}

extension SearchStep {
    var json: JSONValue {
        switch pages {
        case .html(let target, let next):
            .members([
                "search": target.json, "next": next.json, "last": last?.json, "atMost": .number(Double(limit)),
            ])
        case .json(let path, let next, let cursor):
            .members([
                "search": ["json": .string(path.source)], "next": next.json, "cursor": .string(cursor),
                "last": last?.json, "atMost": .number(Double(limit)),
            ])
        }
    }
}

extension ClosedRange<Int> {
    fileprivate var json: JSONValue { [.number(Double(lowerBound)), .number(Double(upperBound))] }
}

extension CaptureStep {
    var json: JSONValue {
        .members([
            "name": .string(name), "from": source.json, "matching": pattern.map(JSONValue.string),
            "filter": filter.map(JSONValue.string), "secret": isSecret ? .bool(true) : nil,
        ])
    }
}

extension CaptureStep.Source {
    var json: JSONValue {
        switch self {
        case .text(let locator): ["text": locator.json]
        case .attribute(let name, let locator): ["attribute": .string(name), "of": locator.json]
        case .header(let name): ["header": .string(name)]
        case .cookie(let name): ["cookie": .string(name)]
        case .jsonPath(let path): ["json": .string(path)]
        case .template(let template): ["template": .string(template.source)]
        case .signed(let token): ["sign": token.json]
        }
    }
}

extension SignedToken {
    var json: JSONValue {
        .members([
            "algorithm": .string(algorithm.rawValue), "key": .string(key),
            "header": header.isEmpty ? nil : .object(header.mapValues(\.json)),
            "claims": .object(claims.mapValues(\.json)), "life": .milliseconds(life),
            "skew": skew == Self.usualSkew ? nil : .milliseconds(skew),
        ])
    }
}

extension RequestStep {
    var json: JSONValue {
        .members([
            "method": .string(method), "url": .string(reference.source),
            "headers": headers.isEmpty
                ? nil
                : .array(
                    headers.map { header in
                        .members([
                            "name": .string(header.name), "value": header.value.json,
                            "scheme": header.scheme.map(JSONValue.string),
                        ])
                    }),
            "basic": basic.map { ["user": $0.user.json, "password": $0.password.json] },
            "query": query.isEmpty ? nil : .array(query.map(\.json)),
            "body": body?.json,
            "form": form.isEmpty ? nil : .array(form.map(\.json)),
            "from": .number(Double(expected.lowerBound)), "to": .number(Double(expected.upperBound)),
        ])
    }
}

extension FormField {
    var json: JSONValue { ["name": .string(name), "value": value.json] }
}

extension RequestStep.Body {
    var json: JSONValue {
        switch self {
        case .value(let value): ["value": value.json]
        // JSON has no such number, but the script still needs a digest.
        case .number(let number): number.isFinite ? .number(number) : .string("\(number)")
        case .bool(let bool): .bool(bool)
        case .null: .null
        case .array(let items): .array(items.map(\.json))
        case .object(let members): ["object": .object(members.mapValues(\.json))]
        }
    }
}

extension DownloadStep {
    var json: JSONValue {
        var members: [String: JSONValue?] = ["atMost": .number(Double(limit))]
        switch content {
        case .document(.pdf): break
        case .document(let kind): members["as"] = .string(kind.rawValue)
        case .zip(let kinds, let name):
            members["as"] = "zip"
            members["holding"] = .array(kinds.map { .string($0.rawValue) })
            if let name { members["named"] = .string(name.source) }
        case .transactions(let mapping):
            members["as"] = "transactions"
            members["mapping"] = mapping.json
        }
        members["pages"] = pages?.json
        switch source {
        case .control(let control): members["control"] = control.json
        case .open(let reference): members["open"] = .string(reference.source)
        case .request(let request): members["request"] = request.json
        case .submit(let submit): members["submit"] = .members(submit.members)
        case .encoded(let path):
            members["json"] = .string(path.source)
            members["decode"] = "base64"
        case .printedPage: members["print"] = "page"
        }
        return .members(members)
    }
}

extension AnswerPages {
    var json: JSONValue {
        switch next {
        case .link(let path): ["next": .string(path), "atMost": .number(Double(limit))]
        case .cursor(let path, let parameter):
            ["next": .string(path), "as": .string(parameter), "atMost": .number(Double(limit))]
        case .offset(let parameter, let items):
            ["offset": .string(parameter), "of": .string(items), "atMost": .number(Double(limit))]
        }
    }
}

extension TransactionMapping {
    var json: JSONValue {
        .members([
            "each": .string(entries.source), "account": .string(account.source), "id": .string(id),
            "booked": .string(booked), "made": made.map(JSONValue.string), "valued": valued.map(JSONValue.string),
            "amount": .string(amount), "minorUnits": countsMinorUnits ? .bool(true) : nil,
            "inverted": isInverted ? .bool(true) : nil, "outgoing": outgoing?.json, "currency": .string(currency),
            "payee": payee.map(JSONValue.string), "purpose": purpose.map(JSONValue.string),
            "balance": balance.map(JSONValue.string), "pending": pending?.json,
        ])
    }
}

extension TransactionMapping.Mark {
    var json: JSONValue { ["json": .string(path), "is": .string(text)] }
}

extension Value {
    var json: JSONValue {
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
    var json: JSONValue {
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
    var json: JSONValue {
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
