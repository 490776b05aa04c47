import Crypto
import Foundation
import Hummingbird
import Synchronization

/// Monzo's interface for its customers, as far as bookings need it.
///
/// Source: the documentation of github.com/monzo/docs, 21 August 2026: the page that asks for a yes, `POST /oauth2/token` with both
/// grants, `GET /accounts`, `GET /transactions` with its pages by time and by id, and the errors 401 with `invalid_token` and 403.
/// A refresh token works once, and a client has one access token. Five things are the fake's own: the page says yes by itself; a
/// proof key is checked where one is sent; a page has at most ten entries; the words of the errors; and 429 comes with `Retry-After`.
final class MonzoRoutes: Sendable {
    private struct State {
        var made = 0
        /// The redirect address and the challenge of each code.
        var codes: [String: (redirect: String, challenge: String?)] = [:]
        var access: String?
        var refresh: String?
        var refused: Set<String> = []
    }

    private let configuration: MockBankConfiguration
    private let state = Mutex(State())

    static let clientID = "oauth2client_00009MockKestrel"
    static let clientSecret = "mnzconf.Quay7Lantern2Harbour"

    private static let accounts = [
        (id: "acc_00009EverydayMock", account: Account.all[0]), (id: "acc_00009SavingsMock", account: Account.all[1]),
    ]
    private static let pageLength = 10

    init(_ configuration: MockBankConfiguration) {
        self.configuration = configuration
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { request, _ in self.consent(request) }
        router.post("/oauth2/token") { request, _ in try await self.token(request) }
        router.get("/accounts") { request, _ in self.answer(request) { self.accountList } }
        router.get("/transactions") { request, _ in self.answer(request) { self.transactions(request) } }
        router.get("/**") { _, _ in self.error(.notFound, "not_found", "There is nothing here.") }
    }

    // MARK: Access

    private func consent(_ request: Request) -> Response {
        func value(_ name: String) -> String? { Self.value(name, of: request) }
        guard value("client_id") == Self.clientID, value("response_type") == "code",
            let redirect = value("redirect_uri"), let mark = value("state")
        else { return error(.badRequest, "bad_request", "The page needs a client, a redirect address and a state.") }
        let code = state.withLock { state in
            state.made += 1
            let code = "mock-code-\(state.made)-Osprey"
            state.codes[code] = (redirect, value("code_challenge"))
            return code
        }
        let encoded = mark.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        var answer = Response(status: .seeOther)
        answer.headers[.location] = "\(redirect)?code=\(code)&state=\(encoded)"
        return answer
    }

    /// Returns a value of the address, decoded.
    private static func value(_ name: String, of request: Request) -> String? {
        request.uri.queryParameters.first { $0.key == name }.flatMap { $0.value.removingPercentEncoding }
    }

    private func token(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: 16 << 10)
        var parts = URLComponents()
        parts.percentEncodedQuery = String(buffer: body).replacing("+", with: "%20")
        let form = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
        guard form["client_id"] == Self.clientID, form["client_secret"] == Self.clientSecret else {
            return error(.unauthorized, "invalid_client", "The client is not known.")
        }
        return state.withLock { state in
            switch form["grant_type"] {
            case "authorization_code":
                guard let (redirect, challenge) = state.codes.removeValue(forKey: form["code"] ?? ""),
                    redirect == form["redirect_uri"],
                    challenge == nil || challenge == Self.challenge(of: form["code_verifier"] ?? "")
                else { return error(.badRequest, "invalid_grant", "The code does not count.") }
            case "refresh_token":
                guard let given = form["refresh_token"], given == state.refresh else {
                    return error(.badRequest, "invalid_grant", "The refresh token does not count.")
                }
            default: return error(.badRequest, "unsupported_grant_type", "This grant is not known.")
            }
            state.made += 1
            let (access, refresh) = ("mock-access-\(state.made)-Heron", "mock-refresh-\(state.made)-Plover")
            (state.access, state.refresh) = (access, refresh)
            return json([
                "access_token": access, "client_id": Self.clientID, "expires_in": 21_600, "refresh_token": refresh,
                "token_type": "Bearer", "user_id": "user_00009Mock",
            ])
        }
    }

    private static func challenge(of verifier: String) -> String {
        Data(SHA256.hash(data: Data(verifier.utf8))).base64EncodedString().replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
    }

    private func answer(_ request: Request, _ body: () -> Response) -> Response {
        let given = request.headers[.authorization]
        let issued = state.withLock { $0.access }
        let isKnown = given == "Bearer \(configuration.token)" || (issued.map { given == "Bearer \($0)" } ?? false)
        guard isKnown, configuration.scenario != .monzoRevoked else {
            return error(.unauthorized, "invalid_token", "The access token is invalid or has expired.")
        }
        if configuration.scenario == .monzoUnapproved {
            return json(
                [
                    "code": "forbidden.insufficient_permissions",
                    "message": "Access has not been approved in the app.",
                ], .forbidden)
        }
        if configuration.scenario == .monzoBusy, state.withLock({ $0.refused.insert(request.uri.description).inserted })
        {
            var response = error(.tooManyRequests, "too_many_requests", "Wait a moment.")
            response.headers[.retryAfter] = "1"
            return response
        }
        return body()
    }

    // MARK: Data

    private var accountList: Response {
        json([
            "accounts": Self.accounts.map { id, account in
                ["id": id, "description": account.name, "created": "2019-01-02T09:30:00Z"]
            }
        ])
    }

    private var lastMonth: Month { Month(of: configuration.today).previous }

    private func transactions(_ request: Request) -> Response {
        func value(_ name: String) -> String? { Self.value(name, of: request) }
        guard let account = Self.accounts.first(where: { $0.id == value("account_id") })?.account else {
            return error(.notFound, "not_found.account_not_found", "This account is not known.")
        }
        let (since, before) = (value("since") ?? "", value("before") ?? "9999")
        let limit = min(value("limit").flatMap { Int($0) } ?? 30, Self.pageLength)
        var all = entries(of: account).filter { $0.created < before }
        if since.hasPrefix("tx_") {
            guard let place = all.firstIndex(where: { $0.id == since }) else {
                return error(.badRequest, "bad_request", "This transaction is not known.")
            }
            all.removeFirst(place + 1)
        } else {
            all.removeAll { $0.created < since }
        }
        return json(["transactions": all.prefix(limit).map(\.json)])
    }

    private struct Entry {
        let id: String
        let created: String
        let json: [String: Any]
    }

    /// The entries of all months, in the order of their purchases: a day before the booking where the month has one, and nine days before
    /// the month for its first. Each month has a declined one and one that is not settled, too.
    private func entries(of account: Account) -> [Entry] {
        var entries: [Entry] = []
        for year in BankRoutes.firstYear...max(BankRoutes.firstYear, lastMonth.year) {
            for number in 1...12 where Month(year: year, month: number) <= lastMonth {
                let month = Month(year: year, month: number)
                for (index, booking) in Statement(account: account, month: month).transactions.enumerated() {
                    let settled = Self.moment(month, booking.day)
                    let created =
                        index == 0
                        ? Self.moment(month.previous, month.previous.days - 8)
                        : Self.moment(month, max(1, booking.day - 1))
                    entries.append(
                        entry(
                            "\(account.id)-\(month)-\(index)", created: created, settled: settled, booking.text,
                            booking.amount))
                }
                let last = Self.moment(month, month.days)
                entries.append(
                    entry("\(account.id)-\(month)-held", created: last, settled: "", "Harbour Hotel", -18_000))
                entries.append(
                    entry(
                        "\(account.id)-\(month)-declined", created: last, settled: "", "Quay Cinema", -2_450,
                        declined: "INSUFFICIENT_FUNDS"))
            }
        }
        return entries.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    private static func moment(_ month: Month, _ day: Int) -> String {
        "\(month)-\(day < 10 ? "0" : "")\(day)T12:20:18Z"
    }

    private func entry(
        _ seed: String, created: String, settled: String, _ text: String, _ amount: Int, declined: String? = nil
    ) -> Entry {
        var generator = SeededGenerator(seed)
        let id = "tx_0000" + String(UInt64.random(in: 1 << 60 ... .max, using: &generator), radix: 36)
        var json: [String: Any] = [
            "id": id, "created": created, "settled": settled, "amount": amount, "currency": "GBP",
            "description": text, "merchant": NSNull(), "metadata": [String: String](), "notes": "", "is_load": false,
            "category": "general",
        ]
        json["decline_reason"] = declined
        return Entry(id: id, created: created, json: json)
    }

    private func error(_ status: HTTPResponse.Status, _ code: String, _ words: String) -> Response {
        json(["error": code, "error_description": words, "message": words], status)
    }

    private func json(_ value: Any, _ status: HTTPResponse.Status = .ok) -> Response {
        let bytes =
            (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes]))
        return Response(bytes: Array(bytes ?? Data()), type: "application/json", status: status)
    }
}
