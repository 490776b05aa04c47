import CurlClient
import DeviceTrust
import Encodings
import Foundation
import KeyVault
import Phone
import PhoneStore
import Secrets
import TestServers

extension TestPhone {
    /// Runs `body` with a phone that is set up and paired over TLS, with a self-signed certificate of the broker.
    package static func paired<Success: Sendable>(
        _ body: @escaping @Sendable (TestPhone) async throws -> Success
    ) async throws -> Success {
        let certificate = try LoopbackCertificate()
        return try await with(certificate: certificate) { phone in
            await phone.broker.pairing { $0.certificate = certificate.fingerprint }
            try await phone.pair()
            return try await body(phone)
        }
    }

    /// Pairs as a person who scanned the code would.
    @discardableResult
    package func pair(
        _ invitation: PairingInvitation? = nil, in home: PhoneHome? = nil, keyIn place: String = DeviceKeyMakers.vault,
        of keys: DeviceKeyMakers = DeviceKeyMakers()
    ) async throws -> PairedPhone {
        let scanned = try PairingInvitation(scanned: await broker.pairing.payload(at: url).uri)
        let attempt = try await PairingAttempt.begin(
            invitation ?? scanned, name: "Ada’s phone", keyIn: place, of: keys, clock: clock)
        let paired = try await attempt.finish()
        let home = home ?? self.home
        let setup = PhoneSetup(
            home: home, connection: try paired.connection(inbox: inbox.path), bankID: "default",
            credentials: home.vault.exists
                ? nil : ["username": Secret("ada.lovelace"), "password": Secret("analytical engine")],
            deviceKey: paired.deviceKey)
        try await setup.apply(passphrase: Self.passphrase)
        return paired
    }

    /// Returns the connection from the vault.
    package func storedConnection(in home: PhoneHome? = nil) async throws -> PhoneConnection {
        let secrets = try await (home ?? self.home).vault.open(passphrase: Self.passphrase)
        defer { secrets.close() }
        return try await PhoneConnection(from: secrets)
    }

    /// Returns a runner on the home.
    package func storedRunner(of keys: DeviceKeyMakers = DeviceKeyMakers()) async throws -> PhoneRunner {
        var services = services()
        services.deviceKeys = keys
        return try PhoneRunner(home: home, connection: try await storedConnection(), services: services)
    }

    /// Returns the bytes of every file in the home.
    package func files(of home: PhoneHome? = nil) throws -> [String: Data] {
        let folder = (home ?? self.home).folder
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                let file = folder.appending(path: name)
                guard (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true else {
                    return nil
                }
                return (try? Data(contentsOf: file)).map { (name, $0) }
            })
    }

    package func auditTypes(_ severity: String? = nil) async throws -> [String] {
        try await PhoneDatabase(home).audit.records().filter {
            severity == nil || $0.event.severity.rawValue == severity
        }
        .map(\.event.type)
    }
}
