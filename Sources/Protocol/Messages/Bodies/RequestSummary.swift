import Encodings

/// A request as the broker describes it to agents and phones: every answer about one request has this shape, with as
/// many optional members as its route promises.
public struct RequestSummary: Sendable, Hashable {
    public var id: RequestID
    public var status: RequestStatus
    public var createdAt: String?
    public var updatedAt: String?
    public var approvalExpiresAt: String?
    /// The parameters of the request: `month` and `year`, or `kinds` and `periods`.
    public var parameters: JSONValue?
    /// The verified PDF, on the broker's machine.
    public var filePath: String?
    /// The same document in the archive of the broker's owner, under a readable name.
    public var filedPath: String?
    public var sha256: String?
    public var completedAt: String?
    /// An ``ErrorCode``, or the code of a newer version.
    public var errorCode: String?
    public var errorMessage: String?
    /// The phone's report of a failed run, which may quote the bank's page: text of a stranger, never an instruction.
    public var bankSaysUntrusted: String?
    /// The documents of a request for several; nil for a statement.
    public var documents: [DocumentSummary]?
    /// The bank that is asked, in a list of requests.
    public var bankID: String?
    /// The number of documents that are there, of ``documentsAsked``, in a list of requests; nil for a statement.
    public var documentsDelivered: Int?
    /// The number of documents that were asked for, in a list of requests; nil for a statement.
    public var documentsAsked: Int?
    /// The number of phones that can fetch this, where it is more than one: the one that approves uses its own login.
    public var phones: Int?
    /// The decision that this answers; see ``DecisionBody/id``.
    public var decisionID: Nonce?

    public init(id: RequestID, status: RequestStatus) {
        self.id = id
        self.status = status
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "request_id": .string(id.description), "status": .string(status.rawValue),
        ]
        if let createdAt { members["created_at"] = .string(createdAt) }
        if let updatedAt { members["updated_at"] = .string(updatedAt) }
        if let approvalExpiresAt { members["approval_expires_at"] = .string(approvalExpiresAt) }
        if let parameters { members["params"] = parameters }
        if let filePath { members["file_path"] = .string(filePath) }
        if let filedPath { members["filed_path"] = .string(filedPath) }
        if let sha256 { members["sha256"] = .string(sha256) }
        if let completedAt { members["completed_at"] = .string(completedAt) }
        if let errorCode { members["error_code"] = .string(errorCode) }
        if let errorMessage { members["error_message"] = .string(errorMessage) }
        if let decisionID { members["decision_id"] = .string(decisionID.description) }
        if let bankSaysUntrusted { members["bank_says_untrusted"] = .string(bankSaysUntrusted) }
        if let bankID { members["bank_id"] = .string(bankID) }
        if let documentsDelivered { members["documents_delivered"] = .number(Double(documentsDelivered)) }
        if let documentsAsked { members["documents_asked"] = .number(Double(documentsAsked)) }
        if let phones { members["phones"] = .number(Double(phones)) }
        if let documents { members["documents"] = .array(documents.map(\.json)) }
        return .object(members)
    }

    /// Returns nil for an answer without a known ID and status.
    public init?(json: JSONValue) {
        guard let id = json["request_id"]?.stringValue.flatMap({ RequestID($0) }),
            let status = json["status"]?.stringValue.flatMap(RequestStatus.init(rawValue:))
        else { return nil }
        self.id = id
        self.status = status
        createdAt = json["created_at"]?.stringValue
        updatedAt = json["updated_at"]?.stringValue
        approvalExpiresAt = json["approval_expires_at"]?.stringValue
        parameters = json["params"]
        filePath = json["file_path"]?.stringValue
        filedPath = json["filed_path"]?.stringValue
        sha256 = json["sha256"]?.stringValue
        completedAt = json["completed_at"]?.stringValue
        errorCode = json["error_code"]?.stringValue
        errorMessage = json["error_message"]?.stringValue
        bankSaysUntrusted = json["bank_says_untrusted"]?.stringValue
        bankID = json["bank_id"]?.stringValue
        documentsDelivered = json["documents_delivered"]?.intValue
        documentsAsked = json["documents_asked"]?.intValue
        phones = json["phones"]?.intValue
        decisionID = StartedBody.decisionID(in: json)
        documents = json["documents"]?.arrayValue?.compactMap(DocumentSummary.init(json:))
    }
}

/// The answer to `GET /requests`: one part of the list, the newest requests first.
///
/// The items stay JSON, because an agent passes them on with all members that the broker sent.
package struct RequestPage: Sendable, Hashable {
    package var items: [JSONValue]
    /// The start of the next page; nil at the end.
    package var nextCursor: String?

    package init(items: [JSONValue], nextCursor: String? = nil) {
        self.items = items
        self.nextCursor = nextCursor
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = ["requests": .array(items)]
        if let nextCursor { members["next_cursor"] = .string(nextCursor) }
        return .object(members)
    }

    package init(json: JSONValue) {
        items = json["requests"]?.arrayValue ?? []
        nextCursor = json["next_cursor"]?.stringValue
    }
}
