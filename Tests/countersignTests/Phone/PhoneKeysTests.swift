import ApprovalPage
import Encodings
import Foundation
import Notifications
import PhoneStore
import Secrets
import Storage
import TestSupport
import Testing

@testable import Phone

@Suite("The keys of a phone's page at the terminal", .timeLimit(.minutes(4)))
struct PhoneKeysTests {
    /// The home of a phone that notifies one browser, and whose page has an authority.
    private static func inHome(_ body: (PhoneHome) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let home = PhoneHome(folder.appending("home"), scrypt: .cheapForTests)
        try home.prepare()
        try await home.vault.create(passphrase: Secret("a good passphrase")).close()
        try await PhoneDatabase(home).keep(
            StoredSubscription(
                endpoint: "https://push.example/one", publicKey: "BA", authentication: "AA", place: "p",
                createdAt: Date()))
        _ = try ApplicationServer(keyFile: home.pushKeyFile, subject: nil)
        _ = try OwnCertificate(in: home, for: "phone.example")
        try await body(home)
    }

    private static func run(_ words: String, in home: PhoneHome) async throws -> CountersignProcess.Outcome {
        let folder = home.folder.deletingLastPathComponent()
        return try await CountersignProcess(
            words.split(separator: " ").map(String.init),
            environment: ["HOME": folder.path, "COUNTERSIGN_HOME": home.folder.path], in: folder
        ).run()
    }

    /// The files with keys, by name.
    private static func keys(in home: PhoneHome) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: home.folder.path).filter {
            $0.hasSuffix(".pem")
        }
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: home.folder.appending(path: $0))) })
    }

    @Test("the authority is replaced, and what the owner reads names both versions")
    func authority() async throws {
        try await Self.inHome { home in
            let before = try Self.keys(in: home)
            let shown = try await Self.run("phone authority --json", in: home)
            let earlier = try JSONReader.read(shown.output)
            #expect(earlier["version"] == 1, "\(shown.all)")
            let rotated = try await Self.run("phone authority rotate --yes", in: home)
            #expect(rotated.status == 0, "\(rotated.all)")
            #expect(rotated.all.contains("The authority for phone.example is version 2 now."))
            #expect(rotated.all.contains("remove “Countersign at phone.example”"))
            #expect(rotated.all.contains("before       \(earlier["sha256"]?.stringValue ?? "?")"))
            let next = try JSONReader.read(try await Self.run("phone authority show --json", in: home).output)
            #expect(next["version"] == 2 && next["sha256"] != earlier["sha256"])
            let after = try Self.keys(in: home)
            #expect(before.keys == after.keys)
            for (name, bytes) in after { #expect((bytes == before[name]) == (name == "push.key.pem"), "\(name)") }
        }
    }

    @Test(
        "an authority without its key is replaced for a name that is given, and the owner is told and has it in the log"
    )
    func damagedAuthority() async throws {
        try await Self.inHome { home in
            try Data("no key".utf8).write(to: home.folder.appending(path: "authority-phone.example.key.pem"))
            let records = { @Sendable in
                try await PhoneDatabase(home).audit.records(AuditFilter(type: "page.authority_replaced"))
            }
            let shown = try await Self.run("phone authority --host-name phone.example --json", in: home)
            #expect(try JSONReader.read(shown.output)["version"] == 2, "\(shown.all)")
            #expect(shown.all.contains("It is version 2: remove the earlier one from each device"), "\(shown.all)")
            #expect(try await records().count == 1)
            let again = try await Self.run("phone authority --host-name phone.example", in: home)
            #expect(again.status == 0 && !again.all.contains("remove the earlier one"), "\(again.all)")
            let other = try await Self.run("phone authority --host-name other.example", in: home)
            #expect(other.status == 0, "\(other.all)")
            #expect(try await records().count == 1)
        }
    }

    @Test("the key for notifications is replaced, and the browsers that were notified are told of and forgotten")
    func notifications() async throws {
        try await Self.inHome { home in
            let listed = try await Self.run("phone notifications", in: home)
            #expect(
                listed.all.contains("The key is version 1.") && listed.all.contains("push.example"), "\(listed.all)")
            let rotated = try await Self.run("phone notifications rotate --yes --json", in: home)
            #expect(rotated.status == 0, "\(rotated.all)")
            let answer = try JSONReader.read(rotated.output)
            let server = try ApplicationServer(keyFile: home.pushKeyFile, subject: nil)
            #expect(answer["version"] == 2 && answer["browsers_forgotten"] == 1)
            #expect(answer["public_key"]?.stringValue == server.publicKey && server.version == 2)
            let store = try PhoneDatabase(home)
            #expect(try await store.pushSubscriptions().isEmpty)
            let records = try await store.audit.records(AuditFilter(type: "notifications.key_replaced"))
            #expect(records.map { $0.event.details } == [["count": 1, "version": 2]])
            let log = try await Self.run("phone audit list", in: home)
            #expect(log.all.contains("notifications.key_replaced"), "\(log.all)")
        }
    }

    @Test("a temporary file that a power cut left behind does not keep the earlier key for notifications")
    func leftover() async throws {
        try await Self.inHome { home in
            try Data("half a key".utf8).write(to: URL(filePath: home.pushKeyFile.path + ".tmp"))
            let rotated = try await Self.run("phone notifications rotate --yes", in: home)
            #expect(rotated.status == 0, "\(rotated.all)")
            #expect(try ApplicationServer(keyFile: home.pushKeyFile, subject: nil).version == 2)
        }
    }

    @Test("browsers that were forgotten are in the log, also when the next key for notifications cannot be written")
    func unwritten() async throws {
        try await Self.inHome { home in
            // A folder is never removed in place of a temporary file.
            let folder = URL(filePath: home.pushKeyFile.path + ".tmp")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            let rotated = try await Self.run("phone notifications rotate --yes", in: home)
            #expect(rotated.status != 0 && rotated.all.contains("cannot be made"), "\(rotated.all)")
            #expect(try ApplicationServer(keyFile: home.pushKeyFile, subject: nil).version == 1)
            let store = try PhoneDatabase(home)
            #expect(try await store.pushSubscriptions().isEmpty)
            #expect(try await store.audit.records(AuditFilter(type: "notifications.removed")).count == 1)
            #expect(try await store.audit.records(AuditFilter(type: "notifications.key_replaced")).isEmpty)
        }
    }

    @Test(
        "nothing is changed while the page is open, without a yes, or for a name without an authority",
        arguments: [
            ("phone authority rotate --yes", true, "stop it first"),
            ("phone notifications rotate --yes", true, "stop it first"),
            ("phone authority rotate", false, "give --yes"),
            ("phone notifications rotate", false, "give --yes"),
            ("phone authority rotate --yes --host-name other.example", false, "no authority for other.example"),
            ("phone authority rotate --yes --host-name ../phone.example", false, "no authority"),
        ])
    func refused(words: String, isPageOpen: Bool, reason: String) async throws {
        try await Self.inHome { home in
            let before = try Self.keys(in: home)
            let lock = isPageOpen ? try home.claimPage() : nil
            let outcome = try await Self.run(words, in: home)
            withExtendedLifetime(lock) {}
            #expect(outcome.status != 0 && outcome.all.contains(reason), "\(outcome.all)")
            #expect(try Self.keys(in: home) == before)
            #expect(try await PhoneDatabase(home).pushSubscriptions().count == 1)
        }
    }

    @Test(
        "a phone that has no key yet says so",
        arguments: ["authority rotate", "notifications list", "notifications rotate"])
    func none(words: String) async throws {
        try await Self.inHome { home in
            for name in try Self.keys(in: home).keys { unlink(home.folder.appending(path: name).path) }
            let outcome = try await Self.run("phone \(words)", in: home)
            #expect(outcome.status != 0 && outcome.all.contains("no "), "\(outcome.all)")
            #expect(try Self.keys(in: home).isEmpty, "and makes none")
        }
    }
}
