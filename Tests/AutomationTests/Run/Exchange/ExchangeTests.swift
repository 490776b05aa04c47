import BankScript
import CurlClient
import Foundation
import Secrets
import Synchronization
import Testing

@testable import Automation

@Suite("A credential that is exchanged for others")
struct ExchangeTests {
    private static func program(life: Int? = 3600) -> TokenProgram {
        TokenProgram(server: TokenServer(life: life), vault: LastingVault(), clock: SetClock())
    }

    // MARK: Claims

    @Test("a setup token is claimed in the first run, and what it gave is used in all runs")
    func claim() async throws {
        let program = Self.program()
        let bank = program.bank
        for _ in 1...3 { #expect(try await program.run(TokenProgram.claim, at: bank) == nil) }
        #expect(bank.lines == ["POST /claim/one", "GET /doc", "GET /doc", "GET /doc"])
        let pair = Data("robin:Quay 9".utf8).base64EncodedString()
        #expect(bank.seen.last?.headers.last { $0.isNamed("authorization") }?.value == "Basic \(pair)")
    }

    @Test("a setup token that was claimed already is refused, and what another one gave stays")
    func claimedBefore() async throws {
        let program = Self.program()
        #expect(try await program.run(TokenProgram.claim) == nil)
        let kept = program.vault.kept.withLock { $0 }
        let other = Data("https://bank.example/claim/two".utf8).base64EncodedString()
        let bank = StagedBank { line, _ in
            line == "GET /doc" ? .pdf() : StagedBank.Answer(status: 403, type: "text/plain", body: [])
        }
        let failure = try await program.run(TokenProgram.claim, at: bank, credentials: ["setup": other])
        #expect(failure?.code == .bankLoginFailed && failure?.reason == .wrongCredentials)
        #expect(failure?.message.contains("create a new one") == true)
        #expect(bank.lines == ["POST /claim/two"])
        #expect(program.vault.kept.withLock { $0 } == kept)
    }

    @Test(
        "a text that is not a setup token, or a token that leads elsewhere, is not sent",
        arguments: [
            ("not base64 at all!", "does not hold an address"), ("aGVsbG8gd29ybGQ=", "does not hold an address"),
            ("https://thief.example/claim", "leads to another server"),
            ("https://bank.example.thief.example/claim", "leads to another server"),
            ("https://u:p@bank.example/claim", "does not hold an address"), ("/claim", "does not hold an address"),
            ("http://bank.example/claim", "leads to another server"),
        ])
    func badSetup(token: String, words: String) async throws {
        let program = Self.program()
        let bank = program.bank
        let setup = token.contains("/") ? Data(token.utf8).base64EncodedString() : token
        let failure = try await program.run(TokenProgram.claim, at: bank, credentials: ["setup": setup])
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
        #expect(bank.lines.isEmpty)
    }

    @Test(
        "an answer that gives no access is not kept",
        arguments: ["", "<html>Hello", "https://bank.example/simplefin", "https://robin:pw@thief.example/simplefin"])
    func badAccess(answer: String) async throws {
        let program = Self.program()
        let bank = StagedBank { _, _ in StagedBank.Answer(type: "text/plain", body: Array(answer.utf8)) }
        let failure = try await program.run(TokenProgram.claim, at: bank)
        #expect(failure?.code == .navigationFailed || failure?.code == .bankLoginFailed)
        #expect(program.vault.kept.withLock { $0 }?.contains("credentials") != true)
    }

    // MARK: The owner's yes

    @Test("a code that the owner's browser brings becomes a token, with a proof key (RFC 7636)")
    func code() async throws {
        let program = Self.program()
        let browser = YesBrowser(program.server)
        let failure = try await program.run(TokenProgram.page)
        #expect(failure?.code == .consentEnded)
        #expect(failure?.message.contains("countersign phone banks connect staged") == true)
        let bank = program.bank
        _ = try await program.connect(TokenProgram.page, with: browser, at: bank)
        let page = try #require(browser.pages.withLock { $0 }.first)
        #expect(page.address.hasPrefix("https://auth.bank.example/yes?a=1&response_type=code&client_id=client-1&"))
        #expect(page.address.contains("&code_challenge_method=S256&scope=read%20all"))
        #expect(bank.lines == ["POST /token"])
        #expect(bank.seen[0].body.contains("grant_type=authorization_code"))
        #expect(try await program.run(TokenProgram.page, at: bank) == nil)
        #expect(
            bank.seen.last?.headers.last { $0.isNamed("authorization") }?.value.hasPrefix("Bearer access-") == true)
    }

    @Test(
        "a browser that comes back with something else gives nothing, and nothing is sent",
        arguments: ["code=stolen&state=wrong", "code=stolen", "", "error=access_denied&state=S", "state=S"])
    func badReturn(query: String) async throws {
        let program = Self.program()
        let bank = program.bank
        let browser = YesBrowser(program.server) { _, state in query.replacing("state=S", with: "state=\(state)") }
        let failure = await #expect(throws: RunFailure.self) {
            try await program.connect(TokenProgram.page, with: browser, at: bank)
        }
        #expect(failure?.code == .bankLoginFailed)
        #expect(failure?.reason == (query.hasPrefix("error") ? .approvalCancelled : .noAnswer))
        #expect(bank.lines.isEmpty && program.vault.kept.withLock { $0 } == nil)
    }

    @Test("a code for another device is asked for until the owner has typed it (RFC 8628)")
    func device() async throws {
        let program = Self.program()
        let browser = YesBrowser(program.server)
        program.server.state.withLock { state in
            state.troubles = [
                .json(
                    #"{"device_code":"device-0","user_code":"WDJB-MJHT","verification_uri":"https://bank.example/d","expires_in":600}"#
                ), .json(#"{"error":"authorization_pending"}"#, status: 400),
                .json(#"{"error":"slow_down"}"#, status: 400),
            ]
            state.devices.insert("device-0")
        }
        let began = program.clock.now
        let bank = program.bank
        _ = try await program.connect(TokenProgram.device, with: browser, at: bank)
        #expect(browser.codes.withLock { $0 }.map(\.code) == ["WDJB-MJHT"])
        #expect(bank.lines == ["POST /device", "POST /token", "POST /token", "POST /token"])
        // 5, 5 and, after slow_down, 10 seconds.
        #expect(program.clock.now.timeIntervalSince(began) == 20)
        #expect(try await program.run(TokenProgram.device) == nil)
    }

    // MARK: Renewal

    @Test("a token that ends within five minutes is renewed first, and the refresh token rotates")
    func renewal() async throws {
        let program = Self.program()
        _ = try await program.connect(TokenProgram.page, with: YesBrowser(program.server))
        let bank = program.bank
        #expect(try await program.run(TokenProgram.page, at: bank) == nil)
        program.clock.advance(by: 3301)
        #expect(try await program.run(TokenProgram.page, at: bank) == nil)
        program.clock.advance(by: 3301)
        #expect(try await program.run(TokenProgram.page, at: bank) == nil)
        #expect(bank.lines == ["GET /doc", "POST /token", "GET /doc", "POST /token", "GET /doc"])
        #expect(Set(bank.seen.map(\.body)).count == 3)
    }

    @Test("a renewal that fails leaves the old token, which works until its end", arguments: [500, 502, 429, 503])
    func trouble(status: Int) async throws {
        let program = Self.program()
        _ = try await program.connect(TokenProgram.page, with: YesBrowser(program.server))
        let kept = program.vault.kept.withLock { $0 }
        program.clock.advance(by: 3400)
        program.server.state.withLock { $0.troubles = [.json("<html>", status: status)] }
        #expect(try await program.run(TokenProgram.page) == nil)
        #expect(program.vault.kept.withLock { $0 } == kept)
        program.clock.advance(by: 3600)
        program.server.state.withLock { $0.troubles = [.json("{}", status: status)] }
        let failure = try await program.run(TokenProgram.page)
        #expect(failure?.code == .navigationFailed, "\(failure?.description ?? "")")
        #expect(failure?.reason == (status == 429 ? .refusedByBank : .serverError))
        #expect(program.vault.kept.withLock { $0 } == kept)
        #expect(try await program.run(TokenProgram.page) == nil)
    }

    @Test("a server that says when to come back is asked again then, twice at most")
    func retryAfter() async throws {
        let program = Self.program()
        _ = try await program.connect(TokenProgram.page, with: YesBrowser(program.server))
        program.clock.advance(by: 3601)
        let busy = StagedBank.Answer.json("{}", status: 503, headers: [HTTPHeader("Retry-After", "20")])
        program.server.state.withLock { $0.troubles = [busy, busy] }
        let began = program.clock.now
        #expect(try await program.run(TokenProgram.page) == nil)
        #expect(program.clock.now.timeIntervalSince(began) == 40)
        program.clock.advance(by: 3601)
        program.server.state.withLock { $0.troubles = [busy, busy, busy] }
        let failure = try await program.run(TokenProgram.page)
        #expect(failure?.message.contains("it asks to wait") == true, "\(failure?.message ?? "")")
    }

    @Test("a consent that the bank ended is asked about once, and then not again until the owner connects")
    func ended() async throws {
        let program = Self.program()
        _ = try await program.connect(TokenProgram.page, with: YesBrowser(program.server))
        program.clock.advance(by: 3601)
        program.server.state.withLock { $0.refresh = [] }
        let bank = program.bank
        for _ in 1...3 {
            let failure = try await program.run(TokenProgram.page, at: bank)
            #expect(failure?.code == .consentEnded && failure?.reason == .consentEnded)
            #expect(failure?.message.contains("countersign phone banks connect staged") == true)
        }
        #expect(bank.lines == ["POST /token"])
        _ = try await program.connect(TokenProgram.page, with: YesBrowser(program.server))
        #expect(try await program.run(TokenProgram.page) == nil)
    }

    @Test("a token that the bank refuses ends the consent: a later run asks nothing")
    func revoked() async throws {
        let program = Self.program()
        _ = try await program.connect(TokenProgram.page, with: YesBrowser(program.server))
        let bank = StagedBank { _, _ in .json(#"{"error":"unauthorized"}"#, status: 401) }
        for _ in 1...2 {
            let failure = try await program.run(TokenProgram.page, at: bank)
            #expect(failure?.code == .consentEnded, "\(failure?.description ?? "")")
        }
        #expect(bank.lines == ["GET /doc"])
    }

    @Test("a run that began before the owner connected the bank anew ends no consent, and names no day of one")
    func connectedMeanwhile() async throws {
        for (status, body) in [(401, #"{"error":"unauthorized"}"#), (200, #"{"until":"2026-12-31"}"#)] {
            let program = Self.program()
            func connected() async throws -> String? {
                _ = try await program.connect(TokenProgram.page, with: YesBrowser(program.server))
                return program.vault.kept.withLock { $0 }
            }
            let (before, after) = (try await connected(), try await connected())
            program.vault.kept.withLock { $0 = before }
            let next = Consent(endsAt: program.clock.now.addingTimeInterval(90 * 86_400))
            let yaml =
                "consent: { until: $.until }\n" + TokenProgram.page + """
                    steps:
                      - request: { GET: /who, headers: { Authorization: Bearer $access_token } }
                      - download: { request: { GET: /doc, headers: { Authorization: Bearer $access_token } } }

                    """
            let bank = StagedBank { line, _ in
                guard line == "GET /who" else { return .pdf() }
                program.vault.kept.withLock { $0 = after }
                program.vault.consent.withLock { $0 = next }
                return .json(body, status: status)
            }
            let failure = try await program.run(yaml, at: bank)
            #expect((failure?.code == .consentEnded) == (status == 401), "\(failure?.description ?? "")")
            #expect(program.vault.consent.withLock { $0 } == next, "\(status)")
            #expect(try await program.run(yaml, at: program.bank)?.code != .consentEnded)
        }
    }

    @Test("the day that an answer names does not take back an end that another run has noted")
    func dayAfterEnd() async throws {
        let program = Self.program()
        _ = try await program.connect(TokenProgram.page, with: YesBrowser(program.server))
        let end = program.clock.now
        let yaml =
            "consent: { until: $.until }\n" + TokenProgram.page + """
                steps:
                  - request: { GET: /who, headers: { Authorization: Bearer $access_token } }
                  - download: { request: { GET: /doc, headers: { Authorization: Bearer $access_token } } }

                """
        let bank = StagedBank { line, _ in
            guard line == "GET /who" else { return .pdf() }
            program.vault.consent.withLock { $0?.endedAt = end }
            return .json(#"{"until":"2026-12-31"}"#)
        }
        _ = try await program.run(yaml, at: bank)
        let consent = program.vault.consent.withLock { $0 }
        #expect(consent?.endedAt == end && consent?.endsAt != nil, "\(String(describing: consent))")
    }

    @Test(
        "a consent whose end a script declares ends with the way out",
        arguments: ["CONSENT_ENDED: { json: $.error }, reason: consent_ended", "CONSENT_ENDED: { json: $.error }"])
    func declaredEnd(rule: String) async throws {
        let program = Self.program()
        _ = try await program.connect(TokenProgram.page, with: YesBrowser(program.server))
        let yaml =
            TokenProgram.page + """
                steps:
                  - request: { GET: /who, headers: { Authorization: Bearer $access_token }, expecting: 200..403 }
                  - fail: { \(rule) }
                  - download: { request: { GET: /doc, headers: { Authorization: Bearer $access_token } } }

                """
        let bank = StagedBank { _, _ in .json(#"{"error":"invalid_token"}"#, status: 403) }
        let failure = try await program.run(yaml, at: bank)
        #expect(failure?.code == .consentEnded && failure?.reason == .consentEnded)
        let message = failure?.message ?? ""
        #expect(message.contains("Staged Bank says that your consent has ended"), "\(message)")
        #expect(message.contains("countersign phone banks connect staged"), "\(message)")
        let later = try await program.run(yaml, at: bank)
        #expect(later?.code == .consentEnded && bank.lines == ["GET /who"])
    }

    @Test("a redirect takes nothing to another address", arguments: [307, 308])
    func redirected(status: Int) async throws {
        let program = Self.program()
        let bank = StagedBank { line, _ in
            line == "POST /token"
                ? StagedBank.Answer(status: status, headers: [HTTPHeader("Location", "/elsewhere")], body: [])
                : .json("{}")
        }
        let failure = await #expect(throws: RunFailure.self) {
            try await program.connect(TokenProgram.page, with: YesBrowser(program.server), at: bank)
        }
        #expect(failure?.reason == .foreignOrigin, "\(failure?.description ?? "")")
        #expect(bank.lines == ["POST /token"])
    }

    @Test(
        "answers of other types than the standard's are read, or refused in words",
        arguments: [
            (#"{"access_token":"a-Heron","expires_in":"3600"}"#, true),
            (#"{"access_token":"a-Heron"}"#, true), (#"{"access_token":"a-Heron","token_type":"bEARER"}"#, true),
            (#"{"access_token":"a-Heron","token_type":"mac"}"#, false), (#"{"access_token":7}"#, false),
            (#"{"access_token":""}"#, false), ("[]", false), ("<html>Hello", false), ("", false),
        ])
    func answers(body: String, isRead: Bool) async throws {
        let program = Self.program()
        let bank = StagedBank { line, _ in line == "POST /token" ? .json(body) : .pdf() }
        do {
            _ = try await program.connect(TokenProgram.page, with: YesBrowser(program.server), at: bank)
            #expect(isRead)
        } catch let failure as RunFailure {
            #expect(!isRead && failure.code == .navigationFailed, "\(failure)")
        }
    }

    // MARK: Consent and budget

    @Test("the end of a consent is read from the answer, or counted from the yes")
    func consent() async throws {
        let program = Self.program()
        let day = try #require(ISO8601DateFormatter().date(from: "2026-12-24T23:59:59Z"))
        let until = "consent: { until: $.until }\n"
        #expect(try await program.connect(until + TokenProgram.page, with: YesBrowser(program.server)) == day)
        let lasts = "consent: { lasts: 90 days }\n"
        let end = try await program.connect(lasts + TokenProgram.page, with: YesBrowser(program.server))
        #expect(end == program.clock.now.addingTimeInterval(90 * 86_400))
        program.clock.advance(by: 90 * 86_400)
        let bank = program.bank
        let failure = try await program.run(lasts + TokenProgram.page, at: bank)
        #expect(failure?.code == .consentEnded && failure?.message.contains("your consent ended on") == true)
        #expect(bank.lines.isEmpty)
    }

    @Test("the end of a consent that no browser renews asks for other credentials, and for no connection")
    func consentWithoutBrowser() async throws {
        let token = """
            credentials: [token]
            steps:
              - download: { request: { GET: /doc, headers: { Authorization: Bearer $token } } }

            """
        for yaml in [token, TokenProgram.claim] {
            let program = Self.program()
            program.vault.consent.withLock { $0 = Consent(endsAt: program.clock.now) }
            let bank = program.bank
            let failure = try await program.run("consent: { until: $.until }\n" + yaml, at: bank)
            let message = failure?.message ?? ""
            #expect(failure?.code == .consentEnded)
            #expect(message.contains("countersign phone banks change staged"), "\(message)")
            #expect(!message.contains("banks connect") && bank.lines.isEmpty, "\(message)")
        }
    }

    @Test(
        "a run corrects who renews a consent, which phones did not note before",
        arguments: [(TokenProgram.claim, true, false), (TokenProgram.page, false, true)])
    func whoRenews(yaml: String, noted: Bool, isOwner: Bool) async throws {
        for endedAt in [nil, Date.distantPast] {
            let program = Self.program()
            program.vault.consent.withLock { $0 = Consent(endedAt: endedAt, needsOwner: noted) }
            _ = try await program.run(yaml)
            #expect(program.vault.consent.withLock { $0?.needsOwner } == isOwner)
            #expect(program.vault.consent.withLock { $0?.endedAt } == endedAt || yaml == TokenProgram.page)
        }
    }

    @Test("a script without an exchange cannot be connected, and says what renews a consent instead")
    func notConnected() async throws {
        let token = """
            credentials: [token]
            steps:
              - download: { request: { GET: /doc, headers: { Authorization: Bearer $token } } }

            """
        let program = Self.program()
        let failure = await #expect(throws: RunFailure.self) {
            try await program.connect(token, with: YesBrowser(program.server))
        }
        #expect(failure?.message.contains("needs no connection") == true)
        #expect(failure?.message.contains("countersign phone banks change staged") == true)
    }

    private final class Counting: RequestCounter {
        let made = Mutex(0)

        func count(forBank bankID: String, limit: Int, at now: Date) async throws -> Date? {
            made.withLock { made in
                guard made < limit else { return now.addingTimeInterval(3600) }
                made += 1
                return nil
            }
        }

        func turn(forBank bankID: String, gap: Duration, at now: Date) async throws -> Duration { .zero }
    }

    @Test("a budget counts exchanges, requests and downloads, and refuses before it is exceeded")
    func budget() async throws {
        var program = Self.program()
        program.requests = Counting()
        let yaml = "budget: 3 a day\n" + TokenProgram.claim
        let bank = program.bank
        #expect(try await program.run(yaml, at: bank) == nil)
        #expect(try await program.run(yaml, at: bank) == nil)
        let failure = try await program.run(yaml, at: bank)
        #expect(failure?.reason == .refusedByBank)
        #expect(failure?.message.contains("3 requests in 24 hours") == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("the next request is possible on") == true)
        #expect(bank.lines.count == 3)
    }
}
