import Foundation

/// The phone and its owner, who approves everything.
struct Owner {
    let stage: Stage
    let bank: String
    let script: String
    private var phone: Child?
    /// The longest run so far, within which kills fall.
    private(set) var longestRun: Duration = .seconds(4)

    init(stage: Stage, bank: String, script: String) {
        self.stage = stage
        self.bank = bank
        self.script = script
    }

    mutating func start() async throws {
        let child = try stage.phone(bank: bank, script: script)
        phone = child
        guard await eventually(within: .seconds(30), { child.lines.contains("ready") }) else {
            throw Impatience(description: "the phone does not start: \(child.lines.suffix(3))")
        }
    }

    func kill() async { await phone?.killed() }
    func stop() async { await phone?.killed() }

    mutating func note(run duration: Duration) { longestRun = max(duration, .seconds(1)) }
}
