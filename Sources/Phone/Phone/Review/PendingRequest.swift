import BankScript
import Clocks
import DeviceTrust
import Foundation
import Messages
import PhoneStore

/// A verified request that waits for a decision, with everything that the person has to see before deciding.
package struct PendingRequest: Sendable, Hashable {
    package let id: RequestID
    package let bankID: String
    /// The bank's name from its script, never from a message.
    package let bankName: String
    /// The kind of request: `statement` or `documents`.
    package let type: String
    /// The month of a statement, or the first of several.
    package let period: MonthYear
    package let issuedAt: Date
    package let expiresAt: Date
    /// The digest of the script that an approval would run.
    package let script: ScriptDigest
    /// The documents of a request for several; nil for a statement.
    package internal(set) var documents: DocumentSelection?
    /// True if the request names no account of a bank that may have several: it is then for the first of the bank's list.
    package internal(set) var isOfFirstAccount = false
    /// The values that the script sends to each origin, in words.
    package internal(set) var outflows: [String] = []
    /// The agent that asks, as the broker signed it; nil for the agent of the broker's own token.
    package internal(set) var client: AgentName?
    /// The agent's reason, as the broker signed it: the agent's words, and nothing that this phone has checked.
    package internal(set) var reason: AgentReason?
    /// The owner asked for this at this phone, which the phone itself remembers.
    package internal(set) var isAskedHere = false
    /// Other agents that asked for the same while it waited. Only the broker says so; it is not signed.
    package internal(set) var alsoAskedBy: [AgentName] = []
    /// Other phones with the same bank, perhaps another person's. Only the broker says so; it is not signed.
    package internal(set) var alsoOn: [String] = []
    /// The vault's token that will answer when the bank asks for a code; nil if the person will be asked or the script
    /// asks for no code.
    package internal(set) var answeringToken: LinkedToken?
    /// The bank refused the stored credentials before; an approval has to say that the person wants another try.
    package internal(set) var hold: SignInHold?
    /// The requirements of the broker's policy and of this phone's own policy.
    package internal(set) var requirement = Requirement.none
    /// The number of devices that have already approved.
    package internal(set) var approvals = 0
    /// This phone has approved, and the request waits for another device.
    package internal(set) var isApprovedHere = false

    /// Returns the seconds left for a decision; 0 when the time is over.
    package func timeLeft(at now: Date) -> TimeInterval { max(0, expiresAt.timeIntervalSince(now)) }
}

extension PendingRequest {
    /// The subject of the request.
    package var subject: RequestSubject { documents.map(RequestSubject.documents) ?? .statement(period) }

    /// The party that asks, in words.
    package var clientWords: String {
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
    package var otherClientsWords: String? {
        alsoAskedBy.isEmpty
            ? nil
            : alsoAskedBy.map { $0 == .standard ? Self.unnamedAgent : $0 == .owner ? "you" : "“\($0)”" }
                .joined(separator: ", ") + ", as the broker says"
    }

    /// The other phones with the bank, of which one may be meant instead.
    package var otherPhones: [String] { alsoOn.map { ReportText.cleaned($0, limit: 64) } }

    /// True where several phones have to approve: the one that approves last fetches.
    package var lastApproverFetches: Bool { requirement.devices > 1 }

    /// The requirements of an approval in words; nil if it needs nothing special.
    package var neededWords: String? {
        var needs = requirement.factors.sorted().map(\.words)
        if requirement.devices > 1 {
            needs = needs.filter { $0 != ApprovalFactor.deviceSignature.words } + ["\(requirement.devices) devices"]
        }
        return needs.isEmpty ? nil : needs.joined(separator: ", ")
    }

    /// The number of approvals so far, in words.
    package var progressWords: String { RunOutcome.waitingWords(approvals, of: requirement.devices) }
}

/// The result of a refresh.
package struct Review: Sendable, Hashable {
    /// The pending requests, the soonest to expire first.
    package let pending: [PendingRequest]
    /// The envelopes that may not be shown for approval, with the reasons.
    package let refused: [Refusal]
    /// The number of envelopes that were left out because there were too many.
    package let unread: Int
}
