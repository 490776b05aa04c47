import ArgumentParser
import AssistantCommands
import Clocks
import Foundation
import Terminal

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Take one request from start to end on this machine: bank, broker and phone in one program.",
        discussion: """
            A mock bank (TLS), a broker and a phone start on free loopback ports with a temporary home. You are asked to \
            approve; without a terminal the demo approves by itself and says so. Nothing leaves this machine.

            With --assistant it is the hosted assistant: sign-in, the connection to a mock of Google, a reminder, a brief and
            an alert to a mock of Apple's push service and of a browser's, and the deletion of everything.
            """)

    @Option(help: "The statement's month, 1 to 12; by default last month.")
    var month: Int?

    @Option(help: "The statement's year; by default last month's.")
    var year: Int?

    @Flag(help: "Keep the temporary home, so that you can look at it.")
    var keep = false

    @Flag(help: "Show the hosted assistant instead.")
    var assistant = false

    func validate() throws {
        if assistant, month != nil || year != nil {
            throw ValidationError("--month and --year belong to the demo without --assistant")
        }
    }

    func run() async throws {
        let now = Calendar(identifier: .gregorian).dateComponents([.year, .month], from: Date())
        let last = (now.month ?? 2) == 1 ? (12, (now.year ?? 2026) - 1) : ((now.month ?? 2) - 1, now.year ?? 2026)
        guard let period = MonthYear(month: month ?? last.0, year: year ?? last.1) else {
            throw CommandFailure("--month must be 1 to 12", status: 2)
        }
        let home = FileManager.default.temporaryDirectory
            .appending(
                path: "countersign-demo-\(UUID().uuidString.prefix(8).lowercased())", directoryHint: .isDirectory)
        let stage = DemoStage(home: home, period: period, console: .standard)
        let demo = AssistantDemo(home: home, console: .standard)
        // Ctrl-C cancels the stage, which closes its servers.
        let work = Task {
            try await reportingFailures { () async throws -> URL? in
                guard assistant else { return try await stage.play() }
                try await demo.play()
                return nil
            }
        }
        let watch = Task {
            await StopSignal.wait()
            work.cancel()
        }
        defer {
            watch.cancel()
            if keep {
                Console.standard.line("Home: \(home.path)")
            } else {
                try? FileManager.default.removeItem(at: home)
            }
        }
        if let pdf = try await work.value { Console.standard.line("PDF: \(pdf.path)", .bold) }
    }
}
