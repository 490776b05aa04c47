import Clocks
import Encodings
import Foundation
import Messages
import MockBank

/// `kill -9` on a phone that fetches 24 months of two accounts in two kinds with one approval. The agent asks again until
/// all 96 documents are there; nothing that was delivered may be fetched again.
struct DocumentKills {
    let extent: Extent

    private static let accounts = ["Everyday Account": "everyday", "Holiday Pot": "holiday"]
    private static let kinds: [DocumentKind] = [.pdf, .camt]

    func run() async throws -> Tally {
        let visits = BankVisits()
        return try await Stage.withPhone {
            $0.scenario = .everyKind
            $0.onRequest = { visits.note($0, $1) }
        } _: { stage, bank in
            let broker = try stage.quickBroker(stability: 40)
            try await stage.answers(broker)
            var owner = Owner(stage: stage, bank: bank, script: try stage.everyKindScript())
            try await owner.start()
            try await stage.learnAccounts(besides: Self.months().to)
            var row = Tally()
            var kills = 0
            while kills < extent.count, !extent.isOver {
                try await fetchAll(stage, &owner, visits, &row, &kills)
            }
            await owner.kill()
            await broker.stopped()
            row.tried = kills
            row.survived = kills - min(kills, row.lost + row.doubled)
            row.seen = "\(visits.all.count) documents fetched, \(visits.signIns) sign-ins, \(kills) kills"
            return row
        }
    }

    private static func months() throws -> (from: MonthYear, to: MonthYear) {
        guard let last = MonthYear.current(at: Date(), in: .gmt).previous else {
            throw Impatience(description: "this machine's clock has no month before this one")
        }
        var first = last
        for _ in 1..<24 { first = first.previous ?? first }
        return (first, last)
    }

    /// Takes one set of 96 documents to its end, with a kill in every request for it.
    private func fetchAll(
        _ stage: Stage, _ owner: inout Owner, _ visits: BankVisits, _ row: inout Tally, _ kills: inout Int
    ) async throws {
        let (from, to) = try Self.months()
        var wanted = DocumentsRequest(
            from: from, to: to, kinds: Self.kinds, accounts: Self.accounts.keys.compactMap { AccountAlias($0) },
            refetches: true)
        var there: Set<String> = []
        for _ in 0..<60 {
            let signIns = visits.signIns
            var request = try await stage.agent.requestDocuments(wanted)
            // The first request fetches everything anew, and those that follow what is missing.
            wanted.refetches = false
            if !request.status.isTerminal {
                let before = visits.all.count
                if kills < extent.count {
                    try await Task.sleep(for: Owner.run * Double.random(in: 0...1))
                    await owner.kill()
                    kills += 1
                    for path in visits.all[before...] where there.contains(path) {
                        row.double("\(path) was fetched again")
                    }
                    there = try await delivered(of: request.id, on: stage)
                    let atKill = visits.all.count
                    try await owner.start()
                    try await stage.end(of: request.id)
                    for path in visits.all[atKill...] where there.contains(path) {
                        row.double("\(path) was fetched again after the kill")
                    }
                } else {
                    try await stage.end(of: request.id)
                    if visits.signIns > signIns + 1 {
                        row.double("one request signed in \(visits.signIns - signIns) times")
                    }
                }
            }
            request = try await stage.agent.request(request.id)
            let documents = request.documents ?? []
            there = Set(documents.filter { $0.filePath != nil }.map(Self.path))
            guard there.count == documents.count else { continue }
            check(documents, &row)
            return
        }
        row.loseByTime("96 documents were not there after 60 requests")
    }

    private func check(_ documents: [DocumentSummary], _ row: inout Tally) {
        if documents.count != 96 { row.lose("the request has \(documents.count) documents") }
        if Set(documents.map(\.id)).count != documents.count { row.double("a document is named twice") }
        for document in documents {
            let bytes = document.filePath.flatMap { FileManager.default.contents(atPath: $0) }
            let wanted = MockBankServer.file(
                account: Self.accounts[document.account?.description ?? ""] ?? "", month: document.period.month,
                year: document.period.year, as: document.kind.rawValue)
            if bytes.map({ [UInt8]($0) }) != wanted { row.lose("the file of \(document.place) is not the bank's") }
        }
    }

    /// Returns the bank's paths of the documents that have been delivered: those at the broker and those in the inbox.
    private func delivered(of id: RequestID, on stage: Stage) async throws -> Set<String> {
        var paths = Set(
            (try await stage.agent.request(id).documents ?? []).filter { $0.filePath != nil }.map(Self.path))
        for name in stage.inboxNames(of: id) where name.hasSuffix(".manifest.json") {
            guard let bytes = FileManager.default.contents(atPath: stage.inbox.appending(path: name).path),
                let json = try? JSONReader.read([UInt8](bytes)),
                let document = DocumentSummary(json: json)
            else { continue }
            paths.insert(Self.path(document))
        }
        return paths
    }

    private static func path(_ document: DocumentSummary) -> String {
        let account = accounts[document.account?.description ?? ""] ?? ""
        return "/statements/\(account)/\(document.period)"
            + (document.kind == .pdf ? "" : "?as=\(document.kind.rawValue)")
    }
}
