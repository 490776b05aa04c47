import Foundation
import Messages

/// A message to the owner, in the program's own words. It holds no word of a bank or of a document, and no secret. An agent's
/// reason is quoted as its words, without anything that a messenger makes tappable.
public struct OwnerMessage: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        /// A request waits for the owner.
        case request
        /// An agent or a schedule offers documents.
        case offer
        /// Several requests that the hour's limit held back.
        case digest
        /// A request's documents are there.
        case completed
        /// A request was denied, has expired, or failed.
        case ended
        /// The answer to what the owner wrote to the channel.
        case answer
    }

    public let kind: Kind
    public let text: String
    /// The request that the message is about.
    public let requestID: RequestID?
    /// The time after which the message is useless.
    public let expiry: Date?

    package init(_ kind: Kind, _ text: String, about requestID: RequestID? = nil, until expiry: Date? = nil) {
        self.kind = kind
        self.text = text
        self.requestID = requestID
        self.expiry = expiry
    }

    package init(asking envelope: RequestEnvelope) {
        let who = envelope.client.map { "the agent “\($0)”" } ?? "an agent"
        let why = envelope.reason.map { " Its reason, in its own words: “\($0.shownWithoutLinks)”." } ?? ""
        self.init(
            .request,
            "Countersign: \(who) asks for the \(envelope.subject.noun) of \(envelope.subject.words) (request "
                + "\(envelope.requestID)).\(why) Open the approval page of your phone to decide, until "
                + "\(envelope.approvalExpiresAt).",
            about: envelope.requestID, until: envelope.approvalExpiresAt.date)
    }

    package init(offering offer: DocumentOffer) {
        let who = offer.isScheduled ? "a schedule of yours" : "an agent (“\(offer.agent)”)"
        self.init(
            .offer,
            "Countersign: \(who) offers the documents of \(offer.words), for when you have time. Open the "
                + "approval page of your phone to see it, until \(offer.expiresAt). Nothing is fetched before you "
                + "approve.", until: offer.expiresAt.date)
    }

    package init(completed id: RequestID) {
        self.init(.completed, "Countersign: request \(id) is complete. (For information only.)", about: id)
    }

    /// - Parameters:
    ///   - count: the requests that the limit held back.
    ///   - waiting: the requests that wait now.
    package init(heldBack count: Int, waiting: Int) {
        self.init(
            .digest,
            "Countersign: \(count) more requests came in the last hour, and \(waiting) wait for you now. If you "
                + "did not expect them, stop the agent: countersign agents remove NAME, or a new BROKER_API_TOKEN.")
    }

    package init(_ end: RequestEnd) { self.init(.ended, end.sentence, about: end.id) }
}
