import AssistantProcesses
import AssistantStore
import CurlClient
import Encodings
import Foundation
import Machine
import MockGoogle
import Notifications
import Secrets
import Synchronization
import Testing

@testable import AssistantJobs

@Suite("Access to Google", .timeLimit(.minutes(3))) struct GoogleAccessTests {
    private static func meetings(_ stage: AccessStage, _ user: UUID) async throws -> Int {
        try await stage.access.ask(.calendar, of: user, at: stage.now) { [now = stage.now] api, _ in
            try await CalendarClient(api).events(from: now, to: now + 3600).count
        }
    }

    private static func error(_ stage: AccessStage, _ user: UUID) async throws -> GoogleAccessError? {
        await #expect(throws: GoogleAccessError.self) { try await meetings(stage, user) }
    }

    @Test("one exchange serves an hour, and the audit log tells of the looks once an hour")
    func once() async throws {
        try await AccessStage.run { stage in
            let user = try await stage.connectedUser()
            for _ in 0..<30 {
                #expect(try await Self.meetings(stage, user) == 0)
                stage.base.wait(60)
            }
            #expect(stage.enclave.exchanges == 1)
            stage.base.wait(1801)
            _ = try await Self.meetings(stage, user)
            #expect(stage.enclave.exchanges == 2)
            #expect(try await stage.count(.success) == 2)
            let events = try await stage.base.events("CONNECTOR_FETCH", of: user)
            #expect(events.map(\.event.metadata) == [["source": "calendar", "looks": 30], ["source": "calendar"]])
            #expect(events.allSatisfy { $0.event.connector == "google" && $0.event.result == "SUCCESS" })
        }
    }

    @Test("callers at the same time share one exchange")
    func shared() async throws {
        try await AccessStage.run { stage in
            let user = try await stage.connectedUser()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try await Self.meetings(stage, user) } }
                try await group.waitForAll()
            }
            #expect(stage.enclave.exchanges == 1)
        }
    }

    @Test("a refused access token leads to exactly one new exchange")
    func refusedToken() async throws {
        try await AccessStage.run { stage in
            let user = try await stage.connectedUser()
            _ = try await Self.meetings(stage, user)
            await stage.google.account.fail(.status(401))
            #expect(try await Self.meetings(stage, user) == 0)
            #expect(stage.enclave.exchanges == 2)

            // The mock meets the faults in the order of its calls: a call, the exchange, the second call.
            stage.enclave.isOutside.withLock { $0 = true }
            await stage.google.account.fail(.status(401), .status(401))
            #expect(try await Self.error(stage, user) == .later(after: .seconds(60), reason: "GOOGLE_UNAUTHORIZED"))
            #expect(stage.enclave.exchanges == 3)
        }
    }

    @Test("a consent that ended is told once, however often and by however many workers it is noticed")
    func reconnect() async throws {
        try await AccessStage.run { stage in
            let user = try await stage.connectedUser()
            await stage.google.account.endConsents()
            for _ in 0..<3 { #expect(try await Self.error(stage, user) == .needsReconnect) }
            let other = stage.anotherAccess()
            await #expect(throws: GoogleAccessError.needsReconnect) {
                try await other.ask(.calendar, of: user, at: stage.now) { _, _ in }
            }
            #expect(stage.enclave.exchanges == 1)
            #expect(try await stage.count(.needsReconnect) == 1)
            #expect(try await stage.count(.success) == 0)
            let notices = stage.notices.list
            #expect(notices.map(\.kind) == [.reconnect] && notices[0].collapseKey.utf8.count <= 64)
            #expect(GoogleAccessError.needsReconnect.jobEnd(at: stage.now) == .done)
        }
    }

    @Test("a notice that could not be handed over is told later")
    func failedNotice() async throws {
        try await AccessStage.run { stage in
            let user = try await stage.connectedUser()
            await stage.google.account.endConsents()
            stage.isFailing.withLock { $0 = true }
            await #expect(throws: AssistantStoreError.self) { try await Self.meetings(stage, user) }
            stage.isFailing.withLock { $0 = false }
            for _ in 0..<3 { #expect(try await Self.error(stage, user) == .needsReconnect) }
            #expect(stage.notices.list.count == 1)
        }
    }

    @Test("a caller that is cancelled stops waiting for a session; the next one gets it")
    func waiting() async throws {
        let transports = GoogleTransports(limit: 1) { CurlSession(CurlConfiguration()) }
        let only = try await transports.take()
        let waiting = Task { try await transports.take() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        let next = Task { try await transports.take() }
        await transports.giveBack(only)
        _ = try await next.value
    }

    @Test("while no push service can be reached, the user is told later, and then once")
    func untold() async throws {
        try await AccessStage.run { stage in
            let user = try await stage.connectedUser()
            await stage.google.account.endConsents()
            stage.outcome.withLock { $0 = .later(.seconds(9)) }
            #expect(try await Self.error(stage, user) == .untold(after: .seconds(9)))
            #expect(try await Self.error(stage, user) == .untold(after: .seconds(9)))
            stage.outcome.withLock { $0 = .accepted }
            for _ in 0..<3 { #expect(try await Self.error(stage, user) == .needsReconnect) }
            #expect(stage.notices.list.count == 3)
        }
    }

    @Test(
        "what Google answers becomes a time to try again",
        arguments: [
            (MockAccount.Fault.status(429, retryAfter: 7), "GOOGLE_RATE_LIMITED", Duration?.some(.seconds(7))),
            (.status(429), "GOOGLE_RATE_LIMITED", nil), (.userRateLimit, "GOOGLE_RATE_LIMITED", nil),
            (.status(503), "GOOGLE_UNAVAILABLE", nil), (.status(500), "GOOGLE_UNAVAILABLE", nil),
            (.garbage, "GOOGLE_MALFORMED", nil), (.status(400), "GOOGLE_REFUSED", .seconds(60)),
        ])
    func faults(_ fault: MockAccount.Fault, _ reason: String, _ pause: Duration?) async throws {
        try await AccessStage.run { stage in
            let user = try await stage.connectedUser()
            _ = try await Self.meetings(stage, user)
            await stage.google.account.fail(fault)
            #expect(try await Self.error(stage, user) == .later(after: pause, reason: reason))
            // It was asked once: the job tries again by its own schedule.
            #expect(try await Self.meetings(stage, user) == 0)
            let last = try #require(try await stage.base.events("CONNECTOR_FETCH", of: user).dropFirst().first)
            #expect(last.event.result == "FAILURE" && last.event.metadata["reason"] == .string(reason))
        }
    }

    @Test("a refusal of the enclave leaves the connection as it is, and is tried again")
    func denied() async throws {
        try await AccessStage.run { stage in
            let user = try await stage.connectedUser()
            stage.enclave.refusal.withLock { $0 = .refused(code: "EVIDENCE_STALE", message: "") }
            #expect(try await Self.error(stage, user) == .later(after: nil, reason: "EVIDENCE_STALE"))
            stage.enclave.refusal.withLock { $0 = .unavailable("") }
            #expect(try await Self.error(stage, user) == .later(after: nil, reason: "ENCLAVE_UNAVAILABLE"))
            stage.enclave.refusal.withLock { $0 = .refused(code: "GOOGLE_UNAVAILABLE", message: "") }
            #expect(try await Self.error(stage, user) == .later(after: nil, reason: "GOOGLE_UNAVAILABLE"))
            #expect(try await stage.count(.refused) == 1)
            #expect(try await stage.count(.unavailable) == 2)
            #expect(try await stage.base.database.connectors.connectors(of: user).map(\.status) == [.active])
            #expect(stage.notices.list.isEmpty)
        }
    }

    @Test("without a connection or its scope nothing is asked")
    func nothing() async throws {
        try await AccessStage.run { stage in
            let user = try await stage.base.user()
            #expect(try await Self.error(stage, user) == .notConnected)
            try await stage.base.connect(user, scopes: ["gmail.readonly"])
            #expect(try await Self.error(stage, user) == .missingScope)
            #expect(
                GoogleAccessError.missingScope.jobEnd(at: WorkerStage.start) == .next(WorkerStage.start + 3600))
            #expect(stage.enclave.exchanges == 0)
        }
    }
}

/// A mock of Google, an enclave that exchanges there, and devices that remember their notices.
struct AccessStage: Sendable {
    let base: WorkerStage
    let google: MockGoogleServer
    let enclave: ExchangingEnclave
    let access: GoogleAccess
    let notices: Journal<Notice>
    let outcome: Shared<NoticeOutcome>
    /// True while the database of notices fails.
    let isFailing = Shared(false)

    var now: Date { base.now }

    static func run(_ body: (AccessStage) async throws -> Void) async throws {
        let base = try await WorkerStage()
        var mock = MockGoogleConfiguration()
        mock.now = { base.now }
        let google = try await MockGoogleServer.start(mock)
        do {
            try await body(try AccessStage(base, google, mock))
        } catch {
            await google.stop()
            throw error
        }
        await google.stop()
    }

    private let endpoints: GoogleEndpoints

    private init(_ base: WorkerStage, _ google: MockGoogleServer, _ mock: MockGoogleConfiguration) throws {
        self.base = base
        self.google = google
        var endpoints = GoogleEndpoints()
        endpoints.token = "\(google.url)/token"
        endpoints.api = google.url
        self.endpoints = endpoints
        notices = Journal<Notice>()
        outcome = Shared(.accepted)
        enclave = ExchangingEnclave(
            client: GoogleOAuth(
                clientID: mock.clientID, clientSecret: mock.clientSecret.map { Secret($0) }, endpoints: endpoints,
                over: Self.session()), base: base, account: google.account)
        access = GoogleAccess(
            database: base.database, enclave: enclave, endpoints: endpoints,
            transports: GoogleTransports(limit: 4) { Self.session() },
            notices: RememberedDelivery(notices: notices, outcome: outcome, isFailing: isFailing))
    }

    /// Another worker's, with an empty memory.
    func anotherAccess() -> GoogleAccess {
        GoogleAccess(
            database: base.database, enclave: enclave, endpoints: endpoints,
            transports: GoogleTransports(limit: 4) { Self.session() },
            notices: RememberedDelivery(notices: notices, outcome: outcome))
    }

    /// Returns how many exchanges ended so.
    func count(_ outcome: AssistantMetric.RefreshOutcome) async throws -> Int {
        let lines = try await base.database.metrics.text(prefix: "").split(separator: "\n")
        let name = "\(AssistantMetric.tokenRefreshes(outcome).series) "
        return lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) } ?? -1
    }

    func connectedUser() async throws -> UUID {
        let user = try await base.user()
        try await base.connect(user)
        let token = await google.account.consentForTests()
        enclave.refreshToken.withLock { $0 = token }
        return user
    }

    private static func session() -> CurlSession {
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        return CurlSession(curl)
    }
}

/// A value that tests change.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { value in
            var copy = value
            let result = body(&copy)
            value = copy
            return result
        }
    }
}

/// Devices that remember their notices.
struct RememberedDelivery: NoticeDelivering {
    let notices: Journal<Notice>
    let outcome: Shared<NoticeOutcome>
    var isFailing = Shared(false)

    func deliver(_ notice: Notice, to userID: UUID, at now: Date) async throws -> NoticeOutcome {
        if isFailing.withLock({ $0 }) { throw AssistantStoreError(.unavailable, "a test") }
        notices.add(notice)
        return outcome.withLock { $0 }
    }
}

/// Exchanges at the mock as the enclave does, and counts.
final class ExchangingEnclave: AccessTokenMinting {
    let refreshToken = Shared("")
    /// The answer that it gives instead.
    let refusal = Shared<ProcessSocketError?>(nil)
    /// Makes its tokens without a call to the mock, so that the next faults are for others.
    let isOutside = Shared(false)
    private let count = Shared(0)
    private let client: GoogleOAuth
    private let base: WorkerStage
    private let account: MockAccount

    init(client: GoogleOAuth, base: WorkerStage, account: MockAccount) {
        self.client = client
        self.base = base
        self.account = account
    }

    var exchanges: Int { count.withLock { $0 } }

    func accessToken(of connector: UUID, user: UUID) async throws(ProcessSocketError) -> EnclaveClient.Access {
        count.withLock { $0 += 1 }
        if let refusal = refusal.withLock({ $0 }) { throw refusal }
        if isOutside.withLock({ $0 }) {
            return EnclaveClient.Access(
                token: Secret("an access token that was made outside"), expiresIn: 3599, scopes: [],
                runtime: "software", measurement: "")
        }
        do {
            let access = try await client.refresh(Secret(refreshToken.withLock { $0 }))
            return EnclaveClient.Access(
                token: access.token, expiresIn: access.expiresIn, scopes: access.scopes.map(\.rawValue),
                runtime: "software", measurement: "")
        } catch GoogleError.invalidGrant {
            _ = try? await base.database.connectors.move(
                connector, of: user, to: .needsReconnect, recording: NewAuditEvent("CONNECTOR_NEEDS_RECONNECT"),
                at: base.now)
            throw .refused(code: EnclaveRefusal.needsReconnect.rawValue, message: "")
        } catch {
            throw .refused(code: EnclaveRefusal.googleUnavailable.rawValue, message: "\(error)")
        }
    }
}
