import Clocks
import DeviceTrust
import JSON
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
