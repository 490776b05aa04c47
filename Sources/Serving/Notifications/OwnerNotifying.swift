import Messages

/// A channel as the broker sees it. No call waits: a channel keeps its own queue.
package protocol OwnerNotifying: Sendable {
    /// Announces a request that waits for the owner.
    func nudge(_ envelope: RequestEnvelope)

    /// Announces an offer, within the same limit as requests.
    func nudge(_ offer: DocumentOffer)

    /// Tells that the owner's consent to a bank's interface ends soon, or has ended.
    ///
    /// - Returns: false where the channel tells no such thing, or nothing more in this hour.
    func tell(_ consent: BankConsent) -> Bool

    func announceCompletion(of id: RequestID)

    /// Tells how a request ended, if it has: its announcement says so from then on, and a failure gets a message of its own.
    func follow(_ id: RequestID)

    /// Sends what is queued until the task is cancelled.
    func run() async
}
