import Clocks
import Foundation
import Messages
import Testing

@testable import DeviceTrust

@Suite("A policy that names agents")
struct AgentPolicyTests {
    private static let yaml = """
        version: 1
        rules:
          - { bank: "*", agent: [tax, books], require: [passkey], reason: new }
        agents:
          - { agent: "*", months_back: 12 }
          - { agent: tax, banks: [default], accounts: [Savings], kinds: pdf, per_day: 4, files: bytes }
          - { agent: [tax, other], per_day: 2 }
        """
    private let policy = try! ApprovalPolicy(yaml: yaml)
    private let now = Timestamp("2026-06-15T12:00:00.000Z")!.date

    private func documents(_ accounts: [String], kinds: [DocumentKind] = [.pdf], from: String = "2026-01")
        -> RequestSubject
    {
        .documents(
            DocumentSelection(
                accounts: accounts.compactMap(AccountAlias.init),
                periods: MonthYear(from)!.through(MonthYear("2026-02")!),
                kinds: kinds)!)
    }

    private func refusal(_ agent: String, bank: String = "default", _ subject: RequestSubject) -> String? {
        policy.refusal(of: AgentName(agent)!, bankID: bank, subject: subject, at: now)
    }

    @Test("limits an agent by every entry that names it, and no other agent")
    func limits() {
        #expect(refusal("tax", documents(["Savings"])) == nil)
        #expect(
            refusal("tax", bank: "west", documents(["Savings"]))?.hasSuffix("the bank “west”; it allows default")
                == true)
        #expect(
            refusal("tax", documents(["Savings", "Giro"]))?.contains("the account “Giro”; it allows Savings") == true)
        #expect(refusal("tax", documents([]))?.contains("names no account") == true)
        #expect(refusal("tax", .statement(MonthYear("2026-01")!))?.contains("names no account") == true)
        #expect(refusal("tax", documents(["Savings"], kinds: [.camt, .pdf]))?.contains("camt; it allows pdf") == true)
        #expect(
            refusal("tax", documents(["Savings"], from: "2025-05"))?.contains("2025-05; it allows 12 months") == true)
        #expect(refusal("tax", documents(["Savings"], from: "2025-06")) == nil)
        #expect(refusal("default", bank: "west", documents([], kinds: [.csv])) == nil)
        #expect(refusal("default", documents([], from: "2025-05")) != nil)
    }

    @Test("gives files by the narrowest entry, and counts requests by the smallest number")
    func ways() throws {
        #expect(policy.fileWays(of: AgentName("tax")!) == [.bytes, .text])
        #expect(policy.fileWays(of: .standard) == [.path, .text])
        #expect(policy.requestsPerDay(of: AgentName("tax")!) == 2 && policy.requestsPerDay(of: .standard) == nil)
        let two = try ApprovalPolicy(
            yaml: "version: 1\nagents: [{ agent: \"*\", files: path }, { agent: tax, files: bytes }]")
        #expect(two.fileWays(of: AgentName("tax")!) == [.text])
        #expect(ApprovalPolicy.open.fileWays(of: .standard) == [.path, .text])
    }

    @Test("asks more of an agent's requests alone")
    func rules() {
        let subject = RequestSubject.statement(MonthYear("2026-01")!)
        for (agent, factors) in [("tax", [.passkey]), ("books", [.passkey]), ("other", [])]
            as [(String, Set<ApprovalFactor>)]
        {
            #expect(policy.requirement(bankID: "x", subject: subject, agent: AgentName(agent)!).factors == factors)
        }
        #expect(policy.requirement(bankID: "x", subject: subject).isNone)
        #expect(!policy.rules[0].hasNoConditions)
    }

    @Test(
        "names each mistake",
        arguments: [
            ("agents: {}", "“agents” must be a list"), ("agents: [1]", "an entry of “agents” must have named parts"),
            ("agents: [{ files: path }]", "needs “agent”"), ("agents: [{ agent: tax }]", "limits nothing"),
            ("agents: [{ agent: Tax, per_day: 1 }]", "“Tax” in “agent” is not an agent's name"),
            ("agents: [{ agent: [], per_day: 1 }]", "“agent” is empty"),
            ("agents: [{ agent: t, files: all }]", "“files” must be one of: path, bytes, text, none"),
            ("agents: [{ agent: t, per_day: 0 }]", "“per_day” must be an integer from 1 to 1000"),
            ("agents: [{ agent: t, months_back: -1 }]", "“months_back” must be an integer from 0 to 1200"),
            ("agents: [{ agent: t, banks: West! }]", "“West!” in “banks” is not a bank's id"),
            ("agents: [{ agent: t, kinds: docx }]", "“docx” in “kinds” is not one of: pdf"),
            ("agents: [{ agent: t, minutes: 3 }]", "unknown member “minutes”"),
            ("rules: [{ bank: x, agent: \"!\", devices: 2, reason: r }]", "“!” in “agent” is not an agent's name"),
        ])
    func mistakes(line: String, problem: String) {
        let error = #expect(throws: PolicyError.self) { try ApprovalPolicy(yaml: "version: 1\n\(line)") }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }
}
