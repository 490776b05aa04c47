import Automation
import BankScript
import Clocks
import CurlClient
import Foundation
import HTMLAutomation
import HTMLEngine
import Messages
import MockBank
import Synchronization
import TestCases
import TestSupport
import Testing

/// Visits to the mock bank that fetch documents of several accounts and kinds.
@Suite("Fetching accounts and kinds in one visit")
struct AccountsTests {
    private struct Visit {
        var outcomes: [(place: String, outcome: String)] = []
        var accounts: [ListedAccount] = []
        var signIns = 0
        var requests: [String] = []
        var failure: RunFailure?
        var filesLeft: [String] = []
    }

    private final class Log: RunObserver {
        let visit = Mutex(Visit())

        func observe(_ event: RunEvent) {
            if case .listedAccounts(let accounts) = event { visit.withLock { $0.accounts = accounts } }
        }

        func note(_ exchange: Exchange) {
            visit.withLock { visit in
                visit.requests.append(exchange.url)
                if exchange.method == "POST", exchange.url.hasSuffix("/login") { visit.signIns += 1 }
            }
        }

        func note(_ place: DocumentPlace, _ outcome: String) {
            visit.withLock { $0.outcomes.append((place.description, outcome)) }
        }
    }

    private static func script(_ name: String = "every-kind.yaml") throws -> BankScript {
        try BankScript(
            yaml: String(contentsOf: Repository.file("BankScripts/DefaultBank/Variants/\(name)"), encoding: .utf8),
            file: name)
    }

    private static func alias(_ text: String) throws -> AccountAlias { try #require(AccountAlias(text)) }

    private static func places(
        _ accounts: [String], _ from: String, _ to: String, _ kinds: [DocumentKind]
    ) throws -> [DocumentPlace] {
        let months = try #require(MonthYear(from)).through(try #require(MonthYear(to)))
        return try #require(
            DocumentSelection(accounts: try accounts.map(alias), periods: months, kinds: kinds)
        ).places
    }

    private func fetch(
        _ places: [DocumentPlace], with script: BankScript, in scenario: Scenario = .everyKind,
        naming names: [AccountAlias: String] = [:]
    ) async throws -> Visit {
        var configuration = MockBankConfiguration()
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        configuration.scenario = scenario
        let bank = try await MockBankServer.start(configuration)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let log = Log()
        let services = HostServices(
            credentials: TestCredentials(values: ["username": "robin.ashdown", "password": "correct horse"]),
            person: TestPerson(code: "123456"), downloads: FolderSink(folder.url), observer: log)
        let engine = EngineConfiguration(observer: { log.note($0) })
        let runner = ScriptRunner(services: services) { try HTMLNavigationEngine(for: $0, configuration: engine) }
        do throws(RunFailure) {
            try await runner.run(
                script.served(at: bank.url, isForTesting: true), fetching: places, naming: names
            ) { (place, result) throws(RunFailure) in
                switch result {
                case .success(let document):
                    let bytes = (try? [UInt8](Data(contentsOf: document.file))) ?? []
                    let account = Self.accounts[place.account?.description ?? ""] ?? "everyday"
                    let wanted = MockBankServer.file(
                        account: account, month: place.period.month, year: place.period.year,
                        as: place.kind.rawValue)
                    let isRight = place.kind == .html ? !bytes.isEmpty : bytes == wanted
                    try? FileManager.default.removeItem(at: document.file)
                    log.note(place, isRight ? "right" : "wrong")
                case .failure(let failure): log.note(place, failure.message)
                }
            }
        } catch {
            log.visit.withLock { $0.failure = error }
        }
        await bank.stop()
        var visit = log.visit.withLock { $0 }
        visit.filesLeft = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        return visit
    }

    private static let accounts = [
        "Everyday Account": "everyday", "Rainy Day Savings": "savings", "Holiday Pot": "holiday", "Fun": "holiday",
    ]

    @Test("signs in once for two accounts, two years and two kinds, and brings the right bytes of each")
    func twoYears() async throws {
        let wanted = try Self.places(["Everyday Account", "Holiday Pot"], "2024-11", "2026-10", [.pdf, .camt])
        let visit = try await fetch(wanted, with: try Self.script())
        #expect(visit.failure == nil)
        #expect(visit.outcomes.map(\.place) == wanted.map(\.description))
        #expect(visit.outcomes.count == 96 && visit.outcomes.allSatisfy { $0.outcome == "right" })
        #expect(visit.signIns == 1)
        #expect(visit.accounts.map(\.alias.description) == ["Everyday Account", "Rainy Day Savings", "Holiday Pot"])
        #expect(visit.filesLeft.isEmpty)
        #expect(!visit.requests.contains { $0.hasSuffix("as=csv") }, "only the kinds that were asked for are fetched")
    }

    @Test("brings every kind of one month, each checked by its content")
    func everyKind() async throws {
        let script = try Self.script()
        let wanted = try Self.places([], "2026-01", "2026-01", script.kinds)
        let visit = try await fetch(wanted, with: script)
        #expect(visit.failure == nil)
        #expect(visit.outcomes.map(\.outcome) == Array(repeating: "right", count: 8), "\(visit.outcomes)")
    }

    @Test("names an account's missing month and goes on with the next account")
    func gaps() async throws {
        let wanted = try Self.places(["Holiday Pot", "Rainy Day Savings"], "2026-03", "2026-05", [.pdf, .csv])
        let visit = try await fetch(wanted, with: try Self.script())
        #expect(visit.failure == nil)
        let missing = visit.outcomes.filter { $0.outcome != "right" }
        #expect(missing.map(\.place) == ["Rainy Day Savings 2026-04 csv", "Rainy Day Savings 2026-04 pdf"])
        #expect(missing.allSatisfy { $0.outcome.contains("row “April 2026” is not on") })
        #expect(visit.signIns == 1)
    }

    @Test("names an account that the bank does not list, with those that it lists, and fetches the others")
    func unknownAccount() async throws {
        let wanted = try Self.places(["Holiday Pot", "Secret"], "2026-05", "2026-05", [.pdf])
        let visit = try await fetch(wanted, with: try Self.script())
        #expect(visit.failure == nil)
        #expect(visit.outcomes.map(\.outcome).first == "right")
        #expect(
            visit.outcomes.last?.outcome
                == "the bank lists no account “Secret”; it lists “Everyday Account”, “Rainy Day Savings”, “Holiday Pot”"
        )
    }

    @Test("finds an account by the bank's name when the person has chosen another alias")
    func renamed() async throws {
        let wanted = try Self.places(["Fun"], "2026-05", "2026-05", [.camt])
        let visit = try await fetch(
            wanted, with: try Self.script(), naming: [try Self.alias("Fun"): "Holiday Pot"])
        #expect(visit.failure == nil)
        #expect(visit.outcomes.map(\.outcome) == ["right"])
    }

    @Test("unpacks a ZIP to its parts, and enters each account once")
    func zip() async throws {
        let base = try Self.script()
        let script = BankScript(
            id: base.id, name: base.name, origins: base.origins, accounts: base.accounts, steps: base.steps,
            forEachAccount: Follow("Statements").steps + Choose("Account", "{{ account_name }}").steps
                + Press("Show").steps,
            forEachPeriod: Choose("Year", "{{ year }}").steps + Press("Show").steps
                + Search(rows: "{{ month.name }} {{ year }}", next: "Next", atMost: 12).steps
                + Download("Everything", asZIPOf: [.pdf, .camt, .csv]).steps,
            finally: base.finally)
        let wanted = try Self.places(["Everyday Account", "Holiday Pot"], "2025-12", "2026-01", [.camt, .csv])
        let visit = try await fetch(wanted, with: script)
        #expect(visit.failure == nil, "\(String(describing: visit.failure))")
        #expect(visit.outcomes.count == 8 && visit.outcomes.allSatisfy { $0.outcome == "right" }, "\(visit.outcomes)")
        #expect(visit.requests.count { $0.hasSuffix("as=zip") } == 4, "one archive for each month of each account")
        #expect(visit.filesLeft.isEmpty)
    }

    @Test("gets every month of a year out of one archive, and names those that it lacks")
    func year() async throws {
        let wanted = try Self.places(["Everyday Account", "Rainy Day Savings"], "2025-01", "2026-02", [.pdf, .camt])
        let visit = try await fetch(wanted, with: try Self.script("year-as-zip.yaml"), in: .yearAsZIP)
        #expect(visit.failure == nil, "\(String(describing: visit.failure))")
        #expect(visit.outcomes.map(\.place) == wanted.map(\.description))
        let missing = visit.outcomes.filter { $0.outcome != "right" }
        #expect(
            missing.map(\.place) == [
                "Rainy Day Savings 2025-04 camt", "Rainy Day Savings 2025-04 pdf", "Rainy Day Savings 2025-10 camt",
                "Rainy Day Savings 2025-10 pdf",
            ])
        #expect(
            missing.last?.outcome == "the archive holds 0 files of the kind pdf for 2025-10, and one is needed")
        #expect(visit.requests.count { $0.hasSuffix("/2025") || $0.hasSuffix("/2026") } == 4, "one for each year")
        #expect(visit.signIns == 1 && visit.filesLeft.isEmpty)
    }

    @Test("refuses a file that is not what the script says, and goes on with the next kind")
    func wrongKind() async throws {
        let text = try Self.script().yaml().replacing("control: CSV, as: csv", with: "control: OFX, as: csv")
            .replacing("- download: { control: OFX, as: ofx }", with: "")
        let script = try BankScript(yaml: text, file: "wrong.yaml")
        let wanted = try Self.places([], "2026-01", "2026-02", [.csv, .mt940])
        let visit = try await fetch(wanted, with: script)
        #expect(visit.failure == nil)
        #expect(visit.outcomes.map { $0.outcome == "right" } == [false, true, false, true])
        #expect(
            visit.outcomes[0].outcome.hasPrefix("the bank sent no file of the kind csv, but application/x-ofx, "))
        #expect(visit.filesLeft.isEmpty)
    }

    @Test("refuses kinds and accounts that the script does not know, before the bank is visited")
    func refusals() async throws {
        var script = try Self.script()
        script.forEachPeriod.removeLast()
        let kind = try await fetch(try Self.places([], "2026-01", "2026-01", [.html]), with: script)
        #expect(kind.failure?.message.hasPrefix("the script downloads no html; it downloads camt, csv,") == true)
        script.accounts = nil
        let account = try await fetch(try Self.places(["Fun"], "2026-01", "2026-01", [.pdf]), with: script)
        #expect(account.failure?.message.contains("the script knows no accounts") == true)
        #expect(kind.requests.isEmpty && account.requests.isEmpty)
    }

    @Test("tells of a statement that is too old")
    func tooOld() async throws {
        var script = try Self.script()
        script.accounts = nil
        let steps = try Self.script().forEachPeriod.map { step -> Step in
            guard let choose = step.action.as(ChooseStep.self), case .template(let text) = choose.option,
                text.source.contains("account")
            else {
                return step
            }
            return Step(.choose(choose.list, "Everyday Account"))
        }
        script.forEachPeriod = steps
        let wanted = try Self.places([], "2025-09", "2025-11", [.pdf])
        let visit = try await fetch(wanted, with: script, in: .statementsTooOld)
        #expect(visit.failure == nil)
        #expect(visit.outcomes.last?.outcome == "right")
        #expect(visit.outcomes.prefix(2).allSatisfy { $0.outcome.hasPrefix("the bank sent no PDF") })
    }

    // MARK: Accounts in a JSON answer

    @Test("reads the accounts from a JSON answer, and asks for each by its id and the days of each month")
    func jsonAccounts() async throws {
        let wanted = try Self.places(["Everyday Account", "Holiday Pot"], "2026-01", "2026-02", [.pdf])
        let visit = try await fetch(wanted, with: try Self.script("json-accounts.yaml"), in: .jsonAccounts)
        #expect(visit.failure == nil, "\(String(describing: visit.failure))")
        #expect(visit.outcomes.map(\.outcome) == Array(repeating: "right", count: 4), "\(visit.outcomes)")
        #expect(visit.accounts.map(\.alias.description) == ["Everyday Account", "Rainy Day Savings", "Holiday Pot"])
        #expect(visit.accounts.map(\.id) == ["everyday", "savings", "holiday"])
        #expect(
            visit.accounts.first?.name == "Everyday Account 40 2071 8836", "the bank's own name, for the phone alone")
        #expect(visit.requests.count { $0.hasSuffix("/api/session") } == 2, "one sign-in and one sign-out")
        let days = visit.requests.filter { $0.contains("/api/statements?") }.map { $0.split(separator: "?")[1] }
        #expect(
            days == [
                "account=everyday&from=01.01.2026&to=31.01.2026", "account=everyday&from=01.02.2026&to=28.02.2026",
                "account=holiday&from=01.01.2026&to=31.01.2026", "account=holiday&from=01.02.2026&to=28.02.2026",
            ])
    }

    @Test("finds an account of a JSON answer by the bank's name when the person has chosen another alias")
    func jsonAccountRenamed() async throws {
        let visit = try await fetch(
            try Self.places(["Fun", "Everyday Account"], "2026-05", "2026-05", [.pdf]),
            with: try Self.script("json-accounts.yaml"), in: .jsonAccounts,
            naming: [try Self.alias("Fun"): "Holiday Pot 40 2072 0047"])
        #expect(visit.failure == nil)
        #expect(visit.outcomes.map(\.outcome) == ["right", "right"], "\(visit.outcomes)")
    }

    @Test(
        "names the path when the answer lists no accounts, or one without a name",
        arguments: [
            ("$.accounts[*]", "$.customers[*]", "lists no accounts: $.customers[*] finds nothing"),
            ("name: $.name", "name: $.title", "the “name” of an account is not one text: $.title finds 0 values"),
            ("id: $.id", "id: $.number", "the “id” of an account is not one text: $.number finds 0 values"),
        ])
    func jsonAccountsChanged(from: String, to: String, message: String) async throws {
        let text = try Self.script("json-accounts.yaml").yaml().replacing(from, with: to)
        let script = try BankScript(yaml: text, file: "changed.yaml")
        let wanted = try Self.places([], "2026-01", "2026-01", [.pdf])
        let visit = try await fetch(wanted, with: script, in: .jsonAccounts)
        #expect(visit.failure?.reason == .layoutChanged)
        #expect(visit.failure?.message.contains(message) == true, "\(String(describing: visit.failure))")
    }
}
