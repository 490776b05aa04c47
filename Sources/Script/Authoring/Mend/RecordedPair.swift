import BankScript

/// Two recordings of one bank, and the replays of a script against them.
struct RecordedPair: Sendable {
    private let script: BankScript
    let old: HTTPArchive
    let new: HTTPArchive
    let oldParameters: [String: ParameterValue]
    let newParameters: [String: ParameterValue]

    init(
        _ script: BankScript, old: HTTPArchive, new: HTTPArchive, oldParameters: [String: ParameterValue],
        newParameters: [String: ParameterValue]
    ) {
        self.script = script
        self.old = old
        self.new = new
        self.oldParameters = oldParameters
        self.newParameters = newParameters
    }

    func replayOld(_ script: BankScript) async throws(MendRefusal) -> MendReplay {
        await MendReplay.run(try served(script, old), on: old, parameters: oldParameters)
    }

    func replayNew(_ script: BankScript) async throws(MendRefusal) -> MendReplay {
        await MendReplay.run(try served(script, new), on: new, parameters: newParameters)
    }

    /// Returns the script for the hosts of a recording that was made at a mock bank, whose port changes.
    ///
    /// - Throws: ``MendRefusal`` for a recording of other hosts.
    func served(_ script: BankScript, _ archive: HTTPArchive) throws(MendRefusal) -> BankScript {
        let recorded = archive.origins
        if recorded.contains(where: script.origins.contains) { return script }
        guard let first = recorded.first else {
            throw MendRefusal(.nothingToMend, "a recording is empty: record a run with script run --record")
        }
        if recorded.count <= script.origins.count, recorded.allSatisfy({ ScriptOrigins.areForTesting([$0]) }) {
            return script.served(atRecorded: recorded)
        }
        // A recording may name a host more that the bank led to. The first one is where the script began.
        guard script.origins.count == 1, ScriptOrigins.areForTesting([first]) else {
            throw MendRefusal(
                .anotherBank, "a recording was made at \(first), which the script does not name: it is another bank's")
        }
        return script.served(at: first, isForTesting: true)
    }
}
