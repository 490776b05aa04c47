import DeviceTrust
import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import Storage
import TestParties
import Testing

@testable import Phone
@testable import Secrets

@Suite("A paired phone's approvals")
struct SignedApprovalTests {
    @Test("are signed for exactly what was shown; a denial needs no signature")
    func signed() async throws {
        try await TestPhone.paired { phone in
            await phone.broker.offer([try phone.envelope(), try phone.envelope(month: 2)])
            let runner = try await phone.storedRunner()
            let pending = try await runner.refresh().pending
            let (first, second) = (pending[0], pending[1])
            _ = try await runner.approve(first, with: phone.verification)
            let summary = try #require(await phone.broker.pairing.approvals.first)
            #expect(summary.envelope.requestID == first.id && summary.script == first.script.hex)
            #expect(summary.verifiedBy == [.passphrase])
            try await runner.deny(second.id)
            #expect(await phone.broker.pairing.approvals.count == 1)
            let decisions = await phone.broker.posts.filter { $0.path.hasSuffix("decision") }.map(\.body)
            #expect(decisions.map { $0["decision"] } == ["APPROVE", "DENY"])
            #expect(decisions[1]["approval"] == nil)
            #expect(try await phone.auditTypes().filter { $0 == "approval.signed" }.count == 1)
        }
    }

    @Test("need the device key; a vault without one approves nothing")
    func noKey() async throws {
        try await TestPhone.paired { phone in
            await phone.broker.offer([try phone.envelope()])
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await secrets.remove(named: "connection/device-key")
            secrets.close()
            let runner = try await phone.storedRunner()
            let request = try #require(try await runner.refresh().pending.first)
            await #expect(throws: PhoneError.self) { try await runner.approve(request, with: phone.verification) }
            let wrong = PassphraseVerification(Secret("not the passphrase"))
            await #expect(throws: VaultError.self) { try await runner.approve(request, with: wrong) }
            #expect(await phone.broker.posts.isEmpty)
            #expect(try await runner.pending().map(\.id) == [request.id])
        }
    }

    @Test("name both factors when both were shown, and are not sent while one is missing")
    func stepUp() async throws {
        try await TestPhone.paired { phone in
            let needs = Requirement(factors: [.passphrase, .passkey], devices: 1, reasons: ["old statements"])
            await phone.broker.pairing { $0.requirement = needs.json(approvals: 0) }
            await phone.broker.offer([try phone.envelope()])
            let passkey = KeySlot.Passkey(
                credentialID: [1, 2, 3], publicKey: [4], prfInput: [UInt8](repeating: 5, count: 32))
            let output = Secret(bytes: [UInt8](repeating: 6, count: 32))
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await secrets.addPasskey(passkey, output: output, named: "Key")
            secrets.close()
            let byPasskey = PasskeyVerification(credentialID: [1, 2, 3], output: output)

            let runner = try await phone.storedRunner()
            let request = try #require(try await runner.refresh().pending.first)
            #expect(request.requirement == needs)
            #expect(request.neededWords == "a passkey, the passphrase")
            for (one, missing) in [(phone.verification, "a passkey"), (byPasskey, "the passphrase")] {
                let error = await #expect(throws: PhoneError.self) { try await runner.approve(request, with: one) }
                #expect(error?.code == .factorMissing)
                #expect(error?.message.contains(missing) == true && error?.message.contains("old statements") == true)
            }
            #expect(await phone.broker.posts.isEmpty)
            #expect(phone.engine.state.withLock { $0.opened } == 0)
            _ = try await runner.approve(request, with: phone.verification, byPasskey)
            #expect(await phone.broker.pairing.approvals.map(\.verifiedBy) == [[.passkey, .passphrase]])
            #expect(try await phone.auditTypes("warning").filter { $0 == "approval.refused" }.count == 2)
        }
    }

    @Test("for two devices: the first waits, and ends the request when the other completes it")
    func twoDevices() async throws {
        try await TestPhone.paired { phone in
            let needs = Requirement(factors: [.deviceSignature], devices: 2, reasons: ["two of us"])
            await phone.broker.pairing {
                $0.requirement = needs.json(approvals: 0)
                $0.answer = (.accepted, ["status": "PENDING_APPROVAL", "approvals": 1, "needed": 2])
            }
            await phone.broker.offer([try phone.envelope()])
            let runner = try await phone.storedRunner()
            let request = try #require(try await runner.refresh().pending.first)
            #expect(try await runner.approve(request, with: phone.verification) == .waiting(approvals: 1, needed: 2))
            #expect(phone.engine.state.withLock { $0.opened } == 0)
            let waiting = try #require(try await runner.pending().first)
            #expect(waiting.isApprovedHere && waiting.progressWords == "1 of 2 approvals; waiting for another device")
            await #expect(throws: PhoneError.self) { try await runner.approve(waiting, with: phone.verification) }

            // A restart forgets nothing and reports no failure.
            try await runner.recover()
            #expect(await phone.broker.actions() == ["decision"])
            await phone.broker.pairing {
                $0.requirement = needs.json(approvals: 1)
                $0.isApproved = true
            }
            #expect(try await runner.refresh().pending.first?.isApprovedHere == true)
            await phone.broker.offer([])
            #expect(try await runner.refresh().pending.isEmpty)
            let stored = try #require(try await runner.store.request(request.id))
            #expect(stored.status == .expired && stored.errorCode == "OTHER_DEVICE")
        }
    }

    @Test("for two devices: a lost answer does not start a run")
    func lostWaiting() async throws {
        try await TestPhone.paired { phone in
            let needs = Requirement(factors: [.deviceSignature], devices: 2, reasons: [])
            await phone.broker.offer([try phone.envelope()])
            let runner = try await phone.storedRunner()
            let request = try #require(try await runner.refresh().pending.first)
            await phone.broker.pairing {
                $0.requirement = needs.json(approvals: 1)
                $0.isApproved = true
            }
            await phone.broker.answer("decision", with: [.internalServerError, .conflict])
            #expect(try await runner.approve(request, with: phone.verification) == .waiting(approvals: 1, needed: 2))
            #expect(phone.engine.state.withLock { $0.opened } == 0)
        }
    }

    @Test("an approval that arrived still counts when the broker then stops answering")
    func heardAndNoMore() async throws {
        try await TestPhone.paired { phone in
            await phone.broker.offer([try phone.envelope()])
            let runner = try await phone.storedRunner()
            let request = try #require(try await runner.refresh().pending.first)
            await phone.broker.answer("decision", with: [.internalServerError, .conflict], standing: .approved)
            await phone.broker.tell(.status(429))
            let error = await #expect(throws: PhoneError.self) {
                try await runner.approve(request, with: phone.verification)
            }
            #expect(error?.code == .brokerMalformed)
            // No device runs the request, and the phone reports that to the broker.
            await phone.broker.tell(nil)
            _ = try await runner.refresh()
            #expect(try await runner.store.request(request.id)?.status == .failed)
            #expect(await phone.broker.actions().last == "failure")
        }
    }

    @Test("an unknown requirement cannot be met")
    func unknownNeed() async throws {
        try await TestPhone.paired { phone in
            await phone.broker.pairing {
                $0.requirement = ["factors": ["retina"], "devices": 1, "approvals": 0, "reasons": []]
            }
            await phone.broker.offer([try phone.envelope()])
            let review = try await phone.storedRunner().refresh()
            #expect(review.pending.isEmpty && review.refused.map(\.reason) == ["unacceptable"])
        }
    }

    // MARK: The home's own policy

    static let policies: [(yaml: String, words: String?)] = [
        ("version: 1\nrules:\n  - {bank: default, require: [passkey], reason: mine}\n", "a passkey"),
        ("version: 1\nrules:\n  - {bank: other, require: [passkey], reason: mine}\n", nil),
        ("version: 1\nrules:\n  - {bank: '*', devices: 2, reason: mine}\n", "but the broker requires only 1"),
        ("version: 1\nrules:\n  - {bank: '*', require: [device_signature], reason: mine}\n", nil),
        ("version: 2\n", "version"), ("rules: [", "policy.yaml"),
    ]

    @Test("keep this phone's own policy as well as the broker's", arguments: policies)
    func policy(policy: (yaml: String, words: String?)) async throws {
        try await TestPhone.paired { phone in
            await phone.broker.offer([try phone.envelope()])
            try Data(policy.yaml.utf8).write(to: phone.home.policyFile)
            // A file that is not a policy cannot be vouched for, and stops every approval.
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            _ = try? await VouchedFiles.vouch(for: phone.home, in: secrets)
            secrets.close()
            let runner = try await phone.storedRunner()
            guard let words = policy.words else {
                let request = try #require(try await runner.refresh().pending.first)
                _ = try await runner.approve(request, with: phone.verification)
                return
            }
            let error = await #expect(throws: PhoneError.self) {
                let request = try #require(try await runner.refresh().pending.first)
                _ = try await runner.approve(request, with: phone.verification)
            }
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    @Test("are refused where a paired device is needed and this phone is not paired")
    func unpaired() async throws {
        try await TestPhone.with { phone in
            await phone.broker.pairing {
                $0.requirement = Requirement(factors: [.deviceSignature], devices: 1, reasons: ["sign"]).json(
                    approvals: 0)
            }
            await phone.broker.offer([try phone.envelope()])
            let runner = try phone.runner()
            let request = try #require(try await runner.refresh().pending.first)
            let error = await #expect(throws: PhoneError.self) {
                try await runner.approve(request, with: phone.verification)
            }
            #expect(error?.code == .factorMissing && error?.message.contains("countersign phone pair") == true)
            #expect(await phone.broker.posts.isEmpty)
        }
    }
}
