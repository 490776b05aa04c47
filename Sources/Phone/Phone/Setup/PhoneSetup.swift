import Automation
import BrokerClient
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import Inbox
import KeyVault
import Machine
import PhoneStore
import Secrets
import Storage

/// The setup of a phone in a folder: checks the connection, then writes it and the bank credentials into a vault.
///
///     let setup = PhoneSetup(home: home, connection: connection, bankID: "my-bank", credentials: credentials)
///     let checks = await setup.checks()
///     guard checks.allSatisfy(\.isAcceptable) else { … }
///     try await setup.apply(passphrase: passphrase)
///
/// A check writes only a probe file into the inbox, which it removes again; ``apply(passphrase:)`` writes everything or
/// nothing.
package struct PhoneSetup: Sendable {
    private let home: PhoneHome
    private let connection: PhoneConnection
    private let bankID: String
    private let credentials: [String: Secret]?
    private let deviceKey: PairedDeviceKey?
    private let http: CurlConfiguration

    /// - Parameters:
    ///   - credentials: the values by the names that the bank's script uses, at least `username` and `password`. Nil
    ///     keeps those in the vault.
    ///   - deviceKey: the key of the paired device.
    package init(
        home: PhoneHome, connection: PhoneConnection, bankID: String, credentials: [String: Secret]?,
        deviceKey: PairedDeviceKey? = nil, http: CurlConfiguration = CurlConfiguration()
    ) {
        self.home = home
        self.connection = connection
        self.bankID = bankID
        self.credentials = credentials
        self.deviceKey = deviceKey
        self.http = http
    }

    // MARK: Checks

    /// Checks that the broker answers, that it knows the same secret, and that the inbox takes a file, in this order.
    package func checks() async -> [SetupCheck] {
        let broker = client
        let answer = await checkBroker(broker)
        var checks = [answer]
        if answer.isAcceptable { checks.append(await checkSecret(broker)) }
        checks.append(await Self.checkInbox(connection.inbox))
        await broker.close()
        return checks
    }

    private var client: PhoneBrokerClient {
        PhoneBrokerClient(
            baseURL: connection.brokerURL, token: connection.token, configuration: connection.trust.applied(to: http),
            unknownProof: connection.trustsUnprovenBroker ? .trusted {} : .refused)
    }

    private func checkBroker(_ broker: PhoneBrokerClient) async -> SetupCheck {
        do {
            _ = try await broker.pending()
            return SetupCheck(.broker, .passed, "the broker answers and accepts the phone's token")
        } catch {
            return SetupCheck(.broker, .failed, "\(error)")
        }
    }

    private func checkSecret(_ broker: PhoneBrokerClient) async -> SetupCheck {
        do {
            switch try await broker.proveSecret(connection.sharedSecret) {
            case true: return SetupCheck(.sharedSecret, .passed, "the broker has the same secret")
            case false:
                return SetupCheck(
                    .sharedSecret, .failed,
                    "the broker signs with another secret; compare BROKER_PHONE_SHARED_SECRET on both sides")
            case nil:
                return SetupCheck(
                    .sharedSecret, .unproven,
                    "this broker cannot compare the secret; the first request will show whether it is the same")
            }
        } catch {
            return SetupCheck(.sharedSecret, .failed, "\(error)")
        }
    }

    /// Checks that the folder takes a file, by writing one and removing it.
    package static func checkInbox(_ folder: URL) async -> SetupCheck {
        do {
            try await BlockingWork.run {
                try InboxPublisher.check(folder)
                try probe(folder)
            }
            return SetupCheck(.inbox, .passed, "the inbox accepts files")
        } catch {
            return SetupCheck(.inbox, .failed, "\(error)")
        }
    }

    /// Writes a probe: a writable folder can still refuse a file, for lack of space, a read-only mount or a full quota.
    private static func probe(_ folder: URL) throws {
        let file = folder.appending(path: ".countersign-\(UUID().uuidString.lowercased()).tmp")
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw inboxError(folder, errno) }
        defer {
            close(descriptor)
            unlink(file.path)
        }
        guard write(descriptor, "probe", 5) == 5, fsync(descriptor) == 0 else { throw inboxError(folder, errno) }
    }

    private static func inboxError(_ folder: URL, _ code: Int32) -> PhoneError {
        PhoneError(
            .invalidSetting, "the inbox \(folder.path) does not accept a file: \(String(cString: strerror(code)))")
    }

    // MARK: Writing

    /// Writes everything into a new vault, or into an existing one that the passphrase opens.
    ///
    /// - Throws: ``VaultError`` or ``PhoneError``; a new vault that could not be filled is removed.
    package func apply(passphrase: Secret) async throws {
        let vault = home.vault
        let lock = try home.claim()
        defer { withExtendedLifetime(lock) {} }
        let isNew = !vault.exists
        let secrets =
            try await isNew
            ? vault.create(passphrase: passphrase)
            : home.open(PassphraseVerification(passphrase), reason: "Set up the phone")
        defer { secrets.close() }
        do {
            let store = try PhoneDatabase(home)
            let entries = try credentials.map { try CredentialVault.entries($0, forBank: bankID) } ?? [:]
            let vault = CredentialVault(secrets, store: store)
            let areOther = try await vault.differ(entries)
            try await connection.save(to: secrets, deviceKey: deviceKey, with: entries)
            if let credentials {
                try await vault.dropSubstitutes(of: Array(credentials.keys), atBank: bankID)
                try await vault.remember(bankID, areOther: areOther)
            }
            try await VouchedFiles.vouch(for: home, in: secrets)
            try await record(in: store)
        } catch {
            if isNew { unlink(vault.file.path) }
            throw error
        }
    }

    /// Tells the broker which banks the phone can fetch from, so that agents can ask for them before the phone is unlocked for
    /// the first time. The phone tells it again when it runs, so a broker that does not take the list is not an error.
    ///
    /// - Parameter servesTestBank: whether scripts for testing count.
    package func tellBanks(_ scripts: ScriptRegistry, servesTestBank: Bool = false) async {
        guard let store = try? PhoneDatabase(home),
            let list = try? await BankOffers.list(of: store, scripts, servesTestBank: servesTestBank),
            !list.banks.isEmpty
        else { return }
        let broker = client
        try? await broker.offer(list)
        await broker.close()
    }
}

extension PhoneSetup {
    private func record(in store: PhoneDatabase) async throws {
        let broker = JSONValue.string(connection.brokerURL.absoluteString)
        if let pairing = connection.pairing {
            try await store.audit.record(
                AuditEvent(
                    .devicePaired, severity: .warning,
                    details: [
                        "broker": broker, "device": .string(pairing.deviceID.description),
                        "server": .string(pairing.server.id.description),
                    ]))
        } else {
            try await store.audit.record(AuditEvent(.phoneSetUp, details: ["broker": broker]))
        }
        try await home.recordEarlierAcceptances(in: store)
        if connection.trustsUnprovenBroker {
            try await store.audit.record(
                AuditEvent(.brokerUnprovenAllowed, severity: .warning, details: ["broker": broker]))
        }
        if case .pinned = connection.trust { try await BrokerTrust.record(.pinSet, .warning, connection, in: store) }
    }
}

extension PhoneHome {
    /// Audits a failed pairing, if the folder already holds a phone.
    package static func recordFailedPairing(in home: PhoneHome, _ error: any Error) async throws {
        guard home.vault.exists else { return }
        let isMismatch =
            (error as? PhoneError)?.code == .pinMismatch || (error as? TrustError)?.isAboutTheBroker == true
        try await PhoneDatabase(home).audit.record(
            AuditEvent(
                isMismatch ? .pinMismatch : .pairingFailed, severity: isMismatch ? .critical : .warning,
                details: ["message": .string(ReportText.cleaned("\(error)"))]))
    }
}

extension TrustError {
    /// Tells whether another server than the broker answered.
    fileprivate var isAboutTheBroker: Bool {
        [.otherServer, .otherCertificate, .wrongProof].contains(code)
    }
}

/// The contents of a home, for a command that adds to it.
package struct HomeContents: Sendable {
    /// The inbox, where statements are delivered.
    package let inbox: URL?
    package let holdsCredentials: Bool

    /// Opens the vault, reads the contents, and closes it.
    package init(of home: PhoneHome, bankID: String, with verification: any UserVerification) async throws {
        let secrets = try await home.open(verification, reason: "See what is set up")
        defer { secrets.close() }
        do {
            inbox = try await PhoneConnection(from: secrets).inbox
        } catch let error as PhoneError where error.code == .notSetUp {
            inbox = nil
        }
        holdsCredentials = try await CredentialVault(secrets, store: try PhoneDatabase(home))
            .holdsCredentials(forBank: bankID)
    }
}

/// The result of one check of a setup.
package struct SetupCheck: Sendable, Hashable {
    package enum Subject: String, Sendable, CaseIterable {
        case broker
        case sharedSecret = "shared secret"
        case inbox
    }
    package enum Result: String, Sendable { case passed, failed, unproven }

    package let subject: Subject
    package let result: Result
    /// The finding, and what to do next.
    package let message: String

    init(_ subject: Subject, _ result: Result, _ message: String) {
        self.subject = subject
        self.result = result
        self.message = message
    }

    package var isAcceptable: Bool { result != .failed }
}
