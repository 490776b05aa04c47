import Foundation

// What a bank's interface gives in exchange for a credential, the end of the owner's consent, and the requests that it allows.

extension ScriptNode {
    /// Reads `{ claim: $setup_token, gives: [username, password] }`, or the parts of an exchange by OAuth 2.0.
    func exchange() throws(ScriptSyntaxError) -> CredentialExchange {
        let fields = try fields("exchange", example: "exchange: { claim: $setup_token, gives: [username, password] }")
        switch (fields["claim"], fields["authorize"], fields["device"], fields["ask"]) {
        case (let setup?, nil, nil, nil):
            try refuse(
                ["token", "client", "secret", "basic", "scope", "redirect"] + Self.sessionParts, in: fields,
                beside: "claim")
            guard let gives = fields["gives"] else {
                throw error("“exchange” needs “gives”", hint: "gives: [username, password]")
            }
            let names = try BankScript.credentials(gives)
            guard names.count == 2 else {
                throw gives.error("a claim gives a user and a password", hint: "gives: [username, password]")
            }
            return CredentialExchange(.claim(setup: try setup.credentialName(), gives: names))
        case (nil, let page?, nil, nil):
            try refuse(["gives"] + Self.sessionParts, in: fields, beside: "authorize")
            let redirect = try fields["redirect"]?.redirect()
            return CredentialExchange(
                .authorize(.init(try page.text("an address"), redirect: redirect), try endpoint(fields)))
        case (nil, nil, let device?, nil):
            try refuse(["gives", "redirect"] + Self.sessionParts, in: fields, beside: "device")
            return CredentialExchange(.device(address: try device.template("an address"), try endpoint(fields)))
        case (nil, nil, nil, let ask?):
            try refuse(["gives", "token", "client", "secret", "basic", "scope"], in: fields, beside: "ask")
            guard let page = fields["page"], let redeem = fields["redeem"], let lasts = fields["lasts"] else {
                throw error(
                    "“exchange” with “ask” needs “page”, “lasts” and “redeem”",
                    hint: "page: $.url, lasts: 90 days, and under “redeem” the request that gives the code away")
            }
            return CredentialExchange(
                .session(
                    OwnersSession(
                        ask: try ask.steps(), page: try page.text("a JSONPath"),
                        redirect: try fields["redirect"]?.redirect(), days: try lasts.days(), redeem: try redeem.steps()
                    )
                ))
        default:
            throw error(
                "“exchange” must have exactly one of: claim, authorize, device, ask",
                hint: "claim: $setup_token, or authorize: https://auth.bank.example/")
        }
    }

    private static let sessionParts = ["page", "lasts", "redeem"]

    /// Reads an address, or the credential that is one.
    private func redirect() throws(ScriptSyntaxError) -> Value {
        if let name = scalar, name.isCredential { return .credential(try credentialName()) }
        return .template(Template(try text("an address")))
    }

    /// Reads `90 days`.
    private func days() throws(ScriptSyntaxError) -> Int {
        let words = (scalar ?? "").split(separator: " ")
        guard words.count == 2, ["day", "days"].contains(words[1]), let days = Int(words[0]),
            ConsentRule.days.contains(days)
        else { throw error("a consent lasts for 1 to 3650 days", hint: "lasts: 90 days") }
        return days
    }

    private func endpoint(
        _ fields: [String: ScriptNode]
    ) throws(ScriptSyntaxError) -> CredentialExchange.TokenEndpoint {
        guard let token = fields["token"], let client = fields["client"] else {
            throw error("“exchange” needs “token” and “client”", hint: "token: /oauth2/token, client: $client_id")
        }
        let secret: CredentialExchange.TokenEndpoint.Secret?
        switch (fields["secret"], fields["basic"]) {
        case (nil, nil): secret = nil
        case (let name?, nil): secret = .form(try name.credentialName())
        case (nil, let name?): secret = .basic(try name.credentialName())
        default:
            throw error("the client's secret leaves once", hint: "keep “secret” for the form, or “basic” for a header")
        }
        return .init(
            try token.template("an address"), client: try client.value(), secret: secret,
            scope: try fields["scope"]?.text("scope"))
    }

    private func refuse(
        _ names: [String], in fields: [String: ScriptNode], beside way: String
    ) throws(ScriptSyntaxError) {
        for name in names {
            if let field = fields[name] { throw field.error("“\(way)” has no “\(name)”", hint: "leave it out") }
        }
    }

    private func credentialName() throws(ScriptSyntaxError) -> String {
        guard let name = scalar, name.isCredential else {
            throw error("this must be a credential", hint: "write its name with a $, such as $client_secret")
        }
        return String(name.dropFirst())
    }

    /// Reads `{ until: $.access.valid_until }` or `{ lasts: 90 days }`.
    func consent() throws(ScriptSyntaxError) -> ConsentRule {
        let fields = try fields("consent", example: "consent: { until: $.access.valid_until }")
        switch (fields["until"], fields["lasts"]) {
        case (let path?, nil): return .until(try path.text("a JSONPath"))
        case (nil, let time?): return .lasts(days: try time.days())
        default:
            throw error(
                "“consent” must have either “until” or “lasts”",
                hint: "until: $.access.valid_until, or lasts: 90 days")
        }
    }

    /// Reads `24 a day` or `8 a minute`.
    func budget() throws(ScriptSyntaxError) -> RequestBudget {
        let words = (scalar ?? "").split(separator: " ")
        if words.count == 3, words[1] == "a", let count = Int(words[0]) {
            if words[2] == "day", RequestBudget.allowedInADay.contains(count) { return .aDay(count) }
            if words[2] == "minute", RequestBudget.allowedInAMinute.contains(count) { return .aMinute(count) }
        }
        throw error(
            "a budget is a number of requests, 1 to 100000 a day or 1 to 600 a minute",
            hint: "budget: 24 a day, or budget: 8 a minute")
    }
}

extension CredentialExchange {
    var written: YAMLText {
        switch way {
        case .claim(let setup, let gives):
            return .members([("claim", .text("$" + setup)), ("gives", .items(gives.map(YAMLText.text)))])
        case .authorize(let page, let endpoint):
            return .members(
                [("authorize", .text(page.address))] + (page.redirect.map { [("redirect", $0.writtenAddress)] } ?? [])
                    + endpoint.members)
        case .device(let address, let endpoint):
            return .members([("device", .text(address.source))] + endpoint.members)
        case .session: return .members([])
        }
    }

    /// The lines of the exchange, as they stand in a script.
    var lines: [String] {
        guard case .session(let session) = way else { return ["exchange: \(written.flow)"] }
        var lines = ["exchange:"]
        if let redirect = session.redirect { lines.append("  redirect: \(redirect.writtenAddress.flow)") }
        lines += ["  lasts: \(session.days) days", "  ask:"] + Step.lines(session.ask, indent: 4)
        lines += ["  page: \(YAMLText.scalar(session.page))", "  redeem:"]
        return lines + Step.lines(session.redeem, indent: 4)
    }
}

extension Value {
    /// An address, or the name of the credential that is one.
    fileprivate var writtenAddress: YAMLText {
        switch self {
        case .template(let template): .text(template.source)
        default: written
        }
    }
}

extension CredentialExchange.TokenEndpoint {
    fileprivate var members: [(String, YAMLText)] {
        var members: [(String, YAMLText)] = [("token", .text(address.source)), ("client", client.written)]
        switch secret {
        case .form(let name): members.append(("secret", .text("$" + name)))
        case .basic(let name): members.append(("basic", .text("$" + name)))
        case nil: break
        }
        if let scope { members.append(("scope", .text(scope))) }
        return members
    }
}

extension ConsentRule {
    var written: YAMLText {
        switch self {
        case .until(let path): .members([("until", .text(path))])
        case .lasts(let days): .members([("lasts", .text("\(days) days"))])
        }
    }
}
