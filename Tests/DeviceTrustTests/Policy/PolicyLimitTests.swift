import Clocks
import Encodings
import Messages
import Testing

@testable import DeviceTrust

@Suite("The limits of an approval policy")
struct PolicyLimitTests {
    private func messages(_ yaml: String) -> [String] {
        do {
            _ = try ApprovalPolicy(yaml: yaml)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    private func rule(_ members: String, reason: String = "why") -> String {
        "version: 1\nrules:\n- { bank: x, require: [passkey], reason: \"\(reason)\", \(members) }"
    }

    @Test(
        "a number is from its first to its last, and no other",
        arguments: [
            ("month", 1, 12), ("year", 1900, 9999), ("documents", 1, 120), ("months", 1, 1200),
        ])
    func ranges(name: String, first: Int, last: Int) {
        for form in ["%", "{ below: % }", "{ above: % }", "{ equals: % }", "{ in: [%] }"] {
            for (value, isValid) in [(first, true), (last, true), (first - 1, false), (last + 1, false)] {
                let condition = form.replacing("%", with: "\(value)")
                let member = form == "%" ? name : String(form.split(separator: " ")[1].dropLast())
                let problem = "line 3: “\(member)” must be an integer from \(first) to \(last)"
                #expect(messages(rule("when: { \(name): \(condition) }")) == (isValid ? [] : [problem]), "\(condition)")
            }
        }
    }

    @Test("1 to 5 devices approve, and a rule of one device with nothing else asks for nothing")
    func devices() throws {
        for (devices, isValid) in [(0, false), (1, true), (5, true), (6, false)] {
            let problem = "line 3: “devices” must be an integer from 1 to 5"
            #expect(messages(rule("devices: \(devices)")) == (isValid ? [] : [problem]))
        }
        let nothing = "line 3: the rule asks for nothing; give “require” or “devices”"
        #expect(messages("version: 1\nrules:\n- { bank: x, reason: why, devices: 1 }") == [nothing])
        #expect(messages("version: 1\nrules:\n- { bank: x, reason: why, require: [] }") == [nothing])
        let two = try ApprovalPolicy(yaml: "version: 1\nrules:\n- { bank: x, reason: why, devices: 2 }")
        #expect(two.rules[0].factors == [.deviceSignature] && two.rules[0].devices == 2 && two.rules[0].line == 3)
        #expect(try ApprovalPolicy(yaml: rule("devices: 1")).rules[0].factors == [.passkey])
    }

    @Test("a reason has 1 to 200 characters", arguments: [(0, false), (1, true), (200, true), (201, false)])
    func reasons(count: Int, isValid: Bool) {
        let problem = "line 3: a rule needs “reason”, which the person reads: 1 to 200 characters"
        #expect(
            messages(rule("devices: 2", reason: String(repeating: "r", count: count))) == (isValid ? [] : [problem]))
    }

    @Test(
        "every mistake has its own words",
        arguments: [
            ("", "the file is empty; it begins with “version: 1”"),
            ("[]", "line 1: the policy must have named parts, each with a colon: version: 1, rules, agents, scripts"),
            ("rules: []", "line 1: “version” must be 1"), ("version: 2", "line 1: “version” must be 1"),
            ("version: 1\nversion: 1", "line 1: a name is repeated"),
            ("version: 1\nrules: {}", "line 2: “rules” must be a list"),
            (
                "version: 1\nrules: [1]",
                "line 2: a rule must have named parts, each with a colon: bank, agent, when, require, devices, reason"
            ),
            (
                "version: 1\nrules: [{ bank: \"\", require: [passkey], reason: r }]",
                "line 2: a rule needs “bank”: the ID of a bank, or \"*\" for all"
            ),
            (
                "version: 1\nrules: [{ bank: x, require: passkey, reason: r, devices: 2 }]",
                "line 2: “require” must be a list"
            ),
            (
                "version: 1\nrules: [{ bank: x, require: [[]], reason: r, devices: 2 }]",
                "line 2: “…” is not a factor; use one of: passphrase, passkey, device_signature"
            ),
            (
                "version: 1\nrules: [{ bank: x, devices: 2, reason: r, when: { month: {} } }]",
                "line 2: “month” is empty; give below, above, equals or in"
            ),
            (
                "version: 1\nrules: [{ bank: x, devices: 2, reason: r, when: { month: { in: [] } } }]",
                "line 2: “in” must be a list of numbers"
            ),
            (
                "version: 1\nrules: [{ bank: x, devices: 2, reason: r, when: { month: { in: 1 } } }]",
                "line 2: “in” must be a list of numbers"
            ),
            (
                "version: 1\nrules: [{ bank: x, devices: 2, reason: r, when: { month: [1] } }]",
                "line 2: “month” must have named parts, each with a colon: below, above, equals, in"
            ),
            (
                "version: 1\nrules: [{ bank: x, devices: 2, reason: r, when: { account: [] } }]",
                "line 2: “account” is empty; give a name or a list of names"
            ),
            (
                "version: 1\nrules: [{ bank: x, devices: 2, reason: r, when: { kinds: [[]] } }]",
                "line 2: “…” in “kinds” is not one of: \(DocumentKind.allCases.map(\.rawValue).joined(separator: ", "))"
            ),
            (
                "version: 1\n\(String(repeating: "x", count: 41)): 1",
                "line 2: the policy has an unknown member “\(String(repeating: "x", count: 40))”; use: version: 1, rules, agents, scripts"
            ),
            (
                "version: 1\n[a]: 1",
                "line 2: the policy has an unknown member “…”; use: version: 1, rules, agents, scripts"
            ),
            (
                "version: 1\nleases: 1",
                "line 2: “leases” does not exist any more: every approval is for one request; remove it"
            ),
        ])
    func mistakes(yaml: String, message: String) {
        #expect(messages(yaml) == [message])
    }

    @Test("several mistakes are in the order of their lines")
    func order() {
        let yaml = "version: 2\nrules:\n- bank: x\n  reason: r\n  require: [a]\n  devices: 9\nmore: 1"
        let lines = messages(yaml).map { String($0.prefix { $0 != ":" }) }
        #expect(lines == lines.sorted() && lines.count >= 4 && lines.first == "line 1" && lines.last == "line 7")
    }

    @Test("several mistakes on one line are in the order in which they stand there")
    func orderOnALine() {
        let factors = (1...20).map { "factor\($0)" }
        let problems = messages(
            "version: 1\nrules:\n- { bank: x, reason: r, require: [\(factors.joined(separator: ", "))] }")
        let named = problems.compactMap { problem in factors.last { problem.contains("“\($0)”") } }
        #expect(named == factors)
    }

    @Test("a file has at most 256 KiB", arguments: [(256 << 10, true), ((256 << 10) + 1, false)])
    func size(bytes: Int, isValid: Bool) {
        let head = "version: 1\n#"
        let yaml = head + String(repeating: "x", count: bytes - head.utf8.count)
        #expect(messages(yaml) == (isValid ? [] : ["the file has more than 256 KiB"]))
    }

    @Test("a condition on equality and a list read as their values")
    func values() throws {
        let policy = try ApprovalPolicy(
            yaml: rule("when: { month: { equals: 3 }, year: { in: [2024, 2026] }, documents: { below: 5, above: 2 } }"))
        let first = try #require(policy.rules.first)
        #expect(first.month == .init(among: [3]) && first.year == .init(among: [2024, 2026]))
        #expect(first.documents == .init(below: 5, above: 2) && first.bank == "x")
        #expect(!first.hasNoConditions)
    }

    @Test("a rule without conditions is about every request of its banks")
    func noConditions() throws {
        #expect(try ApprovalPolicy(yaml: rule("devices: 2")).rules[0].hasNoConditions)
        for when in ["month: 1", "year: 2024", "documents: 2", "months: 2", "account: Savings", "kinds: pdf"] {
            #expect(try !ApprovalPolicy(yaml: rule("when: { \(when) }")).rules[0].hasNoConditions, "\(when)")
        }
    }

    @Test(
        "the months of a request are counted from its first to its last",
        arguments: [
            ("2024-12", "2025-01", 2), ("2024-01", "2024-01", 1), ("2023-11", "2025-02", 16),
            ("2024-01", "2024-12", 12),
        ])
    func months(first: String, last: String, count: Int) throws {
        let ends = [try #require(MonthYear(first)), try #require(MonthYear(last))]
        let selection = try #require(DocumentSelection(periods: ends))
        for (above, isMatch) in [(count - 1, true), (count, false)] where above > 0 {
            let policy = try ApprovalPolicy(yaml: rule("when: { months: { above: \(above) } }"))
            #expect(policy.requirement(bankID: "x", subject: .documents(selection)).isNone == !isMatch)
        }
    }
}

@Suite("The limits of a requirement")
struct RequirementLimitTests {
    @Test("knows when only a paired device can meet it")
    func paired() {
        #expect(!Requirement.none.needsPairedDevice && Requirement.none.isNone && Requirement.none.devices == 1)
        #expect(!Requirement(factors: [.passkey], devices: 1, reasons: []).needsPairedDevice)
        #expect(!Requirement(factors: [.passkey], devices: 1, reasons: []).isNone)
        #expect(Requirement(factors: [.deviceSignature], devices: 1, reasons: []).needsPairedDevice)
        #expect(Requirement(factors: [], devices: 2, reasons: []).needsPairedDevice)
        #expect(!Requirement(factors: [], devices: 2, reasons: []).isNone)
    }

    @Test(
        "of a broker has bounds",
        arguments: [
            ("devices", 1, true), ("devices", 5, true), ("devices", 0, false), ("devices", 6, false),
            ("approvals", 0, true), ("approvals", 5, true), ("approvals", 6, false), ("approvals", -1, false),
            ("reasons", .array(Array(repeating: "r", count: 32)), true),
            ("reasons", .array(Array(repeating: "r", count: 33)), false),
            ("reasons", [.string(String(repeating: "r", count: 200))], true),
            ("reasons", [.string(String(repeating: "r", count: 201))], false), ("reasons", "r", false),
            ("factors", "passkey", false), ("factors", [1], false), ("factors", ["passkey"], true), ("more", 1, false),
        ] as [(String, JSONValue, Bool)])
    func bounds(name: String, value: JSONValue, isValid: Bool) {
        let json: JSONValue = ["factors": [], "devices": 1, "approvals": 0, "reasons": []]
        #expect(code { try Requirement.read(json.setting(name, to: value)) } == (isValid ? nil : .malformed))
    }
}
