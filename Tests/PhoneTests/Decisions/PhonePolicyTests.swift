import DeviceTrust
import Foundation
import KeyVault
import Messages
import PhoneStore
import Secrets
import TestParties
import Testing

@testable import Phone

@Suite("The rules of a phone's owner")
struct PhonePolicyTests {
    private static let passkey = KeySlot.Passkey(
        credentialID: [1, 2, 3], publicKey: [4], prfInput: [UInt8](repeating: 5, count: 32))
    private static let output = Secret(bytes: [UInt8](repeating: 6, count: 32))

    // MARK: Requirements

    struct Check: Sendable {
        var broker = Requirement.none
        var policy = Requirement.none
        var isPaired = true
        var shown: [VerificationMeans] = [.passphrase]
        /// Nil when the approval may be sent.
        var words: String?
    }

    private static func requirement(_ factors: Set<ApprovalFactor>, devices: Int = 1) -> Requirement {
        Requirement(factors: factors, devices: devices, reasons: ["old statements"])
    }

    static let checks: [Check] = [
        Check(), Check(isPaired: false),
        Check(broker: requirement([.deviceSignature])),
        Check(
            broker: requirement([.deviceSignature]), isPaired: false,
            words: "this request needs a paired device (old statements); pair this phone: countersign phone pair -"),
        Check(
            policy: requirement([.deviceSignature]), isPaired: false,
            words: "this request needs a paired device (old statements); pair this phone: countersign phone pair -"),
        Check(broker: requirement([], devices: 2)),
        Check(broker: requirement([], devices: 3), policy: requirement([], devices: 2)),
        Check(broker: requirement([], devices: 2), policy: requirement([], devices: 2)),
        Check(
            broker: requirement([], devices: 2), policy: requirement([], devices: 3),
            words:
                "this phone's policy requires 3 devices (old statements), but the broker requires only 2; add the same "
                + "rule to the broker's policy"),
        Check(broker: requirement([.passphrase])), Check(policy: requirement([.passphrase])),
        Check(
            broker: requirement([.passphrase]), shown: [.passkey],
            words: "this request also needs the passphrase (old statements)"),
        Check(
            policy: requirement([.passkey]), isPaired: false,
            words: "this request also needs a passkey (old statements)"),
        Check(policy: requirement([.passkey]), isPaired: false, shown: [.passkey]),
        Check(
            broker: requirement([.passkey, .passphrase]), isPaired: false, shown: [],
            words: "this request also needs a passkey and the passphrase (old statements)"),
        Check(broker: requirement([.passkey, .passphrase]), shown: [.passphrase, .passkey]),
        Check(broker: requirement([.passkey, .passphrase]), shown: [.passkeyAndPassphrase]),
    ]

    @Test("are met together with the broker's, by what was shown", arguments: checks)
    func requirements(expected: Check) throws {
        let check = RequirementCheck(broker: expected.broker, policy: expected.policy, isPaired: expected.isPaired)
        let shown = expected.shown.map { Shown(means: $0) }
        guard let words = expected.words else {
            try check.check(shown: shown)
            return
        }
        let error = #expect(throws: PhoneError.self) { try check.check(shown: shown) }
        #expect(error?.code == .factorMissing && error?.message == words)
    }

    private struct Shown: UserVerification {
        let means: VerificationMeans
        func open(_ vault: Vault, reason: String) async throws -> VaultSecretStore { throw CancellationError() }
    }

    // MARK: The file

    private static func policy(_ rule: String, of phone: TestPhone) throws -> PhonePolicy {
        try Data("version: 1\nrules:\n  - {\(rule), reason: mine}\n".utf8).write(to: phone.home.policyFile)
        return try PhonePolicy(of: phone.home)
    }

    @Test("ask for a vault that needs both, where every request to a bank needs both")
    func both() async throws {
        try await TestPhone.withRequest { phone, _, request in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await secrets.addPasskey(Self.passkey, output: Self.output, named: "Key")
            for (rule, isAsked) in [
                ("bank: '*', require: [passkey, passphrase]", true),
                ("bank: default, require: [passkey, passphrase]", true),
                ("bank: default, require: [passkey, passphrase, device_signature]", true),
                ("bank: other, require: [passkey, passphrase]", false),
                ("bank: default, require: [passkey]", false), ("bank: '*', devices: 2", false),
                ("bank: default, when: {months: {above: 3}}, require: [passkey, passphrase]", false),
            ] {
                let policy = try Self.policy(rule, of: phone)
                guard isAsked else {
                    try policy.check(phone.vault, for: request)
                    continue
                }
                let error = #expect(throws: PhoneError.self, "\(rule)") { try policy.check(phone.vault, for: request) }
                #expect(error?.code == .factorMissing && error?.message.contains("choose “Require both”") == true)
            }
            let policy = try Self.policy("bank: default, require: [passkey, passphrase]", of: phone)
            let (opened, _) = try await secrets.requireBoth(
                passkey: Self.passkey.credentialID, output: Self.output, passphrase: TestPhone.passphrase)
            opened.close()
            try policy.check(phone.vault, for: request)
        }
    }

    @Test("are not needed; a file that cannot be read stops every approval")
    func file() async throws {
        try await TestPhone.withRequest { phone, _, request in
            let none = try PhonePolicy(of: phone.home)
            #expect(none.digest == nil && none.requirement(of: request).isNone)
            let some = try Self.policy("bank: default, require: [passkey]", of: phone)
            #expect(some.digest?.count == 64 && some.requirement(of: request).factors == [.passkey])
            for (bytes, words) in [
                (Data([0xFF, 0xFE]), "cannot be read; fix it or remove it"),
                (Data("version: 2\n".utf8), "policy.yaml, "),
            ] {
                try bytes.write(to: phone.home.policyFile)
                let error = #expect(throws: PhoneError.self) { try PhonePolicy(of: phone.home) }
                #expect(
                    error?.code == .invalidSetting && error?.message.contains(words) == true, "\(error?.message ?? "")")
            }
        }
    }
}
