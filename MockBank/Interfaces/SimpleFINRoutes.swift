import Foundation
import Hummingbird
import Synchronization

/// A SimpleFIN server, as far as bookings need it.
///
/// Source: “SimpleFIN Protocol”, https://www.simplefin.org/protocol.html, of 14 November 2025: `POST` to the address that a setup token
/// holds, which works once; `GET /accounts` with its parameters; and 403 for credentials that are wrong or revoked. `payee` and
/// `memo` are not in it: simplefin4py 0.0.18, a client of SimpleFIN Bridge, reads no booking without them.
final class SimpleFINRoutes: Sendable {
    let configuration: MockBankConfiguration
    private let isClaimed = Mutex(false)

    init(_ configuration: MockBankConfiguration) {
        self.configuration = configuration
    }

    static let claim = "/simplefin/claim/mock"

    private static let accounts = [
        (id: "EVERYDAY-7F3A", account: Account.all[0]), (id: "SAVINGS-20C9", account: Account.all[1]),
    ]

    func add(to router: Router<BasicRequestContext>) {
        router.post("\(Self.claim)") { request, _ in self.claim(request) }
        router.get("/simplefin/accounts") { request, _ in self.answer(request) }
        router.get("/**") { _, _ in Response(status: .notFound) }
    }

    private func claim(_ request: Request) -> Response {
        guard configuration.scenario != .simplefinClaimed,
            isClaimed.withLock({ claimed in
                defer { claimed = true }
                return !claimed
            })
        else { return Response(bytes: Array("Forbidden".utf8), type: "text/plain", status: .forbidden) }
        func encoded(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        let user = "\(encoded(configuration.username)):\(encoded(configuration.password))"
        let scheme = configuration.usesTLS ? "https" : "http"
        let address = "\(scheme)://\(user)@\(request.head.authority ?? "")/simplefin"
        return Response(bytes: Array(address.utf8), type: "text/plain")
    }

    private func answer(_ request: Request) -> Response {
        let pair = Data("\(configuration.username):\(configuration.password)".utf8).base64EncodedString()
        guard request.headers[.authorization] == "Basic \(pair)", configuration.scenario != .simplefinRevoked else {
            return Response(bytes: Array("Forbidden".utf8), type: "text/plain", status: .forbidden)
        }
        let query = request.uri.queryParameters
        let asked = query.get("account")
        let isShort = query.get("balances-only") == "1"
        let (start, end) = (
            query.get("start-date").flatMap { Int($0) } ?? 0, query.get("end-date").flatMap { Int($0) } ?? .max
        )
        let errors =
            configuration.scenario == .simplefinReauthenticate
            ? ["Connection to Meridian Savings may need attention"] : []
        let accounts = Self.accounts.filter { asked == nil || asked == $0.id }.map { id, account -> [String: Any] in
            let balance = Self.plain(account.balance(endOf: Month(of: configuration.today).previous))
            return [
                "org": [
                    "domain": "meridian-savings.example", "sfin-url": "https://meridian-savings.example/simplefin",
                ],
                "id": id, "name": account.name, "currency": "USD",
                "balance": balance, "available-balance": balance,
                "balance-date": Int(configuration.today.timeIntervalSince1970),
                "transactions": isShort
                    ? [] : transactions(of: account, from: start, to: end, withPending: query.get("pending") == "1"),
            ]
        }
        let value: [String: Any] = ["errors": errors, "accounts": accounts]
        let bytes =
            (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes]))
        return Response(bytes: Array(bytes ?? Data()), type: "application/json")
    }

    /// Returns the bookings from a moment to another, which is not included, and a pending one.
    private func transactions(of account: Account, from start: Int, to end: Int, withPending: Bool) -> [[String: Any]] {
        let last = Month(of: configuration.today).previous
        var found: [[String: Any]] = []
        for year in BankRoutes.firstYear...max(BankRoutes.firstYear, last.year) {
            for number in 1...12 where Month(year: year, month: number) <= last {
                let month = Month(year: year, month: number)
                for (index, entry) in Statement(account: account, month: month).transactions.enumerated() {
                    guard let posted = Self.seconds(month, entry.day), start <= posted, posted < end else { continue }
                    found.append([
                        "id": "\(account.id)-\(month)-\(index)", "posted": posted, "amount": Self.plain(entry.amount),
                        "description": entry.text, "payee": entry.text, "memo": "", "transacted_at": posted,
                    ])
                }
            }
        }
        if withPending {
            found.append([
                "id": "\(account.id)-pending", "posted": 0, "amount": "-180.00", "description": "Harbour Hotel",
                "payee": "Harbour Hotel", "memo": "", "pending": true,
                "transacted_at": min(max(start, 1), end - 1),
            ])
        }
        return found
    }

    /// Noon in UTC.
    private static func seconds(_ month: Month, _ day: Int) -> Int? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(from: DateComponents(year: month.year, month: month.month, day: day, hour: 12)).map {
            Int($0.timeIntervalSince1970)
        }
    }

    private static func plain(_ cents: Int) -> String { UpRoutes.plain(cents) }
}
