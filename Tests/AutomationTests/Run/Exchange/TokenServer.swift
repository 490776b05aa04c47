import Automation
import BankScript
import Clocks
import Crypto
import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import Secrets
import Synchronization
import TestCases

/// Ends the work of a simulated program at one of its steps, and keeps it dead: nothing that it does afterwards has an effect.
final class Mortality: Sendable {
    struct Killed: Error {}

    /// The steps that are left; nil for a program that is not killed.
    private let left: Mutex<Int?>

    init(after steps: Int? = nil) { left = Mutex(steps) }

    var isDead: Bool { left.withLock { $0 == 0 } }

    func step() throws {
        try left.withLock { left in
            guard let count = left else { return }
            guard count > 0 else { throw Killed() }
            left = count - 1
            if count == 1 { throw Killed() }
        }
    }
}

/// A vault that outlives the programs.
final class LastingVault: Sendable {
    let kept = Mutex<String?>(nil)
    let consent = Mutex<Consent?>(nil)

    /// The vault as one program has it.
    struct Opened: GrantStore, ConsentBook {
        let vault: LastingVault
        let life: Mortality

        func kept(forBank bankID: String) async throws -> Secret? {
            try life.step()
            return vault.kept.withLock { $0.map { Secret($0) } }
        }

        func keep(_ value: Secret?, forBank bankID: String) async throws {
            try life.step()
            vault.kept.withLock { $0 = value?.revealed() }
            try life.step()
        }

        func lock(forBank bankID: String) async throws -> any Sendable { bankID }

        func consent(atBank bankID: String) async throws -> Consent? { vault.consent.withLock { $0 } }

        func keep(_ consent: Consent?, atBank bankID: String) async throws {
            try life.step()
            vault.consent.withLock { $0 = consent }
        }
    }
}

/// A bank that gives tokens as RFC 6749, 7636 and 8628 say, and claims as SimpleFIN does. Each code, setup token and refresh token
/// works once.
final class TokenServer: Sendable {
    struct State {
        var claimed = false
        var codes: [String: (challenge: String, redirect: String)] = [:]
        var devices: Set<String> = []
        var typed = true
        var refresh: Set<String> = []
        var access: Set<String> = []
        var made = 0
        /// The answers that come instead, one after the other.
        var troubles: [StagedBank.Answer] = []
        var seen: [String] = []
    }

    let state = Mutex(State())
    /// The seconds for which an access token works; nil for an answer that says nothing of it.
    let life: Int?

    init(life: Int? = 3600) { self.life = life }

    static let setup = Data("https://bank.example/claim/one".utf8).base64EncodedString()

    /// Returns the code that the owner's browser brings back, for a page that was opened.
    func code(for page: OwnersPage) -> (code: String, state: String) {
        let query = Dictionary(
            (URLComponents(string: page.address)?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        ) { $1 }
        return state.withLock { state in
            state.made += 1
            let code = "code-\(state.made)-Kestrel"
            state.codes[code] = (query["code_challenge"] ?? "", query["redirect_uri"] ?? "")
            return (code, query["state"] ?? "")
        }
    }

    func answer(_ line: String, _ body: String) -> StagedBank.Answer {
        state.withLock { state in
            state.seen.append(line)
            if !state.troubles.isEmpty { return state.troubles.removeFirst() }
            let form = Dictionary(
                (URLComponents(string: "x:?" + body.replacing("+", with: "%20"))?.queryItems ?? []).map {
                    ($0.name, $0.value ?? "")
                }
            ) { $1 }
            switch line {
            case "POST /claim/one":
                guard !state.claimed else { return StagedBank.Answer(status: 403, type: "text/plain", body: []) }
                state.claimed = true
                return StagedBank.Answer(
                    type: "text/plain", body: Array("https://robin:Quay%209@bank.example/simplefin".utf8))
            case "POST /device":
                state.made += 1
                let code = "device-\(state.made)-Osprey"
                state.devices.insert(code)
                return .json(
                    #"{"device_code":"\#(code)","user_code":"WDJB-MJHT","verification_uri":"https://bank.example/d","expires_in":600,"interval":5}"#
                )
            case "POST /token": return token(form, &state)
            case "GET /doc": return .pdf()
            default: return .json("{}", status: 404)
            }
        }
    }

    private func token(_ form: [String: String], _ state: inout State) -> StagedBank.Answer {
        func error(_ name: String, _ status: Int = 400) -> StagedBank.Answer {
            .json(#"{"error":"\#(name)"}"#, status: status)
        }
        guard form["client_id"] == "client-1" else { return error("invalid_client", 401) }
        switch form["grant_type"] {
        case "authorization_code":
            guard let (challenge, redirect) = state.codes.removeValue(forKey: form["code"] ?? ""),
                redirect == form["redirect_uri"],
                Base64URL.encode(Array(SHA256.hash(data: Array((form["code_verifier"] ?? "").utf8)))) == challenge
            else { return error("invalid_grant") }
        case "refresh_token":
            guard state.refresh.remove(form["refresh_token"] ?? "") != nil else { return error("invalid_grant") }
        case "urn:ietf:params:oauth:grant-type:device_code":
            guard state.devices.contains(form["device_code"] ?? "") else { return error("expired_token") }
            guard state.typed else { return error("authorization_pending") }
            state.devices.remove(form["device_code"] ?? "")
        default: return error("unsupported_grant_type")
        }
        state.made += 1
        let (access, refresh) = ("access-\(state.made)-Heron", "refresh-\(state.made)-Plover")
        state.access.insert(access)
        state.refresh.insert(refresh)
        let expires = life.map { #","expires_in":\#($0)"# } ?? ""
        return .json(
            #"{"access_token":"\#(access)","refresh_token":"\#(refresh)","token_type":"Bearer"\#(expires),"until":"2026-12-24"}"#
        )
    }
}

/// An owner who says yes at once.
final class YesBrowser: OwnersBrowser {
    private let server: TokenServer
    private let life: Mortality
    let pages = Mutex<[OwnersPage]>([])
    let codes = Mutex<[OwnersCode]>([])
    /// Makes the query that the browser brings back; the right one without it.
    private let query: (@Sendable (_ code: String, _ state: String) -> String)?

    init(
        _ server: TokenServer, life: Mortality = Mortality(),
        bringing query: (@Sendable (_ code: String, _ state: String) -> String)? = nil
    ) {
        self.server = server
        self.life = life
        self.query = query
    }

    func redirect(_ wanted: String?) async throws -> String { wanted ?? "http://127.0.0.1:4711/" }

    func visit(_ page: OwnersPage) async throws -> Secret {
        try life.step()
        pages.withLock { $0.append(page) }
        let (code, state) = server.code(for: page)
        try life.step()
        return Secret(query?(code, state) ?? "code=\(code)&state=\(state)")
    }

    func show(_ code: OwnersCode) async throws {
        try life.step()
        codes.withLock { $0.append(code) }
    }
}

/// A clock that a test sets, and that passes while a program waits.
final class SetClock: RunClock {
    private let time: Mutex<Date>

    init(_ now: Date = Date(timeIntervalSince1970: 1_795_000_000)) { time = Mutex(now) }

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) { time.withLock { $0.addTimeInterval(seconds) } }

    func sleep(for duration: Duration) async throws {
        // A longer time is the limit of a run, and not a pause.
        guard duration < .seconds(120) else { return try await Task.sleep(for: duration) }
        try Task.checkCancellation()
        advance(by: duration.seconds)
    }
}

/// A program that uses a bank's interface, until it is killed.
struct TokenProgram {
    let server: TokenServer
    let vault: LastingVault
    let clock: SetClock
    var life = Mortality()
    var requests: any RequestCounter = UncountedRequests()

    static let head = "bank: staged\nname: Staged Bank\norigins: [https://bank.example, https://auth.bank.example]\n"
    static let steps = """
        steps:
          - download: { request: { GET: /doc, headers: { Authorization: Bearer $access_token } } }

        """
    static let page = """
        credentials: [client]
        exchange: { authorize: "https://auth.bank.example/yes?a=1", token: /token, client: client-1, scope: read all }

        """.replacing("credentials: [client]\n", with: "credentials: []\n")
    static let device = "credentials: []\nexchange: { device: /device, token: /token, client: client-1 }\n"
    static let claim = """
        credentials: [setup]
        exchange: { claim: $setup, gives: [user, pass] }
        steps:
          - download: { request: { GET: /doc, basic: { user: $user, password: $pass } } }

        """

    private struct DyingTransport: HTTPTransport {
        let bank: StagedBank
        let life: Mortality

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            try life.step()
            let answer = try await bank.send(request)
            try life.step()
            return answer
        }

        func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload {
            try await bank.download(request, to: file, limit: limit)
        }

        func cookies() async -> [HTTPCookie] { [] }
        func close() async {}
    }

    private func runner(_ bank: StagedBank, _ credentials: [String: String], _ folder: URL) -> ScriptRunner {
        var services = HostServices(
            credentials: TestCredentials(values: credentials), person: TestPerson(), downloads: FolderSink(folder),
            clock: clock)
        let opened = LastingVault.Opened(vault: vault, life: life)
        services.grants = opened
        services.consents = opened
        services.requests = requests
        return ScriptRunner(services: services, limit: .seconds(600)) { [life] script in
            try HTMLNavigationEngine(
                for: script, configuration: EngineConfiguration(transport: DyingTransport(bank: bank, life: life)))
        }
    }

    private func script(_ yaml: String) throws -> BankScript {
        try BankScript(yaml: Self.head + yaml + (yaml.contains("steps:") ? "" : Self.steps), file: "staged.yaml")
    }

    var bank: StagedBank { StagedBank { line, body in server.answer(line, body) } }

    func connect(
        _ yaml: String, with browser: any OwnersBrowser, at bank: StagedBank? = nil, credentials: [String: String] = [:]
    ) async throws -> Date? {
        try await runner(bank ?? self.bank, credentials, FileManager.default.temporaryDirectory).connect(
            try script(yaml), with: browser)
    }

    /// Runs the script.
    ///
    /// - Returns: the reason why it brought nothing.
    func run(
        _ yaml: String, at bank: StagedBank? = nil, credentials: [String: String] = ["setup": TokenServer.setup]
    ) async throws -> RunFailure? {
        let folder = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            _ = try await runner(bank ?? self.bank, credentials, folder).run(
                try script(yaml), parameters: ["month": 3, "year": 2026])
            return nil
        } catch let failure as RunFailure {
            return failure
        }
    }
}
