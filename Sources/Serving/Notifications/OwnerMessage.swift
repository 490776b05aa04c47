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
        /// A request was denied, has expired, or failed; or several ends that the hour's limit held back.
        case ended
        /// The owner's consent to a bank's interface ends soon, or has ended.
        case consent
        /// The answer to what the owner wrote to the channel. Only Countersign's own channels can be written to.
        case answer
    }

    public let kind: Kind
    public let text: String
    /// The request that the message is about.
    public let requestID: RequestID?
    /// The time after which the message is useless.
    public let expiry: Date?

    /// Makes a message. Countersign makes those that a channel sends; a test of a channel makes its own.
    ///
    /// - Parameters:
    ///   - text: the message, of one or more lines.
    ///   - requestID: the request that the message is about.
    ///   - expiry: the time after which the message is useless.
    public init(_ kind: Kind, _ text: String, about requestID: RequestID? = nil, until expiry: Date? = nil) {
        self.kind = kind
        self.text = text
        self.requestID = requestID
        self.expiry = expiry
    }

    package init(asking envelope: RequestEnvelope, in text: OwnerText = .english) {
        var values = [
            "period": text.words(of: envelope.subject), "id": envelope.requestID.description,
            "until": text.time(envelope.approvalExpiresAt),
        ]
        values["why"] = envelope.reason.map { text("request.reason", ["reason": $0.shownWithoutLinks]) } ?? ""
        let key = "request.\(envelope.subject.noun)"
        let sentence: String
        if let agent = envelope.client {
            values["agent"] = "\(agent)"
            sentence = text("\(key)-named", values)
        } else {
            sentence = text(key, values)
        }
        self.init(.request, sentence, about: envelope.requestID, until: envelope.approvalExpiresAt.date)
    }

    package init(offering offer: DocumentOffer, in text: OwnerText = .english) {
        self.init(
            .offer,
            text(
                offer.isScheduled ? "offer.schedule" : "offer.agent",
                [
                    "agent": "\(offer.agent)", "period": text.words(of: offer), "until": text.time(offer.expiresAt),
                ]), until: offer.expiresAt.date)
    }

    package init(ending consent: BankConsent, at now: Date, in text: OwnerText = .english) {
        let day = consent.end(seenAt: now).map(text.day(of:)) ?? ""
        self.init(
            .consent,
            text("consent.\(consent.stage(at: now).rawValue.replacing(" ", with: "-"))", ["day": day]))
    }

    package init(completed id: RequestID, in text: OwnerText = .english) {
        self.init(.completed, text("end.request-completed", ["id": id.description]), about: id)
    }

    /// - Parameters:
    ///   - count: the requests that the limit held back.
    ///   - waiting: the requests that wait now.
    package init(heldBack count: Int, waiting: Int, in text: OwnerText = .english) {
        self.init(.digest, text("digest.held-back", ["count": String(count), "waiting": String(waiting)]))
    }

    /// - Parameter count: the ends of requests that the limit held back.
    package init(heldBackEnds count: Int, in text: OwnerText = .english) {
        self.init(.ended, text("digest.ends", ["count": String(count)]))
    }

    package init(_ end: RequestEnd, in text: OwnerText = .english) {
        self.init(.ended, end.sentence(in: text), about: end.id)
    }
}
