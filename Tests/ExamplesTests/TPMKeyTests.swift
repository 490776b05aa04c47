import Automation
import BankScript
import Broker
import BrokerStore
import DeviceTrust
import Foundation
import KeyVault
import Messages
import Phone
import PhoneStore
import Secrets
import TPMKey
import TestParties
import TestSupport
import Testing

/// A real broker, a phone, and a TPM in software (swtpm) that keeps the phone's device key.
@Suite(
    "The example of a device key, in a TPM", .timeLimit(.minutes(3)),
    .needs("swtpm", "tpm2_createprimary", "tpm2_readpublic", "tpm2_sign", "tpm2_flushcontext"))
struct TPMKeyTests {
    private struct Phone {
        let home: PhoneHome
        let engine = ScriptedEngine()

        func connection() async throws -> PhoneConnection {
            let secrets = try await home.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            return try await PhoneConnection(from: secrets)
        }

        /// Approves the only request that the broker shows, with the key in a TPM.
        func approve(with tpm: SoftwareTPM) async throws -> RunOutcome {
            var services = PhoneServices(
                scripts: ScriptRegistry([TestPhone.script]), person: AbsentOwner(), engine: { _ in engine })
            services.deviceKeys = TPMKeyTests.keys(in: tpm)
            let runner = try PhoneRunner(home: home, connection: try await connection(), services: services)
            let pending = try await runner.refresh().pending
            let request = try #require(pending.first)
            #expect(pending.count == 1)
            return try await runner.approve(request, with: PassphraseVerification(TestPhone.passphrase))
        }
    }

    fileprivate static func keys(in tpm: SoftwareTPM) -> DeviceKeyMakers {
        DeviceKeyMakers(["tpm": TPMKeyMaker(interface: tpm.interface)])
    }

    private static func pair(_ home: PhoneHome, with stage: BrokerStage, key tpm: SoftwareTPM) async throws {
        let broker = try stage.administration
        let open = try await broker.openPairing(life: .seconds(60), name: nil)
        let attempt = try await PairingAttempt.begin(
            try PairingInvitation(scanned: open.payload.uri), name: "Telephone", keyIn: "tpm", of: keys(in: tpm))
        let session = try await broker.pairings.current(open.session)
        #expect(session.words == "\(attempt.words)")
        #expect(try await broker.pairings.confirm(session))
        let paired = try await attempt.finish()
        #expect(try await broker.devices.devices().map(\.publicKey) == [paired.deviceKey.publicKey])
        try await PhoneSetup(
            home: home, connection: try paired.connection(inbox: stage.inbox.path), bankID: "default",
            credentials: ["username": Secret("ada.lovelace"), "password": Secret("analytical engine")],
            deviceKey: paired.deviceKey
        ).apply(passphrase: TestPhone.passphrase)
    }

    @Test("is made at the pairing, signs approvals that the broker takes, and is refused in another TPM or in none")
    func road() async throws {
        let (tpm, other, gone) = (try await SoftwareTPM(), try await SoftwareTPM(), try await SoftwareTPM())
        gone.end()
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = Phone(
                home: PhoneHome(
                    stage.root.appending(path: "phone", directoryHint: .isDirectory), scrypt: .cheapForTests))
            try await Self.pair(phone.home, with: stage, key: tpm)
            let request = try await stage.request()

            for (wrong, words) in [
                (other, "is another key than the one of the pairing"),
                (gone, "cannot be used: tpm2_createprimary failed"),
            ] {
                let error = await #expect(throws: PhoneError.self) { try await phone.approve(with: wrong) }
                #expect(error?.message.contains("the device key “tpm” \(words)") == true, "\(error?.message ?? "")")
                #expect(try await stage.status(request) == "PENDING_APPROVAL")
            }

            #expect(try await phone.approve(with: tpm) == .completed(filename: "\(request)-jan-2026.pdf"))
            #expect(try await BrokerStage.wait(for: request, on: stage) == "COMPLETED")
            #expect(try await tpm.loaded() == 0)
        }
    }
}

extension BrokerStage {
    fileprivate var administration: BrokerAdministration {
        get throws {
            try BrokerAdministration(
                environment: [
                    "BROKER_DATABASE_PATH": database.path,
                    "BROKER_PHONE_SHARED_SECRET": "a shared secret of more than thirty-two bytes",
                ], clock: clock.brokerClock)
        }
    }
}
