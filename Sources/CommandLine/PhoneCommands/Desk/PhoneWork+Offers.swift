import Encodings
import Phone
import Terminal

/// The work with documents that are offered for when their owner has time.
extension PhoneWork {
    func showOffers() async throws {
        _ = try await runner.refresh()
        for offer in runner.offers {
            if order.json { console.line(offer.json.compactText()) } else { offer.show(on: console) }
        }
        if runner.offers.isEmpty, !order.json { console.line("no documents are offered") }
    }

    func openOffer() async throws {
        let request = try await runner.open(try await meantOffer().id)
        let waits = try await runner.pending().contains { $0.id == request }
        let answer: JSONValue = ["request_id": .string(request.description), "waits": .bool(waits)]
        let words =
            waits
            ? "Request \(request) waits for you: countersign approve \(request.short)"
            : "Nothing waits for you: request \(request) is answered with documents that are there"
        console.line(order.json ? answer.compactText() : words)
    }

    func dismissOffer() async throws {
        let offer = try await meantOffer()
        try await runner.dismiss(offer.id)
        let answer: JSONValue = ["offer_id": .string(offer.id.description), "dismissed": true]
        console.line(order.json ? answer.compactText() : "Dismissed: \(offer.id)")
    }

    /// Returns the one offer that the order names.
    private func meantOffer() async throws -> WaitingOffer {
        _ = try await runner.refresh()
        let (id, offers) = (order.id ?? "", runner.offers)
        let found = offers.filter { !id.isEmpty && $0.id.description.hasPrefix(id.lowercased()) }
        guard let offer = found.first, found.count == 1 else {
            let ids = offers.map(\.id.short).joined(separator: ", ")
            throw CommandFailure(
                "\(found.isEmpty ? "no" : "more than one") offer begins with \(id); offered: "
                    + (ids.isEmpty ? "nothing" : ids))
        }
        return offer
    }
}
