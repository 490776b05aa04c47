import Foundation

/// The phone and its owner, who approves everything.
struct Owner {
    /// The time within which kills fall: about that of a run.
    static let run: Duration = .seconds(4)

    let stage: Stage
    let bank: String
    let script: String
    private var phone: Child?

    init(stage: Stage, bank: String, script: String) {
        self.stage = stage
        self.bank = bank
        self.script = script
    }

    mutating func start() async throws {
        let child = try stage.phone(bank: bank, script: script, flags: ["--apart"])
        phone = child
        try await stage.isReady(child)
    }

    func kill() async { await phone?.killed() }
}
