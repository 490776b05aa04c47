import Automation
import BankScript
import Clocks
import FileKinds
import Foundation
import Messages
import Secrets

/// FinTS 3.0 with PIN and TAN as a source of documents: nearly every German bank speaks it.
///
/// One visit signs in once, and reads. It has been tried against mock banks that were written from the published
/// specification, and against programs by others that follow it.
public struct FinTSSource: DocumentSource {
    public static let rule = SourceRule.fints

    private let certificateAuthority: URL?

    /// - Parameter certificateAuthority: a PEM file with a certificate authority to trust besides the system's.
    public init(certificateAuthority: URL? = nil) {
        self.certificateAuthority = certificateAuthority
    }

    public func fetch(
        _ places: [DocumentPlace], naming names: [AccountAlias: String], of script: BankScript,
        with services: HostServices, receive: @escaping DocumentReceiver
    ) async throws(RunFailure) {
        guard let declaration = script.documentSource, let bankCode = declaration.settings["bank code"] else {
            throw RunFailure(.navigationFailed, message: "the bank's file names no bank code")
        }
        let files = ForeignFiles()
        // The reading process starts while the bank answers. A PDF needs none.
        if places.contains(where: { $0.kind != .pdf }) { files.start() }
        let user = try await Self.credential(script.credentials.first ?? "username", of: script, services)
        let pin = try await Self.credential(script.credentials.dropFirst().first ?? "password", of: script, services)
        let approver = PersonApprover(services, bankName: script.name)
        let carrier: CurlCarrier
        do {
            carrier = try CurlCarrier(script, at: declaration.address, certificateAuthority: certificateAuthority)
        } catch {
            throw RunFailure(error)
        }
        let product = Dialog.Product(registration: declaration.settings["product"] ?? "Countersign", version: "1")
        var access = Visit.Access(bankCode: bankCode, user: user.revealed(), product: product)
        let kept = (try? await services.memory.kept(forBank: script.id)).flatMap(KeptAccess.init)
        if let kept, kept.isOf(access) {
            (access.systemID, access.securityFunction, access.medium) = (
                kept.systemID, kept.securityFunction, kept.medium
            )
        }
        let known = kept.flatMap { $0.isOf(access) ? $0.known(at: declaration.address) : nil }
        let visit = Visit(
            access, knowing: known, pin: pin, over: carrier, approver: approver, clock: services.clock)
        var fetch = FinTSFetch(
            visit: visit, services: services, approver: approver, kinds: declaration.kinds, files: files)
        var failure: RunFailure?
        do {
            try await fetch.run(places, naming: names, receive)
        } catch {
            failure = error
        }
        if var ended = failure {
            ended.hasSentCredentials = fetch.visit.hasSentPIN
            ended.isSignInUnconfirmed = fetch.visit.hasSentPIN && !fetch.visit.isSignedIn
            if ended.isSignInUnconfirmed {
                if fetch.visit.isPINUnanswered {
                    ended.doubtUnansweredSignIn()
                } else if fetch.visit.mayHaveRefusedPIN, ended.reason == .refusedByBank {
                    ended.doubtSignIn()
                }
            }
            ended.place = approver.place
            failure = ended
        }
        approver.ended(failure)
        await keep(fetch.visit, at: declaration.address, kept, failure, services.memory, forBank: script.id)
        // A task of its own, so that a cancelled run leaves the bank too.
        let last = fetch.visit
        await Task {
            _ = try? await withTimeLimit(.seconds(5), on: SystemClock()) {
                var visit = last
                await visit.end()
            }
        }.value
        approver.ended()
        await carrier.close()
        if let failure { throw failure }
    }

    /// Keeps a new system id, method, medium or parameters, and forgets those that the bank does not know any more. After a
    /// failure the bank is asked for its parameters again, because the kept ones may be the reason. A memory that cannot
    /// be written costs a question at the next visit, and no document.
    private func keep(
        _ visit: Visit, at address: String, _ kept: KeptAccess?, _ failure: RunFailure?, _ memory: any SourceMemory,
        forBank bankID: String
    ) async {
        if let failure {
            guard let kept else { return }
            let less = failure.reason == .extraIdentification ? nil : kept.withoutParameters
            if less != kept { try? await memory.keep(less?.sealed, forBank: bankID) }
        } else if visit.isSignedIn, let now = KeptAccess(visit.access, visit.known, from: address), now != kept {
            try? await memory.keep(now.sealed, forBank: bankID)
        }
    }

    private static func credential(
        _ name: String, of script: BankScript, _ services: HostServices
    ) async throws(RunFailure) -> Secret {
        do {
            if let credential = try await services.credentials.credential(named: name, forBank: script.id) {
                return credential
            }
        } catch let failure as RunFailure {
            throw failure
        } catch {
            throw RunFailure(
                .bankLoginFailed, reason: .credentialMissing,
                message: "the \(name) could not be read: \(sanitised("\(error)"))")
        }
        let advice = services.credentials.adviceForMissing.map { "; \($0)" } ?? ""
        throw RunFailure(
            .bankLoginFailed, reason: .credentialMissing, message: "no \(name) is stored for \(script.name)\(advice)")
    }
}
