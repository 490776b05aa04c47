import Clocks
import DeviceTrust
import Encodings
import Foundation
import GRDB
import Secrets
import Storage

/// The pairing sessions.
///
/// The broker that serves the phone and the command of the person both change them. Each change of state is one
/// conditional UPDATE, checked by its row count.
package struct PairingStore: Sendable {
    let database: BrokerDatabase

    private var clock: BrokerClock { database.clock }

    /// Begins a session with a fresh code. The session ends by itself when its time is over.
    ///
    /// - Parameters:
    ///   - life: at most ``PairingSession/longestLife``.
    ///   - name: the device's future name; nil for the name that the device gives itself.
    ///   - keepsDefaultDevice: true to leave the default device on when this is the first device that is paired.
    package func open(
        life: Duration, name: String?, keepsDefaultDevice: Bool, _ sealing: Sealing
    ) async throws -> (session: PairingSession, code: PairingCode) {
        let now = Timestamp(clock.now)
        let life = min(life, PairingSession.longestLife)
        return try await database.write { [clock] db in
            try Self.endOverdue(clock, in: db)
            let taken = Set(try Self.openSessions(in: db).map(\.session))
            // Numbers of two digits first: a person may have to type them.
            let free = [1...99, PairingCode.sessions].lazy.compactMap {
                $0.filter { !taken.contains($0) }.randomElement()
            }
            guard let number = free.first else {
                throw StoreError(message: "all 9,999 pairing numbers are in use; wait until a pairing ends")
            }
            let code = PairingCode(session: number)
            try db.execute(
                sql: """
                    INSERT INTO pairing_sessions (session, state, code_sealed, name, created_at, expires_at, boot,
                        due_milliseconds, keeps_default_device) VALUES (?, 'OPEN', ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    number, try sealing.seal(code.code, as: PairingSession.purpose(number, now)), name,
                    now.description, Timestamp(now.date.addingTimeInterval(life.seconds)).description, clock.boot,
                    clock.elapsedMilliseconds + Int64(life.seconds * 1000), keepsDefaultDevice,
                ])
            let id = db.lastInsertedRowID
            try Self.record(.pairingOpened, .info, number, [:], clock, in: db)
            guard let session = try Self.session(id, in: db) else {
                throw StoreError(message: "the pairing could not be stored")
            }
            return (session, code)
        }
    }

    /// Returns the session as it is now, and ends it first when its time is over.
    package func current(_ session: PairingSession) async throws -> PairingSession {
        try await self.session(row: session.id) ?? session
    }

    package func session(row id: Int64) async throws -> PairingSession? {
        let session = try await database.read { db in try Self.session(id, in: db) }
        guard let session, !session.isOver, session.isOverdue(clock) else { return session }
        return try await database.write { [clock] db in
            try Self.endOverdue(clock, in: db)
            return try Self.session(id, in: db)
        }
    }

    /// Returns the newest session with this number.
    package func session(number: Int) async throws -> PairingSession? {
        let id = try await database.read { db in
            try Int64.fetchOne(
                db, sql: "SELECT id FROM pairing_sessions WHERE session = ? ORDER BY id DESC LIMIT 1",
                arguments: [number])
        }
        guard let id else { return nil }
        return try await self.session(row: id)
    }

    /// Returns whether a phone may still ask for this session.
    package func isRecent(row id: Int64) async throws -> Bool {
        guard let session = try await self.session(row: id) else { return false }
        return session.state != .dead && !session.isOverdue(clock)
    }

    private static func session(_ id: Int64, in db: Database) throws -> PairingSession? {
        try Row.fetchOne(db, sql: "SELECT * FROM pairing_sessions WHERE id = ?", arguments: [id])
            .map { try PairingSession(row: $0) }
    }

    private static func openSessions(in db: Database) throws -> [PairingSession] {
        try Row.fetchAll(db, sql: "SELECT * FROM pairing_sessions WHERE state IN ('OPEN', 'CLAIMED', 'CONFIRMED')")
            .map { try PairingSession(row: $0) }
    }

    // MARK: Changing

    /// Confirms that the person saw the same words on both sides.
    ///
    /// - Returns: false when the session is not claimed, or over.
    package func confirm(_ session: PairingSession) async throws -> Bool {
        try await change(session, from: [.claimed], to: .confirmed, .pairingConfirmed, .info)
    }

    /// Ends a session that is not over.
    package func end(_ session: PairingSession, because reason: PairingSession.Reason) async throws {
        _ = try await change(
            session, from: [.open, .claimed, .confirmed], to: .dead, .pairingEnded, .warning, reason: reason)
    }

    private func change(
        _ session: PairingSession, from: [PairingSession.State], to: PairingSession.State, _ event: AuditKind,
        _ severity: AuditSeverity, reason: PairingSession.Reason? = nil
    ) async throws -> Bool {
        try await database.write { [clock] db in
            try Self.endOverdue(clock, in: db)
            return try Self.change(session, from: from, to: to, event, severity, reason: reason, clock, in: db)
        }
    }

    private static func change(
        _ session: PairingSession, from: [PairingSession.State], to: PairingSession.State, _ event: AuditKind,
        _ severity: AuditSeverity, reason: PairingSession.Reason? = nil, _ clock: BrokerClock, in db: Database
    ) throws -> Bool {
        let states = from.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        // The code and the words are not needed after the session.
        let wipes = to == .dead || to == .done ? ", code_sealed = NULL, words = NULL" : ""
        try db.execute(
            sql: "UPDATE pairing_sessions SET state = ?, reason = ?\(wipes) WHERE id = ? AND state IN (\(states))",
            arguments: [to.rawValue, reason?.rawValue, session.id])
        guard db.changesCount == 1 else { return false }
        let details: [String: JSONValue] = reason.map { ["reason": .string($0.rawValue)] } ?? [:]
        try record(event, severity, session.session, details, clock, in: db)
        return true
    }

    private static func endOverdue(_ clock: BrokerClock, in db: Database) throws {
        for session in try openSessions(in: db) where session.isOverdue(clock) {
            _ = try change(
                session, from: [session.state], to: .dead, .pairingEnded, .info, reason: .expired, clock, in: db)
        }
    }

    /// Ends the sessions that an earlier broker left open: the phones' attempts were in its memory.
    package func endSessionsOfEarlierRun() async throws {
        try await database.write { [clock] db in
            for session in try Self.openSessions(in: db) {
                _ = try Self.change(
                    session, from: [session.state], to: .dead, .pairingEnded, .info, reason: .restarted, clock,
                    in: db)
            }
        }
    }

    /// The result of checking a phone's code.
    package enum Try: Sendable {
        case right(ClaimedPairing)
        /// - Parameter left: the number of tries that are left.
        case wrong(left: Int)
        /// The message was refused before its code could be judged, and costs no try.
        case refused(TrustError)
        /// No try is left, another phone was faster, or the session is over.
        case tooLate
    }

    /// Checks a code if the session has a try left. The fifth wrong code ends the session.
    ///
    /// The try is counted before the code is checked, and both are one transaction: claims that arrive together check no
    /// more codes than claims in turn. A try that was not a wrong code is given back.
    ///
    /// - Parameter check: checks the code; a ``TrustError/Code/wrongCode`` costs the try.
    package func tryCode(
        _ session: PairingSession, from address: String,
        _ check: @escaping @Sendable () throws(TrustError) -> ClaimedPairing
    ) async throws -> Try {
        try await database.write { [clock] db in
            try Self.endOverdue(clock, in: db)
            try db.execute(
                sql: """
                    UPDATE pairing_sessions SET wrong_tries = wrong_tries + 1
                    WHERE id = ? AND state = 'OPEN' AND wrong_tries < ?
                    """, arguments: [session.id, PairingSession.wrongTries])
            guard db.changesCount == 1 else { return .tooLate }
            let result: Result<ClaimedPairing, TrustError>
            do throws(TrustError) {
                result = .success(try check())
            } catch {
                result = .failure(error)
            }
            guard case .failure(let error) = result, error.code == .wrongCode else {
                try db.execute(
                    sql: "UPDATE pairing_sessions SET wrong_tries = wrong_tries - 1 WHERE id = ?",
                    arguments: [session.id])
                switch result {
                case .success(let claimed): return .right(claimed)
                case .failure(let error):
                    try Self.recordRefusal(session.session, error, from: address, clock, in: db)
                    return .refused(error)
                }
            }
            let tries = try Self.session(session.id, in: db)?.wrongTries ?? PairingSession.wrongTries
            try Self.record(
                .pairingWrongCode, .warning, session.session,
                ["tries": .number(Double(tries)), "address": .string(address)], clock, in: db)
            if tries >= PairingSession.wrongTries {
                _ = try Self.change(
                    session, from: [.open], to: .dead, .pairingEnded, .error, reason: .wrongTries, clock, in: db)
            }
            return .wrong(left: max(0, PairingSession.wrongTries - tries))
        }
    }

    /// The result of a phone's claim.
    package enum Claim: Sendable {
        case claimed
        /// A device with this id was paired before.
        case knownDevice
        /// Another phone was faster, or the session is over.
        case tooLate
    }

    /// Gives the session to the first phone that knows the code.
    package func claim(_ session: PairingSession, _ claimed: ClaimedPairing, from address: String) async throws -> Claim
    {
        try await database.write { [clock] db in
            try Self.endOverdue(clock, in: db)
            guard try !DeviceStore.isKnown(claimed.hello.deviceID, in: db) else { return .knownDevice }
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
            guard db.changesCount == 1 else { return .tooLate }
            try Self.record(
                .pairingClaimed, .info, session.session,
                [
                    "device": .string(claimed.hello.deviceID.description), "name": .string(claimed.hello.name),
                    "address": .string(address),
                ], clock, in: db)
            return .claimed
        }
    }

    /// Makes the device of a session that the person confirmed.
    ///
    /// - Returns: false when the session is not confirmed, or over.
    package func finish(_ session: PairingSession, _ claimed: ClaimedPairing, _ sealing: Sealing) async throws -> Bool {
        let hello = claimed.hello
        let token = claimed.credentials.token.withUnsafeBytes { PairedDevice.digest(ofToken: $0) }
        let secret = try sealing.seal(claimed.credentials.sharedSecret, as: PairedDevice.purpose(hello.deviceID))
        return try await database.write { [clock] db in
            try Self.endOverdue(clock, in: db)
            guard
                try Self.change(session, from: [.confirmed], to: .done, .pairingDone, .warning, clock, in: db)
            else { return false }
            let row = try Row.fetchOne(
                db, sql: "SELECT name, keeps_default_device FROM pairing_sessions WHERE id = ?",
                arguments: [session.id])
            let name = row?["name"] as String?
            if row?["keeps_default_device"] != true, try !DeviceStore.isAnyPaired(in: db) {
                try DeviceStore.switchDefaultDevice(on: false, at: clock.now, in: db)
            }
            try DeviceStore.insert(
                hello, name: name ?? hello.name, token: token, secret: secret, at: clock.now, in: db)
            try AuditLog.record(
                AuditEvent(
                    .devicePaired, severity: .warning,
                    details: [
                        "device": .string(hello.deviceID.description), "name": .string(name ?? hello.name),
                        "session": .number(Double(session.session)),
                    ], time: clock.now), in: db)
            return true
        }
    }

    package func noteRefusal(_ number: Int, _ error: TrustError, from address: String) async throws {
        try await database.write { [clock] db in
            try Self.recordRefusal(number, error, from: address, clock, in: db)
        }
    }

    private static func recordRefusal(
        _ number: Int, _ error: TrustError, from address: String, _ clock: BrokerClock, in db: Database
    ) throws {
        try record(
            .pairingRefused, .warning, number,
            ["reason": .string(error.message), "address": .string(address)], clock, in: db)
    }

    private static func record(
        _ kind: AuditKind, _ severity: AuditSeverity, _ number: Int, _ details: [String: JSONValue],
        _ clock: BrokerClock,
        in db: Database
    ) throws {
        let details = details.merging(["session": .number(Double(number))]) { $1 }
        try AuditLog.record(
            AuditEvent(kind, severity: severity, details: .object(details), time: clock.now), in: db)
    }
}

extension PairingSession {
    /// Reads a row of `pairing_sessions`.
    fileprivate init(row: Row) throws {
        guard let state = State(rawValue: row["state"] as String), let created = Timestamp(row["created_at"] as String),
            let expires = Timestamp(row["expires_at"] as String)
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a pairing's row cannot be read") }
        self.init(
            id: row["id"], session: row["session"], state: state,
            reason: (row["reason"] as String?).flatMap { Reason(rawValue: $0) }, codeSealed: row["code_sealed"],
            wrongTries: row["wrong_tries"], createdAt: created, expiresAt: expires, boot: row["boot"],
            dueMilliseconds: row["due_milliseconds"], attempt: row["attempt"],
            deviceID: (row["device_id"] as String?).flatMap { DeviceID($0) }, deviceName: row["device_name"],
            words: row["words"])
    }
}
