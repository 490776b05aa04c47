import Clocks
import Encodings
import Foundation
import GRDB
import Messages
import Storage

/// The programs elsewhere that ask to become agents, and those that a person has allowed.
///
/// An allowed program is a named agent. Removing the agent takes the program's rights away, too.
package struct ClientStore: Sendable {
    static let tables = """
        -- Programs that ask to become agents. Of the number and of the browser's cookie there is only the SHA-256.
        CREATE TABLE client_asks (
            id TEXT PRIMARY KEY NOT NULL,
            number_sha256 TEXT NOT NULL,
            browser_sha256 TEXT NOT NULL,
            client_id TEXT NOT NULL,
            client_name TEXT,
            redirect_uri TEXT NOT NULL,
            challenge TEXT NOT NULL,
            state TEXT,
            resource TEXT NOT NULL,
            expires_at TEXT NOT NULL,
            wrong_numbers INTEGER NOT NULL DEFAULT 0,
            outcome TEXT NOT NULL DEFAULT 'WAITING' CHECK (outcome IN ('WAITING', 'ALLOWED', 'DENIED', 'ANSWERED')),
            agent TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE clients (
            agent TEXT PRIMARY KEY NOT NULL REFERENCES agents (name) ON DELETE CASCADE,
            client_id TEXT NOT NULL,
            client_name TEXT,
            redirect_uri TEXT NOT NULL,
            resource TEXT NOT NULL,
            limits_json TEXT NOT NULL,
            allowed_at TEXT NOT NULL,
            used_at TEXT
        ) STRICT, WITHOUT ROWID;
        -- Codes and tokens by their SHA-256. A used one stays until it would have ended, to notice when it comes again.
        CREATE TABLE client_tokens (
            sha256 TEXT PRIMARY KEY NOT NULL,
            agent TEXT NOT NULL REFERENCES clients (agent) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('CODE', 'ACCESS', 'REFRESH')),
            challenge TEXT,
            redirect_uri TEXT,
            expires_at TEXT NOT NULL,
            used_at TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX client_tokens_by_agent ON client_tokens (agent);
        """
    static let originsOfAsks = """
        -- What counts as the address of the browser that asked.
        ALTER TABLE client_asks ADD COLUMN origin TEXT NOT NULL DEFAULT '';
        """

    /// The number of wrong numbers that end a question.
    package static let mostWrongNumbers = 5
    /// The time for which ended questions and tokens are kept, in seconds.
    private static let retention: TimeInterval = 86_400

    let database: BrokerDatabase

    // MARK: Asking

    /// Stores a question. When as many wait as may, it takes the place of the oldest one of the address that has the most,
    /// if that has at least two more than its own: one address cannot fill the places, and two do not take them from each
    /// other for ever.
    ///
    /// - Parameters:
    ///   - number: the digest of the number that the browser shows.
    ///   - browser: the digest of the browser's cookie.
    ///   - origin: what counts as the browser's address.
    ///   - most: the most questions that may wait at a time.
    /// - Returns: false when so many wait already.
    package func add(
        _ ask: ClientAsk, number: TokenDigest, browser: TokenDigest, from origin: String, atMost most: Int
    ) async throws -> Bool {
        let now = database.clock.now
        return try await database.write { db in
            let old = Timestamp(now.addingTimeInterval(-Self.retention)).description
            try db.execute(sql: "DELETE FROM client_asks WHERE expires_at < ?", arguments: [old])
            try db.execute(sql: "DELETE FROM client_tokens WHERE expires_at < ?", arguments: [old])
            let waiting = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, origin FROM client_asks WHERE outcome = 'WAITING' AND expires_at > ?
                    ORDER BY expires_at, id
                    """, arguments: [Timestamp(now).description]
            ).map { (id: $0["id"] as String, origin: $0["origin"] as String) }
            if waiting.count >= most {
                let counts = Dictionary(waiting.map { ($0.origin, 1) }, uniquingKeysWith: +)
                guard let largest = counts.values.max(), largest >= counts[origin, default: 0] + 2,
                    let place = waiting.first(where: { counts[$0.origin] == largest })
                else { return false }
                try Self.end(place.id, in: db)
            }
            try db.execute(
                sql: """
                    INSERT INTO client_asks (id, number_sha256, browser_sha256, client_id, client_name, redirect_uri,
                        challenge, state, resource, expires_at, origin)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    ask.id.description, number.hex, browser.hex, ask.clientID, ask.name, ask.redirectURI,
                    ask.challenge, ask.state, ask.resource, ask.expiresAt.description, origin,
                ])
            try Self.record(
                .clientAsked, severity: .info, ["ask": "\(ask.id)", "client": ask.recordedClient], now, in: db)
            return true
        }
    }

    /// Returns what waits for a person, and whom persons have allowed.
    package func list() async throws -> ClientList {
        let now = Timestamp(database.clock.now).description
        return try await database.read { db in
            let waiting = try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM client_asks WHERE outcome = 'WAITING' AND expires_at > ? ORDER BY expires_at, id
                    """, arguments: [now]
            ).map { try ClientAsk($0).waiting }
            let allowed = try Row.fetchAll(db, sql: "SELECT * FROM clients ORDER BY agent").map { row in
                guard let agent = AgentName(row["agent"] as String),
                    let allowedAt = Timestamp(row["allowed_at"] as String)
                else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a program's row cannot be read") }
                return AllowedClient(
                    agent: agent, name: row["client_name"], returnsTo: row["redirect_uri"],
                    limits: try Self.limits(row["limits_json"]), allowedAt: allowedAt,
                    usedAt: (row["used_at"] as String?).flatMap { Timestamp($0) })
            }
            return ClientList(waiting: waiting, allowed: allowed)
        }
    }

    // MARK: Deciding

    /// The outcome of a permission.
    package enum Decision: Sendable, Hashable {
        case allowed
        /// The number of tries that are left.
        case wrongNumber(left: Int)
        /// Another agent has the name.
        case nameTaken
        /// An agent of before had the name, and its requests, offers or schedules are still here.
        case nameUsed
        /// The permission is for another program, or another address, than the one that asks.
        case otherClient
        /// The question is answered, or its time is over.
        case over
    }

    /// Makes the program that asks an agent. An agent of the same program and the same name goes on, with new limits and
    /// without its earlier tokens.
    ///
    /// - Parameter device: the phone whose owner allows it, for the audit.
    package func allow(
        _ id: RequestID, clientID: String, returnsTo: String, number: TokenDigest, as agent: AgentName,
        limits: ClientLimits, by device: String
    ) async throws -> Decision {
        let now = database.clock.now
        let time = Timestamp(now).description
        return try await database.write { db -> Decision in
            guard let row = try Self.waitingRow(id, time, in: db) else { return .over }
            let ask = try ClientAsk(row)
            guard ask.clientID == clientID, ask.redirectURI == returnsTo else { return .otherClient }
            guard row["number_sha256"] == number.hex else { return try Self.refuse(row, id, now, in: db) }
            guard agent != .standard, agent != .owner else { return .nameTaken }
            let holder = try String.fetchOne(
                db, sql: "SELECT client_id FROM clients WHERE agent = ?", arguments: [agent.description])
            if holder == clientID {
                try AgentStore.endPermissions(of: agent, in: db)
                try db.execute(sql: "DELETE FROM clients WHERE agent = ?", arguments: [agent.description])
            } else {
                let isFree =
                    try String.fetchOne(
                        db, sql: "SELECT name FROM agents WHERE name = ?", arguments: [agent.description]) == nil
                guard isFree else { return .nameTaken }
                // Who has a name reads what was asked under it, so no program gets the name of another one's past.
                guard try !Self.hasPast(agent, in: db) else { return .nameUsed }
                // The broker's process of programs elsewhere gives it a token when it is first needed.
                try db.execute(
                    sql: "INSERT INTO agents (name, token_sha256, created_at) VALUES (?, ?, ?)",
                    arguments: [agent.description, AgentStore.unusedDigest(), time])
            }
            try db.execute(
                sql: """
                    INSERT INTO clients (agent, client_id, client_name, redirect_uri, resource, limits_json, allowed_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    agent.description, ask.clientID, ask.name, ask.redirectURI, ask.resource,
                    limits.json.compactText(), time,
                ])
            try db.execute(
                sql: "UPDATE client_asks SET outcome = 'ALLOWED', agent = ? WHERE id = ?",
                arguments: [agent.description, id.description])
            try Self.record(
                .clientAllowed, severity: .warning,
                [
                    "ask": "\(id)", "agent": "\(agent)", "client": ask.clientID, "device": device,
                    "limits": limits.json.compactText(),
                ], now, in: db)
            return .allowed
        }
    }

    /// Returns whether requests, offers or schedules of an agent with this name are still here.
    private static func hasPast(_ agent: AgentName, in db: Database) throws -> Bool {
        try Int.fetchOne(
            db,
            sql: """
                SELECT EXISTS (SELECT 1 FROM pending_requests WHERE agent = ?1)
                    OR EXISTS (SELECT 1 FROM request_other_agents WHERE agent = ?1)
                    OR EXISTS (SELECT 1 FROM document_offers WHERE agent = ?1)
                    OR EXISTS (SELECT 1 FROM schedules WHERE agent = ?1)
                """, arguments: [agent.description]) == 1
    }

    private static func waitingRow(_ id: RequestID, _ time: String, in db: Database) throws -> Row? {
        try Row.fetchOne(
            db, sql: "SELECT * FROM client_asks WHERE id = ? AND outcome = 'WAITING' AND expires_at > ?",
            arguments: [id.description, time])
    }

    /// Counts a wrong number; the last one ends the question.
    private static func refuse(_ row: Row, _ id: RequestID, _ now: Date, in db: Database) throws -> Decision {
        let wrong = (row["wrong_numbers"] as Int) + 1
        let outcome = wrong >= mostWrongNumbers ? "DENIED" : "WAITING"
        try db.execute(
            sql: "UPDATE client_asks SET wrong_numbers = ?, outcome = ? WHERE id = ?",
            arguments: [wrong, outcome, id.description])
        try record(.clientRefused, severity: .warning, ["ask": "\(id)", "reason": "wrong number"], now, in: db)
        return .wrongNumber(left: mostWrongNumbers - wrong)
    }

    /// - Returns: false when the question is answered, or its time is over.
    package func deny(_ id: RequestID, by device: String) async throws -> Bool {
        let now = database.clock.now
        return try await database.write { db in
            try db.execute(
                sql:
                    "UPDATE client_asks SET outcome = 'DENIED' WHERE id = ? AND outcome = 'WAITING' AND expires_at > ?",
                arguments: [id.description, Timestamp(now).description])
            guard db.changesCount == 1 else { return false }
            try Self.record(.clientDenied, severity: .info, ["ask": "\(id)", "device": device], now, in: db)
            return true
        }
    }

    /// Records a permission whose signature does not fit.
    package func recordRefusal(of id: RequestID, by device: String, _ reason: String) async throws {
        let now = database.clock.now
        try await database.write { db in
            try Self.record(
                .clientRefused, severity: .warning, ["ask": "\(id)", "device": device, "reason": reason], now, in: db)
        }
    }

    /// Takes a program its rights away, at once. Its requests stay.
    ///
    /// - Returns: false when no program has this name.
    package func remove(_ agent: AgentName, by device: String) async throws -> Bool {
        let now = database.clock.now
        return try await database.write { db in
            let isClient = try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM clients WHERE agent = ?)", arguments: [agent.description])
            guard isClient == true, try AgentStore.remove(agent, in: db) else { return false }
            try Self.record(
                .clientRemoved, severity: .warning, ["agent": "\(agent)", "device": device], now, in: db)
            return true
        }
    }

    // MARK: Limits

    /// Returns the limits that a person has set a program; nil for every other agent.
    package func limits(of agent: AgentName) async throws -> ClientLimits? {
        try await database.read { db in
            try String.fetchOne(
                db.cachedStatement(sql: "SELECT limits_json FROM clients WHERE agent = ?"),
                arguments: [agent.description]
            ).map(Self.limits)
        }
    }

    private static func limits(_ text: String) throws -> ClientLimits {
        guard let json = try? JSONReader.read(text), let limits = try? ClientLimits(kept: json) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a program's limits cannot be read")
        }
        return limits
    }

    static func record(
        _ kind: AuditKind, severity: AuditSeverity, _ details: [String: String], _ now: Date, in db: Database
    ) throws {
        try AuditLog.record(
            AuditEvent(kind, severity: severity, details: .object(details.mapValues { .string($0) }), time: now),
            in: db)
    }
}
