import AuditLog
import DeviceTrust
import Foundation
import JSON
import KeyVault
import Messages
import Secrets

extension PhoneRunner {
    /// Makes one call to the broker.
    ///
    /// With the next credentials of a rotation first, where there are some, and with those before them when the broker
    /// does not know the next: whichever side stopped in between, one of the two holds.
    func ask<Answer: Sendable>(
        _ call: @Sendable (PhoneBrokerClient) async throws(PhoneError) -> Answer
    ) async throws(PhoneError) -> Answer {
        let used = way.credentials.token
        do {
            return try await call(way.broker)
        } catch  where error.code == .pinMismatch {
            _ = try? await store.audit.record(
                AuditEvent(
                    "pin.mismatch", severity: .critical,
                    details: [
                        "broker": .string(connection.brokerURL.absoluteString), "message": .string(error.message),
                    ], time: now))
            throw error
        } catch  where error.status == 401 {
            // A rotation may have come to its end while the call was on its way.
            guard way.credentials.token !== used || way.useCurrent(insteadOf: used) else { throw error }
            return try await call(way.broker)
        }
    }

    // MARK: Policy

    /// The policy of this phone's owner. One that cannot be read stops everything that it could be about.
    func policy() throws(PhoneError) -> ApprovalPolicy {
        guard FileManager.default.fileExists(atPath: home.policyFile.path) else { return .open }
        guard let data = try? Data(contentsOf: home.policyFile), let text = String(validating: data, as: UTF8.self)
        else { throw PhoneError(.invalidSetting, "\(home.policyFile.path) cannot be read; mend it or take it away") }
        do {
            return try ApprovalPolicy(yaml: text)
        } catch {
            let problem = error.problems.first.map { "\($0)" } ?? ""
            throw PhoneError(.invalidSetting, "\(home.policyFile.path), \(problem)")
        }
    }

    /// That devices can be told apart at all, and that the broker waits for as many as this phone's owner wants.
    func checkDevices(_ needs: Requirement, policy: Requirement, broker: Requirement) throws(PhoneError) {
        let reasons = Self.words(needs.reasons)
        guard !needs.needsPairedDevice || connection.pairing != nil else {
            throw PhoneError(
                .factorMissing, "this request needs a paired device\(reasons); pair this phone: countersign phone pair")
        }
        guard broker.devices >= policy.devices else {
            throw PhoneError(
                .factorMissing,
                "this phone's policy wants \(policy.devices) devices\(reasons), and the broker only \(broker.devices); "
                    + "write the same rule into the broker's policy")
        }
    }

    /// That the person has shown everything that is wanted.
    func check(_ needs: Requirement, shownBy verifications: [any UserVerification]) throws(PhoneError) {
        var shown = Self.factors(of: verifications)
        if connection.pairing != nil { shown.insert(.deviceSignature) }
        let missing = needs.missing(from: shown)
        guard !missing.isEmpty else { return }
        let names = missing.map(\.words).joined(separator: " and ")
        throw PhoneError(.factorMissing, "this request needs \(names) as well\(Self.words(needs.reasons))")
    }

    /// Records why an approval was not given.
    func refusing(_ request: PendingRequest, _ check: () throws(PhoneError) -> Void) async throws {
        do {
            try check()
        } catch {
            try await recordRefusal(of: request.id, error)
            throw error
        }
    }

    func recordRefusal(of id: RequestID, _ error: PhoneError) async throws {
        try await store.audit.record(
            AuditEvent(
                "approval.refused", severity: .warning, requestID: id.description,
                details: ["message": .string(error.message)], time: now))
    }

    static func factors(of verifications: [any UserVerification]) -> Set<ApprovalFactor> {
        Set(verifications.map { $0.means == .passphrase ? .passphrase : .passkey })
    }

    private static func words(_ reasons: [String]) -> String {
        reasons.isEmpty ? "" : " (\(reasons.map { ReportText.cleaned($0, limit: 200) }.joined(separator: "; ")))"
    }

    // MARK: Other devices

    /// Lets go of what another device has completed.
    func handOver(_ list: PendingList) async throws {
        for id in try await store.handOver(except: list.requestIDs, at: now) {
            announcements.send(.changed(id, .expired))
        }
    }

    // MARK: Rotation

    /// The same with a vault that is opened for it, if it is due at all.
    public func rotateIfAsked(_ verification: any UserVerification) async throws {
        guard way.isAskedToRotate || connection.next != nil else { return }
        let secrets = try await verification.open(home.vault, reason: "Renew the phone's token")
        defer { secrets.close() }
        try await rotateIfAsked(secrets)
    }

    /// Agrees on new credentials with a broker that asks for it, while the vault is open and nothing runs. What goes
    /// wrong is recorded and tried again another time: the credentials of before hold until the new ones are used.
    public func rotateIfAsked(_ secrets: VaultSecretStore) async throws {
        try await rotations.run { try await self.rotate(secrets) }
    }

    private func rotate(_ secrets: VaultSecretStore) async throws {
        guard await queue.isIdle else { return }
        do {
            try await keepWhatHolds(secrets)
            guard way.isAskedToRotate, let pairing = connection.pairing else { return }
            let rotation = PhoneRotation(deviceID: pairing.deviceID, secret: connection.credentials.rawSharedSecret)
            let message = rotation.message
            let answer = try await ask { (broker) async throws(PhoneError) in try await broker.rotate(message) }
            let agreed = try rotation.credentials(answer: answer)
            let next = try BrokerCredentials(token: agreed.token, sharedSecret: agreed.sharedSecret)
            // On the disk before it is used: from the first use on the broker knows no other.
            let renewed = try connection.changed(credentials: connection.credentials, next: next)
            try await renewed.save(to: secrets)
            way.isAskedToRotate = false
            way.use(renewed)
            _ = try await ask { (broker) async throws(PhoneError) in try await broker.pending() }
            try await keepWhatHolds(secrets)
            try await store.audit.record(
                AuditEvent(
                    "device.rotated", details: ["device": .string(pairing.deviceID.description)], time: now))
        } catch {
            try await store.audit.record(
                AuditEvent(
                    "rotation.failed", severity: .error,
                    details: ["message": .string(ReportText.cleaned("\(error)"))], time: now))
        }
    }

    /// Once the broker has taken the next credentials, they are the only ones.
    private func keepWhatHolds(_ secrets: VaultSecretStore) async throws {
        guard let next = connection.next else { return }
        _ = try await ask { (broker) async throws(PhoneError) in try await broker.pending() }
        let held = way.credentials.token === next.token ? next : connection.credentials
        let settled = try connection.changed(credentials: held, next: nil)
        try await settled.save(to: secrets)
        way.use(settled)
    }
}

extension ApprovalPolicy {
    func requirement(of request: PendingRequest) -> Requirement {
        requirement(bankID: request.bankID, period: request.period)
    }
}

extension ApprovalFactor {
    /// As a person reads it.
    public var words: String {
        switch self {
        case .passphrase: "the passphrase"
        case .passkey: "a passkey"
        case .deviceSignature: "a paired device"
        }
    }
}
