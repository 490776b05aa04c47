import BankScript
import Encodings
import Foundation
import Markup
import Selectors

/// A mended script, with everything that a person needs to judge it.
package struct MendedScript: Sendable {
    package let script: BankScript
    /// In the order of the steps; empty when the script matches the new recording already.
    package let changes: [MendChange]
    /// The step with which the new recording ends, in words; nil when the script fetched its statement from it.
    package let endsAt: String?
}

/// Proposes changes to a script that no longer finds its way, from a recording of a run that worked and one of the run that
/// failed.
///
/// The changed script is replayed against both. A change that would send a credential to another field, form or origin is
/// refused, however likely it is, and so is one that lets the script send more.
package struct ScriptMend: Sendable {
    private let script: BankScript
    private let pair: RecordedPair

    /// A change is taken without the recording's confirmation from this score on.
    private static let likely = 0.55
    /// The least distance between the score of a change and the next one.
    private static let margin = 0.1
    /// A bank that changes more than this is recorded anew.
    private static let mostChanges = 12

    /// - Parameters:
    ///   - old: a recording of a run that worked.
    ///   - new: a recording of the run that failed, or of a visit to the changed bank.
    ///   - oldParameters: the parameters of the old recording's run.
    ///   - newParameters: the parameters of the new recording's run.
    package init(
        _ script: BankScript, old: HTTPArchive, new: HTTPArchive, oldParameters: [String: ParameterValue],
        newParameters: [String: ParameterValue]
    ) {
        self.script = script
        pair = RecordedPair(script, old: old, new: new, oldParameters: oldParameters, newParameters: newParameters)
    }

    /// Replays the script, and changes one step after the other until the new recording has no more to tell.
    package func propose() async throws(MendRefusal) -> MendedScript {
        let before = try await pair.replayOld(script.numbered)
        guard case .document = before.end else {
            throw MendRefusal(
                .oldRecordingDiffers,
                "the script does not match the old recording, so it tells nothing about the steps: \(Self.words(of: before.end))"
            )
        }
        var current = script.numbered
        var changes: [MendChange] = []
        while true {
            let replay = try await pair.replayNew(current)
            try checkFlows(replay, before)
            switch replay.end {
            case .document:
                return try await finished(current, changes, endsAt: nil, before)
            case .unanswered(let step, let message):
                guard !changes.isEmpty else {
                    throw MendRefusal(
                        .nothingToMend,
                        "at “\(words(of: step))” the new recording ends or differs, and the page has what the step uses: \(message)"
                    )
                }
                return try await finished(current, changes, endsAt: words(of: step), before)
            case .failed(let step, let failure):
                guard changes.count < Self.mostChanges else {
                    throw MendRefusal(.unsure, "more than \(Self.mostChanges) steps changed: record the visit anew")
                }
                let repair = MendRepair(
                    number: step, script: current, before: before, stuck: replay, failure: failure,
                    origins: (
                        old: try pair.served(script, pair.old).origins, new: try pair.served(script, pair.new).origins
                    ),
                    texts: StatementPeriod.texts(of: pair.newParameters),
                    oldTexts: StatementPeriod.texts(of: pair.oldParameters),
                    recording: pair.new)
                let (script, change) = try await choose(among: try repair.options(), for: repair, before)
                current = script
                changes.append(change)
            }
        }
    }

    private func words(of number: Int) -> String {
        script.numbered.stepsByNumber.first { $0.number == number }?.step.action.words ?? "the first step"
    }

    private static func words(of end: MendReplay.End) -> String {
        switch end {
        case .document: "it fetched a document"
        case .unanswered(_, let message): message
        case .failed(_, let failure): failure.message
        }
    }

    // MARK: Judging

    private func checkFlows(_ replay: MendReplay, _ before: MendReplay) throws(MendRefusal) {
        guard let flow = replay.flows.subtracting(before.flows).min(by: { "\($0)" < "\($1)" }) else { return }
        let known = before.flows.filter { $0.credential == flow.credential }.map { "\($0)" }.sorted()
        throw MendRefusal(
            .credentialElsewhere,
            "\(flow) is not where the old recording sends it (\(known.isEmpty ? "nowhere" : known.joined(separator: ", "))): "
                + "a mend never decides that; look at the page, and change the script yourself")
    }

    /// Replays each option against the new recording, and returns the one that is right beyond doubt.
    private func choose(
        among options: [MendOption], for repair: MendRepair, _ before: MendReplay
    ) async throws(MendRefusal) -> (BankScript, MendChange) {
        struct Tried {
            let option: MendOption
            let script: BankScript
            let isConfirmed: Bool
        }
        var tried: [Tried] = []
        for option in options {
            let script = option.change(repair.script)
            let replay = try await pair.replayNew(script)
            try checkFlows(replay, before)
            let isPast = replay.stop.map { $0 > repair.number } ?? true
            let isAtEnd = if case .unanswered(let step, _) = replay.end { step == repair.number } else { false }
            guard isPast || isAtEnd && !option.needsConfirmation else { continue }
            let isProven = option.kind != .locator || Self.uses(script, after: repair.number, before: replay.stop)
            tried.append(
                Tried(
                    option: option, script: script,
                    isConfirmed: isPast && isProven && replay.used > repair.stuck.used))
        }
        let confirmed = tried.filter(\.isConfirmed)
        let rest = (confirmed.isEmpty ? tried : confirmed).sorted { $0.option.score > $1.option.score }
        let listed = options.sorted { $0.score > $1.score }.prefix(5).map {
            "\($0.words) (\(Self.shown($0.score)))"
        }
        guard let best = rest.first else {
            throw MendRefusal(
                .unsure, "nothing on the page “\(repair.title)” does what “\(words(of: repair.number))” did",
                candidates: Array(listed))
        }
        let next = rest.dropFirst().first { $0.option.target != best.option.target }
        guard best.isConfirmed || best.option.score >= Self.likely else {
            throw MendRefusal(
                .unsure,
                "the best change of “\(words(of: repair.number))” has a score of \(Self.shown(best.option.score)), and the recording "
                    + "ends before it could be tried: choose one, or record the visit to its end",
                candidates: Array(listed))
        }
        if let next, best.option.score - next.option.score < Self.margin {
            throw MendRefusal(
                .unsure, "two changes of “\(words(of: repair.number))” are as likely as each other: choose one",
                candidates: Array(listed))
        }
        return (
            best.script,
            MendChange(
                kind: best.option.kind, step: words(of: repair.number), words: best.option.words,
                reason: best.option.reason, score: best.option.score, isConfirmed: best.isConfirmed)
        )
    }

    /// Returns whether a later step found on its page what it uses. That a page came proves nothing: the recording of a run that
    /// failed ends with its sign-out, and another control may lead there.
    private static func uses(_ script: BankScript, after number: Int, before stop: Int?) -> Bool {
        script.stepsByNumber.contains { place in
            place.number > number && place.number < stop ?? .max && !LocatorSlot.all(of: place.step.action).isEmpty
        }
    }

    /// Checks the whole: it still matches the old recording, and nothing leaves that did not leave before.
    private func finished(
        _ current: BankScript, _ changes: [MendChange], endsAt: String?, _ before: MendReplay
    ) async throws(MendRefusal) -> MendedScript {
        let again = try await pair.replayOld(current)
        try checkFlows(again, before)
        guard case .document = again.end else {
            throw MendRefusal(
                .unsure, "the changed script no longer matches the old recording: \(Self.words(of: again.end))")
        }
        try Self.checkDisclosure(of: current, insteadOf: script)
        let oldRules = Set(ScriptLint.findings(in: script).map(\.rule))
        if let finding = ScriptLint.findings(in: current).first(where: {
            $0.severity == .error && !oldRules.contains($0.rule)
        }) {
            throw MendRefusal(.unsure, "lint refuses the changed script: \(finding.message)")
        }
        // A script that went to its end has used every change.
        let proven = changes.map { change in
            var copy = change
            copy.isConfirmed = change.isConfirmed || endsAt == nil
            return copy
        }
        return MendedScript(script: current, changes: proven, endsAt: endsAt)
    }

    /// Checks that a changed script names the same origins and credentials, and sends nothing that the script of before does not
    /// send. The replays show what the recordings make a script do; this looks at every branch.
    ///
    /// - Throws: ``MendRefusal`` of kind `widerDisclosure`.
    static func checkDisclosure(of changed: BankScript, insteadOf script: BankScript) throws(MendRefusal) {
        let outflows = (old: ScriptDisclosure(script).outflows, new: ScriptDisclosure(changed).outflows)
        guard Set(outflows.new).isSubset(of: outflows.old), changed.origins == script.origins,
            changed.credentials == script.credentials
        else {
            throw MendRefusal(
                .widerDisclosure, "the changed script would send more, or to other places: a mend never decides that")
        }
    }

    private static func shown(_ score: Double) -> String { String(format: "%.2f", score) }
}
