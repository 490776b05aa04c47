import ArgumentParser
import Encodings
import Foundation
import Terminal

package struct DoctorCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find out what is wrong on this machine, and what helps.",
        discussion: """
            It looks at the household of countersign up, or at what the variables of broker serve and the phone's folder \
            name: versions, permissions, disk, clock, the synchronised folder, certificates, the broker, Telegram, and the \
            vault. It changes nothing. Every finding has a code that stays the same, and a remedy.

            With --sync it waits for a countersign doctor --sync 60 on the other machine, so that both see whether files \
            travel.

            Exit status: 0 nothing is wrong, warnings aside; 1 an error was found; 2 a wrong command line.
            """)

    @OptionGroup var home: HomeOption

    @Option(help: "Wait so many seconds for the other machine's doctor.")
    var sync: Int?

    @Flag(help: "Print JSON.")
    var json = false

    package init() {}

    package func validate() throws {
        guard (1...3_600).contains(sync ?? 1) else { throw ValidationError("--sync goes from 1 to 3600 seconds") }
    }

    package func run() async throws {
        let installation = Installation(
            environment: ProcessInfo.processInfo.environment, phoneHome: home.folder)
        let findings = await Examination(installation: installation, sync: sync.map { .seconds($0) }).findings()
        if json {
            let all: JSONValue = ["version": 1, "findings": .array(findings.map(\.json))]
            Console.standard.line(all.compactText())
        } else {
            for finding in findings { Self.show(finding) }
        }
        guard !findings.contains(where: { $0.severity == .error }) else { throw ExitCode(1) }
    }

    private static func show(_ finding: Finding) {
        let mark = [Finding.Severity.good: "✓", .warning: "!", .error: "✗"][finding.severity] ?? ""
        let style = finding.severity == .error ? Console.Style.bad : .plain
        let code = finding.code.map { " [\($0.rawValue)]" } ?? ""
        Console.standard.line("\(mark) \(finding.text)\(code)", style)
        if let remedy = finding.remedy { Console.standard.line("    \(remedy)", .faint) }
    }
}
