import Clocks
import DeviceTrust
import Encodings
import Messages
import Testing

@Suite("An approval policy")
struct PolicyTests {
    static let text = """
        version: 1
        rules:
          - bank: "*"
            require: [device_signature]
            reason: every statement is signed for
          - bank: default
            when: {year: {below: 2024}}
            require: [passkey]
            devices: 2
            reason: old statements need a second look
          - bank: default
            when: {month: 12, year: {above: 2000, in: [2022, 2023]}}
            require: [passphrase]
            reason: year ends
        """

    @Test(
        "asks for what every matching rule needs, and for nothing else",
        arguments: [
            ("other", 1, 2020, [ApprovalFactor.deviceSignature], 1, 1), ("default", 1, 2026, [.deviceSignature], 1, 1),
            ("default", 1, 2023, [.deviceSignature, .passkey], 2, 2),
            ("default", 12, 2023, [.deviceSignature, .passkey, .passphrase], 2, 3),
            ("default", 12, 2021, [.deviceSignature, .passkey], 2, 2),
        ])
    func rules(bank: String, month: Int, year: Int, factors: [ApprovalFactor], devices: Int, reasons: Int) throws {
        let policy = try ApprovalPolicy(yaml: Self.text)
        let needs = policy.requirement(bankID: bank, period: try #require(MonthYear(month: month, year: year)))
        #expect(needs.factors.sorted() == factors)
        #expect(needs.devices == devices)
        #expect(needs.reasons.count == reasons)
        let read = try Requirement.read(needs.json(approvals: 1))
        #expect(read.requirement == needs)
        #expect(read.approvals == 1)
    }

    @Test("knows the number of documents, and the months of all of them")
    func documents() throws {
        let policy = try ApprovalPolicy(
            yaml: """
                version: 1
                rules:
                  - { bank: "*", when: { documents: { above: 12 } }, require: [passkey], reason: more than a year }
                  - { bank: "*", when: { year: { below: 2024 } }, require: [passphrase], reason: old statements }
                """)
        func needs(_ first: String, _ last: String) throws -> Requirement {
            let periods = try #require(MonthYear(first)).through(try #require(MonthYear(last)))
            let selection = try #require(DocumentSelection(periods: periods))
            return policy.requirement(bankID: "default", subject: .documents(selection))
        }
        #expect(try needs("2025-01", "2025-12").isNone)
        #expect(try needs("2024-12", "2025-12").factors == [.passkey])
        #expect(try needs("2023-12", "2024-01").factors == [.passphrase])
        #expect(try needs("2023-01", "2024-06").factors == [.passkey, .passphrase])
        #expect(try needs("2023-01", "2024-06").reasons == ["more than a year", "old statements"])
    }

    @Test(
        "knows accounts, kinds and the range of months; a request that names no account may be for any",
        arguments: [
            ("account: Savings", ["Savings", "Giro"], ["pdf"], 1, true),
            ("account: Savings", ["Giro"], ["pdf"], 1, false),
            ("account: [Loan, Savings]", ["Savings"], ["pdf"], 1, true), ("account: Savings", [], ["pdf"], 1, true),
            ("kinds: camt", ["Giro"], ["pdf", "camt"], 1, true), ("kinds: [camt, csv]", ["Giro"], ["pdf"], 1, false),
            ("kinds: pdf", [], ["pdf"], 1, true), ("months: { above: 3 }", [], ["pdf"], 4, true),
            ("months: { above: 3 }", [], ["pdf"], 3, false), ("months: 1", [], ["pdf"], 1, true),
            // All have to hold for one document.
            ("account: Savings, kinds: camt", ["Savings"], ["pdf", "camt"], 1, true),
            ("account: Savings, kinds: camt", ["Savings"], ["pdf"], 1, false),
            ("account: Savings, year: 2024", ["Savings"], ["pdf"], 12, false),
            ("account: Savings, documents: { above: 5 }", ["Savings"], ["pdf"], 6, true),
            ("account: Savings, documents: { above: 5 }", ["Savings"], ["pdf"], 5, false),
        ] as [(String, [String], [String], Int, Bool)])
    func accountsAndKinds(when: String, accounts: [String], kinds: [String], months: Int, isMatch: Bool) throws {
        let policy = try ApprovalPolicy(
            yaml: "version: 1\nrules: [{ bank: default, when: { \(when) }, require: [passkey], reason: why }]")
        let first = try #require(MonthYear("2025-01"))
        let last = try #require(MonthYear(month: months, year: 2025))
        let selection = try #require(
            DocumentSelection(
                accounts: accounts.compactMap(AccountAlias.init), periods: first.through(last),
                kinds: kinds.compactMap(DocumentKind.init)))
        #expect(policy.requirement(bankID: "default", subject: .documents(selection)).isNone == !isMatch)
        #expect(policy.requirement(bankID: "other", subject: .documents(selection)).isNone)
    }

    @Test("a rule with an account is about one and the same document, not about two of a request")
    func oneDocument() throws {
        let policy = try ApprovalPolicy(
            yaml: """
                version: 1
                rules: [{ bank: "*", when: { account: Savings, kinds: camt }, require: [passkey], reason: why }]
                """)
        let (savings, giro) = (try #require(AccountAlias("Savings")), try #require(AccountAlias("Giro")))
        let month = try #require(MonthYear("2025-01"))
        // CAMT of one account and a PDF of the other: what was there already is left out of the table.
        let apart = try #require(
            DocumentSelection([
                DocumentPlace(account: giro, period: month, kind: .camt),
                DocumentPlace(account: savings, period: month, kind: .pdf),
            ]))
        #expect(policy.requirement(bankID: "default", subject: .documents(apart)).isNone)
        #expect(policy.requirement(bankID: "default", period: month).isNone, "a statement is a PDF")
        let statements = try ApprovalPolicy(
            yaml: "version: 1\nrules: [{ bank: default, when: { account: Savings }, devices: 2, reason: why }]")
        #expect(statements.requirement(bankID: "default", period: month).devices == 2, "it names no account")
    }

    @Test("takes the stricter requirement when both sides have one")
    func merged() {
        let one = Requirement(factors: [.passkey], devices: 1, reasons: ["a", "b"])
        let two = Requirement(factors: [.passphrase], devices: 3, reasons: ["b", "c"])
        let both = Requirement(factors: [.passkey, .passphrase], devices: 3, reasons: ["a", "b", "c"])
        #expect(one.merged(with: two) == both)
        #expect(both.missing(from: [.passkey]) == [.passphrase])
    }

    @Test(
        "with a mistake is not used at all; every mistake is reported with its line",
        arguments: [
            ("version: 1\nrules:\n- bank: x\n  when: {kinds: [docx]}\n  devices: 2\n  reason: y", [4]),
            ("version: 1\nrules:\n- bank: x\n  when: {account: []}\n  devices: 2\n  reason: y", [4]),
            ("version: 1\nrules:\n- bank: x\n  when: {account: '12345'}\n  devices: 2\n  reason: y", [4]),
            ("version: 1\nrules:\n- bank: x\n  when: {months: 0}\n  devices: 2\n  reason: y", [4]),
            ("", [0]), ("[]", [1]), ("version: 2", [1]), ("version: 1\nrule: []", [2]),
            ("version: 1\nrules: {}", [2]), ("version: 1\nrules:\n- bank: x\n  reason: y", [3]),
            ("version: 1\nrules:\n- bank: x\n  require: [faceid]\n  reason: y", [4]),
            ("version: 1\nrules:\n- bank: x\n  devices: 6\n  reason: y", [3, 4]),
            ("version: 1\nrules:\n- bank: x\n  require: [passkey]", [3]),
            ("version: 1\nrules:\n- require: [passkey]\n  reason: y", [3]),
            ("version: 1\nrules:\n- bank: x\n  require: [passkey]\n  reason: y\n  when: {month: 13}", [6]),
            ("version: 1\nrules:\n- bank: x\n  require: [passkey]\n  reason: y\n  when: {day: 1}", [6]),
            ("version: 1\nrules:\n- bank: x\n  require: [passkey]\n  reason: y\n  when: {year: {until: 2}}", [6]),
            ("version: 1\nleases: {longest_seconds: 900}", [2]), ("version: 1\nversion: 1", [1]),
            ("version: 1\nrules: [", [3]),
        ])
    func problems(yaml: String, lines: [Int]) {
        let error = #expect(throws: PolicyError.self) { try ApprovalPolicy(yaml: yaml) }
        #expect(Set(error?.problems.map(\.line) ?? []) == Set(lines), "\(error?.description ?? "")")
    }

    @Test(
        "of a broker with a factor that this version does not know cannot be met",
        arguments: [
            ["factors": ["retina"], "devices": 1, "approvals": 0, "reasons": []],
            ["factors": [], "devices": 0, "approvals": 0, "reasons": []],
            ["factors": [], "devices": 6, "approvals": 0, "reasons": []],
            ["factors": [], "devices": 1, "approvals": 0, "reasons": [1]],
            ["factors": [], "devices": 1, "approvals": 0], [],
        ] as [JSONValue])
    func unknown(json: JSONValue) {
        #expect(throws: TrustError.self) { try Requirement.read(json) }
    }
}
