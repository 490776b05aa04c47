import Automation
import DeviceTrust
import Encodings
import Foundation
import KeyVault
import PhoneStore
import Secrets
import Storage
import TestParties
import TestServers
import Testing

@testable import Phone

@Suite("The broker's pinned certificate")
struct BrokerTrustTests {
    /// Runs `body` with a phone that knows another certificate than the one it now sees.
    private func deceived(_ body: @escaping @Sendable (TestPhone, LoopbackCertificate) async throws -> Void)
        async throws
    {
        let (known, shown) = (try LoopbackCertificate(), try LoopbackCertificate())
        try await TestPhone.with(certificate: shown) { phone in
            var connection = try phone.connection()
            connection.trust = .pinned(known.fingerprint)
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await connection.save(to: secrets)
            secrets.close()
            try await body(phone, shown)
        }
    }

    @Test("makes the phone refuse another certificate before sending anything, with a critical audit record each time")
    func mismatch() async throws {
        try await deceived { phone, shown in
            let runner = try await phone.storedRunner()
            for _ in 0..<2 {
                let error = await #expect(throws: PhoneError.self) { try await runner.refresh() }
                #expect(error?.code == .pinMismatch)
                #expect(error?.message.contains(shown.fingerprint.description) == true)
                #expect(error?.message.contains("countersign phone trust reset") == true)
            }
            #expect(await phone.broker.heard == 0)
            #expect(try await phone.auditTypes("critical") == ["pin.mismatch", "pin.mismatch"])
            let checks = await PhoneSetup(
                home: phone.home, connection: try await phone.storedConnection(), bankID: "default", credentials: nil
            ).checks()
            #expect(checks.map(\.result) == [.failed, .passed])
        }
    }

    @Test("changes only by a reset, to the next certificate met or to a given one")
    func reset() async throws {
        try await deceived { phone, shown in
            try await BrokerTrust.reset(in: phone.home, with: phone.verification)
            #expect(try await phone.storedConnection().trust == .firstUse)
            // A phone that has not pinned a certificate yet accepts none.
            await #expect(throws: PhoneError.self) { try await phone.storedRunner().refresh() }
            #expect(await phone.broker.heard == 0)

            let store = try PhoneDatabase(phone.home)
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            let (connection, pinned) = try await BrokerTrust.connection(from: secrets, store: store)
            #expect(pinned == shown.fingerprint && connection.trust == .pinned(shown.fingerprint))
            #expect(try await BrokerTrust.connection(from: secrets, store: store).pinned == nil)
            secrets.close()
            #expect(try await phone.storedRunner().refresh().pending.isEmpty)

            let other = try LoopbackCertificate().fingerprint
            try await BrokerTrust.reset(to: other, in: phone.home, with: phone.verification)
            let error = await #expect(throws: PhoneError.self) { try await phone.storedRunner().refresh() }
            #expect(error?.code == .pinMismatch)
            let types = try await phone.auditTypes("warning").filter { $0.hasPrefix("pin.") }
            #expect(types == ["pin.reset", "pin.set", "pin.reset", "pin.set"])
        }
    }

    @Test("a bank without its script's pinned key gives a critical audit record too")
    func bank() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope()])
            phone.engine.tell { $0.pressError = EngineError(.keyMismatch, "bank.example shows another key") }
            let runner = try phone.runner()
            let request = try #require(try await runner.refresh().pending.first)
            _ = try await runner.approve(request, with: phone.verification)
            let records = try await runner.store.audit.records(AuditFilter(leastSeverity: .critical))
            #expect(records.map(\.event.type) == ["pin.mismatch"])
            #expect(records.first?.event.requestID == request.id.description)
        }
    }

    @Test("does not exist for a broker over plain HTTP")
    func plain() async throws {
        try await TestPhone.with { phone in
            await #expect(throws: PhoneError.self) {
                try await BrokerTrust.reset(in: phone.home, with: phone.verification)
            }
            let seen = try await BrokerCertificate.look(at: phone.url)
            #expect(seen == .plain)
        }
    }

    @Test("can be read, together with whether an authority vouches for it")
    func looking() async throws {
        let certificate = try LoopbackCertificate()
        try await TestPhone.with(certificate: certificate) { phone in
            let seen = try await BrokerCertificate.look(at: phone.url)
            #expect(seen == .unverified(certificate.fingerprint))
            #expect(await phone.broker.heard == 0)
        }
    }
}
