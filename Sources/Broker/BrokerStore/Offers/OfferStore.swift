import Clocks
import Encodings
import Foundation
import GRDB
import Messages
import Storage

/// The offers of documents that wait for the owner. Every change is one conditional UPDATE, checked by its row count.
package struct OfferStore: Sendable {
    let database: BrokerDatabase

    static let tables = """
        CREATE TABLE document_offers (
            id TEXT PRIMARY KEY NOT NULL,
            agent TEXT NOT NULL,
            -- Nil for an offer that the agent made itself.
            schedule TEXT,
            bank_id TEXT NOT NULL,
            -- The body of the request that the offer makes, in canonical JSON.
            documents_json TEXT NOT NULL,
            created_at TEXT NOT NULL,
            expires_at TEXT NOT NULL,
            -- The request of the last opening.
            request_id TEXT,
            outcome TEXT CHECK (outcome IN ('DISMISSED', 'WITHDRAWN', 'EXPIRED')),
            ended_at TEXT
        ) STRICT;
        CREATE INDEX document_offers_by_agent ON document_offers (agent, created_at);
        CREATE INDEX document_offers_open ON document_offers (expires_at) WHERE outcome IS NULL;
        CREATE INDEX document_offers_by_request ON document_offers (request_id) WHERE request_id IS NOT NULL;
        """

    // MARK: Reading

    /// The offers with the states of their requests.
    private static let rows = """
        SELECT o.*, r.status AS request_status
        FROM document_offers o LEFT JOIN pending_requests r ON r.id = o.request_id
        """

    /// Returns an agent's newest offers.
    package func offers(of agent: AgentName) async throws -> [DocumentOffer] {
        try await database.read { db in
            try Row.fetchAll(
                db, sql: "\(Self.rows) WHERE o.agent = ? ORDER BY o.created_at DESC, o.id LIMIT ?",
                arguments: [agent.description, OfferList.most]
            ).compactMap { try? Self.offer($0) }
        }
    }

    /// Returns the offers that the owner can open, the newest first. One for a kind whose plug-in is gone is left out.
    package func waiting(at now: Date) async throws -> [DocumentOffer] {
        try await database.read { db in try Self.waiting(at: now, in: db) }
    }

    private static func waiting(at now: Date, in db: Database) throws -> [DocumentOffer] {
        try Row.fetchAll(
            db,
            sql: """
                \(rows) WHERE o.outcome IS NULL AND o.expires_at > ?
                    AND (r.status IS NULL OR r.status IN ('EXPIRED', 'FAILED'))
                ORDER BY o.created_at DESC, o.id
                """, arguments: [Timestamp(now).description]
        ).compactMap { try? offer($0) }.filter { DocumentKind.lacked(among: $0.kinds) == nil }
    }

    package func offer(_ id: OfferID) async throws -> DocumentOffer? {
        try await database.read { db in
            try Row.fetchOne(db, sql: "\(Self.rows) WHERE o.id = ?", arguments: [id.description]).map(Self.offer)
        }
    }

    private static func offer(_ row: Row) throws -> DocumentOffer {
        guard let id = OfferID(row["id"] as String), let agent = AgentName(row["agent"] as String),
            let created = Timestamp(row["created_at"] as String), let expires = Timestamp(row["expires_at"] as String),
            let json = try? JSONReader.read(row["documents_json"] as String),
            let documents = try? DocumentsRequest(kept: json)
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an offer's row cannot be read") }
        return DocumentOffer(
            id: id, status: status(row), bankID: row["bank_id"], documents, agent: agent,
            isScheduled: (row["schedule"] as String?) != nil, createdAt: created, expiresAt: expires,
            requestID: (row["request_id"] as String?).flatMap { RequestID($0) })
    }

    private static func status(_ row: Row) -> DocumentOffer.Status {
        if let outcome = (row["outcome"] as String?).flatMap(DocumentOffer.Status.init) { return outcome }
        switch (row["request_status"] as String?).flatMap(RequestStatus.init) {
        case .sent, .pendingApproval, .approved, .executing: return .opened
        case .completed: return .completed
        case .denied: return .dismissed
        case .expired, .failed, nil: return .waiting
        }
    }

    // MARK: Making

    package enum Addition: Sendable, Hashable {
        case made
        /// The agent has offered the same already, and it waits.
        case same(DocumentOffer)
        /// The agent has as many offers that wait as it may have.
        case tooMany
    }

    /// Stores an agent's offer.
    ///
    /// - Parameter most: the number of offers of one agent that may wait.
    package func add(_ offer: DocumentOffer, atMost most: Int) async throws -> Addition {
        try await database.write { db in
            if let same = try Self.same(as: offer, in: db) { return .same(same) }
            let own = try Self.waiting(at: offer.createdAt.date, in: db).count {
                $0.agent == offer.agent && !$0.isScheduled
            }
            guard own < most else { return .tooMany }
            try Self.insert(offer, schedule: nil, in: db)
            return .made
        }
    }

    /// Returns the offer of the same documents that the same agent has open.
    static func same(as offer: DocumentOffer, in db: Database) throws -> DocumentOffer? {
        try Row.fetchAll(
            db,
            sql: """
                \(rows) WHERE o.outcome IS NULL AND o.expires_at > ? AND o.agent = ? AND o.bank_id = ?
                    AND o.documents_json = ?
                ORDER BY o.created_at
                """,
            arguments: [
                offer.createdAt.description, offer.agent.description, offer.bankID, text(of: offer),
            ]
        ).map(self.offer).first { [.waiting, .opened].contains($0.status) }
    }

    private static func text(of offer: DocumentOffer) throws -> String {
        String(decoding: try offer.request.json.canonicalBytes(), as: UTF8.self)
    }

    static func insert(_ offer: DocumentOffer, schedule: String?, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO document_offers (id, agent, schedule, bank_id, documents_json, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                offer.id.description, offer.agent.description, schedule, offer.bankID, text(of: offer),
                offer.createdAt.description, offer.expiresAt.description,
            ])
        var details: [String: JSONValue] = [
            "offer": .string(offer.id.description), "bank": .string(offer.bankID), "documents": .string(offer.words),
            "agent": .string(offer.agent.description),
        ]
        if let schedule { details["schedule"] = .string(schedule) }
        try AuditLog.record(
            AuditEvent(.offerMade, details: .object(details), time: offer.createdAt.date), in: db)
    }

    // MARK: Changing

    /// Notes the request that an opening has made.
    ///
    /// - Parameters:
    ///   - offer: as it was before.
    ///   - isNew: whether the opening has made the request. Such a request must not wait for the owner when the offer was
    ///     opened or ended meanwhile, so it expires.
    /// - Returns: false when the offer was opened or ended meanwhile.
    package func noteOpening(
        of offer: DocumentOffer, by device: String, request: RequestID, isNew: Bool, at now: Date
    ) async throws -> Bool {
        try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE document_offers SET request_id = ?
                    WHERE id = ? AND outcome IS NULL AND request_id IS ?
                    """, arguments: [request.description, offer.id.description, offer.requestID?.description])
            guard db.changesCount == 1 else {
                if isNew {
                    _ = try RequestStore.move(
                        request, from: .pendingApproval, to: .expired, at: Timestamp(now),
                        error: (.approvalExpired, "its offer was opened or ended by another party"), in: db)
                }
                return false
            }
            try AuditLog.record(
                AuditEvent(
                    .offerOpened, requestID: request.description,
                    details: ["offer": .string(offer.id.description), "device": .string(device)], time: now), in: db)
            return true
        }
    }

    /// True of an offer that was not opened, or whose request has expired or failed.
    private static let hasNoRequestUnderWay = """
        NOT EXISTS (
            SELECT 1 FROM pending_requests r
            WHERE r.id = document_offers.request_id AND r.status NOT IN ('EXPIRED', 'FAILED'))
        """

    /// Ends an offer that waits.
    ///
    /// - Parameters:
    ///   - outcome: `dismissed` or `withdrawn`.
    ///   - party: the device or the agent, for the audit log.
    /// - Returns: false when it does not wait.
    package func end(
        _ offer: DocumentOffer, as outcome: DocumentOffer.Status, by party: String, at now: Date
    ) async throws -> Bool {
        try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE document_offers SET outcome = ?1, ended_at = ?2
                    WHERE id = ?3 AND outcome IS NULL AND expires_at > ?2 AND \(Self.hasNoRequestUnderWay)
                    """,
                arguments: [outcome.rawValue, Timestamp(now).description, offer.id.description])
            guard db.changesCount == 1 else { return false }
            try AuditLog.record(
                AuditEvent(
                    .offer(outcome.rawValue),
                    details: ["offer": .string(offer.id.description), "by": .string(party)], time: now), in: db)
            return true
        }
    }

    /// Ends the offers whose time is over and that no request is under way for.
    ///
    /// - Returns: their number.
    @discardableResult
    package func expire(at now: Date) async throws -> Int {
        let stamp = Timestamp(now).description
        let condition = "outcome IS NULL AND expires_at <= ?1 AND \(Self.hasNoRequestUnderWay)"
        let isDue = try await database.read { db in
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM document_offers WHERE \(condition))", arguments: [stamp])
        }
        guard isDue == true else { return 0 }
        return try await database.write { db in
            let ids = try String.fetchAll(
                db,
                sql: """
                    UPDATE document_offers SET outcome = 'EXPIRED', ended_at = ?1
                    WHERE \(condition)
                    RETURNING id
                    """, arguments: [stamp])
            for id in ids {
                try AuditLog.record(AuditEvent(.offerExpired, details: ["offer": .string(id)], time: now), in: db)
            }
            return ids.count
        }
    }

    // MARK: Retention

    /// Removes the offers of requests that are being removed. Those that can be opened again forget their request instead.
    static func forgetRequests(_ ids: [String], in db: Database) throws {
        let marks = ids.map { _ in "?" }.joined(separator: ", ")
        try db.execute(
            sql: """
                UPDATE document_offers SET request_id = NULL
                WHERE outcome IS NULL AND request_id IN (
                    SELECT id FROM pending_requests WHERE id IN (\(marks)) AND status IN ('EXPIRED', 'FAILED'))
                """, arguments: StatementArguments(ids))
        try db.execute(
            sql: "DELETE FROM document_offers WHERE request_id IN (\(marks))", arguments: StatementArguments(ids))
    }

    /// Removes the offers that ended before this time.
    package func removeEnded(before end: Date) async throws {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM document_offers WHERE ended_at < ?", arguments: [Timestamp(end).description])
        }
    }
}
