import Encodings

/// The answer to `GET /phone/requests/pending`: the requests that wait for this phone's decision (specification,
/// section 10.2).
public struct PendingList: Sendable, Hashable {
    public struct Entry: Sendable, Hashable {
        /// Not verified yet.
        public var envelope: SignedEnvelope
        /// The needs of an approval, as they arrived; nil from a broker that needs nothing.
        public var requirement: JSONValue?
        /// True when this device has approved, and others still have to.
        public var isApprovedHere: Bool
        /// Other agents that asked for the same while it waited, as the broker says; it is not signed. At most
        /// ``otherAgentsAtMost``.
        public var alsoAskedBy: [AgentName]

        /// Names of the other phones that have told of the same bank, as the broker says; it is not signed. At most
        /// ``otherPhonesAtMost``. They may be other people's, with other logins.
        public var alsoOn: [String]

        public static let otherAgentsAtMost = 10
        public static let otherPhonesAtMost = 5

        public init(
            envelope: SignedEnvelope, requirement: JSONValue?, isApprovedHere: Bool, alsoAskedBy: [AgentName] = [],
            alsoOn: [String] = []
        ) {
            self.envelope = envelope
            self.requirement = requirement
            self.isApprovedHere = isApprovedHere
            self.alsoAskedBy = alsoAskedBy
            self.alsoOn = alsoOn
        }

        var json: JSONValue {
            var members: [String: JSONValue] = ["envelope": envelope.json]
            members["requirement"] = requirement
            if isApprovedHere { members["approved"] = true }
            if !alsoAskedBy.isEmpty {
                members["also_asked_by"] = .array(alsoAskedBy.map { .string($0.description) })
            }
            if !alsoOn.isEmpty { members["also_on"] = .array(alsoOn.map(JSONValue.string)) }
            return .object(members)
        }

        init(json: JSONValue) {
            envelope = SignedEnvelope(json: json["envelope"] ?? .null)
            requirement = json["requirement"]
            isApprovedHere = json["approved"] == true
            // A name that is not one is left out: it is shown to a person.
            let names = (json["also_asked_by"]?.arrayValue ?? []).compactMap(\.stringValue).compactMap(AgentName.init)
            alsoAskedBy = Array(names.prefix(Self.otherAgentsAtMost))
            let phones = (json["also_on"]?.arrayValue ?? []).compactMap(\.stringValue)
            alsoOn = Array(phones.filter { !$0.isEmpty && $0.count <= 64 }.prefix(Self.otherPhonesAtMost))
        }
    }

    public var entries: [Entry]
    /// The broker wants this device to agree on new credentials.
    public var asksForRotation: Bool
    /// The mark to wait with for a change of this list or of the offers; nil from a broker without `/phone/changes`.
    public var mark: ChangeMark?

    public init(entries: [Entry], asksForRotation: Bool, mark: ChangeMark? = nil) {
        self.entries = entries
        self.asksForRotation = asksForRotation
        self.mark = mark
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = ["requests": .array(entries.map(\.json))]
        if asksForRotation { members["rotation_requested"] = true }
        members["mark"] = mark.map { .string($0.description) }
        return .object(members)
    }

    /// Returns nil for an answer without a list. Entries are not checked: their envelopes are verified one by one.
    public init?(json: JSONValue) {
        guard let list = json["requests"]?.arrayValue else { return nil }
        entries = list.map(Entry.init(json:))
        asksForRotation = json["rotation_requested"] == true
        mark = json["mark"]?.stringValue.flatMap { ChangeMark($0) }
    }
}
