import ArgumentParser
import Broker
import DeviceTrust
import Encodings
import Foundation
import Messages
import Terminal

struct PolicyTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Show what a policy says about one request of an agent.",
        discussion: """
            Asks for nothing: it reads the file, and says whether the agent may ask, what an approval needs, and how the agent \
            gets the documents.

            Exit status: 0 the agent may ask, 1 it may not, 3 the policy is not valid.
            """)

    @Argument(help: "The YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(help: "The agent that asks; default is the agent of BROKER_API_TOKEN.")
    var agent = AgentName.standard.description

    @Option(help: "The bank, by its id; without it, the bank of requests that name none.")
    var bank: String?

    @Option(help: "The month, or the first of several: 2026-01, last-month or this-month.")
    var from: StatementDay

    @Option(help: "The last of several months.")
    var to: StatementDay?

    @Option(help: "The kinds of documents, such as pdf,camt.")
    var kinds: DocumentKinds?

    @Option(help: "An account by its alias; may be given several times. Without it, the request names none.")
    var account: [AccountName] = []

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard AgentName(agent) != nil else { throw ValidationError("“\(agent.inLine())” is not an agent's name") }
        if let bank, !OfferedBank.isID(bank) { throw ValidationError("“\(bank.inLine())” is not a bank's id") }
    }

    func run() throws {
        let policy: ApprovalPolicy
        do {
            policy = try ApprovalPolicy(yaml: try PolicyText.read(file))
        } catch let error as PolicyError {
            throw CommandFailure("\(file) is not valid:\n\(error)", status: 3)
        }
        guard let agent = AgentName(agent), let subject = try subject() else {
            throw CommandFailure("last-month needs a clock after January 1900; set the machine's clock", status: 2)
        }
        // The household's bank, which its broker is told by this variable.
        let variables = try HouseholdFile.completing(ProcessInfo.processInfo.environment)
        let bank = bank ?? BrokerSetting.bankID.value(in: variables) ?? OfferedBank.standardID
        let refusal = policy.refusal(of: agent, bankID: bank, subject: subject, at: Date())
        let needs = policy.requirement(bankID: bank, subject: subject, agent: agent)
        let ways = policy.fileWays(of: agent)
        let forms = [(AgentLimits.FileWay.path, "path"), (.bytes, "bytes"), (.text, "text")]
            .filter { ways.contains($0.0) }.map(\.1)
        if json {
            let answer: JSONValue = [
                "allowed": .bool(refusal == nil), "reason": refusal.map { .string($0) } ?? .null,
                "factors": .array(needs.factors.sorted().map { .string($0.rawValue) }),
                "devices": .number(Double(needs.devices)),
                "per_day": policy.requestsPerDay(of: agent).map { .number(Double($0)) } ?? .null,
                "files": .array(forms.map { .string($0) }),
            ]
            Console.standard.line(answer.compactText())
        } else {
            report(refusal, needs, forms, policy.requestsPerDay(of: agent))
        }
        if refusal != nil { throw ExitCode(1) }
    }

    private func report(_ refusal: String?, _ needs: Requirement, _ forms: [String], _ perDay: Int?) {
        let console = Console.standard
        if let refusal { return console.line(refusal, .bad) }
        console.line("allowed   the agent “\(agent)” may ask for this", .good)
        let factors = needs.factors.sorted().map(\.rawValue)
        let devices = needs.devices > 1 ? ["\(needs.devices) devices"] : []
        console.line("needs     " + (needs.isNone ? "the usual approval" : (factors + devices).joined(separator: ", ")))
        for reason in needs.reasons { console.line("because   \(reason.inLine())") }
        if let perDay { console.line("at most   \(perDay) new requests within 24 hours") }
        console.line("files     " + (forms.isEmpty ? "none" : forms.joined(separator: ", ")))
    }

    /// Returns the request's subject; nil without a usable clock.
    private func subject() throws -> RequestSubject? {
        guard let first = from.end(), let last = (to ?? from).end() else { return nil }
        let isStatement = to == nil && kinds == nil && account.isEmpty && first.day == nil
        if isStatement { return .statement(first.month) }
        let wanted = DocumentsRequest(
            from: first.month, to: last.month, kinds: kinds?.kinds ?? [.pdf], accounts: account.map(\.alias)
        ).from(first, to: last)
        do {
            return .documents(try wanted.selection())
        } catch {
            throw CommandFailure("no request can be like this: \(error.message)", status: 2)
        }
    }
}
