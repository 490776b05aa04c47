import BrokerStore
import Clocks
import Foundation
import Hummingbird
import Logging
import Messages

/// The agent's routes for offers: documents that wait on the phone until the owner has time.
struct OffersAPI: Sendable {
    let configuration: BrokerConfiguration
    let offers: OfferStore
    let banks: BankStore
    let timekeeper: Timekeeper
    let logger: Logger
    /// Receives every new offer.
    let announce: @Sendable (DocumentOffer) -> Void
    let phoneChanges: PhoneChanges
    let policy: CurrentPolicy

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.post("offers") { request, context in
            try await make(
                try await request.decoded(DocumentsRequest.init(offer:)), by: try context.callingAgent())
        }
        router.get("offers") { _, context in
            try await offers.expire(at: timekeeper.clock.now)
            return Response.json(OfferList(try await offers.offers(of: try context.callingAgent())).json)
        }
        router.delete("offers/:offer") { _, context in
            try await withdraw(try context.offerID(), by: try context.callingAgent())
        }
    }

    private func make(_ wanted: DocumentsRequest, by agent: AgentName) async throws -> Response {
        let now = timekeeper.clock.now
        let known = try await banks.known(withDefaultDevice: configuration.defaultDevice != nil)
        let bankID = try wanted.bankID ?? WantedRequest.usualBank(of: known, configuration.bankID)
        let offer = DocumentOffer(
            bankID: bankID, wanted, agent: agent, createdAt: Timestamp(now),
            expiresAt: Timestamp(now.addingTimeInterval(configuration.offerLife.seconds)))
        // What could not be asked for now is not offered either: the agent can mend it, and the owner could not.
        let opened = try WantedRequest(
            opening: offer, of: known, ownBank: configuration.bankID, accountsField: wanted.accountsField)
        try opened.check(against: known, at: now)
        try await policy.check(opened, by: agent, at: now)
        switch try await offers.add(offer, atMost: configuration.limits.waitingOffersPerAgent) {
        case .made: break
        case .same(let earlier): return .json(earlier.json, status: .accepted)
        case .tooMany:
            throw APIError.conflict(
                "\(configuration.limits.waitingOffersPerAgent) offers of this agent wait; take some back with DELETE "
                    + "/offers/{offer_id}, or wait until the owner has opened some")
        }
        logger.info(
            "offer made", metadata: ["offer": "\(offer.id)", "agent": "\(agent)", "documents": "\(offer.words)"])
        announce(offer)
        return .json(offer.json, status: .accepted)
    }

    private func withdraw(_ id: OfferID, by agent: AgentName) async throws -> Response {
        let now = timekeeper.clock.now
        try await timekeeper.sweep()
        guard let offer = try await offers.offer(id), offer.agent == agent else { throw APIError.unknownOffer }
        guard !offer.isScheduled else {
            throw APIError.conflict("a schedule of the owner's has made this offer, so only the owner can end it")
        }
        guard try await offers.end(offer, as: .withdrawn, by: agent.description, at: now) else {
            throw APIError.conflict("the offer is \((try await offers.offer(id) ?? offer).status.rawValue)")
        }
        phoneChanges.announce()
        return .json((try await offers.offer(id) ?? offer).json)
    }
}

/// The phone's routes for offers. A device sees and opens those for banks that it has.
struct PhoneOffersAPI: Sendable {
    let configuration: BrokerConfiguration
    let offers: OfferStore
    let banks: BankStore
    let issuer: RequestIssuer
    let timekeeper: Timekeeper
    let changes: RequestChanges
    let phoneChanges: PhoneChanges
    let logger: Logger

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.get("phone/offers") { _, context in try await list(for: try context.caller()) }
        router.post("phone/offers/:offer/open") { _, context in
            try await open(try context.offerID(), by: try context.caller())
        }
        router.post("phone/offers/:offer/dismiss") { _, context in
            try await dismiss(try context.offerID(), by: try context.caller())
        }
    }

    private func known() async throws -> KnownBanks {
        try await banks.known(withDefaultDevice: configuration.defaultDevice != nil)
    }

    private func list(for caller: CallingDevice) async throws -> Response {
        try await timekeeper.sweep()
        let known = try await known()
        let waiting = try await offers.waiting(at: timekeeper.clock.now)
        let own = waiting.filter { known.concerns(caller.name, $0) }
        return .json(OfferList(Array(own.prefix(OfferList.most))).json)
    }

    /// Returns an offer for a bank that the device has. Others do not exist for it.
    private func offer(_ id: OfferID, for caller: CallingDevice) async throws -> DocumentOffer {
        guard let offer = try await offers.offer(id), try await known().concerns(caller.name, offer) else {
            throw APIError.unknownOffer
        }
        return offer
    }

    /// Makes a fresh request of an offer. One that is under way is the answer again; one that has expired or failed is
    /// followed by another.
    private func open(_ id: OfferID, by caller: CallingDevice) async throws -> Response {
        try await timekeeper.sweep()
        let now = timekeeper.clock.now
        try await offers.expire(at: now)
        let offer = try await offer(id, for: caller)
        switch offer.status {
        case .opened: return .json(offer.json)
        case .waiting: break
        case .completed, .dismissed, .withdrawn, .expired:
            throw APIError.conflict("the offer is \(offer.status.rawValue)")
        }
        if let kind = DocumentKind.lacked(among: offer.kinds) { throw APIError.lacking(kind) }
        let known = try await known()
        let wanted: WantedRequest
        let outcome: RequestIssuer.Outcome
        do {
            wanted = try WantedRequest(opening: offer, of: known, ownBank: configuration.bankID)
            // The owner asks, so the agent's limit does not count.
            outcome = try await issuer.issue(wanted, of: known, for: offer.agent, atMost: .max)
        } catch let error as APIError where error.status == .badRequest {
            throw APIError.conflict("the offer cannot be opened now: \(error.message)")
        }
        let (request, isNew) =
            switch outcome {
            case .issued(let envelope): (envelope.requestID, true)
            case .complete(let record), .folded(let record), .repeated(let record): (record.id, false)
            }
        guard
            try await offers.noteOpening(of: offer, by: caller.name, request: request, isNew: isNew, at: now)
        else {
            // Another device was faster, and both have the same request; or the offer has ended, and this request too.
            if isNew { await changes.announce(request) }
            return .json((try await offers.offer(id) ?? offer).json)
        }
        logger.info(
            "offer opened", metadata: ["offer": "\(id)", "request": "\(request)", "device": "\(caller.name)"])
        await changes.announce(request)
        return .json((try await offers.offer(id) ?? offer).json)
    }

    private func dismiss(_ id: OfferID, by caller: CallingDevice) async throws -> Response {
        try await timekeeper.sweep()
        let offer = try await offer(id, for: caller)
        guard try await offers.end(offer, as: .dismissed, by: caller.name, at: timekeeper.clock.now) else {
            throw APIError.conflict("the offer is \((try await offers.offer(id) ?? offer).status.rawValue)")
        }
        phoneChanges.announce()
        logger.info("offer dismissed", metadata: ["offer": "\(id)", "device": "\(caller.name)"])
        return .json((try await offers.offer(id) ?? offer).json)
    }
}

extension KnownBanks {
    /// Returns whether an offer concerns a device: it has the bank, and the accounts that the offer names.
    fileprivate func concerns(_ device: String, _ offer: DocumentOffer) -> Bool {
        guard has(device, offer.bankID) else { return false }
        guard !offer.accounts.isEmpty else { return true }
        return accounts(of: offer.bankID, on: device).isSuperset(of: offer.accounts)
    }
}

extension BrokerContext {
    /// The `:offer` of a route of offers.
    fileprivate func offerID() throws(APIError) -> OfferID {
        guard let id = parameters.get("offer").flatMap({ OfferID(String($0)) }) else { throw .unknownOffer }
        return id
    }
}

extension APIError {
    fileprivate static let unknownOffer = APIError(.notFound, .notFound, "no offer has that ID")
}
