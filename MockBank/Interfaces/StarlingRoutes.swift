import Foundation
import Hummingbird
import Synchronization

/// Starling's interface for its customers, as far as statements need it.
///
/// Source: the OpenAPI document of “Starling Bank API 1.0.0”, https://developer.starlingbank.com/docs, as kept in
/// shymega/starling-rs on 8 December 2023: `getAccounts`, `availablePeriods` and `downloadPDFStatement`. It leaves the status of
/// a refused token open (“4xx”); 401 and 403 are RFC 6750's, section 3.1.
final class StarlingRoutes: Sendable {
    private let configuration: MockBankConfiguration
    /// The paths that have been refused once, in the scenario in which each is.
    private let refused = Mutex<Set<String>>([])

    init(_ configuration: MockBankConfiguration) {
        self.configuration = configuration
    }

    private static let accounts = [
        (uid: "5b1f6a3e-0c7d-4d0e-9a52-1f4be0c2a901", account: Account.all[0]),
        (uid: "8e2d94c7-63b1-4f8a-b7d5-20c9f6e4d7b2", account: Account.all[1]),
    ]

    func add(to router: Router<BasicRequestContext>) {
        router.get("/api/v2/accounts") { request, _ in self.answer(request) { self.accountList } }
        router.get("/api/v2/accounts/:account/statement/available-periods") { request, context in
            self.answer(request) {
                self.account(context).map { _ in self.periods } ?? self.error(.notFound, "ACCOUNT_NOT_FOUND")
            }
        }
        router.get("/api/v2/accounts/:account/statement/download") { request, context in
            self.answer(request) { self.statement(request, context) }
        }
        router.get("/**") { _, _ in self.error(.notFound, "NOT_FOUND") }
    }

    private func answer(_ request: Request, _ body: () -> Response) -> Response {
        if configuration.scenario == .starlingMaintenance {
            var response = error(.serviceUnavailable, "MAINTENANCE")
            response.headers[.retryAfter] = "7200"
            return response
        }
        guard request.headers[.authorization] == "Bearer \(configuration.token)",
            configuration.scenario != .starlingEndedToken
        else {
            return json(
                ["error": "invalid_token", "error_description": "The access token is not valid."], .unauthorized)
        }
        if configuration.scenario == .starlingBusy,
            refused.withLock({ $0.insert(request.uri.description).inserted })
        {
            var response = error(.tooManyRequests, "RATE_LIMITED")
            response.headers[.retryAfter] = "1"
            return response
        }
        return body()
    }

    private var accountList: Response {
        json([
            "accounts": Self.accounts.map { uid, account in
                [
                    "accountUid": uid, "accountType": account.id == "everyday" ? "PRIMARY" : "ADDITIONAL",
                    "defaultCategory": uid, "currency": "GBP", "createdAt": "2019-01-02T09:30:00.000Z",
                    "name": account.name,
                ]
            }
        ])
    }

    private var lastMonth: Month { Month(of: configuration.today).previous }

    private var months: [Month] {
        (BankRoutes.firstYear...max(BankRoutes.firstYear, lastMonth.year)).flatMap { year in
            (1...12).map { Month(year: year, month: $0) }
        }.filter { $0 <= lastMonth }
    }

    private var periods: Response {
        json(["periods": months.map { ["period": "\($0)", "partial": false] as [String: Any] }])
    }

    private func account(_ context: BasicRequestContext) -> Account? {
        let uid = context.parameters.get("account")
        return Self.accounts.first { $0.uid == uid }?.account
    }

    private func statement(_ request: Request, _ context: BasicRequestContext) -> Response {
        guard configuration.scenario != .starlingNarrowToken else {
            return json(
                [
                    "error": "insufficient_scope",
                    "error_description": "The access token does not have the scope statement-pdf:read.",
                ], .forbidden)
        }
        guard let account = account(context) else { return error(.notFound, "ACCOUNT_NOT_FOUND") }
        guard let month = request.uri.queryParameters.get("yearMonth").flatMap(Month.init), months.contains(month)
        else {
            return error(.badRequest, "STATEMENT_PERIOD_NOT_AVAILABLE")
        }
        let statement = Statement(account: account, month: month)
        switch request.headers[.accept] {
        case "application/pdf": return Response(bytes: statement.pdf(), type: "application/pdf")
        case "text/csv": return Response(bytes: Array(Self.csv(statement).utf8), type: "text/csv")
        default: return error(.notAcceptable, "NOT_ACCEPTABLE")
        }
    }

    /// A month as the CSV of the document's example.
    static func csv(_ statement: Statement) -> String {
        func quoted(_ text: String) -> String { text.contains(",") ? "\"\(text)\"" : text }
        let month = statement.month
        return "Date,Counter Party,Reference,Type,Amount (GBP),Balance (GBP),Spending Category\n"
            + statement.transactions.map { entry in
                let day =
                    "\(entry.day < 10 ? "0" : "")\(entry.day)/\(month.month < 10 ? "0" : "")\(month.month)/\(month.year)"
                return
                    "\(day),\(quoted(entry.text)),\(quoted(entry.text)),CARD,\(plain(entry.amount)),\(plain(entry.balance)),PAYMENTS\n"
            }.joined()
    }

    private static func plain(_ cents: Int) -> String { money(cents).replacing(",", with: "") }

    private func error(_ status: HTTPResponse.Status, _ message: String) -> Response {
        json(["errors": [["message": message]], "success": false], status)
    }

    private func json(_ value: Any, _ status: HTTPResponse.Status = .ok) -> Response {
        let bytes = (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])) ?? Data()
        return Response(bytes: Array(bytes), type: "application/json", status: status)
    }
}
