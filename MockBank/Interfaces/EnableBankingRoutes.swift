import Crypto
import CryptoExtras
import Foundation
import Hummingbird
import Synchronization

/// Enable Banking's interface for accounts, as far as a session and bookings need it.
///
/// Source: the OpenAPI document of https://enablebanking.com/docs/api/reference/, version 1.0.0-3030f99c, as kept in
/// github.com/api-evangelist/enable-banking on 3 August 2026: `POST /auth`, `POST /sessions`, `GET /sessions/{session_id}`,
/// `GET /accounts/{account_id}/transactions` with its pages, the claims of the token, and the words and codes of errors. It does not
/// say which status goes with which error. Six things are the fake's own: the page says yes by itself; a page has at most ten
/// entries; a session is forgotten when the fake stops; one address is listed for the application, and one on this machine; 429
/// comes with `Retry-After`; and the statuses 401 of a token that does not count, 404 of what it does not know, 422 of the rest.
final class EnableBankingRoutes: Sendable {
    private struct Session {
        var until: String
        var bank: [String: String]
    }

    private struct State {
        var made = 0
        /// The page for a yes, by its name: the state and the address to lead back to.
        var asked: [String: (mark: String, redirect: String, session: Session)] = [:]
        var codes: [String: Session] = [:]
        var sessions: [String: Session] = [:]
        var refused: Set<String> = []
    }

    private let configuration: MockBankConfiguration
    private let state = Mutex(State())

    static let applicationID = "5c1d3f2e-8a40-4f6b-9e77-20b6c1d4a913"
    static let redirect = "https://phone.example/oauth/enable-banking"
    /// The key of an application that exists here alone.
    static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQC+zbvUkYhj8TLf
        WDELYicOble4ZKRDZMIcf+ocmjw/J+DZc72lPFM8wXfA9Us7L4BPr7F9cxD4N2C8
        7RCGZNLBK2JnA++15rrSZSa7WfxC8wIoO1PCyqU0q+uRlvsGuTbSsy5KqijOXCPD
        yKPri7ZS0+nYtZdBWPSE1gsmdU5dVC2NzjFJsDw04BJH5U+lM54D0qmU8+I7vbm4
        XfZJUhMzmtg3mlE0ghm8ZNBZB49sMJpPMM9BpjtIkCdHIqtvCvCD4GMk0VX51Edf
        F1ADhvm2gLTDW2hy+9d+vLGsx+rylHXyv9cZaCnQvghZuUDK/WJXtLC/5CZTvKta
        NBeBMwv1AgMBAAECggEAPcryODrzoW5la9irdYTRokZRCWoqmprglItGngHDXi7D
        jpkBw6ggSu5bIrYuKZpOI0CCql6gEcsZfMYH0oaHjMDIqxUmxlHVkjrpCsbvQB1k
        RvRDwbOQQlklPu7XGEvWefFGni6ybXaArLDniWqjXvq7YpAYzrSI6BZL4SYffXCs
        8jJOoEGB6MX9rGd5q5bkxQotvbJZGJCigmtxzbgPbS5ThDd7JhPV48HNABsbYNXl
        Uw8O9sbAPzk7s6TBzp4yFsJhVERvWcTXy/y4iV0S8w76ttzXnef9V6Frb4+jpLF8
        bnAnaR/aBgjP7S4KW7QorVzu6HDnxQiV60AFB8dsNwKBgQDeZqpG9q4CZliIbQ7y
        XxsfmAcRajmUS/WyulbzbN2Am7s6LAP49xeM39ic8skEQlTrbs0bASZkziol/Ffj
        DDSLhnBS6bc0heHwcgdK4GhizL7hBWxwB21j1YzkrfDPqDJgr41P1c/l2Q6jTwUz
        rxN6AMqiaBou+EUF6Qdepd2VrwKBgQDboQsL7UrMTYCdpimwx/MJ11ScKrPaoSMr
        XPnwl4yp7e3zOrSoLVBzERp+XOnV7XgBMnCASW2nno8l2JsojFRBDBMldRc6e/J3
        JPk91+0zJQEWKSEx4mKozv8YclWl0DE1Tguytlz2k3lPrlGDmT0lSUJhHeCzHrJz
        7OopxfMFmwKBgD105Uzi0cb7/S8F5AF54obifeGEFxExxF11PJ3b0YG+hwhWLWrY
        7PsSyErmlEHHCqxcW/VAZhmpFuCUULz/HG4J4nQm/WdYL80/1WANjwruRTjtRL/Y
        bZQO6PYwUsEvW2x4VnZfQSnkxzS9m1Ri5uDp4xTp64JbPMebU1wGPaslAoGAGNbZ
        3Pt1Xi3Vwf6s8GVsw0wrMY5S0QMwaxMU4XUCX6WdJ8kX7X1Sf/ELQgdYGu3EiL4f
        oyKq2C5CmlEpGyjjzoeDEtVvTxn9jiQMXEYzeXlR6iO0sWOdLOJcT3N+5EXris/M
        2uVtFiYPrkdUyMFn/POQIlOyug9at2mwAhF1LskCgYAZT4Xf9rPqRjPpBiqCsBNv
        dbxvIK7kOVcvBmpPD46mmmPikCOynD7UcRBBmIiB6/C/bzO9mPKLIQ+/6lIy9Zz9
        HD/irlwyYOURbhnCY6yINRPDjxxV2f03QBxpZgH3KgVQsoWTguegoe8G/CdoRIpV
        NzVuJ5aOYG54qc823uW6BA==
        -----END PRIVATE KEY-----
        """
    private static let publicKey = (try? _RSA.Signing.PrivateKey(pemRepresentation: privateKey))?.publicKey

    private static let accounts = [
        (uid: "0c9d7a51-3f1e-4b7b-8a66-5d2f0e9b1c01", account: Account.all[0]),
        (uid: "0c9d7a51-3f1e-4b7b-8a66-5d2f0e9b1c02", account: Account.all[1]),
    ]
    private static let pageLength = 10

    init(_ configuration: MockBankConfiguration) {
        self.configuration = configuration
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { request, _ in self.consent(request) }
        router.post("/auth") { request, _ in try await self.signed(request) { self.begin($0, at: request) } }
        router.post("/sessions") { request, _ in try await self.signed(request) { self.redeem($0) } }
        router.get("/sessions/:id") { request, context in
            try await self.signed(request) { _ in self.session(context.parameters.get("id") ?? "") }
        }
        router.get("/accounts/:id/transactions") { request, context in
            try await self.signed(request) { _ in
                self.transactions(of: context.parameters.get("id") ?? "", request)
            }
        }
        router.get("/**") { _, _ in self.error(.notFound, "NOT_FOUND", "There is nothing here.") }
    }

    // MARK: The application's token

    /// Answers a request with the application's token, with what its body holds.
    private func signed(_ request: Request, _ body: ([String: Any]) -> Response) async throws -> Response {
        let data = Data(buffer: try await request.body.collect(upTo: 16 << 10))
        guard let token = request.headers[.authorization], token.hasPrefix("Bearer "),
            counts(String(token.dropFirst(7)), at: Int(Date().timeIntervalSince1970))
        else { return error(.unauthorized, "UNAUTHORIZED_ACCESS", "Unauthorized access") }
        return body((try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:])
    }

    /// True for a token of the application: RS256, at most 24 hours long, and not over.
    private func counts(_ token: String, at now: Int) -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard configuration.scenario != .enableBankingUnknownKey, parts.count == 3, let key = Self.publicKey,
            let head = Self.object(parts[0]), let claims = Self.object(parts[1]), let bytes = Self.decoded(parts[2]),
            head["alg"] as? String == "RS256", head["typ"] as? String == "JWT",
            head["kid"] as? String == Self.applicationID, claims["iss"] as? String == "enablebanking.com",
            claims["aud"] as? String == "api.enablebanking.com", let issued = claims["iat"] as? Int,
            let ends = claims["exp"] as? Int, ends - issued <= 86_400, issued <= now, now < ends
        else { return false }
        return key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: bytes),
            for: SHA256.hash(data: Data("\(parts[0]).\(parts[1])".utf8)), padding: .insecurePKCS1v1_5)
    }

    private static func decoded(_ text: String) -> Data? {
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
    }

    private static func object(_ text: String) -> [String: Any]? {
        decoded(text).flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
    }

    // MARK: The session

    private func begin(_ body: [String: Any], at request: Request) -> Response {
        guard let access = body["access"] as? [String: Any], let until = access["valid_until"] as? String,
            let end = try? Date.ISO8601FormatStyle().parse(until), end > Date(),
            end < Date().addingTimeInterval(180 * 86_400),
            let bank = body["aspsp"] as? [String: String], let mark = body["state"] as? String,
            let redirect = body["redirect_url"] as? String
        else { return error(.unprocessableContent, "WRONG_REQUEST_PARAMETERS", "Wrong request parameters provided") }
        guard bank["name"] == MockBankServer.enableBankingBank.name,
            bank["country"] == MockBankServer.enableBankingBank.country
        else {
            return error(.unprocessableContent, "WRONG_ASPSP_PROVIDED", "Wrong ASPSP name provided")
        }
        guard configuration.scenario != .enableBankingUnlistedAddress,
            redirect == Self.redirect || redirect.hasPrefix("http://127.0.0.1:")
                || redirect.hasPrefix("http://localhost:")
        else { return error(.unprocessableContent, "REDIRECT_URI_NOT_ALLOWED", "Redirect URI not allowed") }
        let name = state.withLock { state in
            state.made += 1
            let name = "mock-authorization-\(state.made)"
            state.asked[name] = (mark, redirect, Session(until: until, bank: bank))
            return name
        }
        let origin = "\(configuration.usesTLS ? "https" : "http")://\(request.head.authority ?? "localhost")"
        return json([
            "url": "\(origin)/?authorization=\(name)", "authorization_id": name, "psu_id_hash": "mock-hash-of-robin",
        ])
    }

    /// The bank's page, on which the customer says yes at once, or no.
    private func consent(_ request: Request) -> Response {
        let name = request.uri.queryParameters["authorization"].map { String($0) } ?? ""
        guard let (mark, redirect, session) = state.withLock({ $0.asked.removeValue(forKey: name) }) else {
            return error(.notFound, "SESSION_DOES_NOT_EXIST", "No session found matching provided id")
        }
        let encoded = mark.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        var answer = Response(status: .seeOther)
        guard configuration.scenario != .enableBankingCancelled else {
            answer.headers[.location] =
                "\(redirect)?error=access_denied&error_description=Cancelled%20by%20user&state=\(encoded)"
            return answer
        }
        let code = state.withLock { state in
            state.made += 1
            let code = "mock-code-\(state.made)-Bittern"
            state.codes[code] = session
            return code
        }
        answer.headers[.location] = "\(redirect)?state=\(encoded)&code=\(code)"
        return answer
    }

    private func redeem(_ body: [String: Any]) -> Response {
        guard let code = body["code"] as? String,
            let (id, session) = state.withLock({ state -> (String, Session)? in
                guard let session = state.codes.removeValue(forKey: code) else { return nil }
                state.made += 1
                let id = "4f2d9c3a-6b1e-4a58-9d07-00000000000\(state.made % 10)"
                state.sessions[id] = session
                return (id, session)
            })
        else { return error(.unprocessableContent, "WRONG_AUTHORIZATION_CODE", "Wrong authorization code provided") }
        return json([
            "session_id": id, "psu_type": "personal", "aspsp": session.bank, "access": ["valid_until": session.until],
            "accounts": Self.accounts.map { uid, account in
                [
                    "uid": uid, "name": "Robin Ashdown", "details": account.name, "currency": "GBP",
                    "account_id": ["iban": account.iban], "cash_account_type": "CACC", "usage": "PRIV",
                    "identification_hash": "mock-hash-of-\(account.id)",
                ] as [String: Any]
            },
        ])
    }

    private func session(_ id: String) -> Response {
        guard let session = state.withLock({ $0.sessions[id] }) else {
            return error(.notFound, "SESSION_DOES_NOT_EXIST", "No session found matching provided id")
        }
        let isOver = configuration.scenario == .enableBankingExpired
        return json([
            "status": isOver ? "EXPIRED" : "AUTHORIZED", "access": ["valid_until": session.until],
            "accounts": Self.accounts.map(\.uid), "aspsp": session.bank, "psu_type": "personal",
            "psu_id_hash": "mock-hash-of-robin", "created": session.until,
            "accounts_data": Self.accounts.map {
                ["uid": $0.uid, "identification_hash": "mock-hash-of-\($0.account.id)"]
            },
        ])
    }

    // MARK: Bookings

    private func transactions(of id: String, _ request: Request) -> Response {
        guard let account = Self.accounts.first(where: { $0.uid == id })?.account else {
            return error(.notFound, "ACCOUNT_DOES_NOT_EXIST", "No account found matching provided id")
        }
        if configuration.scenario == .enableBankingBusy,
            state.withLock({ $0.refused.insert(request.uri.description).inserted })
        {
            var response = error(.tooManyRequests, "ASPSP_RATE_LIMIT_EXCEEDED", "ASPSP Rate limit exceeded")
            response.headers[.retryAfter] = "1"
            return response
        }
        func value(_ name: String) -> String? { request.uri.queryParameters[Substring(name)].map { String($0) } }
        let (from, to) = (value("date_from") ?? "", value("date_to") ?? "9999")
        guard !from.isEmpty || value("date_to") == nil else {
            return error(
                .unprocessableContent, "DATE_TO_WITHOUT_DATE_FROM", "date_from must be provided if date_to provided")
        }
        var all = entries(of: account).filter { (from...to).contains($0.day) }
        if let status = value("transaction_status") { all.removeAll { $0.json["status"] as? String != status } }
        let start = value("continuation_key").flatMap { Int($0.dropFirst("page-".count)) } ?? 0
        guard (0...all.count).contains(start) else {
            return error(.unprocessableContent, "WRONG_CONTINUATION_KEY", "Wrong continuation key provided")
        }
        let end = min(start + Self.pageLength, all.count)
        return json([
            "transactions": all[start..<end].map(\.json),
            "continuation_key": end < all.count ? "page-\(end)" : NSNull(),
        ])
    }

    /// The entries of all months, the latest first as many banks have them. Each month has one that is not booked, too.
    private func entries(of account: Account) -> [(day: String, json: [String: Any])] {
        var entries: [(day: String, json: [String: Any])] = []
        let last = Month(of: configuration.today).previous
        for year in BankRoutes.firstYear...max(BankRoutes.firstYear, last.year) {
            for number in 1...12 where Month(year: year, month: number) <= last {
                let month = Month(year: year, month: number)
                for (index, booking) in Statement(account: account, month: month).transactions.enumerated() {
                    let day = "\(month)-\(booking.day < 10 ? "0" : "")\(booking.day)"
                    let party = booking.amount < 0 ? "creditor" : "debtor"
                    entries.append(
                        (
                            day,
                            [
                                "entry_reference": "\(account.id)-\(month)-\(index)", "status": "BOOK",
                                "transaction_amount": Self.money(abs(booking.amount)), "booking_date": day,
                                "credit_debit_indicator": booking.amount < 0 ? "DBIT" : "CRDT", "value_date": day,
                                party: ["name": booking.text],
                                "remittance_information": ["Ref \(index)", booking.text],
                                "balance_after_transaction": Self.money(booking.balance),
                            ]
                        ))
                }
                entries.append(
                    (
                        "\(month)-\(month.days)",
                        [
                            "status": "PDNG", "transaction_amount": Self.money(18_000), "booking_date": NSNull(),
                            "credit_debit_indicator": "DBIT", "creditor": ["name": "Harbour Hotel"],
                            "remittance_information": [String](),
                        ]
                    ))
            }
        }
        return entries.reversed()
    }

    private static func money(_ cents: Int) -> [String: String] {
        ["currency": "GBP", "amount": UpRoutes.plain(cents)]
    }

    private func error(_ status: HTTPResponse.Status, _ code: String, _ words: String) -> Response {
        json(["code": status.code, "error": code, "message": words, "detail": NSNull()], status)
    }

    private func json(_ value: [String: Any], _ status: HTTPResponse.Status = .ok) -> Response {
        let bytes =
            (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes]))
        return Response(bytes: Array(bytes ?? Data()), type: "application/json", status: status)
    }
}
