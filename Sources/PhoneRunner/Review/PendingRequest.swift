import BankScript
import Clocks
import DeviceTrust
import Foundation
import Messages

/// A request that was verified and waits for a decision: everything that the person has to see before they decide.
public struct PendingRequest: Sendable, Hashable {
    public let id: RequestID
    public let bankID: String
    /// The bank's name as the script has it, not as any message has it.
    public let bankName: String
    /// The kind of request; `statement` is the only one.
    public let type: String
    public let period: MonthYear
    public let issuedAt: Date
    public let expiresAt: Date
    /// The script that an approval would run.
    public let script: ScriptDigest
    /// The token of the vault that will answer when the bank asks for a code; nil when the person will be asked, or
    /// the script asks for none.
    public internal(set) var answeringToken: LinkedToken?
    /// What an approval needs, by the broker's policy and this phone's own.
    public internal(set) var requirement = Requirement.none
    /// How many devices have approved already.
    public internal(set) var approvals = 0
    /// This phone has approved; the request waits for another device.
    public internal(set) var isApprovedHere = false

    /// The time that is left for a decision, none when it is over.
    public func timeLeft(at now: Date) -> TimeInterval { max(0, expiresAt.timeIntervalSince(now)) }
}

/// What a look at the broker brought.
public struct Review: Sendable, Hashable {
    /// Soonest to expire first.
    public let pending: [PendingRequest]
    /// What may not be shown for approval, with the reason; never to be approved.
    public let refused: [Refusal]
    /// How many envelopes were left out because there were too many.
    public let unread: Int
}
