import Encodings

/// The exchange of credentials in words, with the end of a consent and the budget of requests.
enum ExchangeWords {
    private static func exchanges(_ count: Int) -> String {
        count.counted("request or download", "requests and downloads")
    }

    static func lines(of script: BankScript) -> [String] {
        var lines = script.exchange.map { self.lines(of: $0, origin: script.origins.first ?? "") } ?? []
        switch script.consent {
        case .until(let path): lines.append("consent ends on the day that an answer names at \(path.inLine())")
        case .lasts(let days): lines.append("consent ends \(days.counted("day")) after you said yes")
        case nil: break
        }
        // Pages that are opened, followed or submitted are not counted.
        switch script.budget {
        case .aDay(let count): lines.append("budget: at most \(exchanges(count)) in 24 hours")
        case .aMinute(let count): lines.append("budget: at most \(exchanges(count)) in a minute")
        case nil: break
        }
        return lines
    }

    private static func lines(of exchange: CredentialExchange, origin: String) -> [String] {
        let kept = "sealed in the vault, and sent to this bank only"
        switch exchange.way {
        case .claim(let setup, let gives):
            return [
                "exchange: claims your \(setup.inLine()) once, at the address on \(OriginText(origin).shown) that it holds",
                "    keeps your \(gives.map { $0.inLine() }.joined(separator: " and ")) from the answer, \(kept)",
            ]
        case .authorize(let page, let endpoint):
            return [
                "exchange: you say yes at \(page.address.inLine()) in your browser, which comes back to "
                    + "\(back(page.redirect)) with a code"
            ] + lines(of: endpoint, kept)
        case .device(let address, let endpoint):
            return ["exchange: asks \(address.source.inLine()) for a code that you type on another device"]
                + lines(of: endpoint, kept)
        case .session(let session):
            return [
                "exchange: asks for a page at which you say yes for \(session.days.counted("day"))"
            ] + StepWords.lines(of: session.ask, indent: "    ") + [
                "    your browser opens the address at \(session.page.inLine()) of the answer, wherever that is, and comes "
                    + "back to \(back(session.redirect)) with a code",
                "    gives the code away",
            ] + StepWords.lines(of: session.redeem, indent: "    ") + ["    keeps the answer, \(kept)"]
        }
    }

    private static func back(_ redirect: Value?) -> String {
        switch redirect {
        case .template(let address): address.source.inLine()
        case .credential(let name): "your \(name.inLine())"
        default: "a port of this machine"
        }
    }

    private static func lines(of endpoint: CredentialExchange.TokenEndpoint, _ kept: String) -> [String] {
        var lines = ["    gives the code to \(endpoint.address.source.inLine())"]
        lines.append("    client: \(endpoint.client.words { $0.source })")
        switch endpoint.secret {
        case .form(let name): lines.append("    with your \(name.inLine()) in a form")
        case .basic(let name): lines.append("    with your \(name.inLine()) by Basic authentication")
        case nil: break
        }
        if let scope = endpoint.scope { lines.append("    asks for the scope “\(scope.inLine())”") }
        return lines + ["    keeps your access_token, and the refresh token that renews it, \(kept)"]
    }
}
