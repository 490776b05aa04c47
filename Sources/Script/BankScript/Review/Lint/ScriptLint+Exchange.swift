import Encodings

// Checks of what the phone obtains in exchange for a credential, of the owner's consent, and of the budget of requests.

extension ScriptLint {
    mutating func checkExchange() {
        if case .until(let path) = script.consent { checkJSONPath(Template(path), at: nil) }
        if case .lasts = script.consent, script.exchange?.needsOwner != true {
            report(
                "consent", .error,
                "a consent that lasts for a time begins with an exchange in which the owner says yes",
                hint: "add “exchange: { authorize: … }”, or read the end from an answer with “until”", at: nil,
                about: "consent")
        }
        guard let exchange = script.exchange else { return }
        if script.engine != .html {
            report(
                "exchange", .error, "the engine \(script.engine.rawValue) makes no exchange",
                hint: "leave out “engine”: an interface with tokens needs no browser", at: nil, about: "exchange")
        }
        if exchange.steps.isEmpty { for name in exchange.sends { checkCredential(name, at: nil) } }
        for name in exchange.gives where script.credentials.contains(name) {
            report(
                "exchange", .error, "the person is asked for the \(name), and the exchange gives it as well",
                hint: "credentials: [\(exchange.sends.joined(separator: ", "))]", at: nil, about: name)
        }
        switch exchange.way {
        case .claim: break
        case .authorize(let page, let endpoint):
            checkAddress(endpoint.address, at: nil)
            checkBrowserAddress(page.address, "authorize")
            // A script for testing is read against another host, and its page stays.
            if !script.isForTesting { checkAddress(Template(page.address), at: nil) }
        case .device(let address, let endpoint):
            checkAddress(address, at: nil)
            checkAddress(endpoint.address, at: nil)
        case .session(let session): check(session)
        }
        switch exchange.redirect {
        case .template(let redirect): checkBrowserAddress(redirect.source, "redirect")
        case .credential(let name): checkCredential(name, at: nil)
        default: break
        }
        checkPlaces(of: exchange)
    }

    /// Checks the steps of a session that the owner opens, which know what the phone and the browser give.
    private mutating func check(_ session: OwnersSession) {
        checkJSONPath(Template(session.page), at: nil)
        captured = [OwnersSession.stateName: true, OwnersSession.redirectName: true, OwnersSession.untilName: false]
        walk(session.ask)
        captured[OwnersSession.codeName] = true
        walk(session.redeem)
        captured = [:]
        for (name, steps) in [("ask", session.ask), ("redeem", session.redeem)]
        where !steps.contains(where: { $0.action.has(.bringsJSON) }) {
            report(
                "exchange", .error, "nothing under “\(name)” brings an answer",
                hint: "end it with a request: - request: { POST: /sessions, body: { code: { captured: code } } }",
                at: steps.last?.mark, about: name)
        }
        for step in session.steps.flattened where !OwnersSession.stepNames.contains(step.action.kind.writtenName) {
            report(
                "exchange", .error, "an exchange has no pages and no documents: \(step.action.words)",
                hint: "use \(OwnersSession.stepNames.joined(separator: ", "))", at: step.mark)
        }
        // The browser's answer belongs to the page that the phone asked for.
        if !session.ask.allActions.contains(where: { $0.sends(.captured(OwnersSession.stateName)) }) {
            report(
                "exchange", .error, "nothing under “ask” sends the state that the browser has to bring back",
                hint: "add to the request's body: state: { captured: state }", at: session.ask.last?.mark, about: "ask")
        }
        if !session.redeem.allActions.contains(where: { $0.sends(.captured(OwnersSession.codeName)) }) {
            report(
                "exchange", .error, "nothing under “redeem” gives the code away",
                hint: "add to the request's body: code: { captured: code }", at: session.redeem.last?.mark,
                about: "redeem")
        }
    }

    /// Reports an address of the owner's browser that another one in the network could read.
    private mutating func checkBrowserAddress(_ address: String, _ part: String) {
        let isLocal = ["http://127.0.0.1", "http://[::1]", "http://localhost"].contains { start in
            address.hasPrefix(start) && (address.dropFirst(start.count).first.map { ":/?".contains($0) } ?? true)
        }
        guard !address.hasPrefix("https://"), !(isLocal && (part == "redirect" || script.isForTesting)) else { return }
        report(
            "exchange", .error, "“\(address)” is not https",
            hint: part == "redirect" ? "redirect: http://127.0.0.1:17265/" : "authorize: https://auth.bank.example/",
            at: nil, about: address)
    }

    /// Reports what was obtained at one bank's door and would leave for several.
    private mutating func checkPlaces(of exchange: CredentialExchange) {
        let outflows = ScriptDisclosure(script).outflows
        for name in exchange.gives {
            let places = Set(outflows.filter { $0.item == "your \(name)" || $0.item == "the \(name)" }.map(\.origin))
            guard places.count > 1 else { continue }
            report(
                "secret-place", .error, "the \(name) is for one origin, and the script sends it to \(places.count)",
                hint: "send it to one of: \(places.sorted().joined(separator: ", "))", at: nil, about: "$\(name)")
        }
    }
}

extension Action {
    fileprivate func sends(_ value: Value) -> Bool {
        kind.sent.contains { sending in
            if case .request(let request, _) = sending { request.values.contains(value) } else { false }
        }
    }
}
