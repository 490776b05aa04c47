import Automation
import BankScript
import Clocks
import FileKinds
import Foundation
import Machine
import Messages

/// The documents of one visit: signs in, finds the accounts, and fetches what was asked for.
struct FinTSFetch {
    private(set) var visit: Visit
    let services: HostServices
    let approver: PersonApprover
    let kinds: [DocumentKind]
    private let files: ForeignFiles

    /// A statement that came, and the day the bank's list says it was made.
    private typealias DatedStatement = (statement: SentStatement, made: CalendarDate?)

    /// The statements that came so far for the account under way, by their number.
    private var numbered: [Job.StatementNumber: [DatedStatement]] = [:]
    private var unnumbered: [DatedStatement]?
    private var listed: [ListedStatement]?

    /// - Parameter files: reads what the bank sends.
    init(
        visit: Visit, services: HostServices, approver: PersonApprover, kinds: [DocumentKind], files: ForeignFiles
    ) {
        self.visit = visit
        self.services = services
        self.approver = approver
        self.kinds = kinds
        self.files = files
    }

    mutating func run(
        _ places: [DocumentPlace], naming names: [AccountAlias: String], _ receive: DocumentReceiver
    ) async throws(RunFailure) {
        var accounts: [(account: BankAccount, alias: AccountAlias)]
        do {
            try await visit.signIn()
            accounts = Self.aliases(of: try await visit.accounts())
            // An account that was opened since the list was kept.
            if visit.hasKnownAccounts, places.contains(where: { Self.account($0, among: accounts, names) == nil }) {
                accounts = Self.aliases(of: try await visit.accounts(anew: true))
            }
        } catch {
            throw RunFailure(error)
        }
        services.tell(.listedAccounts(accounts.map { ListedAccount(name: $0.account.name, alias: $0.alias) }))
        guard !accounts.isEmpty else {
            throw RunFailure(
                .navigationFailed, reason: .refusedByBank,
                message: "the bank lists no account for this login; ask the bank whether FinTS is enabled for it")
        }
        for place in places {
            let outcomes: Result<[FetchedDocument], RunFailure>
            if let account = Self.account(place, among: accounts, names) {
                outcomes = await result(place, of: account)
            } else {
                outcomes = .failure(
                    RunFailure(
                        .pdfDownloadFailed, reason: .statementMissing,
                        message:
                            "the bank lists no account “\(place.account?.description ?? "")”; `phone accounts` shows them"
                    ))
            }
            switch outcomes {
            case .success(let documents):
                approver.ended()
                // The first document ends its place, so it is the last one to be received.
                for (part, document) in zip(1..., documents) where part > 1 {
                    services.tell(.downloaded(document))
                    try await receive(place.numbered(part), .success(document))
                }
                guard let first = documents.first else { continue }
                services.tell(.downloaded(first))
                try await receive(place, .success(first))
            case .failure(let failure):
                guard failure.concernsOneDocument else { throw failure }
                approver.ended(failure)
                try await receive(place, .failure(failure))
            }
        }
    }

    /// Returns the account of a place; the first for a place that names none.
    private static func account(
        _ place: DocumentPlace, among accounts: [(account: BankAccount, alias: AccountAlias)],
        _ names: [AccountAlias: String]
    ) -> BankAccount? {
        guard let alias = place.account else { return accounts.first?.account }
        let kept = names[alias]
        return accounts.first { known in kept.map { $0 == known.account.name } ?? (known.alias == alias) }?.account
    }

    private mutating func result(_ place: DocumentPlace, of account: BankAccount) async -> Result<
        [FetchedDocument], RunFailure
    > {
        do {
            return .success(try await documents(place, of: account))
        } catch let failure as FinTSFailure {
            return .failure(RunFailure(failure))
        } catch {
            return .failure(RunFailure(ending: error))
        }
    }

    /// The aliases by which requests name the accounts: the product and the last four digits.
    private static func aliases(of accounts: [BankAccount]) -> [(account: BankAccount, alias: AccountAlias)] {
        var taken: Set<AccountAlias> = []
        return accounts.compactMap { account in
            let product = String(account.product.unicodeScalars.filter { $0.properties.isAlphabetic || $0 == " " })
            let digits = (account.iban.isEmpty ? account.number : account.iban).filter(\.isNumber).suffix(4)
            let text = "\(product.prefix(30).trimmingCharacters(in: .whitespaces)) \(digits)"
            let alias = AccountAlias(text.trimmingCharacters(in: .whitespaces)) ?? AccountAlias("Account \(digits)")
            guard let alias, taken.insert(alias).inserted else { return nil }
            return (account, alias)
        }
    }

    private var today: CalendarDate {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
        let parts = calendar.dateComponents([.year, .month, .day], from: services.clock.now)
        return CalendarDate(year: parts.year ?? 1, month: parts.month ?? 1, day: parts.day ?? 1) ?? "2000-01-01"
    }

    /// Returns the documents of a place, the oldest first: several only of PDF statements.
    private mutating func documents(
        _ place: DocumentPlace, of account: BankAccount
    ) async throws -> [FetchedDocument] {
        guard kinds.contains(place.kind) else {
            throw RunFailure(.pdfDownloadFailed, message: "the bank's file fetches no \(place.kind.rawValue)")
        }
        guard let days = StatementPeriods.days(of: place.period, within: place.days, today: today) else {
            throw Self.missing(place)
        }
        switch place.kind {
        case .pdf:
            var kept: [FetchedDocument] = []
            do {
                for bytes in try await pdfs(place, of: account) { kept.append(try await keep(bytes, as: .pdf)) }
            } catch {
                // Some of a month's statements would look like all of them.
                for document in kept { try? FileManager.default.removeItem(at: document.file) }
                throw error
            }
            return kept
        case .camt: return [try await keep(try await camt(place, days, of: account), as: .camt, in: place.period)]
        case .mt940: return [try await keep(try await mt940(place, days, of: account), as: .mt940, in: place.period)]
        default: throw Self.notOffered(place.kind)
        }
    }

    private static func missing(_ place: DocumentPlace) -> RunFailure {
        RunFailure(
            .pdfDownloadFailed, reason: .statementMissing,
            message: "the bank has no \(place.kind.rawValue) for \(place.period)")
    }

    private static func notOffered(_ kind: DocumentKind) -> RunFailure {
        RunFailure(
            .pdfDownloadFailed,
            message: "the bank offers no \(kind.rawValue) over FinTS; leave it out under “fetch” in the bank's file")
    }

    private static let otherAccount = FinTSFailure(
        .otherAccount, "the bank sent the data of another account, which is not kept; ask the bank")

    // MARK: PDF

    private mutating func pdfs(_ place: DocumentPlace, of account: BankAccount) async throws -> [[UInt8]] {
        if account != current {
            current = account
            numbered = [:]
            unnumbered = nil
            listed = try await visit.perform(.statementList(account))?.listedStatements
        }
        let all: [DatedStatement]
        if let listed, listed.contains(where: { $0.number != nil }) {
            // A statement of a month is made in it or in the next. Only then is a statement of a quarter looked for.
            for months in [0...1, 2...3] {
                for entry in listed where entry.isAvailable && Self.mayCover(entry, place.period, made: months) {
                    guard let number = entry.number, numbered[number] == nil else { continue }
                    numbered[number] = try await statements(number, of: account).map { ($0, entry.created) }
                }
                let came = numbered.values.flatMap(\.self)
                guard StatementPeriods.statements(came, of: place.period).isEmpty else { break }
            }
            all = numbered.values.flatMap(\.self)
        } else {
            if unnumbered == nil { unnumbered = try await statements(nil, of: account).map { ($0, nil) } }
            all = unnumbered ?? []
        }
        let found = StatementPeriods.statements(all, of: place.period)
        guard !found.isEmpty else { throw Self.missing(place) }
        for statement in found {
            guard statement.iban.isEmpty || account.iban.isEmpty || statement.iban == account.iban else {
                throw Self.otherAccount
            }
        }
        if found.count > DocumentPlace.mostParts {
            services.tell(
                .warned(
                    0,
                    "the bank has \(found.count) statements for \(place.period); the newest \(DocumentPlace.mostParts) are kept"
                ))
        }
        return found.suffix(DocumentPlace.mostParts).map(\.bytes)
    }

    /// The account that the kept statements belong to.
    private var current: BankAccount?

    /// True if a statement of the bank's list may be the one of a month: it was made so many months later.
    private static func mayCover(_ entry: ListedStatement, _ month: MonthYear, made later: ClosedRange<Int>) -> Bool {
        guard let created = entry.created else { return entry.number.map { $0.year == month.year } ?? true }
        let madeIn = MonthYear(created)
        return later.contains((madeIn.year - month.year) * 12 + madeIn.month - month.month)
    }

    private mutating func statements(_ number: Job.StatementNumber?, of account: BankAccount) async throws
        -> [SentStatement]
    {
        if let results = try await visit.perform(.pdfStatement(account, number)) { return try results.statements() }
        if let results = try await visit.perform(.statement(account, number)) { return try results.statements() }
        throw Self.notOffered(.pdf)
    }

    // MARK: Bookings

    private mutating func camt(_ place: DocumentPlace, _ days: ClosedRange<CalendarDate>, of account: BankAccount)
        async throws -> [UInt8]
    {
        let formats = visit.bank.parameters(of: "HKCAZ", version: 1).dropFirst(3).compactMap(\.text)
            .filter { $0.contains("camt.05") }
        guard !formats.isEmpty, let results = try await visit.perform(.camt(account, days, formats: formats)) else {
            throw Self.notOffered(.camt)
        }
        guard account.iban.isEmpty || results.camtAccounts.allSatisfy({ $0 == account.iban }) else {
            throw Self.otherAccount
        }
        let documents = results.camtDocuments
        guard !documents.isEmpty else { throw Self.missing(place) }
        guard let joined = CAMTFiles.joined(documents) else {
            throw RunFailure(
                .pdfDownloadFailed,
                message: "the bank sent \(documents.count) CAMT files of different versions for one month")
        }
        return joined
    }

    private mutating func mt940(_ place: DocumentPlace, _ days: ClosedRange<CalendarDate>, of account: BankAccount)
        async throws -> [UInt8]
    {
        guard let results = try await visit.perform(.mt940(account, days)) else { throw Self.notOffered(.mt940) }
        let text = results.mt940
        guard text.contains(where: { $0 > 0x20 }) else { throw Self.missing(place) }
        let named = Latin1.text(text).split(whereSeparator: \.isNewline).filter { $0.hasPrefix(":25:") }
        let own = [account.iban, String(account.number.drop { $0 == "0" })].filter { !$0.isEmpty }
        guard named.allSatisfy({ line in own.contains { line.contains($0) } }) else { throw Self.otherAccount }
        return text
    }

    // MARK: Keeping

    /// Checks a document by its content and writes it into a file of its own.
    private func keep(_ bytes: [UInt8], as kind: DocumentKind, in month: MonthYear? = nil) async throws
        -> FetchedDocument
    {
        let checked: CheckedFile
        let isOther: Bool
        do {
            (checked, isOther) = try await BlockingWork.run { [files] in
                let checked = try files.check(bytes, as: FileKind(kind))
                return (checked, try month.flatMap { try files.hasBookings(in: $0, checked) } == false)
            }
        } catch let refusal as FileRefusal {
            throw RunFailure(refusal)
        }
        if let month, isOther {
            throw RunFailure(
                .pdfDownloadFailed, reason: .statementMissing, message: "the bank sent no bookings of \(month)")
        }
        let place = try await services.downloads.destination()
        try await BlockingWork.run { try PassingFile.write(checked.bytes, to: place) }
        return FetchedDocument(file: place, kind: kind, sha256: checked.sha256, bytes: checked.bytes.count)
    }
}
