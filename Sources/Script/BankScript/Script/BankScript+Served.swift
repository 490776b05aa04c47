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

extension Step {
    fileprivate func moving(_ moved: (Template) -> Template) -> Step {
        var copy = self
        switch action {
        case .open(let reference): copy.action = .open(moved(reference))
        case .request(let request): copy.action = .request(request.moving(moved))
        case .waitUntil(var wait):
            wait.poll = wait.poll?.moving(moved)
            copy.action = .waitUntil(wait)
        case .secondFactor(var pause):
            guard case .push(let condition, let poll?, let interval) = pause.method else { break }
            pause.method = .push(until: condition, polling: poll.moving(moved), every: interval)
            copy.action = .secondFactor(pause)
        case .search(var search):
            guard case .json(let path, let next, let cursor) = search.pages else { break }
            search.pages = .json(path: path, next: next.moving(moved), cursor: cursor)
            copy.action = .search(search)
        case .download(var download):
            switch download.source {
            case .open(let reference): download.source = .open(moved(reference))
            case .request(let request): download.source = .request(request.moving(moved))
            case .control, .submit, .encoded, .printedPage: break
            }
            copy.action = .download(download)
        case .when(let condition, let steps, let otherwise):
            copy.action = .when(
                condition, steps.map { $0.moving(moved) }, otherwise: otherwise.map { $0.moving(moved) })
        default: break
        }
        return copy
    }
}

extension RequestStep {
    fileprivate func moving(_ moved: (Template) -> Template) -> RequestStep {
        var copy = self
        copy.reference = moved(reference)
        return copy
    }
}
