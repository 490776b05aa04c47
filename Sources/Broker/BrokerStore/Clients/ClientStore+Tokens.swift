import Clocks
import Foundation
import GRDB
import Messages
import Secrets

// The codes and tokens of programs elsewhere (RFC 6749). A code works once, and so does a refresh token. One
// that comes twice was stolen: the program then loses its rights (RFC 9700, section 4.14.2).

extension ClientStore {
    /// The state of a question, as the browser that asked it sees it.
    package enum Standing: Sendable, Hashable {
        case waiting
        /// Answered now: the browser goes back to the program. The code counts if the person said yes.
        case answered(ClientAsk, isAllowed: Bool)
        /// Unknown, of another browser, too old, or answered before.
        case over
    }

    /// Returns the standing of a question, and ends it when a person has decided.
    ///
    /// - Parameters:
    ///   - browser: the digest of the browser's cookie.
    ///   - code: the digest of the code that the program gets if it was allowed.
    package func answer(
        _ id: RequestID, in browser: TokenDigest, with code: TokenDigest, endingAt end: Timestamp
    ) async throws -> Standing {
        let time = Timestamp(database.clock.now).description
        // Neither a stranger's look nor one of a browser that waits takes the place of the one writer.
        let outcome = try await database.read { db in
            try String.fetchOne(
                db, sql: "SELECT outcome FROM client_asks WHERE id = ? AND browser_sha256 = ? AND expires_at > ?",
                arguments: [id.description, browser.hex, time])
        }
        guard outcome != "WAITING" else { return .waiting }
        guard outcome == "ALLOWED" || outcome == "DENIED" else { return .over }
        return try await database.write { db -> Standing in
            guard
                let row = try Row.fetchOne(
                    db, sql: "SELECT * FROM client_asks WHERE id = ? AND browser_sha256 = ? AND expires_at > ?",
                    arguments: [id.description, browser.hex, time])
            else { return .over }
            switch row["outcome"] as String {
            case "WAITING": return .waiting
            case "ALLOWED":
                try db.execute(
                    sql: """
                        INSERT INTO client_tokens (sha256, agent, kind, challenge, redirect_uri, expires_at)
                        SELECT ?, agent, 'CODE', ?, ?, ? FROM clients WHERE agent = ? AND client_id = ?
                        """,
                    arguments: [
                        code.hex, row["challenge"] as String, row["redirect_uri"] as String, end.description,
                        row["agent"] as String?, row["client_id"] as String,
                    ])
                // The person may have taken the permission back meanwhile.
                let isAllowed = db.changesCount == 1
                try Self.end(id.description, in: db)
                return .answered(try ClientAsk(row), isAllowed: isAllowed)
            case "DENIED":
                try Self.end(id.description, in: db)
                return .answered(try ClientAsk(row), isAllowed: false)
            default: return .over
            }
        }
    }

    static func end(_ id: String, in db: Database) throws {
        try db.execute(sql: "UPDATE client_asks SET outcome = 'ANSWERED' WHERE id = ?", arguments: [id])
    }

    /// The outcome of a call of the token endpoint.
    package enum Redemption: Sendable, Hashable {
        case granted(AgentName)
        /// Unknown, too old, another program's, for another server or address, or without the right verifier.
        case refused
        /// Used before: the program has lost its rights.
        case stolen(AgentName)
    }

    /// Gives tokens for a code.
    ///
    /// - Parameter challenge: made of the verifier that came with it.
    package func redeem(
        code: TokenDigest, ofClient clientID: String, returningTo redirectURI: String, challenge: String,
        resource: String, for pair: TokenPair
    ) async throws -> Redemption {
        try await exchange(code, "CODE", clientID, resource, for: pair) { row in
            row["challenge"] == challenge && row["redirect_uri"] == redirectURI
        }
    }

    /// Gives tokens for a refresh token, which works no more.
    package func renew(
        refresh: TokenDigest, ofClient clientID: String, resource: String, for pair: TokenPair
    ) async throws -> Redemption {
        try await exchange(refresh, "REFRESH", clientID, resource, for: pair) { _ in true }
    }

    private func exchange(
        _ token: TokenDigest, _ kind: String, _ clientID: String, _ resource: String, for pair: TokenPair,
        where fits: @escaping @Sendable (Row) -> Bool
    ) async throws -> Redemption {
        let now = database.clock.now
        let time = Timestamp(now).description
        return try await database.write { db -> Redemption in
            guard
                let row = try Row.fetchOne(
                    db,
                    sql: """
                        SELECT client_tokens.*, client_id, resource FROM client_tokens JOIN clients USING (agent)
                        WHERE sha256 = ? AND kind = ?
                        """, arguments: [token.hex, kind]),
                let agent = AgentName(row["agent"] as String)
            else { return .refused }
            guard row["used_at"] as String? == nil else {
                _ = try AgentStore.remove(agent, in: db)
                try Self.record(
                    .clientTokenReused, severity: .critical, ["agent": "\(agent)", "kind": kind], now, in: db)
                return .stolen(agent)
            }
            // The first try uses it up, also when it does not fit: its holder may have stolen it.
            try db.execute(
                sql: "UPDATE client_tokens SET used_at = ? WHERE sha256 = ?", arguments: [time, token.hex])
            guard row["expires_at"] > time, row["client_id"] == clientID, row["resource"] == resource, fits(row) else {
                return .refused
            }
            // The access token before it works no more: one is enough.
            try db.execute(
                sql: "DELETE FROM client_tokens WHERE agent = ? AND kind = 'ACCESS'", arguments: [agent.description])
            for (digest, kind, end) in [
                (pair.access, "ACCESS", pair.accessEndsAt), (pair.refresh, "REFRESH", pair.refreshEndsAt),
            ] {
                try db.execute(
                    sql: "INSERT INTO client_tokens (sha256, agent, kind, expires_at) VALUES (?, ?, ?, ?)",
                    arguments: [digest.hex, agent.description, kind, end.description])
            }
            try db.execute(
                sql: "UPDATE clients SET used_at = ? WHERE agent = ?", arguments: [time, agent.description])
            return .granted(agent)
        }
    }

    /// Returns the agent of an access token that is for this server and has not ended, and the token's end.
    package func agent(
        withAccess token: TokenDigest, to resource: String
    ) async throws -> (name: AgentName, endsAt: Timestamp)? {
        let time = Timestamp(database.clock.now).description
        return try await database.read { db in
            guard
                let row = try Row.fetchOne(
                    db.cachedStatement(
                        sql: """
                            SELECT agent, expires_at FROM client_tokens JOIN clients USING (agent)
                            WHERE sha256 = ? AND kind = 'ACCESS' AND expires_at > ? AND resource = ?
                            """), arguments: [token.hex, time, resource]),
                let agent = AgentName(row["agent"] as String), let end = Timestamp(row["expires_at"] as String)
            else { return nil }
            return (agent, end)
        }
    }

    /// Returns the agent of a code or a token that is known, also of one that has ended or was used.
    package func holder(of token: TokenDigest) async throws -> AgentName? {
        try await database.read { db in
            try String.fetchOne(
                db.cachedStatement(sql: "SELECT agent FROM client_tokens WHERE sha256 = ?"), arguments: [token.hex]
            ).flatMap { AgentName($0) }
        }
    }

    /// Ends a program's tokens at its own wish (RFC 7009). It needs a person's permission again.
    package func revoke(_ token: TokenDigest, ofClient clientID: String) async throws {
        let now = database.clock.now
        try await database.write { db in
            guard
                let agent = try String.fetchOne(
                    db,
                    sql: """
                        SELECT agent FROM client_tokens JOIN clients USING (agent)
                        WHERE sha256 = ? AND client_id = ? AND kind <> 'CODE'
                        """, arguments: [token.hex, clientID]
                ).flatMap({ AgentName($0) })
            else { return }
            _ = try AgentStore.remove(agent, in: db)
            try Self.record(.clientRemoved, severity: .warning, ["agent": "\(agent)", "by": "itself"], now, in: db)
        }
    }

    /// Gives a program's agent another token of the broker's API, which the program itself never sees.
    ///
    /// - Returns: nil when no program has this name any more.
    package func renewBrokerToken(of agent: AgentName) async throws -> Secret? {
        let (token, digest) = AgentStore.freshToken()
        let isThere = try await database.write { db in
            try db.execute(
                sql: "UPDATE agents SET token_sha256 = ? WHERE name = ? AND name IN (SELECT agent FROM clients)",
                arguments: [digest, agent.description])
            return db.changesCount == 1
        }
        return isThere ? token : nil
    }
}
