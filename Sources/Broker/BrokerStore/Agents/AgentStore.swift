import Clocks
import Encodings
import Foundation
import GRDB
import Messages
import Secrets
import Storage

/// An agent with a token of its own.
package struct NamedAgent: Sendable, Hashable {
    package let name: AgentName
    package let createdAt: Timestamp
    /// The time of its last request; nil when it has made none that is still kept.
    package let lastAskedAt: Timestamp?

    package var json: JSONValue {
        [
            "name": .string(name.description), "created_at": .string(createdAt.description),
            "last_asked_at": lastAskedAt.map { .string($0.description) } ?? .null,
        ]
    }
}

/// A name that no agent has, or that another agent has already.
package struct AgentNameError: Error, Sendable, CustomStringConvertible {
    package let message: String

    package var description: String { message }
}

/// The agents with tokens of their own. Of a token the database has only the SHA-256.
///
/// The public methods are what the broker's owner does to agents. They take effect at an agent's next call.
package struct AgentStore: Sendable {
    let database: BrokerDatabase

    /// Returns the agents in the order of their names.
    package func agents() async throws -> [NamedAgent] {
        try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT *, (SELECT max(created_at) FROM pending_requests WHERE agent = agents.name) AS asked
                    FROM agents ORDER BY name
                    """
            ).map { row in
                guard let name = AgentName(row["name"] as String), let created = Timestamp(row["created_at"] as String)
                else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an agent's row cannot be read") }
                return NamedAgent(
                    name: name, createdAt: created, lastAskedAt: (row["asked"] as String?).flatMap { Timestamp($0) })
            }
        }
    }

    /// - Parameter digest: the SHA-256 of the token.
    package func agent(withToken digest: String) async throws -> AgentName? {
        try await database.read { db in
            try String.fetchOne(
                db.cachedStatement(sql: "SELECT name FROM agents WHERE token_sha256 = ?"), arguments: [digest]
            ).flatMap { AgentName($0) }
        }
    }

    /// Returns the SHA-256 of each agent's token, in Base16.
    package func tokenDigests() async throws -> [String] {
        try await database.read { db in
            try String.fetchAll(db.cachedStatement(sql: "SELECT token_sha256 FROM agents"))
        }
    }

    /// Adds an agent.
    ///
    /// - Returns: its new token, which is stored nowhere.
    /// - Throws: ``AgentNameError`` when the name is taken.
    package func add(_ name: AgentName) async throws -> Secret {
        guard name != .standard else {
            throw AgentNameError(message: "“default” is the agent of BROKER_API_TOKEN; choose another name")
        }
        guard name != .owner else {
            throw AgentNameError(message: "“owner” is the name of what you ask for yourself; choose another name")
        }
        let (token, digest) = Self.freshToken()
        let now = database.clock.now
        try await database.write { db in
            try db.execute(
                sql: "INSERT OR IGNORE INTO agents (name, token_sha256, created_at) VALUES (?, ?, ?)",
                arguments: [name.description, digest, Timestamp(now).description])
            guard db.changesCount == 1 else {
                throw AgentNameError(
                    message: "an agent is called “\(name)” already; remove it first, or choose another name")
            }
            try AuditLog.record(
                AuditEvent(.agentAdded, severity: .warning, details: ["agent": .string("\(name)")], time: now), in: db
            )
        }
        return token
    }

    /// Makes a token, and the digest under which the database knows it.
    static func freshToken() -> (token: Secret, digest: String) {
        var generator = SystemRandomNumberGenerator()
        let token = Secret(Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
        return (token, token.withUnsafeBytes { PairedDevice.digest(ofToken: $0) })
    }

    /// Returns a digest of a token that exists nowhere.
    static func unusedDigest() -> String { freshToken().digest }

    /// Ends the permissions of a program elsewhere of which its browser has not heard yet: the next one may be for the same program
    /// and name, and the code of a permission that was taken back would count for it.
    static func endPermissions(of agent: AgentName, in db: Database) throws {
        try db.execute(
            sql: "UPDATE client_asks SET outcome = 'DENIED' WHERE agent = ? AND outcome = 'ALLOWED'",
            arguments: [agent.description])
    }

    /// Removes an agent, with the rights of a program elsewhere and what was on its way to them.
    ///
    /// - Returns: false when no agent has this name.
    static func remove(_ name: AgentName, in db: Database) throws -> Bool {
        try endPermissions(of: name, in: db)
        try db.execute(sql: "DELETE FROM agents WHERE name = ?", arguments: [name.description])
        return db.changesCount == 1
    }

    /// Removes an agent. Its token stops working; its requests stay.
    ///
    /// - Throws: ``AgentNameError`` when no agent has this name.
    package func remove(_ name: AgentName) async throws {
        let now = database.clock.now
        try await database.write { db in
            guard try Self.remove(name, in: db) else {
                throw AgentNameError(
                    message: "no agent is called “\(name)”; countersign agent list shows the agents")
            }
            try AuditLog.record(
                AuditEvent(.agentRemoved, severity: .warning, details: ["agent": .string("\(name)")], time: now),
                in: db)
        }
    }
}
