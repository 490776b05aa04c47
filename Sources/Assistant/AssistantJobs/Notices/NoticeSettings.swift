import AssistantProcesses
import CurlClient
import Foundation
import Machine
import Notifications

/// The settings of the channels by which notices go out, from environment variables. All processes read the same ones.
package struct NoticeSettings: Sendable {
    /// Apple's service; nil when it is not set up.
    package var apns: APNsConfiguration?
    /// The contact for push services of browsers. Apple's refuses messages without one.
    package var subject: VAPIDSubject?
    /// Faults for the operator to mend, with which the service works all the same.
    package var warnings: [String] = []
    package var origins = PushOrigins.known
    /// Additional roots for every outgoing TLS connection (PEM).
    package var authorities: URL?

    package init() {}

    package init(_ reader: inout SettingsReader) {
        authorities = reader.readableFile("ASSISTANT_CA_FILE")
        origins = PushOrigins(&reader)
        apns = Self.apns(&reader)
        if let text = reader.value("VAPID_SUBJECT") {
            do {
                subject = try VAPIDSubject(text)
            } catch {
                subject = VAPIDSubject(unverified: text)
                if subject == nil { reader.add("\(error)") } else { warnings.append("\(error)") }
            }
        } else {
            warnings.append("VAPID_SUBJECT is not set, so that Apple's push service refuses messages to browsers")
        }
    }

    private static func apns(_ reader: inout SettingsReader) -> APNsConfiguration? {
        let names = ["APNS_TEAM_ID", "APNS_KEY_ID", "APNS_KEY_FILE", "APNS_TOPIC"]
        let values = names.map { reader.value($0) }
        guard values.contains(where: { $0 != nil }) else { return nil }
        let missing = zip(names, values).filter { $0.1 == nil }.map(\.0)
        guard missing.isEmpty else {
            reader.add(
                "\(missing.joined(separator: " and ")) must be set too: Apple's push service needs all of \(names.joined(separator: ", "))"
            )
            return nil
        }
        guard let key = reader.wholeSecret(inFile: names[2]) else { return nil }
        do {
            var apns = try APNsConfiguration(
                key: key, keyID: values[1] ?? "", teamID: values[0] ?? "", topic: values[3] ?? "")
            if reader.value("APNS_URL") != nil { apns.address = reader.address("APNS_URL", otherwise: "") }
            return apns
        } catch {
            reader.add("\(error)")
            return nil
        }
    }

    /// Returns this service as the push services of browsers know it, with its key in the state folder. Programs that start
    /// together get the same key.
    ///
    /// - Throws: `WebPushError`, `FileError`.
    package func applicationServer(in state: URL) throws -> ApplicationServer {
        try PrivateFolder.make(state)
        let lock = try Self.pushKeyLock(state)
        defer { withExtendedLifetime(lock) {} }
        return try ApplicationServer(keyFile: Self.pushKeyFile(state), subject: subject)
    }

    /// Returns the same where the service has a key already; nil before its first start.
    ///
    /// - Throws: `WebPushError`, `FileError`.
    package func storedApplicationServer(in state: URL) throws -> ApplicationServer? {
        guard access(Self.pushKeyFile(state).path, F_OK) == 0 else { return nil }
        return try applicationServer(in: state)
    }

    /// Puts the next version of the key into the state folder. Programs that run go on with the one that they have read.
    ///
    /// - Parameter prepare: runs before, while no other program reads or writes the key. When it throws, the key stays.
    /// - Throws: `WebPushError`, `FileError`.
    package func replaceApplicationServer(
        in state: URL, after prepare: () async throws -> Void
    ) async throws -> ApplicationServer {
        let lock = try Self.pushKeyLock(state)
        defer { withExtendedLifetime(lock) {} }
        let server = try ApplicationServer(keyFile: Self.pushKeyFile(state), subject: subject)
        try await prepare()
        return try server.replaced(in: Self.pushKeyFile(state))
    }

    private static func pushKeyFile(_ state: URL) -> URL { state.appending(path: "webpush.key") }

    private static func pushKeyLock(_ state: URL) throws -> FileLock? {
        try FileLock(state.appending(path: "webpush.key.lock"), waits: true)
    }

    var http: CurlConfiguration {
        var http = CurlConfiguration()
        http.extraCAFile = authorities
        return http
    }
}
