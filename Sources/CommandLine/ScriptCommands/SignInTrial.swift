import Automation
import BankScript
import CountersignPlugins
import Foundation
import HTMLAutomation
import Messages
import Phone
import Secrets

/// One sign-in at a bank by its script. Nothing is fetched: the visit ends on the first page behind the sign-in.
package struct SignInTrial: Sendable {
    package enum Outcome: Sendable {
        /// A step behind the sign-in found what it names, so the bank took the password. The failure is the one by which the
        /// visit ended: it counts the codes that the bank refused, of which such a step shows nothing.
        case accepted(RunFailure?)
        /// The bank refused nothing, but no step looked at a page behind the sign-in.
        case unknown
        case failed(RunFailure)
    }

    private let script: BankScript
    /// The number of the first step that is not performed, as ``StepPlace`` counts.
    private let end: Int
    private let showsAcceptance: Bool

    /// - Returns: nil for a script without steps that sign in.
    package init?(_ script: BankScript) {
        // What the bank says of a wrong password or code belongs to the sign-in.
        // A trial keeps nothing, so an exchange would spend the owner's credential for nothing. A phone keeps what it gives.
        guard script.exchange == nil, let part = SignInPart(of: script) else { return nil }
        let behind = script.stepsForOnePeriod[part.end...].prefix { !$0.action.downloads }
        let evidence = behind.firstIndex(where: \.action.showsRightPassword)
        self.script = script
        showsAcceptance = evidence != nil
        end = (evidence ?? behind.endIndex - 1) + 2
    }

    /// Signs in, and leaves the bank as the script says.
    ///
    /// - Parameters:
    ///   - credentials: by the names that the script uses. Each is sent as often as the script allows in a run.
    ///   - person: answers the bank's questions.
    ///   - codesRefusedBefore: the one-time codes that the bank refused in a row before.
    ///   - settings: those of the household, such as its certificate authority.
    ///   - visit: reads the bank's pages in a process of its own; nil to read them in this one.
    ///   - now: decides which month the script's pages are opened for.
    package func perform(
        _ credentials: [String: Secret], person: any HumanPrompt, codesRefusedBefore: Int = 0,
        _ settings: EngineSettings = EngineSettings(), in visit: SignInVisit? = nil, at now: Date = Date()
    ) async -> Outcome {
        let gate = SignInGate(before: end)
        var services = HostServices(
            credentials: Answers(values: credentials), person: person,
            downloads: FolderSink(FileManager.default.temporaryDirectory))
        services.gate = gate
        services.codeSources = Plugins.current.codeSources
        services.sources = Plugins.current.sources(settings)
        services.codesRefusedBefore = codesRefusedBefore
        let month = Calendar(identifier: .gregorian).dateComponents([.year, .month], from: now)
        let values = ["month": ParameterValue(month.month ?? 1), "year": ParameterValue(month.year ?? 2000)]
        let known = Set(script.parameters.map(\.name))
        var ending: RunFailure?
        let parameters = values.filter { known.contains($0.key) }
        let result =
            if let visit {
                await visit.result(of: script, parameters: parameters, services, to: gate)
            } else {
                await Self.runner(services, settings).result(of: script, parameters: parameters)
            }
        switch result {
        case .success(let document):
            try? FileManager.default.removeItem(at: document.file)
        case .failure(let failure):
            // A script without a download ends before the gate, and a list without the month is behind the sign-in.
            let isBehind =
                gate.hasStopped || failure.reason == .statementMissing || failure.reason == .searchLimit
                || failure.place == nil && failure.code == .pdfDownloadFailed
            // The page for a refused code may have what shows that the password was right.
            guard isBehind, !failure.isLastCodeRefused, showsAcceptance || failure.refusedCodes == 0 else {
                return .failed(failure)
            }
            ending = failure
        }
        return showsAcceptance ? .accepted(ending) : .unknown
    }

    private static func runner(_ services: HostServices, _ settings: EngineSettings) -> ScriptRunner {
        ScriptRunner(services: services) { script in
            try await script.engine.start(
                for: script, EngineConfiguration(certificateAuthority: settings.certificateAuthority),
                sharesNetwork: settings.sharesNetwork)
        }
    }

    private struct Answers: CredentialProvider {
        let values: [String: Secret]

        func credential(named name: String, forBank bankID: String) async throws -> Secret? { values[name] }
    }
}
