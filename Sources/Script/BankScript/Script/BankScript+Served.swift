extension BankScript {
    /// Returns the same script for another host: a test bank, or a bank's new domain. Its digest differs.
    public func served(at origin: String, isForTesting: Bool) -> BankScript {
        served(at: [origin], isForTesting: isForTesting)
    }

    /// Returns the same script for other hosts. Absolute URLs on a replaced origin move with it. Its pins do not: they
    /// belong to the other server.
    ///
    /// - Parameter given: the new origins, in the order of the script's own. Origins without a replacement are kept,
    ///   or left out if the script is for testing.
    public func served(at given: [String], isForTesting: Bool) -> BankScript {
        let moves = Array(zip(origins, given))
        func moved(_ reference: Template) -> Template {
            for (old, new) in moves where reference.source.hasPrefix(old) {
                let rest = reference.source.dropFirst(old.count)
                if rest.isEmpty || "/?#".contains(rest.first!) { return Template(new + rest) }
            }
            return reference
        }
        var copy = self
        copy.origins = given + (isForTesting ? [] : origins.dropFirst(given.count))
        copy.pins = pins.filter { copy.origins.contains($0.key) }
        copy.isForTesting = isForTesting
        if let origin = given.first { copy.documentSource = documentSource?.served(at: origin) }
        copy.exchange = exchange.map { $0.moving(moved) }
        copy.steps = steps.map { $0.moving(moved) }
        copy.forEachAccount = forEachAccount.map { $0.moving(moved) }
        copy.forEachPeriod = forEachPeriod.map { $0.moving(moved) }
        copy.finally = finally.map { $0.moving(moved) }
        copy.interruptions = interruptions.map { interruption in
            guard case .pass(let steps) = interruption.response else { return interruption }
            var copy = interruption
            copy.response = .pass(steps.map { $0.moving(moved) })
            return copy
        }
        return copy
    }
}

extension CredentialExchange {
    fileprivate func moving(_ moved: (Template) -> Template) -> CredentialExchange {
        func there(_ endpoint: TokenEndpoint) -> TokenEndpoint {
            var copy = endpoint
            copy.address = moved(endpoint.address)
            return copy
        }
        switch way {
        case .claim: return self
        case .authorize(let page, let endpoint): return CredentialExchange(.authorize(page, there(endpoint)))
        case .device(let address, let endpoint):
            return CredentialExchange(.device(address: moved(address), there(endpoint)))
        case .session(var session):
            session.ask = session.ask.map { $0.moving(moved) }
            session.redeem = session.redeem.map { $0.moving(moved) }
            return CredentialExchange(.session(session))
        }
    }
}
