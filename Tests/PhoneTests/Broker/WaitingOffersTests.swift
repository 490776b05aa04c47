import Clocks
import Foundation
import Messages
import Phone
import PhoneStore
import TestParties
import Testing

@Suite("Offers on the phone")
struct WaitingOffersTests {
    private static func offer(_ month: String = "2026-01", bank: String = "default") throws -> DocumentOffer {
        let period = try #require(MonthYear(month))
        let now = Date()
        return DocumentOffer(
            bankID: bank, DocumentsRequest(from: period, to: period), agent: .standard,
            createdAt: Timestamp(now.addingTimeInterval(-3600)), expiresAt: Timestamp(now.addingTimeInterval(86_400)))
    }

    @Test("are shown with the bank's name as this phone knows it; those of banks without a script are not")
    func shown() async throws {
        try await TestPhone.with { phone in
            let (own, other) = (try Self.offer(), try Self.offer(bank: "elsewhere"))
            await phone.broker.list([own, other])
            let runner = try phone.runner()
            #expect(runner.offers.isEmpty)
            _ = try await runner.refresh()
            #expect(runner.offers.map(\.id) == [own.id])
            #expect(runner.offers.first?.bankName == "Meridian Savings")
            #expect(runner.offers.first?.sourceWords == "your agent")
        }
    }

    @Test("make a request when they are opened, which is shown to be approved; nothing runs by itself")
    func opened() async throws {
        try await TestPhone.with { phone in
            let offer = try Self.offer()
            await phone.broker.list([offer], opening: try phone.envelope())
            let runner = try phone.runner()
            _ = try await runner.refresh()
            let request = try await runner.open(offer.id)
            let pending = try await runner.pending()
            #expect(pending.map(\.id) == [request] && pending.first?.period.description == "2026-01")
            #expect(runner.offers.isEmpty)
            #expect(await phone.broker.actions() == ["open"], "no decision was sent")
            let events = try await runner.store.audit.records().map(\.event)
            #expect(events.last { $0.type == "offer.opened" }?.requestID == request.description)
        }
    }

    @Test("can be dismissed")
    func dismissed() async throws {
        try await TestPhone.with { phone in
            let offer = try Self.offer()
            await phone.broker.list([offer])
            let runner = try phone.runner()
            _ = try await runner.refresh()
            try await runner.dismiss(offer.id)
            #expect(runner.offers.isEmpty)
            #expect(await phone.broker.actions() == ["dismiss"])
            #expect(try await runner.pending().isEmpty)
            #expect(try await runner.store.audit.records().last?.event.type == "offer.dismissed")
        }
    }

    @Test("are told of once, also after a restart of the phone")
    func once() async throws {
        try await TestPhone.with { phone in
            let (first, second) = (try Self.offer(), try Self.offer("2026-02"))
            await phone.broker.list([first])
            #expect(try await Self.told(by: phone, after: 2) == [first.id])
            await phone.broker.list([first, second])
            #expect(try await Self.told(by: phone, after: 2) == [second.id])
            await phone.broker.list([])
            #expect(try await Self.told(by: phone, after: 1) == [])
            await phone.broker.list([first])
            #expect(try await Self.told(by: phone, after: 1) == [], "it was told of before")
        }
    }

    /// Starts the phone, lets it look so many times, and returns the new offers that it told of.
    private static func told(by phone: TestPhone, after looks: Int) async throws -> [OfferID] {
        let runner = try phone.runner()
        let events = runner.events()
        for _ in 0..<looks { _ = try await runner.refresh() }
        // The last event of all ends the wait.
        await phone.broker.offer([try phone.envelope()])
        _ = try await runner.refresh()
        await phone.broker.offer([])
        var told: [OfferID] = []
        for await event in events {
            if case .offers(let new) = event { told += new.map(\.id) }
            if case .arrived = event { break }
        }
        return told
    }

    @Test("that cannot be listed or opened leave the requests as they are", arguments: [404, 500, 409])
    func refused(status: Int) async throws {
        try await TestPhone.with { phone in
            let offer = try Self.offer()
            await phone.broker.list([offer])
            let runner = try phone.runner()
            _ = try await runner.refresh()
            await phone.broker.refuseOffers(with: .init(code: status))
            await phone.broker.offer([try phone.envelope()])
            #expect(try await runner.refresh().pending.count == 1)
            #expect(runner.offers.map(\.id) == [offer.id], "the list stays as it was")
            let error = await #expect(throws: PhoneError.self) { try await runner.open(offer.id) }
            #expect(error?.message.contains("told to") == true, "\(String(describing: error))")
        }
    }
}
