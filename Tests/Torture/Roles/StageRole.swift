import ArgumentParser
import Foundation

/// A stage with one broker, which says its number and then waits, or fails: for the part that kills the torture itself.
struct StageRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stage", shouldDisplay: false)

    @Flag(help: "End by an error, and not only when killed.")
    var fails = false

    func run() async throws {
        // A shell that starts the torture in the background has it ignore Ctrl-C, and what it starts does so too.
        signal(SIGINT, SIG_DFL)
        _ = try await Stage.with { stage in
            let broker = try stage.realBroker()
            try await stage.answers(broker)
            say("broker \(broker.pid) \(stage.root.path)")
            guard !fails else { throw Impatience(description: "told to fail") }
            try await Task.sleep(for: .seconds(3600))
            return Tally()
        }
    }
}
