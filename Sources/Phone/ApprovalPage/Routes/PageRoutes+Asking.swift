import BankScript
import Clocks
import Foundation
import HTTPTypes
import Hummingbird
import Messages
import Phone
import PhoneStore
import WebServing

// The owner asks for documents: the form, and a failed request once more.

extension PageRoutes {
    /// Returns the scripts of the banks that the owner can ask: those with stored credentials.
    func askableBanks(_ runner: PhoneRunner) async throws -> [BankScript] {
        let times = try await state.store.credentialTimes()
        return runner.scripts.all.filter { times[$0.id] != nil }
    }

    func askForm(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        return try await askPage(session, bank: request.uri.queryParameters["bank"].map { String($0) })
    }

    /// - Parameters:
    ///   - bank: the bank that is asked; nil for the one that was asked last, or the first.
    ///   - notice: the reason why the request could not be made.
    private func askPage(
        _ session: PageSession, bank: String?, choice: AskView.Choice? = nil, notice: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let runner = try await state.unlocked()
        let scripts = try await askableBanks(runner)
        var values: [String: Any] = [:]
        let latest = try await state.store.requests([.completed], limit: 1).first?.bankID
        let script = scripts.first { $0.id == bank ?? latest } ?? scripts.first
        if let script {
            let month = AskView.lastMonth(at: runner.now).description
            let standard = AskView.Choice(
                from: month, to: month, kinds: script.kinds.contains(.pdf) ? [.pdf] : Set(script.kinds.prefix(1)))
            values["bank"] =
                AskView(
                    script: script, accounts: try await accounts(of: script), now: runner.now,
                    choice: choice ?? standard, csrf: session.csrfToken
                ).values
            if scripts.count > 1 {
                let banks = scripts.map { bank -> [String: Any] in
                    ["id": bank.id, "name": bank.name, "selected": bank.id == script.id]
                }
                values["choice"] = ["banks": banks]
            }
        }
        return PageViews.page(
            "ask", title: PageText.of("ask.title"), session: session, in: .inbox, notice: notice, values, status: status
        )
    }

    private func accounts(of script: BankScript) async throws -> [AccountAlias] {
        guard script.accounts != nil else { return [] }
        let stored = try await state.store.accounts().filter { $0.bankID == script.id }
        return Array(stored.map(\.alias).sorted().prefix(OfferedBank.mostAccounts))
    }

    func addAsking(to router: RouterGroup<PageContext>) {
        router.post("/ask") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            return try await ask(form, session)
        }
        router.post("/requests/:id/again") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            return answer(try await state.unlocked().repeatRequest(requestID(context)), session)
        }
    }

    private func ask(_ form: PostedForm, _ session: PageSession) async throws -> Response {
        let runner = try await state.unlocked()
        guard let script = try await askableBanks(runner).first(where: { $0.id == form["bank"] }) else {
            throw PageRefusal.badInput
        }
        let all = try await accounts(of: script)
        let posted = all.indices.compactMap { form["account-\($0)"].flatMap(AccountAlias.init) }
        let ticked = Set(posted).intersection(all)
        let kinds = script.kinds.filter { form.isOn("kind-\($0.rawValue)") }
        let choice = AskView.Choice(
            from: form["from"] ?? "", to: form["to"] ?? form["from"] ?? "", kinds: Set(kinds),
            accounts: all.count > 1 ? ticked : nil, refetches: form.isOn("refetch"))
        do {
            let wanted = try wish(choice, of: script, among: all)
            return answer(try await runner.ask(wanted, ofBank: script.id), session)
        } catch let problem as AskProblem {
            return try await askPage(
                session, bank: script.id, choice: choice, notice: problem.words, status: .badRequest)
        } catch let error as PhoneError {
            return try await askPage(
                session, bank: script.id, choice: choice, notice: RefusalWords.of(error),
                status: .conflict)
        }
    }

    /// The reason why the form is shown again.
    private struct AskProblem: Error {
        let words: String
    }

    private func wish(
        _ choice: AskView.Choice, of script: BankScript, among all: [AccountAlias]
    ) throws(AskProblem) -> DocumentsRequest {
        guard let from = MonthYear(choice.from), let to = MonthYear(choice.to) else {
            throw AskProblem(words: PageText.of("ask.choose-month"))
        }
        guard from <= to else { throw AskProblem(words: PageText.of("ask.wrong-order")) }
        let offersKinds = script.kinds.count > 1 && !script.forEachPeriod.isEmpty
        guard !offersKinds || !choice.kinds.isEmpty else {
            throw AskProblem(words: PageText.of("ask.choose-kind"))
        }
        guard choice.accounts?.isEmpty != true else { throw AskProblem(words: PageText.of("ask.choose-account")) }
        let accounts = choice.accounts.map { $0.count == all.count ? [] : $0.sorted() } ?? []
        return DocumentsRequest(
            from: from, to: to, kinds: offersKinds ? choice.kinds.sorted() : script.kinds, accounts: accounts,
            bankID: script.id, refetches: choice.refetches)
    }

    private func answer(_ outcome: AskOutcome, _ session: PageSession) -> Response {
        switch outcome {
        // The card may stand below others.
        case .waits(let id): Response.redirect(to: "\(session.base)/#r-\(id.short)", type: .normal)
        case .isThere:
            PageViews.message(
                .ok, PageText.of("ask.is-there"), PageText.of("ask.is-there-text"), session: session)
        }
    }
}
