import BankScript
import BrokerStore
import Clocks
import Foundation
import Messages
import MockBank
import TestSupport
import Testing

@testable import Broker
@testable import Phone

/// Offers through a real broker, phone, folder and bank.
@Suite("Documents that are offered for later", .timeLimit(.minutes(3)))
struct OffersTests {
    private static func everyKind() throws -> BankScript {
        try BankScript(
            yaml: String(
                contentsOf: Repository.file("BankScripts/DefaultBank/Variants/every-kind.yaml"), encoding: .utf8),
            file: "every-kind.yaml")
    }

    private static func lastMonth() throws -> MonthYear {
        try #require(MonthYear.current(at: Date(), in: .gmt).previous)
    }

    @Test("are fetched when the owner opens and approves them, and end with their documents")
    func opened() async throws {
        try await BothSides.running(in: .everyKind, running: try Self.everyKind()) { both in
            _ = try await both.phone.refresh()
            let month = try Self.lastMonth()
            let offer = try await both.agent.offerDocuments(
                DocumentsRequest(from: month, to: month, kinds: [.pdf, .csv]))
            _ = try await both.phone.refresh()
            #expect(both.phone.offers.map(\.id) == [offer.id])
            #expect(try await both.phone.pending().isEmpty)

            let request = try await both.phone.open(offer.id)
            #expect(both.phone.offers.isEmpty)
            #expect(both.signIns.count == 0, "opening visits no bank")
            #expect(try await both.approve(request) == .delivered(documents: 2, of: 2))
            try await both.until { try await both.status(request).isTerminal }
            let own = try await both.agent.offers()
            #expect(own.map(\.status) == [.completed] && own.first?.requestID == request)
            #expect(try await both.agent.documents().documents.count == 2)

            // The visit has listed the accounts. A document that is there is not asked for again.
            _ = try await both.phone.refresh()
            let savings = [try #require(AccountAlias("Holiday Pot"))]
            var opened: [RequestID] = []
            for number in 1...2 {
                let wanted = DocumentsRequest(from: month, to: month, kinds: [.csv], accounts: savings)
                let again = try await both.agent.offerDocuments(wanted)
                _ = try await both.phone.refresh()
                opened.append(try await both.phone.open(again.id))
                guard number == 1 else { break }
                #expect(try await both.approve(opened[0]) == .delivered(documents: 1, of: 1))
                try await both.until { try await both.status(opened[0]).isTerminal }
            }
            #expect(try await both.status(opened[1]) == .completed, "it was there, so the owner was not asked")
            #expect(try await both.phone.pending().isEmpty, "phone offers --open says that nothing waits")
            #expect(try await both.agent.offers().first?.status == .completed)
            #expect(both.signIns.count == 2)
        }
    }

    @Test("an agent cannot make one that no phone could fetch")
    func refused() async throws {
        try await BothSides.running(in: .everyKind, running: try Self.everyKind()) { both in
            _ = try await both.phone.refresh()
            let month = try Self.lastMonth()
            await #expect {
                _ = try await both.agent.offerDocuments(DocumentsRequest(from: month, to: month, bankID: "elsewhere"))
            } throws: {
                "\($0)".contains("the banks are default")
            }
        }
    }
}
