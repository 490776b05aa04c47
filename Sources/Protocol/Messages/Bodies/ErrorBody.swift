import Encodings

/// The answer to a request that the broker refuses (specification, sections 10 and 16).
public struct ErrorBody: Sendable, Hashable {
    /// An ``ErrorCode``, or the code of a newer version; nil when the answer has none.
    public var code: String?
    public var message: String?
    /// The state of the request, when the state is the reason for the refusal.
    public var status: RequestStatus?
    /// The approval that counts, when the request has one; see ``DecisionBody/id``.
    public var decisionID: Nonce?
    /// The ids of the banks of which the request must name one; none when it need not.
    public var banks: [String]

    public init(
        code: ErrorCode, message: String, status: RequestStatus? = nil, decisionID: Nonce? = nil, banks: [String] = []
    ) {
        self.banks = banks
        self.decisionID = decisionID
        self.code = code.rawValue
        self.message = message
        self.status = status
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        if let code { members["error_code"] = .string(code) }
        if let message { members["error_message"] = .string(message) }
        if let status { members["status"] = .string(status.rawValue) }
        if let decisionID { members["decision_id"] = .string(decisionID.description) }
        if !banks.isEmpty { members["banks"] = .array(banks.map(JSONValue.string)) }
        return .object(members)
    }

    public init(json: JSONValue) {
        code = json["error_code"]?.stringValue
        message = json["error_message"]?.stringValue
        status = json["status"]?.stringValue.flatMap(RequestStatus.init(rawValue:))
        decisionID = StartedBody.decisionID(in: json)
        banks = json["banks"]?.arrayValue?.compactMap(\.stringValue).filter(OfferedBank.isID) ?? []
    }
}
