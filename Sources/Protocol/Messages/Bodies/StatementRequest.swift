import Clocks
import Encodings

/// The body of `POST /request`: an agent asks for the statement of one month (specification, section 10.1).
public struct StatementRequest: Sendable, Hashable {
    /// The years that an agent can ask for.
    public static let years = 1990...2100

    public var month: Int
    public var year: Int
    /// The bank, by the id in ``BankList``; nil for the only one.
    public var bankID: String?
    /// The agent's own name for the request, an idempotency key: 1 to 200 characters.
    public var agentRequestID: String?
    /// The agent's reason, which the person reads.
    public var reason: AgentReason?

    public init(
        month: Int, year: Int, bankID: String? = nil, agentRequestID: String? = nil, reason: AgentReason? = nil
    ) {
        self.month = month
        self.year = year
        self.bankID = bankID
        self.agentRequestID = agentRequestID
        self.reason = reason
    }

    /// The month and year, checked.
    ///
    /// - Throws: ``BodyError`` when one is out of range.
    public var period: MonthYear { get throws(BodyError) { try Self.period(month: month, year: year) } }

    private static func period(month: Int, year: Int) throws(BodyError) -> MonthYear {
        guard (1...12).contains(month) else { throw .invalid("month", "not from 1 to 12") }
        guard years.contains(year), let period = MonthYear(month: month, year: year) else {
            throw .invalid("year", "not from \(years.lowerBound) to \(years.upperBound)")
        }
        return period
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "type": .string(RequestEnvelope.statementType), "month": .number(Double(month)),
            "year": .number(Double(year)),
        ]
        if let bankID { members["bank_id"] = .string(bankID) }
        if let agentRequestID { members["agent_request_id"] = .string(agentRequestID) }
        if let reason { members["reason"] = .string(reason.text) }
        return .object(members)
    }

    /// - Throws: ``BodyError`` that names the unknown fields, or the first field that is missing or out of range.
    public init(json: JSONValue) throws(BodyError) {
        let fields = BodyFields(json)
        guard try fields.text("type", atMost: 64) == RequestEnvelope.statementType else {
            throw BodyError(.invalidRequestType, "the only type is “statement”")
        }
        try fields.refuseOthers(than: ["type", "month", "year", "bank_id", "agent_request_id", "reason"])
        month = try fields.whole("month")
        year = try fields.whole("year")
        _ = try Self.period(month: month, year: year)
        bankID = try fields.bankID()
        agentRequestID = try fields.agentRequestID()
        reason = try fields.reason()
    }
}

// The fields that every request has.

extension BodyFields {
    func bankID() throws(BodyError) -> String? {
        let id = try optionalText("bank_id", atMost: 64)
        guard id.map(OfferedBank.isID) ?? true else {
            throw .invalid("bank_id", "not made of lower-case letters, digits, - and _; GET /banks lists the banks")
        }
        return id
    }

    func agentRequestID() throws(BodyError) -> String? {
        let name = try optionalText("agent_request_id", atMost: 200)
        guard name?.isEmpty != true else { throw .invalid("agent_request_id", "empty; leave it out") }
        return name
    }

    func reason() throws(BodyError) -> AgentReason? {
        guard let text = try optionalText("reason", atMost: AgentReason.longest) else { return nil }
        guard let reason = AgentReason(text) else { throw .invalid("reason", "empty; leave it out") }
        return reason
    }
}
