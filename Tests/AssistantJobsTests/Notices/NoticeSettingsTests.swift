import AssistantProcesses
import Crypto
import Foundation
import Notifications
import TestSupport
import Testing

@testable import AssistantJobs

@Suite("The settings of notices")
struct NoticeSettingsTests {
    /// Reads variables beside a right key in a file of mode 0600.
    private static func read(_ variables: [String: String], mode: Int = 0o600) throws -> (NoticeSettings, [String]) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = folder.appending("apns.p8")
        try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key.path)
        var reader = SettingsReader(variables.mapValues { $0 == "KEY" ? key.path : $0 })
        let settings = NoticeSettings(&reader)
        do {
            try reader.finish()
            return (settings, [])
        } catch {
            return (settings, error.problems)
        }
    }

    private static let apns = [
        "APNS_TEAM_ID": "TEAM123456", "APNS_KEY_ID": "KEY1234567", "APNS_KEY_FILE": "KEY",
        "APNS_TOPIC": "com.example.alfred",
    ]

    @Test("nothing is set up without variables, and the known push services are allowed")
    func defaults() throws {
        let (settings, problems) = try Self.read([:])
        #expect(problems.isEmpty && settings.apns == nil && settings.subject == nil)
        for origin in [
            "https://fcm.googleapis.com", "https://updates.push.services.mozilla.com", "https://web.push.apple.com",
            "https://wns2-par02p.notify.windows.com",
        ] { #expect(settings.origins.allows(origin), "\(origin)") }
        for origin in [
            "http://fcm.googleapis.com", "https://fcm.googleapis.com:8443", "https://notify.windows.com",
            "https://xnotify.windows.com", "https://127.0.0.1", "http://127.0.0.1:80", "https://example.com", "",
        ] { #expect(!settings.origins.allows(origin), "\(origin)") }
    }

    @Test("Apple's service needs its four variables, and takes another address")
    func apple() throws {
        let (settings, problems) = try Self.read(Self.apns.merging(["APNS_URL": "https://localhost:9"]) { $1 })
        #expect(problems.isEmpty)
        #expect(settings.apns?.address == "https://localhost:9" && settings.apns?.topic == "com.example.alfred")
        #expect(try Self.read(Self.apns).0.apns?.address == nil)
        for name in Self.apns.keys {
            let problems = try Self.read(Self.apns.filter { $0.key != name }).1
            #expect(problems.count == 1 && problems[0].hasPrefix("\(name) must be set"), "\(problems)")
        }
    }

    @Test(
        "every problem is named",
        arguments: [
            ("APNS_KEY_FILE", "/nonexistent"), ("APNS_URL", "http://push.example"), ("APNS_TOPIC", "a b"),
            ("APNS_KEY_ID", "/"), ("APNS_TEAM_ID", "?"), ("VAPID_SUBJECT", "ftp:a@b.net"),
            ("WEBPUSH_ORIGINS", "http://push.example"), ("WEBPUSH_ORIGINS", "push.example"),
            ("WEBPUSH_ORIGINS", "https://push.example/path"), ("WEBPUSH_ORIGINS", "https://*"),
            ("ASSISTANT_CA_FILE", "/nonexistent"),
        ])
    func problems(_ name: String, _ value: String) throws {
        let problems = try Self.read(Self.apns.merging([name: value]) { $1 }).1
        #expect(problems.count == 1 && problems.first?.contains(name) == true, "\(problems)")
    }

    @Test(
        "a contact that Apple's service refuses is a warning: other services take it",
        arguments: ["mailto:a@localhost", "https://phone.test", ""])
    func contact(_ text: String) throws {
        let (settings, problems) = try Self.read(["VAPID_SUBJECT": text])
        #expect(problems.isEmpty && settings.subject?.text == (text.isEmpty ? nil : text))
        #expect(settings.warnings.count == 1 && settings.warnings.first?.contains("VAPID_SUBJECT") == true)
        #expect(try Self.read(["VAPID_SUBJECT": "mailto:a@provider.net"]).0.warnings.isEmpty)
    }

    @Test("a key that others can read is refused")
    func mode() throws {
        let problems = try Self.read(Self.apns, mode: 0o644).1
        #expect(problems.count == 1 && problems.first?.contains("mode 0600") == true, "\(problems)")
    }

    @Test("programs that start together get one key for browsers")
    func key() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var settings = NoticeSettings()
        settings.subject = try VAPIDSubject("mailto:robin@provider.net")
        let keys = try await withThrowingTaskGroup(of: String?.self) { [settings] group in
            for _ in 0..<16 {
                group.addTask { try settings.applicationServer(in: folder.url).publicKey }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(keys.count == 1 && keys.first != .some(nil))
        let file = folder.appending("webpush.key").path
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    }
}
