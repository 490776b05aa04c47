import Foundation
import Hummingbird
import Synchronization

/// Up's interface for its customers, as far as bookings need it.
///
/// Source: the OpenAPI document “Up API v1” of up-banking/api, 13 February 2026: `GET /accounts`,
/// `GET /accounts/{accountId}/transactions`, and the answer of a request without a credential. A purchase is rounded up to the next
/// dollar, and sometimes boosted by as much again: `roundUp.amount` has both as a negative value (issue 52 of up-banking/api), and the
/// saver alone has an entry for it. Three things are the fake's own: a page has at most ten entries, also where more are asked for; one
/// payment of each month stays held; and 429 comes with `Retry-After`.
final class UpRoutes: Sendable {
    private let configuration: MockBankConfiguration
    /// The paths that have been refused once, in the scenario in which each is.
    private let refused = Mutex<Set<String>>([])

    private static let accounts = [
        (id: "2f0a8d1c-58b3-4a5e-9d77-6c1f0b9e3a42", account: Account.all[0]),
        (id: "c94e7b60-1d2f-4e83-8a6b-05d3f7a91c58", account: Account.all[1]),
    ]
    private static let pageLength = 10

    init(_ configuration: MockBankConfiguration) {
        self.configuration = configuration
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/api/v1/accounts") { request, _ in self.answer(request) { self.accountList } }
        router.get("/api/v1/accounts/:account/transactions") { request, context in
            self.answer(request) { self.transactions(request, context) }
        }
        router.get("/**") { _, _ in self.error(.notFound, "Not Found", "There is nothing here.") }
    }

    private func answer(_ request: Request, _ body: () -> Response) -> Response {
        guard request.headers[.authorization] == "Bearer \(configuration.token)",
            configuration.scenario != .upEndedToken
        else {
            return error(
                .unauthorized, "Not Authorized",
                "The request was not authenticated because no valid credential was found in the Authorization header.")
        }
        if configuration.scenario == .upBusy, refused.withLock({ $0.insert(request.uri.description).inserted }) {
            var response = error(.tooManyRequests, "Too Many Requests", "Wait a moment.")
            response.headers[.retryAfter] = "1"
            return response
        }
        return body()
    }

    private var accountList: Response {
        json([
            "data": Self.accounts.map { id, account in
                [
                    "type": "accounts", "id": id,
                    "attributes": [
                        "displayName": account.name,
                        "accountType": account.id == "everyday" ? "TRANSACTIONAL" : "SAVER",
                        "ownershipType": "INDIVIDUAL",
                        "balance": money(account.balance(endOf: lastMonth)),
                        "createdAt": "2019-01-02T09:30:00+11:00",
                    ],
                ]
            }, "links": ["prev": NSNull(), "next": NSNull()],
        ])
    }

    private var lastMonth: Month { Month(of: configuration.today).previous }

    private func money(_ cents: Int) -> [String: Any] {
        ["currencyCode": "AUD", "value": Self.plain(cents), "valueInBaseUnits": cents]
    }

    static func plain(_ cents: Int) -> String { MockBank.money(cents).replacing(",", with: "") }

    private func transactions(_ request: Request, _ context: BasicRequestContext) -> Response {
        let id = context.parameters.get("account")
        guard let account = Self.accounts.first(where: { $0.id == id })?.account else {
            return error(.notFound, "Not Found", "This account is not known.")
        }
        // Names with brackets come encoded.
        func value(_ name: String) -> String? {
            request.uri.queryParameters.first { $0.key.removingPercentEncoding == name }.flatMap {
                $0.value.removingPercentEncoding
            }
        }
        guard let since = value("filter[since]"), let until = value("filter[until]"),
            let first = Month(String(since.prefix(7))), let last = Month(String(until.prefix(7))), since < until
        else { return error(.badRequest, "Bad Request", "Give the moments from which and until which.") }
        // From the latest to the oldest, as the document says.
        let all = entries(of: account, from: first, to: min(last, lastMonth)).reversed().filter {
            since <= $0.created && $0.created <= until
        }
        let start = value("page[after]").flatMap { Int($0) } ?? 0
        guard (0...all.count).contains(start) else {
            return error(.badRequest, "Bad Request", "This page is not known.")
        }
        let page = all.dropFirst(start).prefix(Self.pageLength)
        var next: Any = NSNull()
        if start + page.count < all.count {
            let after = configuration.scenario == .upEndlessPages ? 0 : start + page.count
            let place = request.uri.description.split(separator: "&page%5Bafter%5D").first.map(String.init) ?? ""
            let scheme = configuration.usesTLS ? "https" : "http"
            next = "\(scheme)://\(request.head.authority ?? "")\(place)&page%5Bafter%5D=\(after)"
        }
        return json(["data": page.map(\.json), "links": ["prev": NSNull(), "next": next]])
    }

    private struct Entry {
        let created: String
        let json: [String: Any]
    }

    private func entries(of account: Account, from first: Month, to last: Month) -> [Entry] {
        var entries: [Entry] = []
        var month = first
        while month <= last {
            let statement = Statement(account: account, month: month)
            let roundUps = RoundUp.all(in: month)
            let amounts = Self.amounts(of: statement, besides: roundUps)
            for (index, booking) in statement.transactions.enumerated() {
                let roundUp = account == Self.accounts[0].account ? roundUps.first { $0.booking == index } : nil
                entries.append(
                    entry(
                        "\(account.id)-\(month)-\(index)", booking.day, month, booking.text, amounts[index],
                        roundUp: roundUp)
                )
            }
            if account == Self.accounts[1].account {
                for roundUp in roundUps {
                    entries.append(
                        entry("\(month)-round-up-\(roundUp.booking)", roundUp.day, month, "Round Up", roundUp.amount))
                }
            }
            entries.append(
                entry("\(account.id)-\(month)-held", month.days, month, "Harbour Hotel", -18_000, isHeld: true))
            month =
                month.month == 12
                ? Month(year: month.year + 1, month: 1) : Month(year: month.year, month: month.month + 1)
        }
        return entries.sorted { $0.created < $1.created }
    }

    /// Returns the amounts of a month's bookings in cents. The largest one makes up for what was rounded up, so that the balances of
    /// both accounts stay as they are.
    private static func amounts(of statement: Statement, besides roundUps: [RoundUp]) -> [Int] {
        var amounts = statement.transactions.map(\.amount)
        let saved = roundUps.reduce(0) { $0 + $1.amount }
        if let largest = amounts.indices.max(by: { amounts[$0].magnitude < amounts[$1].magnitude }) {
            amounts[largest] += statement.account == accounts[0].account ? saved : -saved
        }
        return amounts
    }

    /// Returns the amounts of all bookings of the paying account in a month, in cents, with those of its round-ups.
    static func amounts(in month: Month) -> [Int] {
        let roundUps = RoundUp.all(in: month)
        return amounts(of: Statement(account: accounts[0].account, month: month), besides: roundUps)
            + roundUps.map { -$0.amount }
    }

    private func entry(
        _ seed: String, _ day: Int, _ month: Month, _ text: String, _ amount: Int, isHeld: Bool = false,
        roundUp: RoundUp? = nil
    ) -> Entry {
        var generator = SeededGenerator(seed)
        let parts = (0..<4).map { _ in String(UInt32.random(in: 0x1000...0xFFFF, using: &generator), radix: 16) }
        let date = "\(month)-\(day < 10 ? "0" : "")\(day)"
        let created = "\(date)T09:15:00+10:00"
        return Entry(
            created: created,
            json: [
                "type": "transactions", "id": "\(parts[0])\(parts[1])-\(parts[2])-4abc-8def-\(parts[3])0123\(parts[0])",
                "attributes": [
                    "status": isHeld ? "HELD" : "SETTLED", "rawText": text.uppercased(), "description": text,
                    "message": NSNull(), "amount": money(amount), "foreignAmount": NSNull(),
                    "roundUp": roundUp.map(json) ?? NSNull() as Any,
                    "settledAt": isHeld ? NSNull() : "\(date)T21:40:00+10:00" as Any, "createdAt": created,
                ] as [String: Any],
            ])
    }

    private func json(_ roundUp: RoundUp) -> Any {
        [
            "amount": money(-roundUp.amount),
            "boostPortion": roundUp.boost == 0 ? NSNull() : money(-roundUp.boost) as Any,
        ]
    }

    private func error(_ status: HTTPResponse.Status, _ title: String, _ detail: String) -> Response {
        json(["errors": [["status": "\(status.code)", "title": title, "detail": detail]]], status)
    }

    private func json(_ value: Any, _ status: HTTPResponse.Status = .ok) -> Response {
        let bytes =
            (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes]))
        return Response(bytes: Array(bytes ?? Data()), type: "application/json", status: status)
    }
}

/// The part of a dollar by which a purchase of the everyday account was rounded up, and moved to the saver.
private struct RoundUp {
    /// The purchase's place in the month.
    let booking: Int
    let day: Int
    /// In cents, with the boost.
    let amount: Int
    let boost: Int

    static func all(in month: Month) -> [RoundUp] {
        Statement(account: Account.all[0], month: month).transactions.enumerated().compactMap { index, booking in
            let cents = Int(booking.amount.magnitude % 100)
            guard booking.amount < 0, cents != 0, !booking.text.hasPrefix("Transfer") else { return nil }
            let boost = index.isMultiple(of: 3) ? 100 - cents : 0
            return RoundUp(booking: index, day: booking.day, amount: 100 - cents + boost, boost: boost)
        }
    }
}
