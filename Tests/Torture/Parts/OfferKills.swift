import Clocks
import Foundation
import Messages
import MockBank

/// `kill -9` on the broker, the phone or both while offers are made, opened and fetched. Every offer that the broker took must
/// bring its document, with one completed request, and nothing may be fetched again that was there.
struct OfferKills {
    let extent: Extent

    private static let limits = ["BROKER_APPROVAL_TTL_SECONDS": "10", "BROKER_EXECUTION_TIMEOUT_SECONDS": "8"]
    private static let together = 3
    private static let months = 20
    private static let account = "Everyday Account"

    private enum Target: CaseIterable { case broker, phone, both }

    func run() async throws -> Tally {
        let visits = BankVisits()
        return try await Stage.withPhone {
            $0.scenario = .everyKind
            $0.onRequest = { visits.note($0, $1) }
        } _: { stage, bank in
            var broker = try stage.quickBroker(stability: 40, Self.limits)
            try await stage.answers(broker)
            var owner = Owner(stage: stage, bank: bank, script: try stage.everyKindScript())
            try await owner.start()
            try await stage.learnAccounts(besides: Stage.period(monthsBefore: Self.months))
            var row = Tally()
            var opened = 0
            while row.tried < extent.count, !extent.isOver {
                let first = row.tried * Self.together
                row.tried += 1
                let faults = row.lost + row.doubled
                let fetched = visits.all.count
                let target = Target.allCases.randomElement()!
                async let made = offer((0..<Self.together).map { (first + $0) % Self.months }, on: stage)
                try await Task.sleep(for: Owner.run * Double.random(in: 0...1))
                if target != .phone { await broker.killed() }
                if target != .broker { await owner.kill() }
                if target != .phone {
                    broker = try stage.quickBroker(stability: 40, Self.limits)
                    try await stage.answers(broker)
                }
                if target != .broker { try await owner.start() }
                let offers = try await made
                try await follow(offers, stage, &row)
                opened += offers.count
                check(Array(visits.all[fetched...]), &row)
                if row.lost + row.doubled == faults { row.survived += 1 }
            }
            await owner.kill()
            await broker.stopped()
            try await reckon(stage, &row)
            row.seen = "\(opened) offers, \(visits.all.count) documents fetched, \(visits.signIns) sign-ins"
            return row
        }
    }

    /// Offers a document of each month, again and again until the broker has answered.
    private func offer(_ numbers: [Int], on stage: Stage) async throws -> [DocumentOffer] {
        var offers: [DocumentOffer] = []
        for number in numbers {
            let month = Stage.period(monthsBefore: number)
            let wanted = DocumentsRequest(
                from: month, to: month, kinds: [.csv], accounts: [Self.account].compactMap { AccountAlias($0) })
            var offer: DocumentOffer?
            let isMade = await eventually(within: .seconds(60)) {
                offer = try? await stage.agent.offerDocuments(wanted)
                return offer != nil
            }
            guard isMade, let offer else { throw Impatience(description: "no offer of \(month) can be made") }
            offers.append(offer)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...500)))
        }
        return offers
    }

    /// Waits until each offer has brought its document.
    private func follow(_ offers: [DocumentOffer], _ stage: Stage, _ row: inout Tally) async throws {
        var left = Set(offers.map(\.id))
        var last: [DocumentOffer] = []
        let isDone = await eventually(within: .seconds(120)) {
            guard let all = try? await stage.agent.offers() else { return false }
            last = all.filter { left.contains($0.id) }
            return last.count == left.count && last.allSatisfy { $0.status == .completed }
        }
        if !isDone {
            for offer in last where offer.status != .completed {
                let trouble = "the offer \(offer.id) is \(offer.status)"
                if [.waiting, .opened].contains(offer.status) { row.loseByTime(trouble) } else { row.lose(trouble) }
            }
            left.subtract(last.map(\.id))
            for id in left { row.lose("the broker does not know the offer \(id)") }
        }
        for offer in last where offer.status == .completed {
            guard let id = offer.requestID else {
                row.lose("a completed offer has no request")
                continue
            }
            let documents = try await stage.agent.request(id).documents ?? []
            let wanted = MockBankServer.file(
                account: "everyday", month: offer.from.month, year: offer.from.year, as: DocumentKind.csv.rawValue)
            let bytes = documents.first?.filePath.flatMap { FileManager.default.contents(atPath: $0) }
            if documents.count != 1 || bytes.map({ [UInt8]($0) }) != wanted {
                row.lose("the document of \(offer.from) is not the bank's")
            }
        }
    }

    /// A run that is cut short may fetch its document once more, and no third time: each round has one kill.
    private func check(_ paths: [String], _ row: inout Tally) {
        for (path, all) in Dictionary(grouping: paths, by: \.self) where all.count > 2 {
            row.double("\(path) was fetched \(all.count) times around one kill")
        }
    }

    private func reckon(_ stage: Stage, _ row: inout Tally) async throws {
        let books = Books(stage: stage)
        let runs = try books.requests("request.executing", stage.home.database)
        for (id, all) in Dictionary(grouping: runs, by: \.self) where all.count > 1 {
            row.double("\(id.prefix(8)) was run \(all.count) times")
        }
        for (id, entry) in try books.broker() where Books.open.contains(entry.status) {
            row.lose("\(id.prefix(8)) is \(entry.status) for ever")
        }
        if try books.count("offer.opened", stage.database) < runs.count - 1 {
            row.double("\(runs.count - 1) runs for fewer opened offers")
        }
        row.add(try await books.checkDatabases())
    }
}
