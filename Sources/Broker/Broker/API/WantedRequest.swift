import BrokerStore
import Clocks
import Encodings
import Foundation
import Messages

/// A request that an agent or the owner makes, or that an opened offer makes, before it is stored.
struct WantedRequest: Sendable {
    let subject: RequestSubject
    let bankID: String
    /// The bank in the broker's configuration; nil for the specification's.
    let ownBank: String?
    /// The agent's own name for it.
    let key: String?
    /// The agent's reason, for the person to read.
    let reason: AgentReason?
    let refetches: Bool
    /// The fields that name the last month and the accounts, for error messages.
    let lastMonthField: String
    let accountsField: String

    /// - Parameter repeatedBank: the bank of the request that this one repeats, which need not name it again.
    /// - Throws: `APIError` when the request must name a bank, and for documents that no request can have: too many, or
    ///   without a month.
    init(
        _ body: AgentRequestBody, of known: KnownBanks, ownBank: String?, repeatedBank: String? = nil
    ) throws(APIError) {
        let named: String?
        switch body {
        case .statement(let request):
            (named, key, refetches) = (request.bankID, request.agentRequestID, false)
            reason = request.reason
            (lastMonthField, accountsField) = ("month", "accounts")
        case .documents(let request):
            (named, key, refetches) = (request.bankID, request.agentRequestID, request.refetches)
            reason = request.reason
            (lastMonthField, accountsField) = ("to", request.accountsField)
        }
        let bankID =
            if let named = named ?? repeatedBank { named } else { try Self.usualBank(of: known, ownBank) }
        (self.bankID, self.ownBank) = (bankID, ownBank)
        do throws(BodyError) {
            switch body {
            case .statement(let request): subject = .statement(try request.period)
            case .documents(let request):
                subject = .documents(try request.selection(of: try Self.allAccounts(of: request, known, bankID)))
            }
        } catch {
            throw APIError(error)
        }
    }

    /// Makes the request of an offer that is opened now. A bank that gives one statement in a visit is asked for that.
    ///
    /// - Parameter accountsField: the field that names the accounts, for error messages.
    init(
        opening offer: DocumentOffer, of known: KnownBanks, ownBank: String?, accountsField: String = "accounts"
    ) throws(APIError) {
        let bank = known.list.banks.first { $0.bankID == offer.bankID }
        let isStatement =
            bank?.offersDocuments != true && offer.from == offer.to && offer.kinds == [.pdf] && offer.accounts.isEmpty
        let body: AgentRequestBody =
            isStatement
            ? .statement(StatementRequest(month: offer.from.month, year: offer.from.year, bankID: offer.bankID))
            : .documents(offer.request.naming(accountsField))
        try self.init(body, of: known, ownBank: ownBank)
    }

    /// Makes the request again that an earlier one did not answer.
    init(again record: RequestRecord, ownBank: String?) throws {
        (subject, bankID, self.ownBank) = (try record.subject, try record.bankID, ownBank)
        (key, refetches, reason) = (nil, false, nil)
        (lastMonthField, accountsField) = ("to", "accounts")
    }

    /// Returns the bank of a request that names none.
    ///
    /// - Throws: `APIError` with the banks when there are several.
    static func usualBank(of known: KnownBanks, _ ownBank: String?) throws(APIError) -> String {
        switch known.usualBank(own: ownBank) {
        case .bank(let id): return id
        case .oneOf(let ids):
            var error = APIError.invalid(
                "bank_id", "missing, and there are several banks; name one of \(KnownBanks.words(ids))")
            error.banks = ids
            throw error
        }
    }

    /// Returns the accounts that a request means that names none: all those of one phone.
    private static func allAccounts(
        of request: DocumentsRequest, _ known: KnownBanks, _ bankID: String
    ) throws(BodyError) -> [AccountAlias] {
        let lists = known.accounts(of: bankID)
        guard request.accounts.isEmpty, lists.count > 1 else { return lists.first ?? [] }
        let all = Set(lists.joined())
        guard let whole = lists.first(where: { all.isSubset(of: $0) }) else {
            throw .invalid(
                "accounts",
                "missing: the accounts of this bank are on different phones; name those of one: "
                    + Self.words(lists))
        }
        return whole
    }

    /// Lists the accounts of several phones.
    private static func words(_ lists: [[AccountAlias]]) -> String {
        lists.map { $0.isEmpty ? "a phone without accounts" : $0.map(\.description).joined(separator: ", ") }
            .joined(separator: "; or ")
    }

    // MARK: Checks

    /// Refuses what the phones do not have, with what there is: the bank, kinds, accounts, months that have not begun, and
    /// days that have not.
    func check(against known: KnownBanks, at now: Date) throws(APIError) {
        try checkBank(known)
        let latest = MonthYear.latest(at: now)
        if let future = subject.periods.first(where: { $0 > latest }) {
            throw APIError.invalid(lastMonthField, "in the future: \(future) has not begun")
        }
        // Some days of a month that is not over yet are a document of their own, so its name must be true for good.
        guard case .documents(let selection) = subject, selection.hasDays, let last = selection.periods.last else {
            return
        }
        let lastDay = last.date(of: selection.lastDay ?? last.length)
        // Days begin first at UTC+14.
        let latestDay = (now + 14 * 3600).ISO8601Format(.iso8601.year().month().day())
        if lastDay > latestDay {
            throw APIError.invalid(lastMonthField, "in the future: \(lastDay) has not begun")
        }
    }

    /// The broker's own bank may be named before a phone has told of its banks.
    private func checkBank(_ known: KnownBanks) throws(APIError) {
        let banks = known.list.banks
        let ids = banks.map(\.bankID)
        guard known.mayHave(bankID, own: ownBank) else {
            throw APIError.invalid(
                "bank_id",
                "“\(bankID.inLine(limit: 60))”, which no phone has; " + known.words(insteadOf: bankID, own: ownBank))
        }
        switch subject {
        case .documents(let selection): try check(selection, of: banks)
        case .statement: try checkStatement(of: banks)
        }
        guard !known.canBeFetched(bankID, subject), ids.contains(bankID) else { return }
        throw APIError.invalid(
            accountsField,
            "a list of accounts, or of kinds, that no single phone has; ask for those of one: "
                + Self.words(known.accounts(of: bankID)))
    }

    /// Refuses a statement, which is a PDF, of a bank whose interface gives none.
    private func checkStatement(of banks: [OfferedBank]) throws(APIError) {
        guard let bank = banks.first(where: { $0.bankID == bankID }), !bank.kinds.contains(.pdf) else { return }
        let kinds = bank.kinds.map(\.rawValue).joined(separator: ", ")
        throw APIError.invalid(
            "bank_id",
            "“\(bankID)”, which gives no statement as PDF; ask for documents from that month to that month, of a kind that it "
                + "offers: \(kinds)")
    }

    /// Refuses several documents of a bank that gives one in a visit, and kinds and accounts that the phones do not offer.
    private func check(_ selection: DocumentSelection, of banks: [OfferedBank]) throws(APIError) {
        guard let bank = banks.first(where: { $0.bankID == bankID && $0.offersDocuments }) else {
            guard !banks.isEmpty else {
                throw APIError.invalid(
                    "bank_id", "not known yet: no phone has told its banks; open the phone, and ask again")
            }
            let able = banks.filter(\.offersDocuments).map(\.bankID)
            throw APIError.invalid(
                "bank_id",
                "“\(bankID)”, which gives one statement in a visit; "
                    + (able.isEmpty ? "ask for one month" : "several come from \(KnownBanks.words(able))"))
        }
        if let kind = selection.kinds.first(where: { !bank.kinds.contains($0) }) {
            throw APIError.invalid(
                "kinds",
                "not offered by “\(bank.bankID)”: \(kind.rawValue); it offers "
                    + bank.kinds.map(\.rawValue).joined(separator: ", "))
        }
        if selection.hasDays, !bank.offersDays {
            throw APIError.invalid(
                selection.firstDay == nil ? lastMonthField : "from",
                "a day, and “\(bank.bankID)” gives whole months; ask for months such as 2026-01")
        }
        if let account = selection.accounts.first(where: { !bank.accounts.contains($0) }) {
            let there = bank.accounts.map(\.description).joined(separator: ", ")
            throw APIError.invalid(
                accountsField,
                "not known: “\(bank.bankID)” has no account “\(account)”; "
                    + (there.isEmpty ? "ask without accounts: the first visit lists them" : "its accounts are \(there)")
            )
        }
    }
}
