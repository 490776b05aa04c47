import AuditLog
import CurlClient
import Foundation
import Secrets

/// Makes a phone out of a folder: connection and bank credentials into a new vault, after a check of each.
///
///     let setup = PhoneSetup(home: home, connection: connection, bankID: "default", credentials: credentials)
///     let checks = await setup.checks()
///     guard checks.allSatisfy(\.isAcceptable) else { … }
///     try await setup.apply(passphrase: passphrase)
///
/// A check writes nothing but a probe into the inbox, which it takes away again; ``apply(passphrase:)`` writes all or
/// nothing.
public struct PhoneSetup: Sendable {
    private let home: PhoneHome
    private let connection: PhoneConnection
    private let bankID: String
    private let credentials: [String: Secret]
    private let http: CurlConfiguration

    /// - Parameter credentials: by the names that the bank's script uses; `username` and `password` at least.
    public init(
        home: PhoneHome, connection: PhoneConnection, bankID: String, credentials: [String: Secret],
        http: CurlConfiguration = CurlConfiguration()
    ) {
        self.home = home
        self.connection = connection
        self.bankID = bankID
        self.credentials = credentials
        self.http = http
    }

    // MARK: Checks

    /// The broker answers, it knows the same secret, and the inbox takes a file; in this order.
    public func checks() async -> [SetupCheck] {
        let broker = PhoneBrokerClient(baseURL: connection.brokerURL, token: connection.token, configuration: http)
        let answer = await checkBroker(broker)
        var checks = [answer]
        if answer.isAcceptable { checks.append(await checkSecret(broker)) }
        checks.append(await checkInbox())
        await broker.close()
        return checks
    }

    private func checkBroker(_ broker: PhoneBrokerClient) async -> SetupCheck {
        do {
            _ = try await broker.pending()
            return SetupCheck(.broker, .passed, "the broker answers, and takes the phone's token")
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
                    "this broker offers no way to compare the secret; the first request will show whether it fits")
            }
        } catch {
            return SetupCheck(.sharedSecret, .failed, "\(error)")
        }
    }

    private func checkInbox() async -> SetupCheck {
        do {
            try await InboxStatementPublisher(folder: connection.inbox, secret: connection.sharedSecret).check()
            try await BlockingWork.run { [folder = connection.inbox] in try Self.probe(folder) }
            return SetupCheck(.inbox, .passed, "the inbox takes files")
        } catch {
            return SetupCheck(.inbox, .failed, "\(error)")
        }
    }

    /// A folder that may be written to can still refuse: no space, a read-only mount, a full quota.
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
            .invalidSetting, "the inbox \(folder.path) takes no file: \(String(cString: strerror(code)))")
    }

    // MARK: Writing

    /// Writes everything into a new vault, or into the one that is there and that the passphrase opens.
    ///
    /// - Throws: ``VaultError`` or ``PhoneError``; a new vault that could not be filled is removed again.
    public func apply(passphrase: Secret) async throws {
        let vault = home.vault
        let lock = try home.claim()
        defer { withExtendedLifetime(lock) {} }
        let isNew = !vault.exists
        let secrets = try await isNew ? vault.create(passphrase: passphrase) : vault.open(passphrase: passphrase)
        defer { secrets.close() }
        do {
            let store = try PhoneStore(home)
            try await CredentialVault(secrets, store: store).set(credentials, forBank: bankID)
            try await connection.save(to: secrets)
            try await store.audit.record(
                AuditEvent("phone.set_up", details: ["broker": .string(connection.brokerURL.absoluteString)]))
        } catch {
            if isNew { unlink(vault.file.path) }
            throw error
        }
    }
}

/// What one check of a setup found.
public struct SetupCheck: Sendable, Hashable {
    public enum Subject: String, Sendable, CaseIterable {
        case broker
        case sharedSecret = "shared secret"
        case inbox
    }
    public enum Result: String, Sendable { case passed, failed, unproven }

    public let subject: Subject
    public let result: Result
    /// What was seen, and what to do about it.
    public let message: String

    init(_ subject: Subject, _ result: Result, _ message: String) {
        self.subject = subject
        self.result = result
        self.message = message
    }

    public var isAcceptable: Bool { result != .failed }
}
