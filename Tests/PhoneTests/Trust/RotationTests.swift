import DeviceTrust
import Encodings
import Foundation
import KeyVault
import PhoneStore
import Secrets
import Storage
import TestParties
import Testing

@testable import Phone

@Suite("A rotation of the phone's credentials")
struct RotationTests {
    private func secrets(_ phone: TestPhone) async throws -> VaultSecretStore {
        try await phone.vault.open(passphrase: TestPhone.passphrase)
    }

    @Test("happens when the broker asks for it and the vault is open, and ends the old token")
    func rotated() async throws {
        try await TestPhone.paired { phone in
            await phone.broker.offer([try phone.envelope(), try phone.envelope(month: 2)])
            let before = try await phone.storedConnection()
            let runner = try await phone.storedRunner()
            await phone.broker.pairing { $0.asksForRotation = true }
            let requests = try await runner.refresh().pending
            #expect(await phone.broker.pairing.rotations == 0, "the vault is shut")

            // The approval opens the vault and is sent with the new token.
            _ = try await runner.approve(requests[0], with: phone.verification)
            #expect(await phone.broker.pairing.rotations == 1)
            #expect(await phone.broker.pairing.approvals.count == 1)
            let after = try await phone.storedConnection()
            #expect(!after.token.isEqual(to: before.token) && after.next == nil)
            let device = try #require(await phone.broker.pairing.device)
            #expect(device.credentials.token.isEqual(to: after.token) && device.next == nil)
            let old = PhoneBrokerClient(
                baseURL: phone.url, token: before.token, configuration: before.trust.applied(to: .init()))
            await #expect(throws: PhoneError.self) { try await old.pending() }

            // The waiting requests arrive again, signed with the new secret, and do not count as replays.
            let review = try await runner.refresh()
            #expect(review.refused.isEmpty && review.pending.map(\.id).contains(requests[1].id))
            _ = try await runner.approve(requests[1], with: phone.verification)
            #expect(try await phone.auditTypes().filter { $0 == "device.rotated" }.count == 1)
        }
    }

    @Test("happens once when two approvals open the vault at once, and both succeed")
    func twoAtOnce() async throws {
        try await TestPhone.paired { phone in
            await phone.broker.offer([
                try phone.envelope(), try phone.envelope(month: 2), try phone.envelope(month: 3),
            ])
            let runner = try await phone.storedRunner()
            await phone.broker.pairing { $0.asksForRotation = true }
            let requests = try await runner.refresh().pending
            try await withThrowingTaskGroup(of: RunOutcome.self) { group in
                for request in requests {
                    group.addTask { try await runner.approve(request, with: phone.verification) }
                }
                for try await outcome in group {
                    if case .completed = outcome { continue }
                    Issue.record("\(outcome)")
                }
            }
            #expect(await phone.broker.pairing.rotations == 1)
            let stored = try await phone.storedConnection()
            #expect(stored.next == nil)
            #expect(await phone.broker.pairing.device?.credentials.token.isEqual(to: stored.token) == true)
        }
    }

    @Test("keeps the old credentials when its answer gets lost, and is repeated")
    func lostAnswer() async throws {
        try await TestPhone.paired { phone in
            let runner = try await phone.storedRunner()
            await phone.broker.pairing {
                $0.asksForRotation = true
                $0.lost = ["rotate": 1]
            }
            _ = try await runner.refresh()
            try await runner.rotateIfAsked(phone.verification)
            #expect(try await phone.auditTypes("error") == ["rotation.failed"])
            _ = try await runner.refresh()
            try await runner.rotateIfAsked(phone.verification)
            #expect(await phone.broker.pairing.rotations == 2)
            let stored = try await phone.storedConnection()
            #expect(await phone.broker.pairing.device?.credentials.token.isEqual(to: stored.token) == true)
        }
    }

    @Test("changes nothing when the answer is not the broker's")
    func forged() async throws {
        try await TestPhone.paired { phone in
            let before = try await phone.storedConnection()
            let runner = try await phone.storedRunner()
            await phone.broker.pairing {
                $0.asksForRotation = true
                $0.tampering = { _, answer in
                    var members = answer.objectValue ?? [:]
                    members["server_ephemeral"] = .string("\(AgreementPrivateKey().publicKey)")
                    return .object(members)
                }
            }
            _ = try await runner.refresh()
            try await runner.rotateIfAsked(phone.verification)
            #expect(try await phone.storedConnection().token.isEqual(to: before.token))
            #expect(try await phone.storedConnection().next == nil)
            #expect(try await runner.refresh().pending.isEmpty)
        }
    }

    enum Stop: CaseIterable, Sendable {
        /// The new credentials are in the vault and were never used.
        case beforeTheFirstUse
        /// The new credentials were used, and the vault still has both pairs.
        case afterTheFirstUse
        /// The new credentials are in the vault, and the broker was restored from a backup without them.
        case brokerForgot
    }

    @Test("loses nothing, wherever it is interrupted", arguments: Stop.allCases)
    func cutOff(stop: Stop) async throws {
        try await TestPhone.paired { phone in
            await phone.broker.offer([try phone.envelope()])
            let before = try await phone.storedConnection()
            let pairing = try #require(before.pairing)
            let rotation = PhoneRotation(deviceID: pairing.deviceID, secret: before.credentials.rawSharedSecret)
            let client = PhoneBrokerClient(
                baseURL: phone.url, token: before.token, configuration: before.trust.applied(to: .init()))
            let agreed = try rotation.credentials(answer: try await client.rotate(rotation.message))
            let next = try BrokerCredentials(token: agreed.token, sharedSecret: agreed.sharedSecret)
            let vault = try await secrets(phone)
            try await before.changed(credentials: before.credentials, next: next).save(to: vault)
            vault.close()
            if stop == .afterTheFirstUse {
                let new = PhoneBrokerClient(
                    baseURL: phone.url, token: next.token, configuration: before.trust.applied(to: .init()))
                _ = try await new.pending()
            }
            if stop == .brokerForgot { await phone.broker.pairing { $0.device?.next = nil } }

            // The next start works with whichever pair is valid, and keeps only that one.
            let runner = try await phone.storedRunner()
            let request = try #require(try await runner.refresh().pending.first)
            _ = try await runner.approve(request, with: phone.verification)
            let after = try await phone.storedConnection()
            #expect(after.next == nil)
            #expect(after.token.isEqual(to: stop == .brokerForgot ? before.token : next.token))
            #expect(after.pairing == pairing)
            #expect(await phone.broker.pairing.approvals.count == 1)
        }
    }
}
