import AssistantStore
import AssistantWork
import Clocks
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Assistant

@Suite("Deleting everything, killed at every call of the database", .timeLimit(.minutes(5)))
struct PrivacyKillsTests {
    /// It reads what is due, begins, reads the connectors, records the end of a consent, and deletes.
    private static let calls = 5

    @Test("nothing of the user is left, and Google saw the end", arguments: AssistantStage.Store.all)
    func everyCall(_ store: AssistantStage.Store) async throws {
        try await ConnectedStage.run(store) { connected in
            var kills = 0
            for moment in MortalDatabase.Moment.allCases {
                for call in 0...Self.calls where try await Self.isKilled(at: call, moment, connected) { kills += 1 }
            }
            // Now and then the running service takes a request before the worker of the test has made all its calls.
            #expect((2 * Self.calls - 3...2 * Self.calls).contains(kills))
            #expect(await connected.google.account.refreshTokens.isEmpty)
            let canary = Data("canary-of-a-deleted-user".utf8)
            #expect(try await PrivacyWorkerTests.content(store, connected.stage).range(of: canary) == nil)
            #expect(!connected.stage.logged.withLock { $0.joined() }.contains("canary-of-a-deleted-user"))
        }
    }

    /// Deletes a user with a worker whose process dies at a call, and then with one that lives.
    ///
    /// - Returns: false when the worker had finished before that call.
    private static func isKilled(
        at call: Int, _ moment: MortalDatabase.Moment, _ connected: ConnectedStage
    ) async throws -> Bool {
        let stage = connected.stage
        let token = try await stage.accessToken("\(moment)-\(call).apple")
        let (user, _) = try connected.ids(token, try await connected.connect(token))
        _ = try await stage.send(
            "POST", "/v1/devices/apns", token: token,
            [
                "device_id": "canary-of-a-deleted-user", "apns_token": .string(String(repeating: "ab", count: 32)),
                "environment": "sandbox",
            ])
        let open = try await stage.openDatabase()
        let mortal = MortalDatabase(open.driver, dies: moment, at: call)
        let database = try await AssistantDatabase(mortal)
        // The worker of the running service would perform a request of the API at once.
        let id = "\(moment == .before ? "b" : "a")\(String(format: "%031d", call))"
        _ = try await open.privacy.accept(id, of: user, at: stage.now)

        mortal.begin()
        for database in [database, open] {
            let worker = PrivacyWorker(
                database: database, enclave: connected.enclave, clock: .init(),
                logger: Logger(label: "worker") { _ in StageLog { line in stage.logged.withLock { $0.append(line) } } })
            try? await worker.performDue()
        }
        let end = ContinuousClock.now + .seconds(60)
        while try await open.privacy.request(id)?.status != .done, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await open.privacy.request(id)?.status == .done, "call \(call), \(moment)")
        let rows = try await PrivacyWorkerTests.rows(of: user, open)
        #expect(rows.allSatisfy { $0.value == 0 }, "call \(call), \(moment): \(rows)")
        let records = try await open.audit.events(of: PrivacyRequestStore.nobody, before: nil, atMost: 200)
        #expect(records.count { $0.event.metadata["request_id"] == .string("del_\(id)") } == 1)
        await open.close()
        return mortal.isDead
    }
}

/// A database whose process dies at one call: that call and every later one fail.
private final class MortalDatabase: SQLDatabase {
    enum Moment: Sendable, CaseIterable {
        /// The call is not made.
        case before
        /// The call is made, and its answer is lost.
        case after
    }

    private struct Dead: Error {}
    private struct State {
        var calls: Int?
        var isDead = false
    }

    private let driver: any SQLDatabase
    private let moment: Moment
    private let last: Int
    private let state = Mutex(State())

    init(_ driver: any SQLDatabase, dies moment: Moment, at call: Int) {
        self.driver = driver
        self.moment = moment
        last = call
    }

    var dialect: SQLDialect { driver.dialect }
    var isDead: Bool { state.withLock { $0.isDead } }

    /// Counts the calls from now on.
    func begin() { state.withLock { $0.calls = 0 } }

    func transaction<Value: Sendable>(
        _ mode: SQLTransactionMode, _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        let dies = try state.withLock { state in
            if state.isDead { throw Dead() }
            guard let calls = state.calls else { return false }
            state.calls = calls + 1
            state.isDead = calls == last
            return state.isDead
        }
        if dies, moment == .before { throw Dead() }
        let value = try await driver.transaction(mode, body)
        if dies { throw Dead() }
        return value
    }

    func close() async { await driver.close() }
}
