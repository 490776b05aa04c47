import Clocks
import Encodings
import Foundation
import GRDB
import Inbox
import Messages
import Signer

// Requests for several documents: what was asked for, what came, and how it ended.

extension RequestStore {
    /// The time that each document after the first adds to the limit of an execution.
    static let timeForEachFurtherDocument: Duration = .seconds(60)

    /// Returns the documents of a request, in order; none for a statement.
    package func documents(of id: RequestID) async throws -> [RequestDocument] {
        try await database.read { db in try Self.documents(of: id, in: db) }
    }

    /// Returns how many documents of each request are there, of how many; nothing for statements.
    package func documentCounts(of ids: [RequestID]) async throws -> [RequestID: (delivered: Int, asked: Int)] {
        try await database.read { db in
            var counts: [RequestID: (delivered: Int, asked: Int)] = [:]
            for id in ids {
                guard
                    let row = try Row.fetchOne(
                        db.cachedStatement(
                            sql: """
                                SELECT count(file_path) AS delivered, count(*) AS asked FROM request_documents
                                WHERE request_id = ? AND part = 1
                                """), arguments: [id.description]),
                    let asked = row["asked"] as Int?, asked > 0
                else { continue }
                counts[id] = (row["delivered"], asked)
            }
            return counts
        }
    }

    static func documents(of id: RequestID, in db: Database) throws -> [RequestDocument] {
        try RequestDocument.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM request_documents WHERE request_id = ? ORDER BY number, part"),
            arguments: [id.description])
    }

    /// Returns the newest file of each document that this agent has from earlier requests.
    ///
    /// - Parameter device: the name of the only device whose files count: they came with requests that it ran. Files whose request
    ///   was removed since do not count either, because who fetched them is not known any more. Nil for the files of every device.
    package func earlierDocuments(
        _ ids: [DocumentID], of agent: AgentName, fetchedBy device: String? = nil
    ) async throws -> [DocumentID: RequestDocument] {
        try await database.read { db in
            var found: [DocumentID: RequestDocument] = [:]
            for id in ids {
                found[id] = try RequestDocument.fetchOne(
                    db.cachedStatement(
                        sql: """
                            SELECT d.* FROM request_documents d JOIN pending_requests r ON r.id = d.request_id
                            LEFT JOIN request_executors e ON e.request_id = d.request_id
                            WHERE d.document_id = ?1 AND d.file_path IS NOT NULL AND r.agent = ?2
                                AND (?3 IS NULL OR d.was_there = 0 AND coalesce(e.device_id, ?4) = ?3)
                            ORDER BY r.created_at DESC LIMIT 1
                            """),
                    arguments: [id.description, agent.description, device, DeviceStore.defaultDeviceName])
            }
            return found
        }
    }

    /// Returns the file of the newest statement of a month that an agent has.
    package func statement(of period: MonthYear, ofBank bankID: String, for agent: AgentName) async throws -> String? {
        try await database.read { db in
            try String.fetchOne(
                db,
                sql: """
                    SELECT result_file_path FROM pending_requests
                    WHERE agent = ? AND status = 'COMPLETED' AND result_file_path IS NOT NULL AND parameters_json = ?
                        AND signed_envelope_json ->> '$.bank_id' = ?
                    ORDER BY created_at DESC LIMIT 1
                    """,
                arguments: [
                    agent.description, RequestSubject.statement(period).parameters.compactText(), bankID,
                ])
        }
    }

    static func insert(_ documents: [WantedDocument], of id: RequestID, in db: Database) throws {
        for (offset, wanted) in documents.enumerated() {
            let earlier = wanted.earlier
            try db.cachedStatement(
                sql: """
                    INSERT INTO request_documents (request_id, number, document_id, account, period, days, kind,
                        was_there, file_path, sha256, bytes)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                id.description, offset + 1, wanted.item.id.description, wanted.item.account?.description,
                wanted.item.period.description, RequestDocument.text(of: wanted.item.place.days),
                wanted.item.kind.rawValue, earlier != nil, earlier?.filePath, earlier?.sha256, earlier?.bytes,
            ])
            if let file = earlier?.filePath { try insertParts(of: wanted.item.id, at: file, to: id, in: db) }
        }
    }

    /// Gives a request the further documents that came with one that the agent has.
    private static func insertParts(
        of document: DocumentID, at file: String, to id: RequestID, in db: Database
    ) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO request_documents (request_id, number, document_id, account, period, days, kind,
                    part, was_there, file_path, sha256, bytes)
                SELECT ?1, own.number, d.document_id, d.account, d.period, d.days, d.kind, d.part, 1, d.file_path,
                    d.sha256, d.bytes
                FROM request_documents own JOIN request_documents first
                        ON first.document_id = own.document_id AND first.file_path = ?3 AND first.request_id <> ?1
                    JOIN request_documents d
                        ON d.request_id = first.request_id AND d.number = first.number AND d.part > 1
                WHERE own.request_id = ?1 AND own.document_id = ?2 AND d.file_path IS NOT NULL
                """
        ).execute(arguments: [id.description, document.description, file])
    }

    /// Stores a request whose documents are all there as COMPLETED, unless the agent has one for the same files: no
    /// person approves such requests, so an agent that asks again and again must not fill the database.
    ///
    /// - Parameter mostNames: the number of names that the agent may give one request. A name beyond them is not kept.
    /// - Returns: the request for the same files, or the one that the agent has given this name before; nil when it is stored.
    package func insertComplete(
        _ envelope: RequestEnvelope, signed: SignedEnvelope, agentRequestID key: String?, namesAtMost mostNames: Int,
        documents: [WantedDocument]
    ) async throws -> RequestRecord? {
        let agent = envelope.client ?? .standard
        let issuedAt = envelope.issuedAt.description
        return try await database.write { db in
            if let key, let earlier = try Self.request(of: agent, named: key, in: db) { return earlier }
            if let same = try Self.completeRequest(of: agent, like: envelope, documents, in: db) {
                if let key, try Self.names(of: same.id, by: agent, in: db) < mostNames {
                    try Self.name(same.id, key, by: agent, in: db)
                }
                return same
            }
            try db.execute(
                sql: """
                    INSERT INTO pending_requests (id, agent_request_id, request_type, parameters_json, nonce,
                        signed_envelope_json, status, created_at, updated_at, approval_expires_at, agent)
                    VALUES (?, ?, ?, ?, ?, ?, 'COMPLETED', ?, ?, ?, ?)
                    """,
                arguments: [
                    envelope.requestID.description, agent == .standard ? key : nil, envelope.subject.type,
                    envelope.parameters.compactText(), envelope.nonce.description, signed.json.compactText(), issuedAt,
                    issuedAt, envelope.approvalExpiresAt.description, agent.description,
                ])
            try Self.insert(documents, of: envelope.requestID, in: db)
            if let key { try Self.name(envelope.requestID, key, by: agent, in: db) }
            try RequestAudit.record(envelope, in: db)
            try RequestAudit.record(
                envelope.requestID, .completed, at: envelope.issuedAt.date, errorCode: nil, by: nil, in: db)
            try WebhookStore.queue(.end(.completed), of: envelope.requestID, at: envelope.issuedAt.date, in: db)
            return nil
        }
    }

    /// Returns the agent's newest completed request with the same parameters, if it has the same files.
    private static func completeRequest(
        of agent: AgentName, like envelope: RequestEnvelope, _ documents: [WantedDocument], in db: Database
    ) throws -> RequestRecord? {
        guard let first = documents.first else { return nil }
        let record = try RequestRecord.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT r.* FROM request_documents d JOIN pending_requests r ON r.id = d.request_id
                    WHERE d.document_id = ? AND r.agent = ? AND r.status = 'COMPLETED' AND r.parameters_json = ?
                    ORDER BY r.created_at DESC LIMIT 1
                    """),
            arguments: [first.item.id.description, agent.description, envelope.parameters.compactText()])
        guard let record else { return nil }
        let files = try Self.documents(of: record.id, in: db).filter(\.isAsked).map(\.filePath)
        return files == documents.map { $0.earlier?.filePath } ? record : nil
    }

    /// Returns the time for an execution: longer where it fetches several documents.
    static func executionTime(_ timeout: Duration, of id: RequestID, in db: Database) throws -> Duration {
        let count =
            try Int.fetchOne(
                db.cachedStatement(
                    sql: "SELECT count(*) FROM request_documents WHERE request_id = ? AND was_there = 0 AND part = 1"),
                arguments: [id.description]) ?? 0
        return timeout + timeForEachFurtherDocument * max(0, count - 1)
    }

    // MARK: Deliveries

    /// Judges the delivery of one document against the database as it is now.
    static func verdict(
        on manifest: CompletionManifest, _ document: CompletionManifest.Document, in db: Database
    ) throws -> DeliveryVerdict {
        let id = manifest.requestID
        guard let record = try request(id, in: db) else { return .refused("request \(id.short) is unknown") }
        let documents = try documents(of: id, in: db)
        guard document.place.part == 1 else { return try verdict(onPart: document, manifest, record, documents) }
        guard let known = documents.first(where: { $0.id == document.id }), !known.wasThere,
            known.place == document.place
        else { return .refused("the request did not ask for this document") }
        if known.filePath != nil {
            return known.nonce == manifest.nonce ? .duplicate : .refused("it was delivered before")
        }
        guard record.status == .approved || record.status == .executing else {
            return .refused("the request is \(record.status.rawValue)")
        }
        guard isPlaced(document, as: document.id, among: documents) else {
            return .refused("its number is not its place in the request")
        }
        return .accepted
    }

    /// Judges a further document of a place that the request asked for. The phone sends it before the first one, and the folder
    /// may bring it after the request is complete.
    private static func verdict(
        onPart document: CompletionManifest.Document, _ manifest: CompletionManifest, _ record: RequestRecord,
        _ documents: [RequestDocument]
    ) throws -> DeliveryVerdict {
        if let known = documents.first(where: { $0.id == document.id }) {
            return known.nonce == manifest.nonce ? .duplicate : .refused("it was delivered before")
        }
        guard let first = documents.first(where: { $0.place == document.place.numbered(1) }), !first.wasThere,
            document.id == DocumentID(bankID: try record.bankID, document.place)
        else { return .refused("the request did not ask for this document") }
        guard [.approved, .executing, .completed].contains(record.status) else {
            return .refused("the request is \(record.status.rawValue)")
        }
        guard isPlaced(document, as: first.id, among: documents) else {
            return .refused("its number is not its place in the request")
        }
        return .accepted
    }

    /// Returns whether a manifest's numbers are those of a document among the fetched ones.
    private static func isPlaced(
        _ document: CompletionManifest.Document, as id: DocumentID, among documents: [RequestDocument]
    ) -> Bool {
        let fetched = documents.filter { $0.isAsked && !$0.wasThere }
        return document.count == fetched.count
            && fetched.firstIndex(where: { $0.id == id }) == document.number - 1
    }

    /// Keeps the manifest of one document. Its request goes on until the closing manifest.
    static func keep(
        _ manifest: VerifiedManifest, _ document: CompletionManifest.Document, file: URL, at now: Date, in db: Database
    ) throws {
        let claim = manifest.manifest
        _ = try move(claim.requestID, from: .approved, to: .executing, at: Timestamp(now), in: db)
        if document.place.part > 1 { try insert(document, of: claim.requestID, in: db) }
        try db.execute(
            sql: """
                UPDATE request_documents SET file_path = ?, sha256 = ?, bytes = ?, nonce = ?, manifest_json = ?
                WHERE request_id = ? AND document_id = ?
                """,
            arguments: [
                file.path, claim.sha256, claim.bytes, claim.nonce.description, manifest.signed.json.compactText(),
                claim.requestID.description, document.id.description,
            ])
        try noteAccepted(claim.requestID, document.id, at: now, in: db)
        try RequestAudit.record(document, of: claim.requestID, sha256: claim.sha256, at: now, in: db)
    }

    /// Adds the row of a further document.
    private static func insert(
        _ document: CompletionManifest.Document, of id: RequestID, in db: Database
    ) throws {
        try db.execute(
            sql: """
                INSERT INTO request_documents (request_id, number, document_id, account, period, days, kind, part)
                SELECT request_id, number, ?2, account, period, days, kind, ?3 FROM request_documents
                WHERE request_id = ?1 AND part = 1 AND period = ?4 AND kind = ?5 AND account IS ?6 AND days IS ?7
                """,
            arguments: [
                id.description, document.id.description, document.place.part, document.period.description,
                document.kind.rawValue, document.account?.description,
                RequestDocument.text(of: document.place.days),
            ])
    }

    /// Ends a request for several documents: COMPLETED when each has a file or a reason and at least one a file.
    package func close(_ closing: VerifiedClosing, at now: Date) async throws -> ClosingVerdict {
        try await database.write { db in
            let claim = closing.closing
            let id = claim.requestID
            guard let record = try Self.request(id, in: db) else { return .refused("request \(id.short) is unknown") }
            let nonce = try String.fetchOne(
                db, sql: "SELECT nonce FROM closing_manifests WHERE request_id = ?", arguments: [id.description])
            if let nonce { return nonce == claim.nonce.description ? .duplicate : .refused("the request has ended") }
            guard record.status == .approved || record.status == .executing else {
                return .refused("the request is \(record.status.rawValue)")
            }
            let documents = try Self.documents(of: id, in: db)
            let fetched = documents.filter { $0.isAsked && !$0.wasThere }
            guard fetched.map(\.id) == claim.entries.map(\.id) else {
                return .refused("it does not name the documents of the request")
            }
            for (document, entry) in zip(fetched, claim.entries) {
                // A phone that stopped may not know of its last delivery, so a file counts more than a reason.
                guard case .delivered(let sha256) = entry.outcome else { continue }
                guard let there = try document.sha256 ?? Self.adopt(document.id, sha256, by: record, in: db) else {
                    return .waiting
                }
                guard there == sha256 else { return .refused("the document \(document.place) is another one") }
            }
            // Those that were adopted have their files only now. A further document alone is not what was asked for.
            let hasFiles = try Self.documents(of: id, in: db).contains { $0.isAsked && $0.filePath != nil }
            try Self.end(claim, withFiles: hasFiles, at: now, in: db)
            try db.execute(
                sql: "INSERT INTO closing_manifests VALUES (?, ?, ?, ?)",
                arguments: [
                    id.description, claim.nonce.description, closing.signed.json.compactText(),
                    Timestamp(now).description,
                ])
            return .accepted
        }
    }

    /// Gives a request a document that came for another request of its agent, with the further ones of its place: the phone
    /// did not fetch them twice.
    ///
    /// - Returns: its digest; nil while it has not come.
    private static func adopt(
        _ document: DocumentID, _ sha256: String, by record: RequestRecord, in db: Database
    ) throws -> String? {
        try db.execute(
            sql: """
                UPDATE request_documents SET (file_path, sha256, bytes) = (
                    SELECT d.file_path, d.sha256, d.bytes
                    FROM request_documents d JOIN pending_requests r ON r.id = d.request_id
                    WHERE d.document_id = ?2 AND d.sha256 = ?3 AND d.file_path IS NOT NULL AND r.agent = ?4
                    ORDER BY r.created_at DESC LIMIT 1)
                WHERE request_id = ?1 AND document_id = ?2 AND file_path IS NULL
                """, arguments: [record.id.description, document.description, sha256, record.agent.description])
        guard let adopted = try documents(of: record.id, in: db).first(where: { $0.id == document }),
            let file = adopted.filePath
        else { return nil }
        try insertParts(of: document, at: file, to: record.id, in: db)
        return adopted.sha256
    }

    private static func end(
        _ closing: ClosingManifest, withFiles hasFiles: Bool, at now: Date, in db: Database
    ) throws {
        let id = closing.requestID
        var first: (ErrorCode, String)?
        for entry in closing.entries {
            guard case .failed(let code, let message) = entry.outcome else { continue }
            first = first ?? (code, message)
            try db.execute(
                sql: """
                    UPDATE request_documents SET error_code = ?, phone_says = ?
                    WHERE request_id = ? AND document_id = ? AND file_path IS NULL
                    """, arguments: [code.rawValue, message, id.description, entry.id.description])
        }
        _ = try move(id, from: .approved, to: .executing, at: Timestamp(now), in: db)
        if hasFiles {
            _ = try move(id, from: .executing, to: .completed, at: Timestamp(now), in: db)
        } else if let (code, words) = first {
            _ = try move(
                id, from: .executing, to: .failed, at: Timestamp(now), error: (code, "no document came"), in: db)
            try db.execute(
                sql: "UPDATE pending_requests SET phone_says = ? WHERE id = ?", arguments: [words, id.description])
        }
    }
}
