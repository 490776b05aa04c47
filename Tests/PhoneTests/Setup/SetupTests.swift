import Automation
import Foundation
import KeyVault
import PhoneStore
import Storage
import TestParties
import Testing

@testable import Phone
@testable import Secrets

@Suite("The setup of a phone") struct SetupTests {
    @Test("checks broker, secret and inbox")
    func passes() async throws {
        try await TestPhone.with { phone in
            let checks = try await phone.setup().checks()
            #expect(checks.map(\.subject) == [.broker, .sharedSecret, .inbox])
            #expect(checks.map(\.result) == [.passed, .passed, .passed])
            #expect(phone.inboxFiles().isEmpty)
        }
    }

    @Test("names each wrong setting")
    func fails() async throws {
        try await TestPhone.with { phone in
            let token = try await phone.setup(token: "another-token-1").checks()
            #expect(token.map(\.result) == [.failed, .passed])
            let secret = try await phone.setup(secret: String(repeating: "xq", count: 20)).checks()
            #expect(secret.map(\.result) == [.passed, .failed, .passed])
            #expect(secret[1].message.contains("BROKER_PHONE_SHARED_SECRET"))
            try FileManager.default.removeItem(at: phone.inbox)
            #expect(try await phone.setup().checks().map(\.result) == [.passed, .passed, .failed])
        }
    }

    @Test("checks the secret by the first pending envelope if the broker cannot prove it")
    func byEnvelope() async throws {
        try await TestPhone.with { phone in
            await phone.broker.withholdProof()
            #expect(try await phone.setup().checks()[1].result == .unproven)
            await phone.broker.offer([try phone.envelope()])
            #expect(try await phone.setup().checks()[1].result == .passed)
            let other = try phone.setup(secret: String(repeating: "xq", count: 20))
            #expect(await other.checks()[1].result == .failed)
        }
    }

    @Test("a broker that knows only the specification gets no token, unless the person allows it; then it is audited")
    func specificationOnly() async throws {
        try await TestPhone.with { phone in
            await phone.broker.forgetAdditions()
            var connection = try phone.connection()
            func setup(_ connection: PhoneConnection) -> PhoneSetup {
                PhoneSetup(home: phone.home, connection: connection, bankID: "default", credentials: nil)
            }
            let refused = await setup(connection).checks()
            #expect(refused[0].result == .failed && refused[0].message.contains("--trust-unproven-broker"))
            connection.trustsUnprovenBroker = true
            let allowed = setup(connection)
            #expect(await allowed.checks().map(\.result) == [.passed, .unproven, .passed])
            try await allowed.apply(passphrase: TestPhone.passphrase)
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            let stored = try await PhoneConnection(from: secrets)
            secrets.close()
            #expect(stored.trustsUnprovenBroker)

            let runner = try phone.runner(connection: stored)
            await phone.broker.offer([try phone.envelope()])
            #expect(try await runner.refresh().pending.count == 1)
            let types = try await runner.store.audit.records(AuditFilter(type: "broker")).map(\.event.type)
            #expect(types == ["broker.unproven_allowed", "broker.unproven"])
        }
    }

    @Test("reports a broker that does not answer")
    func unreachable() async throws {
        try await TestPhone.with { phone in
            let connection = try PhoneConnection(
                brokerURL: "http://127.0.0.1:1", token: Secret("token-for-no-broker"),
                sharedSecret: Secret(FakeBroker.secretText), inbox: phone.inbox.path)
            let setup = PhoneSetup(home: phone.home, connection: connection, bankID: "default", credentials: [:])
            #expect(await setup.checks().map(\.result) == [.failed, .passed])
        }
    }

    @Test("stores values that open again, and no file holds them in the clear")
    func storesNothingClear() async throws {
        try await TestPhone.with { phone in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            let connection = try await PhoneConnection(from: secrets)
            #expect(connection.brokerURL == phone.url)
            #expect(connection.token.revealed() == FakeBroker.token)
            #expect(connection.inbox.path == phone.inbox.path)
            let provider = CredentialVault(secrets, store: try PhoneDatabase(phone.home)).provider(
                forBank: "default", keeping: GivenCredentials())
            #expect(
                try await provider.credential(named: "password", forBank: "default")?.revealed() == "analytical engine")
            #expect(try await provider.credential(named: "password", forBank: "other") == nil)
            secrets.close()
            await #expect(throws: VaultError.self) {
                try await provider.credential(named: "password", forBank: "default")
            }

            let canaries = [FakeBroker.token, FakeBroker.secretText, "analytical engine", "a passphrase for tests"]
            let files = try FileManager.default.subpathsOfDirectory(atPath: phone.home.folder.path)
            for name in files {
                let path = phone.home.folder.appending(path: name).path
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
                #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
                guard !isFolder, let data = FileManager.default.contents(atPath: path) else { continue }
                for canary in canaries {
                    let spellings = [Data(canary.utf8), Data(Data(canary.utf8).base64EncodedString().utf8)]
                    #expect(spellings.allSatisfy { data.range(of: $0) == nil }, "\(name) holds “\(canary)”")
                }
            }
            #expect(files.contains("vault.json"))
        }
    }

    private static let grant =
        #"{"grant": {"credentials": {"access_token": "a"}, "obtained": 1700000000, "source": "owner"}}"#

    @Test(
        "other credentials clear a consent that has ended, and no other",
        arguments: [
            (Consent(endedAt: Date(timeIntervalSince1970: 1_700_000_000)), nil, true),
            (Consent(endsAt: Date(timeIntervalSince1970: 1_700_000_000)), nil, true),
            (Consent(endsAt: Date(timeIntervalSince1970: 4_000_000_000)), nil, false),
            (Consent(endedAt: Date(timeIntervalSince1970: 1_700_000_000), needsOwner: false), grant, true),
            (Consent(endedAt: Date(timeIntervalSince1970: 1_700_000_000)), "{}", true),
            // The owner renews it at the bank's page, and not with other credentials.
            (Consent(endedAt: Date(timeIntervalSince1970: 1_700_000_000)), grant, false),
        ] as [(Consent, String?, Bool)])
    func endedConsent(consent: Consent, grant: String?, isCleared: Bool) async throws {
        try await TestPhone.with { phone in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            let store = try PhoneDatabase(phone.home)
            let vault = CredentialVault(secrets, store: store)
            try await store.keep(consent, atBank: "default")
            if let grant { try await secrets.store(Secret(grant), named: "grant/default") }
            // The same as before.
            try await vault.set(
                ["username": Secret("ada.lovelace"), "password": Secret("analytical engine")], forBank: "default")
            #expect(try await store.storedConsents().count == 1)
            try await vault.set(
                ["username": Secret("ada.lovelace"), "password": Secret("difference engine")], forBank: "default")
            #expect(try await store.storedConsents().isEmpty == isCleared)
        }
    }

    @Test("a wrong passphrase changes nothing")
    func wrongPassphrase() async throws {
        try await TestPhone.with { phone in
            let before = try Data(contentsOf: phone.home.vaultFile)
            await #expect(throws: VaultError.self) {
                try await phone.setup(token: "other-token-2").apply(
                    passphrase: Secret("wrong passphrase"))
            }
            #expect(try Data(contentsOf: phone.home.vaultFile) == before)
        }
    }

    @Test(
        "rejects invalid settings",
        arguments: [
            ("ftp://127.0.0.1", "token-77", "/inbox"), ("http://broker.example", "token-77", "/inbox"),
            ("http://user:pw@127.0.0.1", "token-77", "/inbox"), ("http://127.0.0.1/path", "token-77", "/inbox"),
            ("not a url", "token-77", "/inbox"), ("http://127.0.0.1:1", "", "/inbox"),
            ("http://127.0.0.1:1", "token 88", "/inbox"), ("http://127.0.0.1:1", "t\r\nX: y", "/inbox"),
            ("http://127.0.0.1:1", "token-77", "inbox"), ("http://127.0.0.1.evil.example", "token-77", "/inbox"),
            ("unix:broker.sock", "token-77", "/inbox"), ("unix://host/broker.sock", "token-77", "/inbox"),
            ("unix:/" + String(repeating: "x", count: 200), "token-77", "/inbox"),
        ])
    func invalid(_ url: String, _ token: String, _ inbox: String) {
        #expect(throws: PhoneError.self) {
            try PhoneConnection(
                brokerURL: url, token: Secret(token), sharedSecret: Secret(FakeBroker.secretText), inbox: inbox)
        }
    }

    @Test("keeps a broker's socket as its address")
    func socket() async throws {
        try await TestPhone.with { phone in
            let connection = try PhoneConnection(
                brokerURL: "unix:/run/my broker/broker.sock", token: Secret("token-for-no-broker"),
                sharedSecret: Secret(FakeBroker.secretText), inbox: phone.inbox.path)
            #expect(connection.brokerURL.absoluteString == "unix:/run/my%20broker/broker.sock")
            let setup = PhoneSetup(home: phone.home, connection: connection, bankID: "default", credentials: [:])
            let check = try #require(await setup.checks().first)
            #expect(check.message.contains("the socket /run/my broker/broker.sock cannot be reached"), "\(check)")
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            try await connection.save(to: secrets)
            #expect(try await PhoneConnection(from: secrets).brokerURL == connection.brokerURL)
        }
    }

    @Test("rejects a shared secret that is too short")
    func shortSecret() {
        #expect(throws: PhoneError.self) {
            try PhoneConnection(
                brokerURL: "https://broker.example", token: Secret("token-77"),
                sharedSecret: Secret("too-short-a-secret"), inbox: "/i")
        }
    }
}
