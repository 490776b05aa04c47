import AssistantStore
import Synchronization
import Testing

@testable import Assistant

@Suite("Deleting everything, killed at every call of the database", .timeLimit(.minutes(5)))
struct PrivacyKillsTests {
    /// It reads what is due, begins, reads the connectors, records the end of a consent, deletes, cleans the files, and ends.
    private static let calls = 7

    @Test("nothing of the user is left, and Google saw the end", arguments: AssistantStage.Store.all)
    func everyCall(_ store: AssistantStage.Store) async throws {
        try await ConnectedStage.run(store) { connected in
            var kills = 0
            for moment in MortalDatabase.Moment.allCases {
                for call in 0...Self.calls where try await Self.isKilled(at: call, moment, connected) { kills += 1 }
            }
            // Now and then the running service takes a request before the worker of the test has made all its calls.
            #expect((2 * Self.calls - 3...2 * Self.calls).contains(kills))
            try await UserToDelete.expectNoTrace(store, connected)
        }
    }

    /// Deletes a user with a worker whose process dies at a call, and then with one that lives.
    ///
    /// - Returns: false when the worker had finished before that call.
    private static func isKilled(
        at call: Int, _ moment: MortalDatabase.Moment, _ connected: ConnectedStage
    ) async throws -> Bool {
        let open = try await connected.stage.openDatabase()
        let mortal = MortalDatabase(open.driver, dies: moment, at: call)
        let database = try await AssistantDatabase(mortal)
        let user = try await UserToDelete("\(moment)-\(call)", connected, in: open)
        mortal.begin()
        await user.tryDeletion(in: database)
        await user.tryDeletion()
        try await user.expectDeletion("call \(call), \(moment)")
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
        try await counting { try await driver.transaction(mode, body) }
    }

    func eraseDeleted() async throws { try await counting { try await driver.eraseDeleted() } }

    private func counting<Value>(_ call: () async throws -> Value) async throws -> Value {
        let dies = try state.withLock { state in
            if state.isDead { throw Dead() }
            guard let calls = state.calls else { return false }
            state.calls = calls + 1
            state.isDead = calls == last
            return state.isDead
        }
        if dies, moment == .before { throw Dead() }
        let value = try await call()
        if dies { throw Dead() }
        return value
    }

    func close() async { await driver.close() }
}
