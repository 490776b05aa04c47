import BankScript
import Clocks
import DeviceTrust
import Foundation
import Messages
import PhoneStore

/// A verified request that waits for a decision, with everything that the person has to see before deciding.
public struct PendingRequest: Sendable, Hashable {
    public let id: RequestID
    public let bankID: String
    /// The bank's name from its script, never from a message.
    public let bankName: String
    /// The kind of request: `statement` or `documents`.
    public let type: String
    /// The month of a statement, or the first of several.
    public let period: MonthYear
    public let issuedAt: Date
    public let expiresAt: Date
    /// The digest of the script that an approval would run.
    public let script: ScriptDigest
    /// The documents of a request for several; nil for a statement.
    public internal(set) var documents: DocumentSelection?
    /// The values that the script sends to each origin, in words.
    public internal(set) var outflows: [String] = []
    /// The agent that asks, as the broker signed it; nil for the agent of the broker's own token.
    public internal(set) var client: AgentName?
    /// The agent's reason, as the broker signed it: the agent's words, and nothing that this phone has checked.
    public internal(set) var reason: AgentReason?
    /// The owner asked for this at this phone, which the phone itself remembers.
    public internal(set) var isAskedHere = false
    /// Other agents that asked for the same while it waited. Only the broker says so; it is not signed.
    public internal(set) var alsoAskedBy: [AgentName] = []
    /// The vault's token that will answer when the bank asks for a code; nil if the person will be asked or the script
    /// asks for no code.
    public internal(set) var answeringToken: LinkedToken?
    /// The bank refused the stored credentials before; an approval has to say that the person wants another try.
    public internal(set) var hold: SignInHold?
    /// The requirements of the broker's policy and of this phone's own policy.
    public internal(set) var requirement = Requirement.none
    /// The number of devices that have already approved.
    public internal(set) var approvals = 0
    /// This phone has approved, and the request waits for another device.
    public internal(set) var isApprovedHere = false

    /// Returns the seconds left for a decision; 0 when the time is over.
    public func timeLeft(at now: Date) -> TimeInterval { max(0, expiresAt.timeIntervalSince(now)) }
}

extension PendingRequest {
    /// The subject of the request.
    public var subject: RequestSubject { documents.map(RequestSubject.documents) ?? .statement(period) }

    /// The party that asks, in words.
    public var clientWords: String {
        switch (isAskedHere, client) {
        case (true, .owner): "you"
        case (true, _): "you, after \(agentWords)"
        case (false, .owner): "you, on another device, as the broker says"
        case (false, _): agentWords
        }
    }

    private var agentWords: String { client.map { "the agent “\($0)”" } ?? Self.unnamedAgent }

    private static let unnamedAgent = "an agent without a name"

    /// The other agents that asked, in words; nil without any.
    public var otherClientsWords: String? {
        alsoAskedBy.isEmpty
            ? nil
            : alsoAskedBy.map { $0 == .standard ? Self.unnamedAgent : $0 == .owner ? "you" : "“\($0)”" }
                .joined(separator: ", ") + ", as the broker says"
    }

    /// The requirements of an approval in words; nil if it needs nothing special.
    public var neededWords: String? {
        var needs = requirement.factors.sorted().map(\.words)
        if requirement.devices > 1 {
            needs = needs.filter { $0 != ApprovalFactor.deviceSignature.words } + ["\(requirement.devices) devices"]
        }
        return needs.isEmpty ? nil : needs.joined(separator: ", ")
    }

    /// The number of approvals so far, in words.
    public var progressWords: String { RunOutcome.waitingWords(approvals, of: requirement.devices) }
}

/// The result of a refresh.
public struct Review: Sendable, Hashable {
    /// The pending requests, the soonest to expire first.
    public let pending: [PendingRequest]
    /// The envelopes that may not be shown for approval, with the reasons.
    public let refused: [Refusal]
    /// The number of envelopes that were left out because there were too many.
    public let unread: Int
}
