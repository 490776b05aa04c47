import Automation
import CurlClient
import Encodings
import Foundation
import Messages
import PhoneStore
import Storage
import Synchronization

/// An offer as the phone shows it: documents that the owner can ask for when they have time.
package struct WaitingOffer: Sendable, Hashable {
    package let offer: DocumentOffer
    /// The bank's name, as this phone's script has it.
    package let bankName: String

    package var id: OfferID { offer.id }

    /// The source of the offer, in words: `a schedule of yours`, `your agent` or `the agent “books”`.
    package var sourceWords: String {
        if offer.isScheduled { return "a schedule of yours" }
        return offer.agent == .standard ? "your agent" : "the agent “\(offer.agent)”"
    }
}

/// The offers that wait for the owner, as the broker last listed them. An offer is not signed: opening it makes a request,
/// which is verified and approved as any other.
final class WaitingOffers: Sendable {
    private let store: PhoneDatabase
    private let broker: BrokerConnection
    private let services: PhoneServices
    private let events: PhoneEvents
    private let last = Mutex<[WaitingOffer]>([])

    init(store: PhoneDatabase, broker: BrokerConnection, services: PhoneServices, events: PhoneEvents) {
        self.store = store
        self.broker = broker
        self.services = services
        self.events = events
    }

    var all: [WaitingOffer] { last.withLock { $0 } }

    /// Fetches the list. A broker that does not answer leaves the list as it was, so that offers fail no look at the
    /// requests.
    func refresh() async {
        let list: OfferList
        do throws(PhoneError) {
            list = try await broker.call { (client) async throws(PhoneError) in try await client.offers() }
        } catch {
            return
        }
        // A bank that this phone has no script for has no name here, and could not be fetched.
        let shown = list.offers.compactMap { offer -> WaitingOffer? in
            guard offer.status == .waiting, let script = services.scripts.script(forBank: offer.bankID) else {
                return nil
            }
            return WaitingOffer(offer: offer, bankName: script.name)
        }
        let hasChanged = last.withLock { last in
            defer { last = shown }
            return last != shown
        }
        guard hasChanged else { return }
        let new = (try? await store.noteOffers(shown.map(\.id), at: services.clock.now)) ?? []
        events.send(.offers(shown.filter { new.contains($0.id) }))
    }

    /// Asks the broker for a fresh request of an offer.
    ///
    /// - Returns: the request, which the next look at the broker shows.
    /// - Throws: ``PhoneError``.
    func open(_ id: OfferID) async throws -> RequestID {
        let offer = try await broker.call { (client) async throws(PhoneError) in try await client.open(id) }
        guard let request = offer.requestID else {
            throw PhoneError(.brokerMalformed, "the broker opened the offer and named no request; look again")
        }
        try await store.audit.record(
            AuditEvent(
                .offerOpened, requestID: request.description, details: ["bank_id": .string(offer.bankID)],
                time: services.clock.now))
        return request
    }

    /// Tells the broker that the owner does not want an offer.
    ///
    /// - Throws: ``PhoneError``.
    func dismiss(_ id: OfferID) async throws {
        let offer = try await broker.call { (client) async throws(PhoneError) in try await client.dismiss(id) }
        try await store.audit.record(
            AuditEvent(.offerDismissed, details: ["bank_id": .string(offer.bankID)], time: services.clock.now))
    }
}

extension PhoneBrokerClient {
    /// Fetches the offers for this phone's banks.
    func offers() async throws(PhoneError) -> OfferList {
        let response = try await send("GET", "/phone/offers")
        let limits = JSONLimits(depth: 8, size: Self.largestAnswer * 4)
        guard let list = OfferList(json: try json(of: response, limits: limits)) else {
            throw PhoneError(.brokerMalformed, "the broker's list of offers has no “offers”; check its address")
        }
        return list
    }

    func open(_ id: OfferID) async throws(PhoneError) -> DocumentOffer { try await change(id, "open") }

    func dismiss(_ id: OfferID) async throws(PhoneError) -> DocumentOffer { try await change(id, "dismiss") }

    private func change(_ id: OfferID, _ action: String) async throws(PhoneError) -> DocumentOffer {
        let response: HTTPResponse
        do throws(PhoneError) {
            response = try await send("POST", "/phone/offers/\(id)/\(action)")
        } catch  where error.status == 404 || error.status == 409 {
            throw PhoneError(
                .brokerConflict, "the offer is not there any more, or cannot be opened now: \(error.message)",
                status: error.status)
        }
        let limits = JSONLimits(depth: 8, size: Self.largestAnswer)
        guard let offer = DocumentOffer(json: try json(of: response, limits: limits)), offer.id == id else {
            throw PhoneError(.brokerMalformed, "the broker's answer is not this offer; look again")
        }
        return offer
    }
}
