import Clocks
import Encodings

/// The body of `POST /phone/requests/{id}/started`. Some brokers do not know the route: it is an addition to the
/// specification. Brokers take the time from their own clock.
package struct StartedBody: Sendable, Hashable {
    package var startedAt: Timestamp
    /// The approval that this run follows; see ``DecisionBody/id``.
    package var decisionID: Nonce?

    package init(startedAt: Timestamp, decisionID: Nonce? = nil) {
        self.startedAt = startedAt
        self.decisionID = decisionID
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = ["started_at": .string(startedAt.description)]
        if let decisionID { members["decision_id"] = .string(decisionID.description) }
        return .object(members)
    }

    /// Returns the approval that the sender of a body follows; nil for a phone that does not name one.
    package static func decisionID(in json: JSONValue) -> Nonce? {
        json["decision_id"]?.stringValue.flatMap(Nonce.init)
    }
}

/// The body of `POST /phone/requests/{id}/failure`: a run ended without a statement (specification, section 10.2).
package struct FailureBody: Sendable, Hashable {
    /// One of ``ErrorCode/phoneReports``.
    package var code: ErrorCode
    /// At most 2,000 characters.
    package var message: String?
    package var failedAt: Timestamp
    /// The approval that the run followed; see ``DecisionBody/id``.
    package var decisionID: Nonce?

    package init(code: ErrorCode, message: String?, failedAt: Timestamp, decisionID: Nonce? = nil) {
        self.decisionID = decisionID
        self.code = code
        self.message = message
        self.failedAt = failedAt
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "error_code": .string(code.rawValue), "failed_at": .string(failedAt.description),
        ]
        if let message { members["error_message"] = .string(message) }
        if let decisionID { members["decision_id"] = .string(decisionID.description) }
        return .object(members)
    }

    /// - Throws: ``BodyError`` that names the first field that is missing or invalid.
    package init(json: JSONValue) throws(BodyError) {
        let fields = BodyFields(json)
        let name = try fields.text("error_code", atMost: 64)
        guard let code = ErrorCode.phoneReports.first(where: { $0.rawValue == name }) else {
            let names = ErrorCode.phoneReports.map(\.rawValue).sorted().joined(separator: ", ")
            throw .invalid("error_code", "not one of \(names)")
        }
        self.code = code
        message = try fields.optionalText("error_message", atMost: 2000)
        failedAt = try fields.time("failed_at")
        decisionID = StartedBody.decisionID(in: json)
    }
}
