import BankScript
import BrokerStore
import Clocks
import Foundation
import Messages
import MockBank
import Storage
import TestSupport
import Testing

@testable import Phone

/// Requests for a range of days through a real broker, phone, folder and bank.
@Suite("A range of days", .timeLimit(.minutes(3)))
struct DayRangesTests {
    private static func script(_ name: String) throws -> BankScript {
        try BankScript(
            yaml: String(contentsOf: Repository.file("BankScripts/DefaultBank/Variants/\(name)"), encoding: .utf8),
            file: name)
    }

    /// The two months before this one.
    private static func months() throws -> (MonthYear, MonthYear) {
        let last = try #require(MonthYear.current(at: Date(), in: .gmt).previous)
        return (try #require(last.previous), last)
    }

    private static func request() throws -> DocumentsRequest {
        let (first, last) = try months()
        return DocumentsRequest(from: first, to: last, kinds: [.csv]).from(
            try #require(RangeEnd("\(first)-15")), to: try #require(RangeEnd("\(last)-10")))
    }

    private static func end(_ id: RequestID, of both: BothSides) async throws -> RequestSummary {
        try await both.until { try await both.status(id).isTerminal }
        return try #require(RequestSummary(json: try await both.agent.request(id).json))
    }

    @Test("the bank is asked for those days alone, and each document says its days")
    func days() async throws {
        try await BothSides.running(in: .dayRanges, running: try Self.script("day-ranges.yaml")) { both in
            _ = try await both.phone.refresh()
            #expect(try await both.agent.banks().first?.offersDays == true)
            let wanted = try Self.request()
            let future = (Date() + 2 * 86400).ISO8601Format(.iso8601.year().month().day())
            let early = DocumentsRequest(from: wanted.from, to: wanted.to, kinds: [.csv]).from(
                try #require(RangeEnd("\(wanted.from)-15")), to: try #require(RangeEnd(future)))
            await #expect {
                _ = try await both.agent.requestDocuments(early)
            } throws: {
                "\($0)".contains("in the future: ")
            }
            let asked = try #require(RequestSummary(json: try await both.agent.requestDocuments(wanted).json))
            let shown = try await both.shown(asked.id)
            #expect(shown.documents?.range == "\(wanted.from)-15 to \(wanted.to)-10")
            #expect(try await both.approve(asked.id) == .delivered(documents: 2, of: 2))

            let documents = try #require(try await Self.end(asked.id, of: both).documents)
            #expect(documents.map(\.place.days) == [15...wanted.from.length, 1...10])
            for document in documents {
                let path = try #require(document.filePath)
                let right = MockBankServer.file(
                    account: "everyday", month: document.period.month, year: document.period.year, as: "csv",
                    days: try #require(document.place.days))
                #expect(try [UInt8](Data(contentsOf: URL(filePath: path))) == right)
            }
            // What is filed, uploaded and audited says the days as well.
            let database = try BrokerDatabase(administering: both.brokerHome.appending(path: "broker.sqlite"))
            let spans = Set(documents.map(\.place.span))
            #expect(Set(try await database.requests.unfiledDocuments().documents.map(\.place.span)) == spans)
            let uploads = try await database.paperless.due(at: .distantFuture, limit: 10)
            #expect(Set(uploads.map(\.place.span)) == spans)
            let audited = try await BrokerAudit.open(both.brokerHome.appending(path: "broker.sqlite"))
                .records(AuditFilter(type: "document.delivered"))
            #expect(Set(audited.compactMap { $0.event.details["period"]?.stringValue }) == spans)
            let held = try await both.agent.documents()
            #expect(Set(held.documents.map(\.document.place)) == Set(documents.map(\.place)))

            // The same days are there; the whole months are other documents.
            let again = try await both.agent.requestDocuments(wanted)
            #expect(again.status == .completed)
            let whole = try await both.agent.requestDocuments(
                DocumentsRequest(from: wanted.from, to: wanted.to, kinds: [.csv]))
            #expect(whole.status == .pendingApproval)
        }
    }

    @Test("a bank whose script fetches whole months is not asked for days")
    func refused() async throws {
        try await BothSides.running(in: .everyKind, running: try Self.script("every-kind.yaml")) { both in
            _ = try await both.phone.refresh()
            #expect(try await both.agent.banks().first?.offersDays == false)
            await #expect {
                _ = try await both.agent.requestDocuments(try Self.request())
            } throws: {
                "\($0)".contains("“from” is a day, and “default” gives whole months; ask for months such as 2026-01")
            }
        }
    }
}
