import Automation
import BankScript
import Foundation
import Secrets
import Synchronization

/// A visit that ends behind its sign-in, in a process of its own, as an approved run's is.
///
/// The process gets the credentials that its script names, one at a time, and nothing of the vault that they are to be kept in.
package struct SignInVisit: Sendable {
    private let program: VisitProgram
    private let downloads: URL

    /// - Parameters:
    ///   - program: the program whose process visits the bank.
    ///   - downloads: the folder of the phone's downloads.
    package init(_ program: VisitProgram, downloads: URL) {
        self.program = program
        self.downloads = downloads
    }

    /// Notes that a credential was given which the bank counts.
    private struct WatchedCredentials: CredentialProvider {
        let credentials: any CredentialProvider
        let beforeUse: @Sendable () -> Void

        var adviceForMissing: String? { credentials.adviceForMissing }

        func credential(named name: String, forBank bankID: String) async throws -> Secret? {
            if name != "username" { beforeUse() }
            return try await credentials.credential(named: name, forBank: bankID)
        }
    }

    /// Visits the bank.
    ///
    /// - Parameters:
    ///   - host: the services that the process may call.
    ///   - gate: is told whether the visit came to the end of its sign-in.
    /// - Returns: the document of a script that comes to its end before the gate.
    package func result(
        of script: BankScript, parameters: [String: ParameterValue], _ host: HostServices, to gate: SignInGate
    ) async -> Result<FetchedDocument, RunFailure> {
        #if os(Linux)
            let isSent = Mutex(false)
            var host = host
            host.credentials = WatchedCredentials(credentials: host.credentials) { isSent.withLock { $0 = true } }
            let visit = ProcessVisit(
                program, of: script, host: host, downloads: downloads, limit: ScriptRunner.executionLimit,
                skeletons: SkeletonWatch(script), gate: gate)
            do throws(RunFailure) {
                guard let document = try await visit.perform(.one(parameters)) else {
                    throw RunFailure(.pdfDownloadFailed, message: "the visit brought no document")
                }
                return .success(document)
            } catch {
                var failure = error
                // The process has told nothing. What it was given, it may have sent, and the bank's answer is not known.
                if visit.isLost, isSent.withLock(\.self) {
                    failure.hasSentCredentials = true
                    failure.isSignInUnanswered = true
                }
                return .failure(failure)
            }
        #else
            // A phone there has no ``VisitProgram``.
            return .failure(RunFailure(.navigationFailed, message: "\(script.name) was not visited"))
        #endif
    }
}
