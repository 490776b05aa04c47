import Clocks
import Encodings
import GRDB
import Messages

/// A row of `pending_requests`.
package struct RequestRecord: Sendable, Hashable, FetchableRecord {
    package let id: RequestID
    package let agentRequestID: String?
    /// `statement` or `documents`.
    package let type: String
    private let parametersText: String
    private let envelopeText: String
    package let status: RequestStatus
    package let createdAt: String
    package let updatedAt: String
    package let approvalExpiresAt: Timestamp
    package let resultFilePath: String?
    package let resultSHA256: String?
    package let completedAt: String?
    package let errorCode: String?
    package let errorMessage: String?
    /// The approval that counts; see ``DecisionBody/id``. Nil when its phone named none.
    package let decisionID: Nonce?
    /// The phone's words about a failed run, which may quote the bank's page.
    package let phoneSays: String?
    /// The agent that asked.
    package let agent: AgentName

    package init(row: Row) throws {
        guard let id = RequestID(row["id"] as String), let status = RequestStatus(rawValue: row["status"] as String),
            let expiry = Timestamp(row["approval_expires_at"] as String), let agent = AgentName(row["agent"] as String)
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a request's row cannot be read") }
        self.id = id
        self.status = status
        approvalExpiresAt = expiry
        agentRequestID = row["agent_request_id"]
        type = row["request_type"]
        parametersText = row["parameters_json"]
        envelopeText = row["signed_envelope_json"]
        createdAt = row["created_at"]
        updatedAt = row["updated_at"]
        resultFilePath = row["result_file_path"]
        resultSHA256 = row["result_sha256"]
        completedAt = status == .completed ? row["updated_at"] : nil
        errorCode = row["error_code"]
        errorMessage = row["error_message"]
        decisionID = (row["decision_id"] as String?).flatMap(Nonce.init)
        phoneSays = row["phone_says"]
        self.agent = agent
    }
}

extension RequestRecord {
    /// The agent's parameters. They are parsed on demand: an agent that polls needs neither them nor the envelope.
    package var parameters: JSONValue { get throws { try JSONReader.read(parametersText) } }

    /// The signed envelope, as the default device receives it.
    package var envelope: JSONValue { get throws { try JSONReader.read(envelopeText) } }

    /// Returns the envelope's content with the nonce under which one device receives it.
    package func envelope(nonce: Nonce) throws -> RequestEnvelope {
        guard let issuedAt = try envelope["issued_at"]?.stringValue.flatMap({ Timestamp($0) }) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a request's envelope cannot be read")
        }
        return RequestEnvelope(
            requestID: id, bankID: try bankID, subject: try subject, issuedAt: issuedAt,
            approvalExpiresAt: approvalExpiresAt, nonce: nonce, client: agent == .standard ? nil : agent,
            reason: try reason)
    }

    /// The agent's reason, as the broker signed it.
    package var reason: AgentReason? {
        get throws { try envelope["reason"]?.stringValue.flatMap(AgentReason.init) }
    }

    package var bankID: String {
        get throws {
            guard let bank = try envelope["bank_id"]?.stringValue else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a request's envelope cannot be read")
            }
            return bank
        }
    }

    /// The documents that the phone has to fetch. With a ``RequestSubject/lackedKind`` it can be listed, and
    /// must not run.
    package var subject: RequestSubject {
        get throws {
            do {
                return try RequestSubject(kept: type, parameters: try parameters)
            } catch {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a request's parameters cannot be read")
            }
        }
    }
}

extension RequestStore {
    /// A request's place in the list of all requests, where the next page begins. Its text is `created_at~id`.
    package struct Place: Sendable, Hashable, LosslessStringConvertible {
        package let createdAt: String
        package let id: String

        package init?(_ text: String) {
            let form = /([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)~(([0-9a-f]+-){4}[0-9a-f]+)/
            guard text.utf8.count == 61, let match = text.wholeMatch(of: form) else { return nil }
            createdAt = String(match.1)
            id = String(match.2)
        }

        package init(_ record: RequestRecord) {
            createdAt = record.createdAt
            id = record.id.description
        }

        package var description: String { "\(createdAt)~\(id)" }
    }
}

extension RequestRecord {
    package var place: RequestStore.Place { RequestStore.Place(self) }
}
