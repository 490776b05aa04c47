import BankScript
import Clocks
import Encodings
import Messages

// The steps that are repeated for each account and for each month.

/// Takes a document, or the reason why it is missing. What it throws ends the run.
public typealias DocumentReceiver =
    @Sendable (DocumentPlace, Result<FetchedDocument, RunFailure>) async throws(RunFailure) -> Void

extension ScriptExecution {
    /// Performs the first steps once, those of each account in turn, and those of each month of it.
    ///
    /// The run goes on after a document that is missing, because the next one may be there. Any other failure ends it,
    /// because the next document would meet it as well.
    ///
    /// - Parameters:
    ///   - names: the bank's names of accounts whose aliases the person has chosen.
    ///   - receive: takes each document of a month, or the reason why it is missing, before the next month begins.
    func performEach(
        _ places: [DocumentPlace], naming names: [AccountAlias: String], _ receive: @escaping DocumentReceiver
    ) async throws {
        let receive: DocumentReceiver = { [self] (place, outcome) throws(RunFailure) in
            let outcome = await noting(outcome)
            if case .success(let document) = outcome { await compare(document, of: place) }
            try await receive(place, outcome)
        }
        if let ledger { await engine.beforeRepeating { try ledger.sendAgain() } }
        try await perform(script.steps, depth: 0, from: 1)
        let listed = script.accounts == nil ? nil : try await listAccounts()
        let kept = captures
        for turn in places.grouped(by: \.account) {
            captures = kept
            found = nil
            do {
                if let listed { try await enter(listed, as: turn.key, named: turn.key.flatMap { names[$0] }) }
                try await perform(script.forEachAccount, depth: 0, from: script.steps.count + 1)
            } catch let failure as RunFailure where failure.concernsOneDocument {
                for place in turn.places { try await receive(place, .failure(failure)) }
                continue
            }
            try await performEachMonth(of: turn.places, receive)
        }
    }

    /// Returns the outcome with what a failure says about the one-time codes of the visit.
    private func noting(_ outcome: Result<FetchedDocument, RunFailure>) -> Result<FetchedDocument, RunFailure> {
        outcome.mapError { $0.noting(refusedCodes) }
    }

    /// Warns of a file that came for another month already: the script may not name the month where the bank needs it.
    private func compare(_ document: FetchedDocument, of place: DocumentPlace) {
        guard let earlier = placesByDigest.updateValue(place, forKey: document.sha256),
            earlier.account == place.account, earlier.period != place.period
        else { return }
        warn(
            "the \(place.kind.rawValue) of \(place.period) is the very file that came for \(earlier.period): look whether the "
                + "steps name the month, or whether both months are empty")
    }

    private func performEachMonth(of places: [DocumentPlace], _ receive: DocumentReceiver) async throws {
        let kept = captures
        let turns = places.grouped(by: \.period)
        let number = script.steps.count + script.forEachAccount.count + 1
        if fetchesMonthsSideBySide, turns.count > 1 {
            return try await performMonthsSideBySide(turns.map(\.places), from: number, receive)
        }
        later = places.reduce(into: [:]) { $0[$1.period, default: []].insert($1.kind) }
        for turn in turns {
            captures = kept
            begin(turn.places)
            later[turn.key] = nil
            // An archive of several months may have brought some of this one, or all.
            documents = ahead.removeValue(forKey: turn.key) ?? [:]
            wanted.subtract(documents.keys)
            goesOnAfterDownloads = wanted.count > 1
            var ended: RunFailure?
            do {
                if !wanted.isEmpty {
                    try await perform(script.forEachPeriod, depth: 0, from: number)
                }
            } catch let failure as RunFailure where failure.concernsOneDocument {
                ended = failure
            } catch let failure as RunFailure {
                // The run ends here. The documents that did come are handed over first.
                try await handOver(from: turn.places, or: places, receive)
                throw failure
            }
            for place in turn.places {
                let outcome = takeDocument(place.kind)
                if case .failure = outcome, let ended {
                    try await receive(place, .failure(ended))
                } else {
                    try await receive(place, outcome)
                }
            }
            discardDocuments()
        }
    }

    /// Makes a month the one whose documents are fetched: all that are asked for.
    func begin(_ turn: [DocumentPlace]) {
        found = nil
        set(turn[0])
        wanted = Set(turn.map(\.kind))
    }

    /// Hands over the documents that have come: those of the month under way, and those of later ones.
    private func handOver(
        from turn: [DocumentPlace], or places: [DocumentPlace], _ receive: DocumentReceiver
    ) async throws {
        for place in turn {
            guard case .success = documents[place.kind] else { continue }
            try await receive(place, takeDocument(place.kind))
        }
        for place in places {
            guard case .success(let document)? = ahead[place.period]?.removeValue(forKey: place.kind) else { continue }
            try await receive(place, .success(document))
        }
    }

    // MARK: Accounts

    /// Reads the accounts on the open page, or in the latest answer. One whose name gives no alias is left out.
    func listAccounts() async throws -> [ListedAccount] {
        guard let list = script.accounts else { return [] }
        var accounts: [ListedAccount] = []
        for (name, id) in try await names(of: list.source) {
            guard let alias = list.alias(ofAccount: name) else {
                warn("an account has no alias: the pattern of “alias” finds none in its name, or one with many digits")
                continue
            }
            guard !accounts.contains(where: { $0.alias == alias }) else {
                warn("two accounts have the alias “\(alias)”: let the pattern of “alias” find more of their names")
                continue
            }
            accounts.append(ListedAccount(name: name, alias: alias, id: id))
        }
        services.tell(.listedAccounts(accounts))
        return accounts
    }

    /// Returns the names of the accounts, each on one line, and their ids where the bank's requests have them.
    private func names(of source: AccountList.Source) async throws -> [(name: String, id: String?)] {
        switch source {
        case .page(let locator):
            let names = try await engine.texts(try await locate(locator))
            guard !names.isEmpty else {
                throw RunFailure(
                    .navigationFailed, reason: .layoutChanged,
                    message: "the page lists no accounts: “names” of “accounts” finds nothing",
                    candidates: await nearest(to: locator))
            }
            return names.map { ($0.asOneLine, nil) }
        case .answer(let path, let name, let id):
            guard let json = await currentJSON else {
                throw RunFailure(
                    .navigationFailed, reason: .layoutChanged,
                    message: "no JSON answer lists the accounts: the last of “steps” has to request it")
            }
            let path = try fill(Template(path))
            let accounts = try JSONPath(path).values(in: json)
            guard !accounts.isEmpty else {
                throw RunFailure(
                    .navigationFailed, reason: .layoutChanged,
                    message: "the answer lists no accounts: \(path) finds nothing",
                    candidates: json.paths(nearestTo: path))
            }
            let namePath = try fill(Template(name))
            let idPath = try id.map { try fill(Template($0)) }
            return try accounts.map { account in
                (
                    try Self.text(namePath, in: account, called: "name", mayChoose: true).asOneLine,
                    try idPath.map { try Self.text($0, in: account, called: "id") }
                )
            }
        }
    }

    /// Returns the one text or number at a path inside an account.
    ///
    /// - Parameter mayChoose: of several, the first that is not empty counts. Interfaces leave out what a bank does not tell.
    private static func text(
        _ path: String, in account: JSONValue, called what: String, mayChoose: Bool = false
    ) throws -> String {
        var values = try JSONPath(path).values(in: account)
        if mayChoose { values = Array(values.filter { $0 != .null && $0 != .string("") }.prefix(1)) }
        guard let value = values.first, values.count == 1, let text = value.stringValue ?? value.numberText,
            !text.isEmpty
        else {
            throw RunFailure(
                .navigationFailed, reason: .layoutChanged,
                message: "the “\(what)” of an account is not one text: \(path) finds \(values.count) values",
                candidates: account.paths(nearestTo: path))
        }
        return text
    }

    /// Makes one of the accounts the one that templates name: the one of this name or alias, or the first.
    func enter(_ listed: [ListedAccount], as alias: AccountAlias?, named name: String? = nil) async throws {
        let account: ListedAccount? =
            if let name {
                listed.first { $0.name == name }
            } else if let alias {
                listed.first { $0.alias == alias }
            } else {
                listed.first
            }
        guard var account else {
            let there = listed.map { "“\($0.alias)”" }.joined(separator: ", ")
            throw RunFailure(
                .navigationFailed, reason: .statementMissing,
                message: "the bank lists no account “\(alias?.description ?? "")”; it lists \(there)")
        }
        if let alias { account.alias = alias }
        set(account)
    }
}

extension [DocumentPlace] {
    /// Returns the places in groups of neighbours with the same key.
    fileprivate func grouped<Key: Equatable>(
        by key: KeyPath<DocumentPlace, Key>
    ) -> [(key: Key, places: [DocumentPlace])] {
        reduce(into: []) { groups, place in
            if let last = groups.indices.last, groups[last].key == place[keyPath: key] {
                groups[last].places.append(place)
            } else {
                groups.append((place[keyPath: key], [place]))
            }
        }
    }
}

extension JSONValue {
    /// A number as it is written.
    fileprivate var numberText: String? { numberValue == nil ? nil : compactText() }
}

extension String {
    /// The text with single spaces, and none around it.
    fileprivate var asOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

extension RunFailure {
    /// Returns the failure with the number of one-time codes that the bank refused in the run, whether the last one is
    /// among them, and whether they followed a right one.
    func noting(_ refused: (count: Int, includeLast: Bool, followRightOne: Bool)) -> RunFailure {
        var failure = self
        (failure.refusedCodes, failure.isLastCodeRefused, failure.isCodeConfirmed) = refused
        return failure
    }

    /// True if the same visit may still bring other documents.
    package var concernsOneDocument: Bool {
        switch reason {
        case .statementMissing, .searchLimit: true
        case .layoutChanged where isOneMonths: true
        case nil, .notAPDF, .tooLarge, .serverError: code == .pdfDownloadFailed
        default: false
        }
    }
}
