import Clocks
import Encodings

/// A program elsewhere that waits until a person of the household allows it to ask for documents.
///
/// Its name and its addresses are its own words: a phone cleans them before it shows them.
public struct WaitingClient: Sendable, Hashable {
    /// The longest name of a program, in characters.
    public static let longestName = 64
    /// The longest address of a program, in bytes.
    public static let longestAddress = 2_048

    public let id: RequestID
    /// The program's own name for itself; nil when it says none.
    public let name: String?
    /// The program's identifier: the https address of its description, or an identifier that describes it itself.
    public let clientID: String
    /// The address to which the person's browser returns.
    public let returnsTo: String
    public let expiresAt: Timestamp

    public init(id: RequestID, name: String?, clientID: String, returnsTo: String, expiresAt: Timestamp) {
        (self.id, self.name, self.clientID, self.returnsTo) = (id, name, clientID, returnsTo)
        self.expiresAt = expiresAt
    }

    public var json: JSONValue {
        [
            "ask_id": .string(id.description), "name_untrusted": name.map { .string($0) } ?? .null,
            "client_id_untrusted": .string(clientID), "returns_to_untrusted": .string(returnsTo),
            "expires_at": .string(expiresAt.description),
        ]
    }

    /// Reads ``json``; nil when a member is missing or too long.
    public init?(json: JSONValue) {
        guard let id = json["ask_id"]?.stringValue.flatMap({ RequestID($0) }),
            let clientID = json["client_id_untrusted"]?.stringValue, clientID.utf8.count <= Self.longestAddress,
            let returnsTo = json["returns_to_untrusted"]?.stringValue, returnsTo.utf8.count <= Self.longestAddress,
            let expires = json["expires_at"]?.stringValue.flatMap({ Timestamp($0) })
        else { return nil }
        let name = json["name_untrusted"]?.stringValue.map { String($0.prefix(Self.longestName)) }
        self.init(id: id, name: name, clientID: clientID, returnsTo: returnsTo, expiresAt: expires)
    }
}

/// A program elsewhere that a person has allowed: an agent with limits of its own.
public struct AllowedClient: Sendable, Hashable {
    public let agent: AgentName
    /// The program's own name for itself; nil when it says none.
    public let name: String?
    public let returnsTo: String
    public let limits: ClientLimits
    public let allowedAt: Timestamp
    /// The time when it last renewed its tokens; nil when it has none yet.
    public let usedAt: Timestamp?

    public init(
        agent: AgentName, name: String?, returnsTo: String, limits: ClientLimits, allowedAt: Timestamp,
        usedAt: Timestamp?
    ) {
        (self.agent, self.name, self.returnsTo, self.limits) = (agent, name, returnsTo, limits)
        (self.allowedAt, self.usedAt) = (allowedAt, usedAt)
    }

    public var json: JSONValue {
        [
            "agent": .string(agent.description), "name_untrusted": name.map { .string($0) } ?? .null,
            "returns_to_untrusted": .string(returnsTo), "limits": limits.json,
            "allowed_at": .string(allowedAt.description),
            "used_at": usedAt.map { .string($0.description) } ?? .null,
        ]
    }

    /// Reads ``json``; nil when a member is missing or not what it should be.
    public init?(json: JSONValue) {
        guard let agent = json["agent"]?.stringValue.flatMap({ AgentName($0) }),
            let returnsTo = json["returns_to_untrusted"]?.stringValue,
            returnsTo.utf8.count <= WaitingClient.longestAddress,
            let limits = try? ClientLimits(kept: json["limits"] ?? .null),
            let allowed = json["allowed_at"]?.stringValue.flatMap({ Timestamp($0) })
        else { return nil }
        let name = json["name_untrusted"]?.stringValue.map { String($0.prefix(WaitingClient.longestName)) }
        self.init(
            agent: agent, name: name, returnsTo: returnsTo, limits: limits, allowedAt: allowed,
            usedAt: json["used_at"]?.stringValue.flatMap { Timestamp($0) })
    }
}

/// The answer to `GET /phone/clients`.
public struct ClientList: Sendable, Hashable {
    public let waiting: [WaitingClient]
    public let allowed: [AllowedClient]

    public init(waiting: [WaitingClient], allowed: [AllowedClient]) {
        (self.waiting, self.allowed) = (waiting, allowed)
    }

    public var json: JSONValue {
        ["waiting": .array(waiting.map(\.json)), "allowed": .array(allowed.map(\.json))]
    }

    /// Leaves out what cannot be read; nil for an answer without the lists.
    public init?(json: JSONValue) {
        guard let waiting = json["waiting"]?.arrayValue, let allowed = json["allowed"]?.arrayValue else { return nil }
        self.init(
            waiting: waiting.compactMap(WaitingClient.init(json:)),
            allowed: allowed.compactMap(AllowedClient.init(json:)))
    }
}
