import DeviceTrust
import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import Secrets
import Storage
import TestParties
import Testing

@testable import Phone

@Suite("What has to be so before a decision is sent")
struct DecisionTests {
    private static func audited(_ type: String, _ runner: PhoneRunner) async throws -> [AuditEvent] {
        try await runner.store.audit.records(AuditFilter(type: type)).map(\.event)
    }

    // MARK: A bank on hold

    @Test("an approval for a bank on hold needs a confirmation of that hold, and the audit log says so")
    func hold() async throws {
        try await TestPhone.withRequest { phone, runner, shownBefore in
            let version = try await runner.store.credentialsVersion(forBank: "default")
            try await runner.store.record(
                .refused(.wrongCredentials), ofBank: "default", credentials: version, request: RequestID(),
                at: phone.clock.now)
            let shown = try #require(try await runner.pending().first)
            let hold = try #require(shown.hold)
            for (request, tryingAgain) in [(shown, false), (shownBefore, true), (shownBefore, false)] {
                let error = await #expect(throws: PhoneError.self) {
                    try await runner.approve(request, with: phone.verification, tryingAgain: tryingAgain)
                }
                #expect(error?.code == .onHold && error?.message.hasPrefix("Meridian Savings refused these") == true)
            }
            let refusals = try await Self.audited("approval.refused", runner)
            #expect(refusals.count == 3 && refusals.allSatisfy { $0.requestID == shown.id.description })
            #expect(
                refusals.first?.details["message"]?.stringValue?.hasPrefix("Meridian Savings refused these") == true)
            #expect(await phone.broker.posts.isEmpty)

            _ = try await runner.approve(shown, with: phone.verification, tryingAgain: true)
            let overridden = try await Self.audited("hold.overridden", runner)
            #expect(overridden.map(\.details) == [["bank_id": "default", "hold": .string(hold.id)]])
            #expect(overridden.first?.severity == .warning && overridden.first?.requestID == shown.id.description)
        }
    }

    @Test("an approval for a bank that is not on hold overrides none, even if the person would try again")
    func noHold() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            _ = try await runner.approve(request, with: phone.verification, tryingAgain: true)
            #expect(try await Self.audited("hold", runner).isEmpty)
            #expect(!runner.hasRunsUnderWay)
        }
    }

    // MARK: The vault

    @Test("a verification that fails is audited with its reason, also after one that did not")
    func failedVerification() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            let wrong = PassphraseVerification(Secret("not this vault's passphrase"))
            await #expect(throws: VaultError.self) {
                try await runner.approve(request, with: phone.verification, wrong)
            }
            let records = try await Self.audited("verification.failed", runner)
            #expect(records.map(\.severity) == [.warning] && records.map(\.requestID) == [request.id.description])
            #expect(records.first?.details["message"]?.stringValue?.isEmpty == false)
            #expect(await phone.broker.posts.isEmpty && !runner.hasRunsUnderWay)
        }
    }

    @Test("an approval without any verification is refused")
    func noVerification() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            let error = await #expect(throws: PhoneError.self) { try await runner.accept(request, with: []) }
            #expect(error?.code == .factorMissing)
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    @Test("a policy that the vault does not vouch for stops the approval, as a critical record says")
    func changedPolicy() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await VouchedFiles.vouch(for: phone.home, in: secrets)
            let policy = Data("version: 1\nrules:\n  - {bank: other, devices: 2, reason: mine}\n".utf8)
            try policy.write(to: phone.home.policyFile)
            let error = await #expect(throws: PhoneError.self) {
                try await runner.approve(request, with: phone.verification)
            }
            #expect(error?.code == .fileChanged)
            let records = try await Self.audited("approval.refused", runner)
            #expect(records.map(\.severity) == [.critical] && records.map(\.requestID) == [request.id.description])
            let message = try #require(error?.message)
            #expect(records.first?.details == ["message": .string(message)])

            // An entry of the vault that cannot be read is another fault.
            try await secrets.store(Secret("an entry that was never a list of files"), named: VouchedFiles.entry)
            await #expect(throws: (any Error).self) { try await runner.approve(request, with: phone.verification) }
            try await secrets.store(Secret(#"{"entry":"without a list of scripts"}"#), named: VouchedFiles.entry)
            let damage = await #expect(throws: PhoneError.self) {
                try await runner.approve(request, with: phone.verification)
            }
            #expect(damage?.code == .storeDamaged)
            #expect(try await Self.audited("approval.refused", runner).count == 1)
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    /// Opens the vault with the passphrase alone, and says that the owner showed a passkey as well.
    private struct BothShown: UserVerification {
        let means = VerificationMeans.passkeyAndPassphrase

        func open(_ vault: Vault, reason: String) async throws -> VaultSecretStore {
            try await vault.open(passphrase: TestPhone.passphrase)
        }
    }

    @Test("a rule that always asks for passkey and passphrase refuses a vault that opens with one of them")
    func vaultThatOpensWithEither() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            let rule = "version: 1\nrules:\n  - {bank: '*', require: [passkey, passphrase], reason: mine}\n"
            try Data(rule.utf8).write(to: phone.home.policyFile)
            let error = await #expect(throws: PhoneError.self) { try await runner.approve(request, with: BothShown()) }
            #expect(error?.code == .factorMissing && error?.message.contains("choose “Require both”") == true)
            let records = try await Self.audited("approval.refused", runner)
            #expect(records.map(\.severity) == [.warning] && records.map(\.requestID) == [request.id.description])
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    // MARK: Requests that cannot be decided

    @Test("a denial after the time is over expires the request; one of an unknown request says so")
    func denials() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            let unknown = await #expect(throws: PhoneError.self) { try await runner.deny(RequestID()) }
            #expect(unknown?.code == .unknownRequest)
            phone.clock.advance(by: 300)
            let late = await #expect(throws: PhoneError.self) { try await runner.deny(request.id) }
            #expect(late?.code == .notPending)
            let stored = try #require(try await runner.store.request(request.id))
            #expect(stored.status == .expired)
            let gone = await #expect(throws: PhoneError.self) {
                try await runner.approve(request, with: phone.verification)
            }
            #expect(gone?.code == .notPending && gone?.message.contains("is already EXPIRED") == true)
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    @Test("a denied request keeps the reason")
    func deniedReason() async throws {
        try await TestPhone.withRequest { _, runner, request in
            try await runner.deny(request.id)
            #expect(try await runner.store.request(request.id)?.errorCode == "DENIED_BY_USER")
        }
    }

    @Test(
        "a broker that forbids the decision is in the audit log; one that refuses it otherwise is not",
        arguments: [(401, 0), (403, 1), (404, 0), (409, 0)])
    func forbidden(status: Int, records: Int) async throws {
        try await TestPhone.withRequest { phone, runner, request in
            await phone.broker.answer("decision", with: [.init(code: status)])
            await #expect(throws: PhoneError.self) { try await runner.approve(request, with: phone.verification) }
            let refusals = try await Self.audited("approval.refused", runner)
            #expect(refusals.count == records && refusals.allSatisfy { $0.severity == .warning })
            #expect(!runner.hasRunsUnderWay)
        }
    }

    // MARK: A paired phone

    @Test("a signed approval is in the audit log with all that it says")
    func signedRecord() async throws {
        try await TestPhone.paired { phone in
            await phone.broker.offer([try phone.envelope()])
            let runner = try await phone.storedRunner()
            let request = try #require(try await runner.refresh().pending.first)
            _ = try await runner.approve(request, with: phone.verification)
            let device = try #require(await phone.broker.pairing.device?.id)
            let signature = try #require(await phone.broker.posts.first?.body["approval"]?["signature"])
            let record = try #require(try await Self.audited("approval.signed", runner).first)
            #expect(record.requestID == request.id.description)
            let details: JSONValue = [
                "device": .string(device.description), "script": .string(request.script.hex),
                "verified_by": ["passphrase"], "signature": signature,
            ]
            #expect(record.details == details)
        }
    }

    @Test("an approval that waits for another device keeps what else is needed, and is announced")
    func waiting() async throws {
        try await TestPhone.paired { phone in
            let needs = Requirement(factors: [.deviceSignature, .passphrase], devices: 2, reasons: ["two of us"])
            await phone.broker.pairing {
                $0.requirement = needs.json(approvals: 0)
                $0.answer = (.accepted, ["status": "PENDING_APPROVAL", "approvals": 1, "needed": 2])
            }
            await phone.broker.offer([try phone.envelope(), try phone.envelope(month: 2)])
            let runner = try await phone.storedRunner()
            let requests = try await runner.refresh().pending
            let events = runner.events()
            _ = try await runner.approve(requests[0], with: phone.verification)
            #expect(!runner.hasRunsUnderWay)
            let shown = try #require(try await runner.pending().first { $0.id == requests[0].id })
            #expect(shown.requirement == needs && shown.approvals == 1)
            await phone.broker.pairing { $0.answer = nil }
            await phone.broker.offer([])
            _ = try await runner.refresh()
            try await runner.deny(requests[1].id)
            var seen: [RequestStatus] = []
            for await case .changed(let id, let status) in events {
                if id == requests[0].id { seen.append(status) }
                if id == requests[1].id, status == .denied { break }
            }
            #expect(seen == [.pendingApproval, .expired])
        }
    }
}
