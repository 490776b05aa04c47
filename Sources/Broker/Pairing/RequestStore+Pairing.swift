import AuditLog
import Clocks
import DeviceTrust
import Foundation
import GRDB
import JSON
import Secrets

/// The pairing sessions. Each change of state is one conditional UPDATE, whoever makes it: the broker that serves the
/// phone, or the command at which the person sits.
extension RequestStore {
    /// Begins a session with a fresh code. It ends all by itself when its time is over.
    ///
    /// - Parameter life: at most ``PairingSession/longestLife``.
    public func openPairing(
        life: Duration, name: String?, _ sealing: Sealing
    ) async throws -> (session: PairingSession, code: PairingCode) {
        let now = Timestamp(clock.now)
        let life = min(life, PairingSession.longestLife)
        return try await pool.write { [clock] db in
            try Self.endOverduePairings(clock, in: db)
            let taken = try Set(
                Int.fetchAll(
                    db, sql: "SELECT session FROM pairing_sessions WHERE state IN ('OPEN', 'CLAIMED', 'CONFIRMED')"))
            // Two digits as long as there are some left: a person may have to type them.
            let free = [1...99, PairingCode.sessions].lazy.compactMap {
                $0.filter { !taken.contains($0) }.randomElement()
            }
            guard let number = free.first else { throw StoreError(message: "9,999 pairings are open; wait for them") }
            let code = PairingCode(session: number)
            try db.execute(
                sql: """
                    INSERT INTO pairing_sessions (session, state, code_sealed, name, created_at, expires_at, boot,
                        due_milliseconds) VALUES (?, 'OPEN', ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    number, try sealing.seal(code.code, as: PairingSession.purpose(number, now)), name,
                    now.description, Timestamp(now.date.addingTimeInterval(life.seconds)).description, clock.boot,
                    clock.elapsedMilliseconds + Int64(life.seconds * 1000),
                ])
            let id = db.lastInsertedRowID
            try Self.record("pairing.opened", .info, number, [:], clock, in: db)
            guard let session = try Self.pairing(id, in: db) else {
                throw StoreError(message: "the pairing could not be stored")
            }
            return (session, code)
        }
    }

    /// As it is now; it ends here when its time is over.
    public func pairing(_ session: PairingSession) async throws -> PairingSession {
        try await pairing(row: session.id) ?? session
    }

    func pairing(row id: Int64) async throws -> PairingSession? {
        let session = try await pool.read { db in try Self.pairing(id, in: db) }
        guard let session, !session.isOver, session.isOverdue(clock) else { return session }
        return try await pool.write { [clock] db in
            try Self.endOverduePairings(clock, in: db)
            return try Self.pairing(id, in: db)
        }
    }

    /// The newest of that number.
    func pairing(number: Int) async throws -> PairingSession? {
        let id = try await pool.read { db in
            try Int64.fetchOne(
                db, sql: "SELECT id FROM pairing_sessions WHERE session = ? ORDER BY id DESC LIMIT 1",
                arguments: [number])
        }
        guard let id else { return nil }
        return try await pairing(row: id)
    }

    private static func pairing(_ id: Int64, in db: Database) throws -> PairingSession? {
        try PairingSession.fetchOne(db, sql: "SELECT * FROM pairing_sessions WHERE id = ?", arguments: [id])
    }

    // MARK: Changing

    /// The person has seen the same words on both sides.
    ///
    /// - Returns: false when the session is not claimed, or over.
    public func confirm(_ session: PairingSession) async throws -> Bool {
        try await change(session, from: [.claimed], to: .confirmed, "pairing.confirmed", .info)
    }

    public func end(_ session: PairingSession, because reason: PairingSession.Reason) async throws {
        _ = try await change(
            session, from: [.open, .claimed, .confirmed], to: .dead, "pairing.ended", .warning, reason: reason)
    }

    private func change(
        _ session: PairingSession, from: [PairingSession.State], to: PairingSession.State, _ event: String,
        _ severity: AuditSeverity, reason: PairingSession.Reason? = nil
    ) async throws -> Bool {
        try await pool.write { [clock] db in
            try Self.endOverduePairings(clock, in: db)
            return try Self.change(session, from: from, to: to, event, severity, reason: reason, clock, in: db)
        }
    }

    private static func change(
        _ session: PairingSession, from: [PairingSession.State], to: PairingSession.State, _ event: String,
        _ severity: AuditSeverity, reason: PairingSession.Reason? = nil, _ clock: BrokerClock, in db: Database
    ) throws -> Bool {
        let states = from.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        // What was secret or shown is needed no longer than the session lives.
        let wipes = to == .dead || to == .done ? ", code_sealed = NULL, words = NULL" : ""
        try db.execute(
            sql: "UPDATE pairing_sessions SET state = ?, reason = ?\(wipes) WHERE id = ? AND state IN (\(states))",
            arguments: [to.rawValue, reason?.rawValue, session.id])
        guard db.changesCount == 1 else { return false }
        let details: [String: JSONValue] = reason.map { ["reason": .string($0.rawValue)] } ?? [:]
        try record(event, severity, session.session, details, clock, in: db)
        return true
    }

    private static func endOverduePairings(_ clock: BrokerClock, in db: Database) throws {
        let open = try PairingSession.fetchAll(
            db, sql: "SELECT * FROM pairing_sessions WHERE state IN ('OPEN', 'CLAIMED', 'CONFIRMED')")
        for session in open where session.isOverdue(clock) {
            _ = try change(
                session, from: [session.state], to: .dead, "pairing.ended", .info, reason: .expired, clock, in: db)
        }
    }

    /// Ends what the broker before this one left open: the attempts of the phones were in its memory.
    func endPairingsOfEarlierRun() async throws {
        try await pool.write { [clock] db in
            let open = try PairingSession.fetchAll(
                db, sql: "SELECT * FROM pairing_sessions WHERE state IN ('OPEN', 'CLAIMED', 'CONFIRMED')")
            for session in open {
                _ = try Self.change(
                    session, from: [session.state], to: .dead, "pairing.ended", .info, reason: .restarted, clock, in: db
                )
            }
        }
    }

    /// One wrong code. The fifth ends the session.
    ///
    /// - Returns: how many tries are left.
    func countWrongCode(_ session: PairingSession, from address: String) async throws -> Int {
        try await pool.write { [clock] db in
            try db.execute(
                sql: "UPDATE pairing_sessions SET wrong_tries = wrong_tries + 1 WHERE id = ? AND state = 'OPEN'",
                arguments: [session.id])
            guard db.changesCount == 1 else { return 0 }
            let tries = try Self.pairing(session.id, in: db)?.wrongTries ?? PairingSession.wrongTries
            try Self.record(
                "pairing.wrong_code", .warning, session.session,
                ["tries": .number(Double(tries)), "address": .string(address)], clock, in: db)
            if tries >= PairingSession.wrongTries {
                _ = try Self.change(
                    session, from: [.open], to: .dead, "pairing.ended", .error, reason: .wrongTries, clock, in: db)
            }
            return max(0, PairingSession.wrongTries - tries)
        }
    }

    /// The first phone that knows the code has the session; every later one is too late.
    func claim(_ session: PairingSession, _ claimed: ClaimedPairing, from address: String) async throws -> Bool {
        try await pool.write { [clock] db in
            try Self.endOverduePairings(clock, in: db)
            let isKnown =
                try Bool.fetchOne(
                    db, sql: "SELECT EXISTS (SELECT 1 FROM devices WHERE id = ?)",
                    arguments: [claimed.hello.deviceID.description]) ?? false
            guard !isKnown else {
                throw APIError.conflict("a device of this id was paired before; it has to make another one")
            }
            try db.execute(
                sql: """
                    UPDATE pairing_sessions SET state = 'CLAIMED', attempt = ?, device_id = ?, device_name = ?, words = ?,
                        code_sealed = NULL
                    WHERE id = ? AND state = 'OPEN'
                    """,
                arguments: [
                    claimed.attempt.description, claimed.hello.deviceID.description, claimed.hello.name,
                    claimed.words.description, session.id,
                ])
            guard db.changesCount == 1 else { return false }
            try Self.record(
                "pairing.claimed", .info, session.session,
                [
                    "device": .string(claimed.hello.deviceID.description), "name": .string(claimed.hello.name),
                    "address": .string(address),
                ], clock, in: db)
            return true
        }
    }

    /// Makes the device of a session that the person said yes to.
    ///
    /// - Returns: false when it is not confirmed, or over.
    func finish(_ session: PairingSession, _ claimed: ClaimedPairing, _ sealing: Sealing) async throws -> Bool {
        let hello = claimed.hello
        let token = claimed.credentials.token.withUnsafeBytes { DeviceRegistry.digest(of: $0) }
        let secret = try sealing.seal(claimed.credentials.sharedSecret, as: PairedDevice.purpose(hello.deviceID))
        return try await pool.write { [clock] db in
            try Self.endOverduePairings(clock, in: db)
            guard
                try Self.change(session, from: [.confirmed], to: .done, "pairing.done", .warning, clock, in: db)
            else { return false }
            let name = try String.fetchOne(
                db, sql: "SELECT name FROM pairing_sessions WHERE id = ?", arguments: [session.id])
            try db.execute(
                sql: """
                    INSERT INTO devices (id, name, public_key, token_sha256, secret_sealed, created_at)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    hello.deviceID.description, name ?? hello.name, hello.publicKey.description, token, secret,
                    Timestamp(clock.now).description,
                ])
            try AuditLog.record(
                AuditEvent(
                    "device.paired", severity: .warning,
                    details: [
                        "device": .string(hello.deviceID.description), "name": .string(name ?? hello.name),
                        "session": .number(Double(session.session)),
                    ], time: clock.now), in: db)
            return true
        }
    }

    func notePairingRefusal(_ number: Int, _ error: TrustError, from address: String) async throws {
        try await pool.write { [clock] db in
            try Self.record(
                "pairing.refused", .warning, number,
                ["reason": .string(error.message), "address": .string(address)], clock, in: db)
        }
    }

    private static func record(
        _ type: String, _ severity: AuditSeverity, _ number: Int, _ details: [String: JSONValue], _ clock: BrokerClock,
        in db: Database
    ) throws {
        let details = details.merging(["session": .number(Double(number))]) { $1 }
        try AuditLog.record(
            AuditEvent(type, severity: severity, details: .object(details), time: clock.now), in: db)
    }
}
