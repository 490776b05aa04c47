import BankScript
import Crypto
import Encodings
import Foundation
import Messages
import Secrets
import WebURL

/// Obtains credentials in exchange for others, keeps them before anything else is done with them, and renews them.
///
/// Each step that a bank may answer once is written down before it is made, and its answer is kept in one write. A refusal leaves
/// what was kept before.
struct CredentialExchanger: Sendable {
    let script: BankScript
    let exchange: CredentialExchange
    let services: HostServices
    let store: any GrantStore
    let engine: any NavigationEngine

    /// A token that ends within this time is renewed before it is used: the clocks of bank and phone differ.
    static let margin: TimeInterval = 300

    private var bankID: String { script.id }
    var now: Date { services.clock.now }

    /// The credentials or the answer that an exchange gave, for one run.
    struct Obtained: Sendable {
        var credentials: [String: Secret] = [:]
        /// The answer that opened a session; nil for credentials.
        var answer: JSONValue?
        /// The state of the exchange as it is kept from now on.
        var grant: Secret?
    }

    /// Returns what to use now: what was kept, renewed if it ends soon.
    ///
    /// - Throws: ``RunFailure`` when the owner has to do something first, or the bank does not answer.
    func current() async throws -> Obtained {
        try await locked {
            var kept = try await read()
            var obtained = Obtained()
            switch exchange.way {
            case .claim(let setup, let gives):
                obtained.credentials = try await claimed(&kept, setup: setup, gives: gives)
            case .authorize(_, let endpoint), .device(_, let endpoint):
                obtained.credentials = try await renewed(&kept, endpoint)
            case .session:
                guard let grant = kept.grant else { throw ended("it was not connected yet", isNew: true) }
                obtained.answer = grant.answer.flatMap { try? JSONReader.read($0.revealed()) }
            }
            obtained.grant = try await store.kept(forBank: bankID)
            return obtained
        }
    }

    /// Obtains new credentials with the owner's help.
    ///
    /// - Returns: the end of the consent, if the script says how it is known.
    func connect(_ browser: any OwnersBrowser) async throws -> Date? {
        switch exchange.way {
        case .claim(let setup, let gives):
            _ = try await locked {
                var kept = try await read()
                return try await claimed(&kept, setup: setup, gives: gives)
            }
        case .authorize(let page, let endpoint): try await authorize(page, endpoint, browser)
        case .device(let address, let endpoint): try await authorizeDevice(address, endpoint, browser)
        case .session(let session): try await open(session, browser)
        }
        return try await services.consents.consent(atBank: bankID)?.endsAt
    }

    // MARK: Keeping

    /// Does the work while no other run or program renews what is kept.
    func locked<Value>(_ work: () async throws -> Value) async throws -> Value {
        let lock = try await store.lock(forBank: bankID)
        defer { withExtendedLifetime(lock) {} }
        return try await work()
    }

    func read() async throws -> KeptExchange {
        guard let kept = try await store.kept(forBank: bankID) else { return KeptExchange() }
        guard let exchange = KeptExchange(kept) else {
            throw RunFailure(
                .navigationFailed,
                message: "what the phone has kept for \(script.name) cannot be read, perhaps because a newer version "
                    + "wrote it; update the phone, or connect the bank again: countersign phone banks connect \(bankID)"
            )
        }
        return exchange
    }

    func keep(_ kept: KeptExchange) async throws {
        try await store.keep(kept.sealed, forBank: bankID)
    }

    /// Keeps new credentials in place of the old ones, and the end of the consent that came with them.
    func keep(_ grant: KeptExchange.Grant, after answer: JSONValue?) async throws {
        try await keep(KeptExchange(grant: grant))
        var consent = Consent(needsOwner: exchange.needsOwner)
        switch script.consent {
        case .lasts(let days): consent.endsAt = grant.obtainedAt.addingTimeInterval(Double(days) * 86_400)
        case .until(let path): consent.endsAt = answer.flatMap { ConsentEnd.date(at: path, in: $0) }
        case nil: break
        }
        try await services.consents.keep(consent, atBank: bankID)
    }

    // MARK: Claims

    /// Claims a setup token, unless what it gave is kept.
    private func claimed(_ kept: inout KeptExchange, setup: String, gives: [String]) async throws -> [String: Secret] {
        let token = try await credential(setup)
        let source = Self.digest(of: token)
        if let grant = kept.grant, grant.source == source { return grant.credentials }
        let address = try claimAddress(in: token, named: setup)
        var interrupted: Date?
        if case .claiming(source, let since) = kept.pending { interrupted = since }
        kept.pending = .claiming(source: source, since: interrupted ?? now)
        try await keep(kept)
        let answer = try await post(EngineRequest(method: "POST", reference: address, headers: [], form: []))
        guard (200...299).contains(answer.status), let body = answer.secretBody else {
            if (400...499).contains(answer.status), answer.status != 429 {
                kept.pending = nil
                try await keep(kept)
                let earlier =
                    interrupted.map {
                        "; an earlier try, which was interrupted on \($0.inWords()), may have claimed it"
                    } ?? ""
                throw RunFailure(
                    .bankLoginFailed, reason: .wrongCredentials,
                    message: "the bank answered \(answer.status) to the claim of the \(setup): it was claimed already, "
                        + "or is wrong\(earlier). Disable it at the bank, in case a stranger has it, create a new one, and store that"
                )
            }
            throw unavailable(answer.status, RetryAfter(answer.headers, now: now), "the claim of the \(setup)")
        }
        guard let (user, password) = try access(in: body) else {
            throw RunFailure(
                .navigationFailed, reason: .layoutChanged,
                message: "the claim of the \(setup) was answered by something else than an address with a user and a "
                    + "password; create a new one at the bank, and store it")
        }
        let grant = KeptExchange.Grant(
            credentials: [gives[0]: user, gives[1]: password], obtainedAt: now, source: source)
        try await keep(grant, after: nil)
        return grant.credentials
    }

    /// Returns the address that a setup token holds, which has to be on the script's first origin.
    private func claimAddress(in token: Secret, named name: String) throws -> String {
        let text = token.revealed().trimmingCharacters(in: .whitespacesAndNewlines)
        let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), let address = String(data: data, encoding: .utf8),
            let url = try? URLRecord(parsing: address), url.username.isEmpty
        else {
            throw RunFailure(
                .bankLoginFailed, reason: .credentialMissing,
                message:
                    "the \(name) is not a setup token: it does not hold an address; copy it from the bank's page again")
        }
        guard script.destinations(of: address) == Array(script.destinations(of: "/").prefix(1)) else {
            throw RunFailure(
                .navigationFailed, reason: .foreignOrigin,
                message:
                    "the \(name) leads to another server than \(script.origins.first ?? ""), so it is not sent there; "
                    + "if the bank moved, write its origin in the script")
        }
        return address
    }

    /// Returns the user and the password in an address on the script's first origin.
    private func access(in body: Secret) throws -> (Secret, Secret)? {
        let text = body.revealed().trimmingCharacters(in: .whitespacesAndNewlines)
        guard let url = try? URLRecord(parsing: text), !url.username.isEmpty, !url.password.isEmpty,
            let user = url.username.removingPercentEncoding, let password = url.password.removingPercentEncoding
        else { return nil }
        let place = script.destinations(of: "/").first
        guard let origin = Origin(of: url)?.description, script.destinations(of: origin + "/").first == place else {
            throw RunFailure(
                .navigationFailed, reason: .foreignOrigin,
                message: "the claim gave access to another server than \(script.origins.first ?? ""); "
                    + "if the bank moved, write its origin in the script")
        }
        return (Secret(user), Secret(password))
    }

    // MARK: Renewal

    private func renewed(
        _ kept: inout KeptExchange, _ endpoint: CredentialExchange.TokenEndpoint
    ) async throws -> [String: Secret] {
        guard let grant = kept.grant else { throw ended("it was not connected yet", isNew: true) }
        guard let expires = grant.expiresAt, expires.timeIntervalSince(now) <= Self.margin else {
            return grant.credentials
        }
        guard let refresh = grant.refresh else {
            guard expires <= now else { return grant.credentials }
            throw try await ending("its access_token has ended, and the bank gave none to renew it with")
        }
        let answer: TokenAnswer
        do {
            answer = try await redeem(
                [("grant_type", .text("refresh_token")), ("refresh_token", .secret(refresh))], at: endpoint)
        } catch let failure as RunFailure {
            // A token that has not ended yet works without the answer.
            guard expires > now else { throw failure }
            return grant.credentials
        }
        guard answer.isSuccess else {
            if ["invalid_grant", "unauthorized_client"].contains(answer.error)
                || (answer.status == 401 && answer.error != "invalid_client")
            {
                throw try await ending("the bank does not renew its access_token any more", saying: answer.words)
            }
            if expires > now, answer.status == 429 || answer.status >= 500 { return grant.credentials }
            throw refused(answer, "the renewal of the access_token")
        }
        let next = try self.grant(from: answer, source: grant.source, before: grant)
        try await keep(KeptExchange(grant: next))
        return next.credentials
    }

    private func grant(
        from answer: TokenAnswer, source: String, before: KeptExchange.Grant? = nil
    ) throws -> KeptExchange.Grant {
        guard let access = answer.secret(CredentialExchange.accessToken) else {
            throw RunFailure(
                .navigationFailed, reason: .layoutChanged,
                message: "the bank answered the exchange without an access_token; tell the script's author")
        }
        if let type = answer.text("token_type"), type.lowercased() != "bearer" {
            throw RunFailure(
                .navigationFailed, reason: .layoutChanged,
                message: "the bank gave a token of the type “\(sanitised(type))”, which this program cannot use")
        }
        let life = answer.number("expires_in").map { max(0, $0) }
        return KeptExchange.Grant(
            credentials: [CredentialExchange.accessToken: access],
            // A server that does not rotate sends none, and the old one stays (RFC 6749, section 6).
            refresh: answer.secret("refresh_token") ?? before?.refresh,
            expiresAt: life.map { now.addingTimeInterval(Double($0)) }, obtainedAt: now, source: source)
    }

    // MARK: The owner's yes

    private func authorize(
        _ page: CredentialExchange.AuthorizationPage, _ endpoint: CredentialExchange.TokenEndpoint,
        _ browser: any OwnersBrowser
    ) async throws {
        // A code that an earlier try was given may still be good.
        if case .redeeming(let code, let verifier, let redirect, let since) = try await read().pending,
            now.timeIntervalSince(since) < Self.lifeOfCode,
            try await redeem(code, verifier, redirect, at: endpoint, orForget: true)
        {
            return
        }
        // The owner has accepted these origins, and the client's name leaves in the address.
        guard script.isForTesting || script.destinations(of: page.address).allSatisfy(script.shownOrigins.contains)
        else {
            throw RunFailure(
                .navigationFailed, reason: .foreignOrigin,
                message: "the page for your yes is not on one of the script's origins; tell the script's author")
        }
        let redirect = try await browser.redirect(try await wanted(page.redirect))
        let (verifier, state) = (Self.random(), Self.random())
        let challenge = Base64URL.encode(Array(SHA256.hash(data: Array(verifier.revealed().utf8))))
        var query: [(String, String)] = [
            ("response_type", "code"), ("client_id", try await self.input(endpoint.client).revealed),
            ("redirect_uri", redirect), ("state", state.revealed()), ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
        ]
        if let scope = endpoint.scope { query.append(("scope", scope)) }
        let code = try await code(
            from: page.address + (page.address.contains("?") ? "&" : "?") + Self.encoded(query), to: redirect, state,
            browser)
        try await locked {
            var kept = try await read()
            kept.pending = .redeeming(code: code, verifier: verifier, redirect: redirect, since: now)
            try await keep(kept)
        }
        _ = try await redeem(code, verifier, redirect, at: endpoint, orForget: false)
    }

    /// Returns the address to which the browser is to come back; nil where the script names none.
    func wanted(_ redirect: Value?) async throws -> String? {
        guard let redirect else { return nil }
        return try await input(redirect).revealed.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Lets the owner say yes at a page.
    ///
    /// - Returns: the code that their browser brought back.
    func code(
        from address: String, to redirect: String, _ state: Secret, _ browser: any OwnersBrowser
    ) async throws -> Secret {
        let deadline = now.addingTimeInterval(Self.timeOfOwner)
        let back = Fields(
            try await browser.visit(
                OwnersPage(
                    address: address, redirect: redirect, state: state, bankName: script.name, deadline: deadline)))
        guard let returned = back["state"], returned.isEqual(to: state) else {
            throw RunFailure(
                .bankLoginFailed, reason: .noAnswer,
                message:
                    "the browser came back without the mark that it was sent with, so its answer is not used; try again"
            )
        }
        if let error = back["error"] {
            let words = sanitised((back["error_description"] ?? error).revealed())
            throw RunFailure(
                .bankLoginFailed, reason: .approvalCancelled,
                message: "the bank's page came back without a yes; try again when you want to", bankWords: words)
        }
        guard let code = back["code"], !code.isEmpty else {
            throw RunFailure(
                .bankLoginFailed, reason: .noAnswer, message: "the bank's page came back without a code; try again")
        }
        return code
    }

    /// Gives a code away for a token (RFC 6749, section 4.1.3; RFC 7636, section 4.5).
    ///
    /// - Parameter forgets: returns false for a code that is refused, because it was given away before.
    private func redeem(
        _ code: Secret, _ verifier: Secret, _ redirect: String, at endpoint: CredentialExchange.TokenEndpoint,
        orForget forgets: Bool
    ) async throws -> Bool {
        try await locked {
            let answer = try await redeem(
                [
                    ("grant_type", .text("authorization_code")), ("code", .secret(code)),
                    ("redirect_uri", .text(redirect)), ("code_verifier", .secret(verifier)),
                ], at: endpoint)
            if answer.isSuccess {
                try await keep(try grant(from: answer, source: "owner"), after: answer.json)
                return true
            }
            if (400...499).contains(answer.status), answer.status != 429 {
                var kept = try await read()
                kept.pending = nil
                try await keep(kept)
                if forgets { return false }
            }
            throw refused(answer, "the code of your yes")
        }
    }

    private func authorizeDevice(
        _ address: Template, _ endpoint: CredentialExchange.TokenEndpoint, _ browser: any OwnersBrowser
    ) async throws {
        // A code that an earlier try was given may have been typed meanwhile.
        if case .device(let earlier) = try await read().pending, earlier.expiresAt > now,
            try await obtain(by: earlier, endpoint, browser, isEarlier: true)
        {
            return
        }
        _ = try await obtain(
            by: try await newDeviceCode(address, endpoint), endpoint, browser, isEarlier: false)
    }

    /// Shows a code, and asks the bank until the owner has typed it.
    ///
    /// - Returns: false for the code of an earlier try that the bank takes no more.
    private func obtain(
        by code: KeptExchange.DeviceCode, _ endpoint: CredentialExchange.TokenEndpoint, _ browser: any OwnersBrowser,
        isEarlier: Bool
    ) async throws -> Bool {
        var device = code
        try await browser.show(
            OwnersCode(
                code: device.typed, page: device.page, wholePage: device.wholePage, bankName: script.name,
                deadline: device.expiresAt))
        while now < device.expiresAt {
            try await services.clock.sleep(for: .seconds(device.interval))
            switch try await poll(device.code, at: endpoint, isEarlier: isEarlier) {
            case .obtained: return true
            case .over: return false
            case .waiting: continue
            case .slower: device.interval += 5
            case .unheard: device.interval = min(device.interval * 2, 60)
            }
        }
        throw RunFailure(
            .bankSecondFactorTimeout, reason: .timeout, message: "the code was not typed in time; try again")
    }

    /// Asks the bank for a code, and keeps it before it is shown.
    private func newDeviceCode(
        _ address: Template, _ endpoint: CredentialExchange.TokenEndpoint
    ) async throws -> KeptExchange.DeviceCode {
        var form: [(name: String, value: Input)] = [("client_id", try await input(endpoint.client))]
        if let scope = endpoint.scope { form.append(("scope", .text(scope))) }
        let request = EngineRequest(
            method: "POST", reference: absolute(address), headers: Self.acceptsJSON, form: form)
        let answer = TokenAnswer(try await post(request), now: now)
        guard answer.isSuccess, let code = answer.secret("device_code"), let typed = answer.text("user_code"),
            let page = answer.text("verification_uri") ?? answer.text("verification_url")
        else { throw refused(answer, "the request for a code") }
        guard page.hasPrefix("https://") || script.isForTesting, typed.count <= 60, page.count <= 1000 else {
            throw RunFailure(
                .navigationFailed, reason: .insecureContent,
                message: "the bank names a page for the code that is not https; tell the script's author")
        }
        let life = min(max(answer.number("expires_in") ?? 600, 1), 3600)
        let device = KeptExchange.DeviceCode(
            code: code, typed: typed, page: page,
            wholePage: answer.text("verification_uri_complete").flatMap { $0.hasPrefix(page) ? $0 : nil },
            interval: min(max(answer.number("interval") ?? 5, 1), 60), expiresAt: now.addingTimeInterval(Double(life)))
        try await locked {
            var kept = try await read()
            kept.pending = .device(device)
            try await keep(kept)
        }
        return device
    }

    private enum Poll { case obtained, waiting, slower, unheard, over }

    /// Asks once whether the owner has typed the code (RFC 8628, sections 3.4 and 3.5).
    private func poll(
        _ code: Secret, at endpoint: CredentialExchange.TokenEndpoint, isEarlier: Bool
    ) async throws -> Poll {
        try await locked {
            let answer: TokenAnswer
            do {
                answer = try await redeem(
                    [
                        ("grant_type", .text("urn:ietf:params:oauth:grant-type:device_code")),
                        ("device_code", .secret(code)),
                    ], at: endpoint)
            } catch let failure as RunFailure where failure.reason == .networkFailed {
                return .unheard
            }
            if answer.isSuccess {
                try await keep(try grant(from: answer, source: "owner"), after: answer.json)
                return .obtained
            }
            switch answer.error {
            case "authorization_pending": return .waiting
            case "slow_down": return .slower
            default:
                if answer.status >= 500 || answer.status == 429 { return .unheard }
                var kept = try await read()
                kept.pending = nil
                try await keep(kept)
                if isEarlier { return .over }
                guard answer.error == "access_denied" else { throw refused(answer, "the code") }
                throw RunFailure(
                    .bankLoginFailed, reason: .approvalCancelled,
                    message: "you said no at the bank; try again when you want to", bankWords: answer.words)
            }
        }
    }

    /// The time that the owner has in the browser, and the longest life of a code (RFC 6749, section 4.1.2).
    private static let timeOfOwner: TimeInterval = 600
    static let lifeOfCode: TimeInterval = 600

    // MARK: Requests

    private static let acceptsJSON: [(name: String, value: Input)] = [("Accept", .text("application/json"))]

    /// Sends a form to the token endpoint, as the client.
    private func redeem(
        _ fields: [(name: String, value: Input)], at endpoint: CredentialExchange.TokenEndpoint
    ) async throws -> TokenAnswer {
        var (form, headers) = (fields, Self.acceptsJSON)
        let client = try await input(endpoint.client)
        switch endpoint.secret {
        case .basic(let name):
            let secret = try await credential(name)
            // Both are form-encoded before they are joined (RFC 6749, section 2.3.1).
            let pair = Secret(
                Data("\(Self.encoded(client.revealed)):\(Self.encoded(secret.revealed()))".utf8)
                    .base64EncodedString())
            headers.append(("Authorization", .secret(pair.map { "Basic \($0)" })))
        case .form(let name):
            form += [("client_id", client), ("client_secret", .secret(try await credential(name)))]
        case nil: form.append(("client_id", client))
        }
        let request = EngineRequest(
            method: "POST", reference: absolute(endpoint.address), headers: headers, form: form)
        var answer = TokenAnswer(try await post(request), now: now)
        // A server that says when to come back has not used the code or the token.
        for _ in 0..<2 where [429, 503].contains(answer.status) {
            guard let wait = answer.retryAfter, wait.duration <= RetryAfter.longest else { break }
            try await services.clock.sleep(for: wait.duration)
            answer = TokenAnswer(try await post(request), now: now)
        }
        return answer
    }

    private func post(_ request: EngineRequest) async throws -> EngineAnswer {
        try await services.countRequest(to: script)
        var request = request
        request.keepsBodySecret = true
        do {
            let answer = try await engine.request(request)
            // What leaves in an exchange is for one address, and the answer of another one is not taken for a token.
            guard !(300...399).contains(answer.status) else {
                throw RunFailure(
                    .navigationFailed, reason: .foreignOrigin,
                    message: "the bank redirects the exchange to another address, and nothing is sent there; "
                        + "if the interface moved, change its address in the script")
            }
            return answer
        } catch let failure as RunFailure {
            throw failure
        } catch let error as EngineError {
            throw RunFailure(exchangeStopped: error)
        }
    }

    private func absolute(_ address: Template) -> String {
        script.address(of: address.source) ?? address.source
    }

    private func credential(_ name: String) async throws -> Secret {
        if let secret = try await services.credentials.credential(named: name, forBank: bankID) { return secret }
        let advice = services.credentials.adviceForMissing.map { "; \($0)" } ?? ""
        throw RunFailure(
            .bankLoginFailed, reason: .credentialMissing, message: "no \(name) is available for \(script.name)\(advice)"
        )
    }

    private func input(_ value: Value) async throws -> Input {
        if let name = value.credentialName { return .secret(try await credential(name)) }
        if case .template(let template) = value { return .text(template.source) }
        throw RunFailure(.navigationFailed, message: "the client of an exchange is a credential or a text")
    }

    // MARK: Failures

    private func unavailable(_ status: Int, _ wait: RetryAfter?, _ what: String) -> RunFailure {
        let advice = wait.map { "; it asks to wait \($0.words)" } ?? "; try again later"
        return RunFailure(
            .navigationFailed, reason: status == 429 ? .refusedByBank : .serverError,
            message: "the bank answered \(status) to \(what)\(advice). What was kept before is unchanged")
    }

    private func refused(_ answer: TokenAnswer, _ what: String) -> RunFailure {
        if answer.status == 429 || answer.status >= 500 || answer.isSuccess {
            return unavailable(answer.status, answer.retryAfter, what)
        }
        let isClient = answer.error == "invalid_client" || answer.status == 401
        return RunFailure(
            .bankLoginFailed, reason: isClient ? .wrongCredentials : .noAnswer,
            message: "the bank answered \(answer.status)\(answer.error.map { " (\(sanitised($0)))" } ?? "") to \(what)"
                + (isClient ? "; compare the client's id and secret with those at the bank" : "; connect it again"),
            bankWords: answer.words)
    }

    private func ended(_ why: String, isNew: Bool = false, saying words: String? = nil) -> RunFailure {
        RunFailure.consentEnded(script, why, isNew: isNew, saying: words)
    }

    /// Notes that the bank takes the consent no more, so that no later run asks in vain.
    private func ending(_ why: String, saying words: String? = nil) async throws -> RunFailure {
        var consent = try await services.consents.consent(atBank: bankID) ?? Consent(needsOwner: exchange.needsOwner)
        consent.endedAt = now
        try await services.consents.keep(consent, atBank: bankID)
        return ended(why, saying: words)
    }

    // MARK: Texts

    /// A text of 43 characters (RFC 7636, section 4.1).
    static func random() -> Secret {
        var generator = SystemRandomNumberGenerator()
        return Secret(Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }))
    }

    private static func digest(of secret: Secret) -> String {
        Base16.encode(secret.withUnsafeBytes { SHA256.hash(data: Array($0)) })
    }

    private static func encoded(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(encoded($0.0))=\(encoded($0.1))" }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// RFC 3986, section 2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// The query that a browser came back with.
    private struct Fields {
        private var values: [String: Secret] = [:]

        init(_ query: Secret) {
            for pair in query.revealed().split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, let name = String(parts[0]).removingPercentEncoding,
                    let value = parts[1].replacing("+", with: " ").removingPercentEncoding, values[name] == nil
                else { continue }
                values[name] = Secret(value)
            }
        }

        subscript(name: String) -> Secret? { values[name] }
    }
}
