import Encodings

// The further pages of an answer, and the bookings in it: their form under the digest, in YAML, and in words.

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
            "payee": payee.map(JSONValue.string), "payer": payer.map(JSONValue.string),
            "purpose": purpose.map(JSONValue.string), "balance": balance.map(JSONValue.string),
            "pending": pending?.json, "besides": besides?.json,
        ])
    }
}

extension TransactionMapping.Mark {
    var json: JSONValue { ["json": .string(path), "is": .string(text)] }
}

extension TransactionMapping.Besides {
    var json: JSONValue { ["amount": .string(amount), "payee": .string(payee)] }
}

extension AnswerPages {
    var written: YAMLText {
        var members: [(String, YAMLText)] =
            switch next {
            case .link(let path): [("next", .text(path))]
            case .cursor(let path, let parameter): [("next", .text(path)), ("as", .text(parameter))]
            case .offset(let parameter, let items): [("offset", .text(parameter)), ("of", .text(items))]
            }
        members.append(("at most", .bare("\(limit) pages")))
        return .members(members)
    }
}

extension TransactionMapping {
    var written: [(String, YAMLText)] {
        var members: [(String, YAMLText)] = []
        for (name, path) in plainPaths { members.append((name, .text(path))) }
        if !currency.hasPrefix("$") { members.append(("currency", .text(currency))) }
        if countsMinorUnits { members.append(("in", .text("minor units"))) }
        if isInverted { members.append(("sign", .text("inverted"))) }
        if let outgoing { members.append(("outgoing", outgoing.written)) }
        if let pending { members.append(("pending", pending.written)) }
        if let besides { members.append(("besides", besides.written)) }
        return members
    }

    /// The paths that a script writes as such, without marks and second bookings.
    private var plainPaths: [(name: String, path: String)] {
        paths.filter { !["outgoing", "pending", "besides"].contains($0.name) }
    }
}

extension TransactionMapping.Mark {
    var written: YAMLText { .members([("json", .text(path)), ("is", .text(text))]) }
}

extension TransactionMapping.Besides {
    var written: YAMLText { .members([("amount", .text(amount)), ("payee", .text(payee))]) }
}

extension AnswerPages {
    var details: String {
        let way =
            switch next {
            case .link(let path): "the address at \(path.inLine())"
            case .cursor(let path, let parameter): "\(parameter.inLine()) in the address, from \(path.inLine())"
            case .offset(let parameter, let items):
                "\(parameter.inLine()) in the address, the number of \(items.inLine()) so far"
            }
        return "next page by \(way), at most \(limit) pages"
    }
}

extension TransactionMapping {
    var details: [String] {
        func marked(_ mark: TransactionMapping.Mark) -> String { "\(mark.path.inLine()) is “\(mark.text.inLine())”" }
        var lines = ["account: “\(account.source.inLine())”"]
        for (name, path) in plainPaths { lines.append("\(name): \(path.inLine())") }
        if !currency.hasPrefix("$") { lines.append("currency: \(currency.inLine())") }
        if countsMinorUnits { lines.append("amounts are in hundredths") }
        if isInverted { lines.append("a positive amount has left the account") }
        if let mark = outgoing { lines.append("an amount has left the account where \(marked(mark))") }
        if let mark = pending { lines.append("an entry is pending where \(marked(mark))") }
        if let besides {
            lines.append(
                "the amount at \(besides.amount.inLine()) is a booking of its own, to “\(besides.payee.inLine())”")
        }
        return lines
    }
}
