import BrokerClient
import Clocks
import Foundation
import Messages
import MockBank
import TestSupport

/// Ends, starves and holds up the process that visits a bank, and kills the phone beside it, at each moment of a visit.
///
/// The next approval of a cautious owner must not send the password again where the last visit may have sent it and ended without a
/// word. It must send it where nothing left the phone. Once the owner has confirmed another try, everything must come,
/// and nothing twice.
struct VisitKills {
    let extent: Extent

    private enum Work: CaseIterable { case statement, documents }

    private struct Scene {
        let stage: Stage
        let bank: String
        let ambush: VisitAmbush
        let work: Work
        var phone: Child

        /// The file that says that the owner confirms another try.
        var consent: URL { stage.root.appending(path: "consent") }

        func give() throws { try Data().write(to: consent) }
        func takeBack() { try? FileManager.default.removeItem(at: consent) }

        mutating func start() async throws {
            let child = try Self.phone(stage, bank, ambush, consent)
            phone = child
            try await stage.isReady(child)
        }

        init(_ stage: Stage, _ bank: String, _ ambush: VisitAmbush, _ work: Work) async throws {
            (self.stage, self.bank, self.ambush, self.work) = (stage, bank, ambush, work)
            phone = try Self.phone(stage, bank, ambush, stage.root.appending(path: "consent"))
            try await stage.isReady(phone)
        }

        private static func phone(_ stage: Stage, _ bank: String, _ ambush: VisitAmbush, _ consent: URL) throws -> Child
        {
            try stage.phone(
                bank: bank, flags: ["--apart", "--typing", "250", "--consent", consent.path]
            ) { ambush.look(at: $0) }
        }

        /// - Parameter isAnew: what is there already is fetched again.
        func ask(isAnew: Bool) async throws -> RequestID {
            switch work {
            case .statement: return try await stage.ask()
            case .documents:
                let (from, to) = try VisitKills.months()
                try await stage.banksAreTold()
                return try await stage.agent.requestDocuments(
                    DocumentsRequest(from: from, to: to, kinds: [.pdf], refetches: isAnew)
                ).id
            }
        }
    }

    func run() async throws -> Tally {
        var row = Tally()
        var (held, signIns, late) = (0, 0, 0)
        for work in Work.allCases {
            let end = ContinuousClock.now + extent.duration / Work.allCases.count
            let ambush = VisitAmbush()
            let half = try await Stage.withPhone {
                $0.onRequest = { ambush.hear($0, $1) }
            } _: { stage, bank in
                let broker = try stage.quickBroker(stability: 40)
                try await stage.answers(broker)
                var scene = try await Scene(stage, bank, ambush, work)
                var half = Tally()
                let usual = try await whole(scene, &half)
                var cases = VisitAmbush.Moment.allCases.flatMap { moment in
                    VisitAmbush.Blow.allCases.map { (moment, $0) }
                }
                if !extent.isFull { cases.shuffle() }
                for (moment, blow) in cases where ContinuousClock.now < end || half.tried == 0 {
                    let faults = half.lost + half.doubled
                    let found = try await round(&scene, moment, blow, within: usual, &half)
                    signIns += found.signIns
                    guard found.wasStruck else {
                        late += 1
                        continue
                    }
                    half.tried += 1
                    if found.wasHeld { held += 1 }
                    if half.lost + half.doubled == faults { half.survived += 1 }
                }
                await scene.phone.killed()
                await broker.stopped()
                try await reckon(stage, work, &half)
                return half
            }
            row.tried += half.tried
            row.survived += half.survived
            row.addFaults(of: half)
        }
        if row.tried == 0 { row.fault("no visit was struck, so nothing was tried") }
        row.seen = "\(signIns) sign-ins, \(held) times on hold until the owner confirmed, \(late) blows came too late"
        return row
    }

    /// Makes a visit that nothing happens to, and returns how long it takes here.
    private func whole(_ scene: Scene, _ row: inout Tally) async throws -> Duration {
        let began = ContinuousClock.now
        let id = try await scene.ask(isAnew: true)
        try await scene.stage.end(of: id)
        let request = try await scene.stage.agent.request(id)
        guard request.status == .completed, missing(request, scene.work).isEmpty else {
            throw Impatience(
                description: "a visit without a blow ends as \(request.status): \(request.errorMessage ?? "")")
        }
        return ContinuousClock.now - began
    }

    private struct Round {
        var wasStruck = false
        var wasHeld = false
        var signIns = 0
    }

    private func round(
        _ scene: inout Scene, _ moment: VisitAmbush.Moment, _ blow: VisitAmbush.Blow, within longest: Duration,
        _ row: inout Tally
    ) async throws -> Round {
        let (stage, ambush, words) = (scene.stage, scene.ambush, "\(scene.work), \(moment), \(blow)")
        var found = Round()
        ambush.forget()
        // A hold of the round before is over with this yes.
        try scene.give()
        // Of several documents, any one.
        let time = scene.work == .documents && moment == .documentAsked ? Int.random(in: 1...Self.count) : 1
        ambush.arm(moment, blow, phone: scene.phone, time: time)
        let watch = Task { [downloads = stage.home.downloads] in await ambush.watch(downloads, within: longest) }
        let id = try await scene.ask(isAnew: true)
        if blow == .phoneKilled {
            let phone = scene.phone
            _ = await eventually(within: .seconds(60)) {
                if !phone.isRunning { return true }
                return (try? await stage.agent.request(id).status.isTerminal) == true
            }
            if !phone.isRunning {
                await phone.killed()
                try await scene.start()
            }
        }
        try await stage.end(of: id)
        ambush.disarm()
        await watch.value
        let first = try await stage.agent.request(id)
        let heard = ambush.heard
        found.wasStruck = ambush.struck != nil
        if let visit = ambush.struck {
            let isGone = await eventually(within: .seconds(10)) { Descendant.parent(of: visit) == nil }
            if !isGone { row.fault("\(words): the visit's process lives on") }
        }
        let there = delivered(first)
        check(first, heard, besides: [], words, &row)
        let isWhole = first.status == .completed && missing(first, scene.work).isEmpty
        if blow == .visitHeldUp, !isWhole {
            row.lose("\(words): a visit that was held up ended as \(first.status) \(first.errorMessage ?? "")")
        }

        // The owner says yes once more, and confirms nothing.
        scene.takeBack()
        ambush.forget()
        let second = try await scene.ask(isAnew: false)
        let phone = scene.phone
        var hasEnded = false
        let answered = await eventually(within: .seconds(60)) {
            hasEnded = (try? await stage.agent.request(second).status.isTerminal) == true
            return hasEnded || phone.lines.contains { $0.hasPrefix("undecided \(second)") }
        }
        guard answered else { throw Impatience(description: "\(words): no answer, \(phone.lines.suffix(3))") }
        found.wasHeld = !hasEnded
        let sentPassword = heard.contains("POST /login")
        let again = ambush.heard.contains("POST /login")
        // A visit that tells of its failure, such as a connection that it cannot open, says nothing of the credentials.
        if !isWhole, sentPassword, again, blow.isSudden {
            row.double("\(words): the password was sent again without the owner's knowledge")
        }
        if found.wasHeld, again { row.double("\(words): the password was sent to a bank on hold") }
        if found.wasHeld, !sentPassword, moment == .pageAsked, found.wasStruck {
            row.lose("\(words): the bank is on hold though nothing was sent to it")
        }
        if found.wasHeld, isWhole, scene.work == .statement || blow == .visitHeldUp {
            row.lose("\(words): the bank is on hold though all came")
        }
        try scene.give()
        try await stage.end(of: second)
        let last = try await stage.agent.request(second)
        check(last, ambush.heard, besides: there, words, &row)
        let left = missing(last, scene.work)
        if last.status != .completed || !left.isEmpty {
            row.lose("\(words): afterwards \(last.status) \(last.errorMessage ?? ""), without \(left)")
        }
        let downloads = stage.home.downloads.path
        let isEmpty = await eventually(within: .seconds(10)) {
            (try? FileManager.default.contentsOfDirectory(atPath: downloads).isEmpty) == true
        }
        if !isEmpty { row.fault("\(words): a file stays among the downloads") }
        found.signIns = (heard + ambush.heard).count { $0 == "POST /login" }
        return found
    }

    // MARK: Documents

    /// The number of documents of one request.
    private static let count = 5

    private static func months() throws -> (from: MonthYear, to: MonthYear) {
        guard let last = MonthYear.current(at: Date(), in: .gmt).previous else {
            throw Impatience(description: "this machine's clock has no month before this one")
        }
        var first = last
        for _ in 1..<count { first = first.previous ?? first }
        return (first, last)
    }

    /// Returns the bank's paths of the documents that a request brought.
    private func delivered(_ request: AgentRequest) -> Set<String> {
        Set((request.documents ?? []).filter { $0.filePath != nil }.map { "GET /statements/everyday/\($0.period)" })
    }

    /// Names the documents that a request should have brought and did not.
    private func missing(_ request: AgentRequest, _ work: Work) -> [String] {
        switch work {
        case .statement: return request.filePath == nil ? ["the statement"] : []
        case .documents:
            let documents = request.documents ?? []
            let left = documents.filter { $0.filePath == nil }.map { "\($0.period)" }
            return documents.count == Self.count ? left : left + ["\(documents.count) of \(Self.count) are named"]
        }
    }

    /// Compares what came with the bank's files, and looks for what was sent or fetched more than once.
    ///
    /// - Parameter there: what was delivered before.
    private func check(
        _ request: AgentRequest, _ heard: [String], besides there: Set<String>, _ words: String, _ row: inout Tally
    ) {
        let logins = heard.count { $0 == "POST /login" }
        if logins > 1 { row.double("\(words): one request sent the password \(logins) times") }
        let files = heard.filter { $0.hasPrefix("GET /statements/") }
        for file in Set(files) where files.count(where: { $0 == file }) > 1 || there.contains(file) {
            row.double("\(words): \(file) was fetched twice")
        }
        if let path = request.filePath { check(path, Stage.period, words, &row) }
        for document in request.documents ?? [] {
            if let path = document.filePath { check(path, document.period, words, &row) }
        }
    }

    private func check(_ path: String, _ month: MonthYear, _ words: String, _ row: inout Tally) {
        let wanted = Data(MockBankServer.statement(month: month.month, year: month.year))
        if FileManager.default.contents(atPath: path) != wanted {
            row.lose("\(words): the file of \(month) is not the bank's")
        }
    }

    private func reckon(_ stage: Stage, _ work: Work, _ row: inout Tally) async throws {
        let books = Books(stage: stage)
        guard work == .documents else { return row.add(try await books.checkAll(withPhone: true)) }
        // A request for several has more files than one.
        row.add(try await books.checkDatabases())
    }
}
