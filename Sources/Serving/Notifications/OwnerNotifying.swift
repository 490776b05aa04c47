import Messages

/// A channel as the broker sees it. No call waits: a channel keeps its own queue.
package protocol OwnerNotifying: Sendable {
    /// Announces a request that waits for the owner.
    func nudge(_ envelope: RequestEnvelope)

    /// Announces an offer. Offers have a limit of their own.
    func nudge(_ offer: DocumentOffer)

    /// Tells that the owner's consent to a bank's interface ends soon, or has ended.
    ///
    /// - Parameters:
    ///   - phone: the phone that told of the consent, which the limit of an hour is for.
    ///   - whenDone: called once the message has been sent, or was given up. It is not called when the channel stops before.
    /// - Returns: false where the channel tells no such thing, or nothing more of this phone in this hour. Then `whenDone` is not
    ///   called.
    func tell(
        _ consent: BankConsent, of phone: String, whenDone: @escaping @Sendable (_ wasSent: Bool) async -> Void
    ) -> Bool

    /// Tells that a request's documents are there, within a limit for the phone that brought them.
    func announceCompletion(of id: RequestID)

    /// Tells how a request ended, if it has: its announcement says so from then on, and a failure gets a message of its own.
    func follow(_ id: RequestID)

    /// Sends what is queued until the task is cancelled.
    func run() async
}
