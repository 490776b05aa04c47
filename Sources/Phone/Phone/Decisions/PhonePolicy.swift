import Crypto
import DeviceTrust
import Encodings
import Foundation
import KeyVault
import Machine
import PhoneStore
import Secrets

/// The rules that this phone's owner adds to the broker's: which requests need more than one verification.
struct PhonePolicy: Sendable {
    /// The most bytes that are read. A policy may have fewer, which its own message says.
    private static let largest = 1 << 20

    private let rules: ApprovalPolicy
    /// The SHA-256 of the file in hexadecimal digits; nil without a file.
    let digest: String?

    /// Reads the policy file anew. A file that cannot be read stops every approval, because its rules could concern any
    /// of them.
    init(of home: PhoneHome) throws(PhoneError) {
        guard FileManager.default.fileExists(atPath: home.policyFile.path) else {
            rules = .open
            digest = nil
            return
        }
        guard let data = try? OpenedFile(home.policyFile, links: .followed).bytes(atMost: Self.largest),
            let text = String(validating: data, as: UTF8.self)
        else { throw PhoneError(.invalidSetting, "\(home.policyFile.path) cannot be read; fix it or remove it") }
        digest = Base16.encode(SHA256.hash(data: data))
        do {
            rules = try ApprovalPolicy(yaml: text)
        } catch {
            let problem = error.problems.first.map { "\($0)" } ?? ""
            throw PhoneError(.invalidSetting, "\(home.policyFile.path), \(problem)")
        }
        if let limits = rules.limits.first {
            throw PhoneError(
                .invalidSetting,
                "\(home.policyFile.path), line \(limits.line): “agents” belongs into the broker's policy, which keeps to it; "
                    + "a rule of a phone can name an agent")
        }
    }

    func requirement(of request: PendingRequest) -> Requirement {
        rules.requirement(
            bankID: request.bankID, subject: request.subject, agent: request.client ?? .standard)
    }
}

extension PhonePolicy {
    /// Checks that the vault needs passkey and passphrase together where the policy asks for both for every request to a
    /// bank: then no single one of them may open it, on this phone or from a copy of the file.
    func check(_ vault: Vault, for request: PendingRequest) throws {
        let asksAlways = rules.rules.contains { rule in
            (rule.bank == nil || rule.bank == request.bankID) && rule.hasNoConditions
                && rule.factors.isSuperset(of: ApprovalFactor.verifications)
        }
        guard asksAlways, try !vault.slots().allSatisfy(\.needsBoth) else { return }
        throw PhoneError(
            .factorMissing,
            "policy.yaml asks for passkey and passphrase for every request, but the vault opens with either alone; on the "
                + "approval page, under Passkeys, choose “Require both”")
    }
}

/// The requirements of one request, compared with what the person and this phone can show for it.
struct RequirementCheck {
    let broker: Requirement
    let policy: Requirement
    let isPaired: Bool

    /// Checks that devices can be told apart where that is needed, that the broker waits for as many devices as this
    /// phone's owner wants, and that every factor was shown.
    func check(shown verifications: [any UserVerification]) throws(PhoneError) {
        let merged = broker.merged(with: policy)
        let reasons = Self.words(merged.reasons)
        guard !merged.needsPairedDevice || isPaired else {
            throw PhoneError(
                .factorMissing,
                "this request needs a paired device\(reasons); pair this phone: countersign phone pair -")
        }
        guard broker.devices >= policy.devices else {
            throw PhoneError(
                .factorMissing,
                "this phone's policy requires \(policy.devices) devices\(reasons), but the broker requires only "
                    + "\(broker.devices); add the same rule to the broker's policy")
        }
        // A signature is not shown by the person: where one is needed, this phone is paired, as checked above, and signs.
        let missing = merged.missing(from: Self.factors(of: verifications)).filter { $0 != .deviceSignature }
        guard missing.isEmpty else {
            let names = missing.map(\.words).joined(separator: " and ")
            throw PhoneError(.factorMissing, "this request also needs \(names)\(reasons)")
        }
    }

    static func factors(of verifications: [any UserVerification]) -> Set<ApprovalFactor> {
        verifications.reduce(into: []) { factors, verification in
            switch verification.means {
            case .passphrase: factors.insert(.passphrase)
            case .passkey: factors.insert(.passkey)
            case .passkeyAndPassphrase: factors.formUnion([.passphrase, .passkey])
            }
        }
    }

    private static func words(_ reasons: [String]) -> String {
        reasons.isEmpty ? "" : " (\(reasons.map { ReportText.cleaned($0, limit: 200) }.joined(separator: "; ")))"
    }
}

extension ApprovalFactor {
    /// The factor's name as a person reads it.
    package var words: String {
        switch self {
        case .passphrase: "the passphrase"
        case .passkey: "a passkey"
        case .deviceSignature: "a paired device"
        }
    }
}
