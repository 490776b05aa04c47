import Clocks
import Messages

/// The broker's requests, as a channel shows them to the person. A channel announces and lists; it changes no state.
package protocol AnnouncedRequests: Sendable {
    /// Counts the requests that wait for the person.
    func countWaiting() async throws -> Int

    /// Returns the requests that wait for the person, newest first.
    func waiting(atMost limit: Int) async throws -> [WaitingRequest]

    /// Stores the id of the channel's message about a request.
    func remember(message: String, for id: RequestID) async throws

    /// Returns how a request ended; nil while it has not.
    func end(of id: RequestID) async throws -> RequestEnd?

    /// Counts a message that was sent, or that was given up.
    func countMessage(wasSent: Bool)
}

/// A request that waits for the person.
package struct WaitingRequest: Sendable {
    package let id: RequestID
    /// Nil when the stored parameters cannot be read.
    package let subject: RequestSubject?
    package let approvalExpiresAt: Timestamp

    package init(id: RequestID, subject: RequestSubject?, approvalExpiresAt: Timestamp) {
        self.id = id
        self.subject = subject
        self.approvalExpiresAt = approvalExpiresAt
    }
}
