import CurlClient
import Encodings
import Foundation
import Messages
import Notifications
import PhoneStore

/// The settings of the page's notifications.
package struct NotificationsConfiguration: Sendable {
    package var subject: VAPIDSubject
    /// The connection to push services, for example with a certificate authority of its own.
    package var http: CurlConfiguration
    /// The notifications of one agent in an hour, so that it cannot make the phone ring all day, and hides no other's request.
    package var perHour = 12

    package init(subject: VAPIDSubject, http: CurlConfiguration = CurlConfiguration()) {
        self.subject = subject
        self.http = http
    }
}

/// Tells subscribed browsers that a request or an offer waits. The message says where to look, and nothing about a bank.
actor RequestAnnouncements {
    nonisolated let publicKey: String
    private let sender: PushSender
    private let store: PhoneDatabase
    private let limit: NudgeGate
    /// Offers have a limit of their own, so that many offers hold back no request.
    private let offerLimit: NudgeGate

    init(_ configuration: NotificationsConfiguration, keyFile: URL, store: PhoneDatabase) throws {
        let server = try ApplicationServer(keyFile: keyFile, subject: configuration.subject)
        publicKey = server.publicKey
        sender = PushSender(server, http: configuration.http)
        limit = NudgeGate(perHour: configuration.perHour, mostParties: 8)
        offerLimit = NudgeGate(perHour: configuration.perHour, mostParties: 8)
        self.store = store
    }

    func close() async { await sender.close() }

    /// - Parameters:
    ///   - agent: the agent that asks; nil for the one without a name.
    ///   - lifetime: the seconds for which the request waits.
    ///   - places: the folders of the browsers that this page knows. One of an earlier start has to come in anew.
    func announce(_ id: RequestID, from agent: AgentName?, lifetime: Int, places: Set<String>) async {
        guard Self.admits(agent, limit) else { return }
        await announce("r-\(id.short)", lifetime: lifetime, places: places)
    }

    /// - Parameter lifetime: the seconds for which the message is kept for a browser that is away.
    func announce(_ id: OfferID, from agent: AgentName, lifetime: Int, places: Set<String>) async {
        guard Self.admits(agent, offerLimit) else { return }
        await announce("o-\(id.short)", lifetime: lifetime, places: places)
    }

    private static func admits(_ agent: AgentName?, _ limit: NudgeGate) -> Bool {
        limit.admitWithoutDigest(from: agent?.description ?? "", at: Date())
    }

    /// Tells that a consent ends soon, or has ended. The message is kept for a day for a browser that is away.
    func announceConsents(places: Set<String>) async { await announce("c-", lifetime: 86_400, places: places) }

    private func announce(_ card: String, lifetime: Int, places: Set<String>) async {
        guard let subscriptions = try? await store.pushSubscriptions() else { return }
        for stored in subscriptions {
            guard let subscription = try? PushSubscription(stored) else { continue }
            let address = places.contains(stored.place) ? "\(PageSession.base(of: stored.place))/#\(card)" : "/"
            let message = JSONValue.object(["open": .string(address)]).compactText()
            switch await sender.send(message, to: subscription, lifetime: lifetime) {
            case .taken: try? await store.noteDelivery(to: stored.endpoint, at: Date())
            case .gone: try? await store.forgetSubscription(stored.endpoint)
            case .refused, .limited, .unreachable: continue
            }
        }
    }
}
