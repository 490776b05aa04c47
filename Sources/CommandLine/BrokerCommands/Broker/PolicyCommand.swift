import ArgumentParser
import DeviceTrust
import Encodings
import Foundation
import Terminal

package struct PolicyCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "policy", abstract: "Check the policy that says which requests need more than one approval.",
        subcommands: [PolicyLintCommand.self, PolicyTestCommand.self])
    package init() {}
}

struct PolicyLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Check a policy file: BROKER_POLICY_FILE, or the phone's policy.yaml.",
        discussion: """
            A rule names a bank, or "*" for every bank, and the requirements for its requests. All matching rules apply:

              version: 1
              rules:
                - bank: default
                  when: {year: {below: 2024}}            # month and year: below, above, equals, in
                  require: [passkey, device_signature]   # passphrase, passkey, device_signature
                  devices: 2                             # different devices, 1 to 5
                  reason: old statements need a second approval

            Exit status: 0 the policy is valid, 3 it is not.
            """)

    @Argument(help: "The YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let text = try PolicyText.read(file)
        do {
            let policy = try ApprovalPolicy(yaml: text)
            let answer: JSONValue = ["rules": .number(Double(policy.rules.count)), "problems": []]
            Console.standard.line(
                json ? answer.compactText() : "\(file): \(policy.rules.count.counted("rule")), no problems", .good)
        } catch {
            let problems = error.problems
            if json {
                let found = problems.map { problem -> JSONValue in
                    ["line": .number(Double(problem.line)), "message": .string(problem.message)]
                }
                Console.standard.line(JSONValue.object(["problems": .array(found)]).compactText())
            } else {
                for problem in problems { Console.standard.line("\(file):\(problem.line): \(problem.message)", .bad) }
            }
            throw ExitCode(3)
        }
    }
}

/// The text of a policy file that a person named.
enum PolicyText {
    static func read(_ file: String) throws -> String {
        guard let text = String(validating: try TypedPath.bytes(file, atMost: 1 << 20), as: UTF8.self) else {
            throw CommandFailure("\(file) cannot be read as text; save it as UTF-8", status: 2)
        }
        return text
    }
}
