import Foundation
import Machine
import Synchronization

/// The driver for PostgreSQL: a few connections, each used by one transaction at a time on a thread for blocking work.
///
/// It works through a pooler that shares server connections between transactions: it uses no session's settings,
/// advisory locks or prepared statements.
package final class PostgresDatabase: SQLDatabase {
    package let dialect = SQLDialect.postgres
    /// A transaction that PostgreSQL ends because of a deadlock is made this often.
    private static let tries = 10

    private struct Turns {
        var idle: [PostgresConnection] = []
        /// The number of transactions that are under way.
        var taken = 0
        var waiting: [CheckedContinuation<PostgresConnection?, Never>] = []
    }

    private let address: PostgresAddress
    private let limit: Int
    private let turns = Mutex(Turns())

    /// - Parameter limit: the most connections that are open at a time.
    package init(_ address: PostgresAddress, limit: Int = 8) {
        self.address = address
        self.limit = limit
    }

    package func transaction<Value: Sendable>(
        _ mode: SQLTransactionMode, _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        for attempt in 1... {
            do {
                return try await once(mode, body)
            } catch let error as AssistantStoreError where error.code == .deadlock && attempt < Self.tries {
                // Without a pause of random length, the same two would meet again.
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...(50 * attempt))))
            }
        }
        throw CancellationError()
    }

    private func once<Value: Sendable>(
        _ mode: SQLTransactionMode, _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        let idle = await takeTurn()
        let outcome: (Result<Value, any Error>, PostgresConnection)
        do {
            outcome = try await BlockingWork.run { [address] in
                let connection = try Self.begun(mode, idle, address)
                do {
                    let value = try body(connection)
                    try connection.commit()
                    return (.success(value), connection)
                } catch {
                    connection.rollBack()
                    return (.failure(error), connection)
                }
            }
        } catch {
            giveBack(nil)
            throw error
        }
        giveBack(outcome.1)
        return try outcome.0.get()
    }

    /// Waits for a turn.
    ///
    /// - Returns: an idle connection, or nil when the holder of the turn has to make one.
    private func takeTurn() async -> PostgresConnection? {
        await withCheckedContinuation { continuation in
            let now: PostgresConnection?? = turns.withLock { turns in
                guard turns.taken < limit else {
                    turns.waiting.append(continuation)
                    return nil
                }
                turns.taken += 1
                return .some(turns.idle.popLast())
            }
            if let now { continuation.resume(returning: now) }
        }
    }

    private func giveBack(_ connection: PostgresConnection?) {
        let connection = connection?.isUsable == true ? connection : nil
        let next: CheckedContinuation<PostgresConnection?, Never>? = turns.withLock { turns in
            guard turns.waiting.isEmpty else { return turns.waiting.removeFirst() }
            turns.taken -= 1
            if let connection { turns.idle.append(connection) }
            return nil
        }
        next?.resume(returning: connection)
    }

    /// Begins a transaction on an idle connection, or on a new one when the server has closed that. Nothing was sent in
    /// the transaction yet, so a second try is safe.
    private static func begun(
        _ mode: SQLTransactionMode, _ idle: PostgresConnection?, _ address: PostgresAddress
    ) throws -> PostgresConnection {
        if let idle {
            do {
                try idle.begin(mode)
                return idle
            } catch let error as AssistantStoreError where error.code == .unavailable {}
        }
        let connection = try PostgresConnection(address)
        try connection.begin(mode)
        return connection
    }

    /// Does nothing: the server decides itself when it reuses the room of dead rows, and how long it keeps its log.
    package func eraseDeleted() async throws {}

    package func close() async {
        turns.withLock { $0.idle = [] }
    }
}
