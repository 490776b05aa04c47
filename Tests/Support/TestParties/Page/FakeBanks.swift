import ApprovalPage
import Automation
import BankScript
import Foundation
import Phone
import Secrets
import Synchronization

/// The scripts of a phone's banks. What a bank refuses, and what it asks, is set by the test; nothing is sent to one.
package final class FakeBanks: PageBanks {
    /// One bank that was added, with what came for it.
    package struct Addition: Sendable {
        package let script: BankScript
        package let credentials: [String: String]
        package let signedIn: Bool
    }

    private struct State {
        var atHand = ScriptsAtHand(scripts: [], distantCollections: [])
        var additions: [Addition] = []
        var attempts = 0
        var outcome: Result<StoredCredentials, any Error> = .success(.untried)
        var warning: String?
        var unused: ServedBank?
        var forgotten = 0
        var question: Prompt?
        var isInTrial = false
        var another: String?
    }

    private let state = Mutex(State())
    private let home: PhoneHome

    package init(in home: PhoneHome) {
        self.home = home
    }

    private var folder: URL { home.folder.appending(path: "scripts", directoryHint: .isDirectory) }

    package var additions: [Addition] { state.withLock { $0.additions } }
    /// The number of attempts, those that were refused included.
    package var attempts: Int { state.withLock { $0.attempts } }

    package func show(_ atHand: ScriptsAtHand) { state.withLock { $0.atHand = atHand } }
    /// Ends every attempt from now on in this way.
    package func answer(_ outcome: Result<StoredCredentials, any Error>) { state.withLock { $0.outcome = outcome } }
    /// Asks the person this in each test login.
    package func ask(_ question: Prompt) { state.withLock { $0.question = question } }
    /// Has every bank that is added told with this.
    package func warn(_ words: String) { state.withLock { $0.warning = words } }
    /// Has no bank that is added used, for this reason.
    package func refuseToServe(because reason: String?) { state.withLock { $0.unused = .unused(reason) } }
    /// The number of times that refused credentials were forgotten.
    package var timesForgotten: Int { state.withLock { $0.forgotten } }
    /// Has another script for each bank, in this file.
    package func haveAnother(in file: String) { state.withLock { $0.another = file } }
    package func beInTrial() { state.withLock { $0.isInTrial = true } }

    package func scriptsAtHand(besides stored: Set<String>) async throws -> ScriptsAtHand {
        let atHand = state.withLock { $0.atHand }
        return ScriptsAtHand(
            scripts: atHand.scripts.filter { !stored.contains($0.bankID) },
            distantCollections: atHand.distantCollections)
    }

    package func read(_ source: ScriptSource) async throws -> ReadScript {
        guard case .text(let text) = source else { throw ScriptRefusal.told("there is no such script") }
        let script: BankScript
        do {
            script = try BankScript(yaml: text, file: "script.yaml")
        } catch {
            throw ScriptRefusal.told("\(error)")
        }
        guard !script.isForTesting else { throw ScriptRefusal.forTesting(script.name) }
        if let file = state.withLock({ $0.another }) {
            throw ScriptRefusal.another(bankID: script.id, bank: script.name, file: file)
        }
        return ReadScript(
            source: source, script: script, lines: ScriptDisclosure(script).lines.map { ReadScript.Line($0) },
            offersTestLogin: true, isInTrial: state.withLock { $0.isInTrial })
    }

    package func add(
        _ read: ReadScript, _ credentials: [String: Secret], to stored: CredentialVault,
        tryingWith person: (any HumanPrompt)?
    ) async throws -> AddedBank {
        let (outcome, question, warning) = state.withLock { state in
            state.attempts += 1
            return (state.outcome, state.question, state.warning)
        }
        if case .failure(let error) = outcome, Self.isBeforeAcceptance(error) { throw error }
        try AcceptedScripts(home: home.folder).accept(read.script)
        try await VouchedFiles.vouch(for: read.script.digest, of: home, in: stored.secrets)
        var given = credentials.mapValues { $0.revealed() }
        if let question, let person { given["answer"] = try await person.answer(question).revealed() }
        let known = try outcome.get()
        guard case .text(let text) = read.source else { throw ScriptRefusal.changed }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: "\(read.script.id).yaml"))
        try await stored.replace(credentials, forBank: read.script.id)
        let addition = Addition(script: read.script, credentials: given, signedIn: person != nil)
        state.withLock { $0.additions.append(addition) }
        return AddedBank(known, warning: warning)
    }

    /// Returns whether an addition ends with an error before its script is accepted.
    private static func isBeforeAcceptance(_ error: any Error) -> Bool {
        switch error {
        case CredentialsRefusal.refusedBefore, CredentialsRefusal.noMoreCodes, CredentialsRefusal.tooManyLogins: true
        case ScriptRefusal.changed, ScriptRefusal.hindered: true
        default: false
        }
    }

    package func served(_ read: ReadScript) async -> ServedBank {
        state.withLock { $0.unused } ?? .served(read.script, acceptedAs: read.script.digest)
    }

    package func forgetRefusedCredentials() { state.withLock { $0.forgotten += 1 } }
}
