import ArgumentParser
import BrokerClient
import Clocks
import Foundation
import Messages
import Terminal

package struct RequestCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Ask the broker for one statement or for several, as an agent.",
        discussion: """
            Several months need one approval and one sign-in at the bank: --from 2025-01 --to 2025-12. What this agent has \
            already is not fetched again, unless you add --refetch. Some banks give a range of days, too: --from 2025-01-15 \
            --to 2025-03-10 (countersign banks says which).

            Exit status: 0 the request was made (with --wait: completed), 1 it failed, was denied or expired, or \
            a document is missing, 2 a wrong command line, or several banks without --bank.
            """)

    @Argument(help: "The statement's month: 2026-01, last-month or this-month.")
    var period: StatementMonth?

    @Option(help: "The statement's month, 1 to 12; with --year, instead of the argument.")
    var month: Int?

    @Option(help: "The statement's year; with --month.")
    var year: Int?

    @Option(help: "The first of several months: 2025-01, last-month or this-month. Or a day, such as 2025-01-15.")
    var from: StatementDay?

    @Option(help: "The last of several months, or the last day.")
    var to: StatementDay?

    @Option(help: "The kinds of documents, such as pdf,camt. By default pdf, or what the bank has in its place.")
    var kinds: DocumentKinds?

    @Option(help: AccountName.helpOfRequest)
    var account: [AccountName] = []

    @Flag(help: "Fetch again what this agent has already.")
    var refetch = false

    @Option(
        help: "The bank, by its id in countersign banks; needed when there are several.", completion: .offeredBanks)
    var bank: String?

    @Option(help: "Your own name for this request; the same name again returns the same request.")
    var agentRequestID: String?

    @Option(help: "Your reason in up to 200 characters; the person reads it as your words, before deciding.")
    var reason: String?

    @Flag(help: "Wait until the request ends, and print the PDF's path.")
    var wait = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    package init() {}

    package func validate() throws {
        guard reason == nil || reason.flatMap(AgentReason.init) != nil else {
            throw ValidationError("--reason must have 1 to \(AgentReason.longest) characters, and not only spaces")
        }
        if from != nil || to != nil {
            guard period == nil, month == nil, year == nil else {
                let range = [from == nil ? nil : "--from", to == nil ? nil : "--to"].compactMap(\.self)
                let one = [month == nil ? nil : "--month", year == nil ? nil : "--year"].compactMap(\.self)
                throw ValidationError(
                    "for one month leave out \(range.joined(separator: " and ")); for several give --from and --to, and leave out "
                        + (one.isEmpty ? "the month beside them" : one.joined(separator: " and ")))
            }
            guard let from, let to else {
                let (given, other) = from == nil ? ("--to", "--from") : ("--from", "--to")
                throw ValidationError(
                    "\(given) needs \(other): the first month and the last one, which may be the same")
            }
            try RangeEnd.checkOrder(from.end(), to.end())
            return
        }
        guard period == nil || (month == nil && year == nil) else {
            throw ValidationError("the month is named twice; leave --month and --year out")
        }
        guard period != nil || month != nil || year != nil else {
            throw ValidationError("name the month, such as last-month or 2026-01")
        }
        guard (month == nil) == (year == nil) else {
            let (given, other) = month == nil ? ("--year", "--month") : ("--month", "--year")
            throw ValidationError("\(given) needs \(other); or name the month in one word, such as 2026-01")
        }
    }

    package func run() async throws {
        _ = try question(bank, kinds?.kinds)
        let client = try broker.client()
        try await reportingFailures {
            var request: AgentRequest
            do {
                request = try await BankChoice.asNeeded(bank, isAsked: !json) { bank in
                    try await client.askingForUsualKind(kinds?.kinds, ofBank: bank) { kinds in
                        try await question(bank, kinds)(client)
                    }
                }
            } catch let error as AgentError {
                throw broker.namingToken(error)
            }
            if request.status.isTerminal { request = try await client.request(request.id) }
            report(request)
            if !json {
                for words in await hints(on: request, client) { Console.standard.lines(words) }
            }
            if wait {
                do {
                    request = try await outcome(of: request, client)
                } catch {
                    throw broker.explained(error)
                }
            } else if request.status == .pendingApproval, !json, isatty(STDOUT_FILENO) == 1 {
                Console.standard.line(
                    "It waits for its owner's approval on the phone. Follow it with: countersign requests", .faint)
            }
            await client.close()
            let isMissing = request.documents?.contains { $0.filePath == nil } ?? false
            if request.status.isTerminal, request.status != .completed || isMissing { throw ExitCode(1) }
        }
    }

    /// Returns what a person may not expect: that several phones can fetch this, or that one of several accounts is meant.
    private func hints(on request: AgentRequest, _ client: AgentClient) async -> [String] {
        guard request.phones != nil || isMonthAlone else { return [] }
        let banks = ((try? await client.banks()) ?? []).filter { bank == nil || $0.bankID == bank }
        // Without --bank there is one, or the person has just chosen it.
        guard banks.count < 2 else { return request.phones.map { [hint(ofPhones: $0, hasAccounts: true)] } ?? [] }
        let accounts = banks.first?.accounts ?? []
        var hints: [String] = []
        if let phones = request.phones { hints.append(hint(ofPhones: phones, hasAccounts: !accounts.isEmpty)) }
        if isMonthAlone, let words = Self.hint(ofAccounts: accounts.count) { hints.append(words) }
        return hints
    }

    /// True when one statement is asked for, and not documents of accounts.
    var isMonthAlone: Bool { from == nil && kinds == nil && account.isEmpty && !refetch }

    /// Returns the words to a person who names a month alone at a bank with several accounts; nil without several.
    static func hint(ofAccounts count: Int) -> String? {
        guard count > 1 else { return nil }
        return
            "This brings one statement, of the account that the bank shows first, and the bank has \(count). For all of them give "
            + "the month as --from and --to; for another one, name it with --account."
    }

    /// Returns the words to an agent whose request several phones can fetch, with the way to one person's documents.
    ///
    /// - Parameter hasAccounts: the bank's script lists accounts, by which a person's documents can be told apart.
    func hint(ofPhones phones: Int, hasAccounts: Bool) -> String {
        let what = account.isEmpty ? "This bank is" : "This bank is, with what you name,"
        let way =
            account.isEmpty && hasAccounts
            ? "name their account with --account" : "let the other person's script say another bank"
        return "\(what) on \(phones) phones, and the one that approves fetches with its own login. To ask for one "
            + "person's, \(way)."
    }

    /// Returns the call that asks the broker. Without kinds, a PDF is meant.
    private func question(
        _ bank: String?, _ kinds: [DocumentKind]?
    ) throws -> (AgentClient) async throws(AgentError) -> AgentRequest {
        let why = reason.flatMap(AgentReason.init)
        let noMonth = CommandFailure(
            "last-month needs a clock after January 1900; set the machine's clock", status: 2)
        if from != nil {
            guard let first = from?.end(), let last = to?.end() else { throw noMonth }
            let wanted = DocumentsRequest(
                from: first.month, to: last.month, kinds: kinds ?? [.pdf], accounts: account.map(\.alias),
                bankID: bank, refetches: refetch, agentRequestID: agentRequestID, reason: why
            ).from(first, to: last)
            return Self.asking(for: wanted)
        }
        let named = period?.period()
        guard let month = named?.month ?? month, let year = named?.year ?? year else { throw noMonth }
        if kinds != nil || !account.isEmpty || refetch {
            guard let one = MonthYear(month: month, year: year) else {
                throw CommandFailure("“\(year)-\(month)” is not a month; write one such as 2026-01", status: 2)
            }
            let wanted = DocumentsRequest(
                from: one, to: one, kinds: kinds ?? [.pdf], accounts: account.map(\.alias), bankID: bank,
                refetches: refetch, agentRequestID: agentRequestID, reason: why)
            return Self.asking(for: wanted)
        }
        return { (client) async throws(AgentError) in
            do throws(AgentError) {
                return try await client.requestStatement(
                    month: month, year: year, bankID: bank, agentRequestID: agentRequestID, reason: why)
            } catch {
                throw error.inOptions
            }
        }
    }

    private static func asking(
        for wanted: DocumentsRequest
    ) -> (AgentClient) async throws(AgentError) -> AgentRequest {
        { (client) async throws(AgentError) in
            do throws(AgentError) {
                return try await client.requestDocuments(wanted)
            } catch {
                throw error.inOptions
            }
        }
    }

    /// Waits for the request's end, and shows its state on one line of the terminal meanwhile.
    private func outcome(of first: AgentRequest, _ client: AgentClient) async throws -> AgentRequest {
        let line = StatusLine()
        let writing = Task { await line.run() }
        defer {
            writing.cancel()
            line.clear()
        }
        let deadline = first.json["approval_expires_at"]?.stringValue.flatMap(Timestamp.init)?.date
        var request = first
        while !request.status.isTerminal {
            if !json { line.show(RequestProgress(status: request.status, deadline: deadline)) }
            let before = request.status
            request = try await client.request(request.id, wait: 30)
            // Each document wakes the wait; the line above the end shows their number.
            guard request.status != before else { continue }
            if request.status == .completed { request = try await filed(request, client) }
            line.clear()
            report(request)
        }
        return request
    }

    /// Waits a moment until this household's broker has filed what came, so that the path under a readable name can be told.
    private func filed(_ completed: AgentRequest, _ client: AgentClient) async throws -> AgentRequest {
        var request = completed
        guard HouseholdFile.current?.broker?.statements != nil else { return request }
        for _ in 0..<20 where !request.isFiled {
            try await Task.sleep(for: .milliseconds(100))
            request = try await client.request(request.id)
        }
        return request
    }

    private func report(_ request: AgentRequest) {
        if json { return Console.standard.line(request.json.compactText()) }
        var lines = ["\(request.id)  \(request.status.rawValue)"]
        if let path = request.filedPath ?? request.filePath { lines.append("PDF: \(path)") }
        for document in request.documents ?? [] {
            let outcome =
                document.filedPath ?? document.filePath ?? document.errorMessage ?? document.errorCode
                ?? (request.status.isTerminal ? "did not come" : "not there yet")
            let account = document.account.map { "\($0)  " } ?? ""
            lines.append(
                "\(account)\(document.place.span)  \(document.kind.rawValue)\(document.place.partWords)  \(outcome)")
        }
        if let code = request.errorCode { lines[lines.count - 1] += "  \(code)" }
        if let message = request.errorMessage { lines[lines.count - 1] += ": \(message)" }
        if let words = request.bankSaysUntrusted {
            lines.append("The phone reports, in words that may be the bank's: “\(words)”")
        }
        for line in lines { Console.standard.line(line) }
    }
}

extension AgentRequest {
    /// True when each document that came is in the owner's archive.
    fileprivate var isFiled: Bool {
        if let documents { return documents.allSatisfy { $0.filePath == nil || $0.filedPath != nil } }
        return filedPath != nil
    }
}
