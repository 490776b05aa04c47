import Crypto
import DeviceTrust
import Encodings
import Foundation
import MockBank
import QRCode
import Secrets
import TestSupport
import Testing

/// Two phones on one machine, each a program with its own home, and a broker with its own certificate.
@Suite("Two homes, paired for real", .timeLimit(.minutes(6)))
struct PairedHomesTests {
    @Test("pair by URI, by picture and by code; one device approves a statement, two approve another")
    func road() async throws {
        let stage = try await PairingStage()
        let (ada, bob) = (stage.home("ada"), stage.home("bob"))
        try await stage.serving { _ in
            let first = try await stage.pair(ada) { [$0.uri] }
            let second = try await stage.pair(bob) { [$0.picture] }
            // Bob again: the data that his home already has stays.
            let third = try await stage.pair(bob, isSetUp: true) { [$0.code, "--broker", stage.url] }
            #expect(Set([first, second, third]).count == 3)
            let trust = try await stage.phone(bob, ["trust", "show", "--json"])
            let shown = try JSONReader.read(trust.output)
            #expect(shown["trust"] == "pinned" && shown["device_id"]?.stringValue == third)
            let identity = try JSONReader.read(
                try await Program.run(["broker", "identity", "--json"], environment: stage.environment).output)
            #expect(shown["certificate"] == identity["certificate_sha256"])
            #expect(shown["server_id"] == identity["server_id"])

            // One device is enough for 2026.
            let one = try await stage.request(month: 1, year: 2026)
            try await stage.linkToken(ada)
            let approved = try await stage.phone(ada, ["approve", one, "--bank-at", stage.bank.url])
            #expect(
                approved.status == 0 && approved.output.contains("statement for 2026-01, as \(one)"),
                "\(approved)")
            #expect(try await stage.status(of: one) == "COMPLETED")

            // 2025 needs two that have the bank, and Bob's phone tells its banks at its first look.
            #expect(try await stage.phone(bob, ["pending"]).status == 0)
            let two = try await stage.request(month: 11, year: 2025)
            let waiting = try await stage.phone(bob, ["approve", two, "--bank-at", stage.bank.url])
            #expect(waiting.output.contains("1 of 2 approvals; waiting for another device"), "\(waiting)")
            #expect(waiting.output.contains("because  last year's are for two"))
            #expect(try await stage.status(of: two, isFinal: false) == "PENDING_APPROVAL")
            let three = try await stage.request(month: 10, year: 2026)
            let unclear = try await stage.phone(ada, ["approve", "--bank-at", stage.bank.url])
            #expect(unclear.status == 1 && unclear.errors.contains("2 requests are waiting; give the id"), "\(unclear)")
            #expect(try await stage.phone(ada, ["deny", three]).status == 0)
            // One is left, so its id is not needed.
            let completed = try await stage.phone(ada, ["approve", "--bank-at", stage.bank.url])
            #expect(completed.output.contains("Delivered: statement for 2025-11, as \(two)"), "\(completed)")
            #expect(try await stage.status(of: two) == "COMPLETED")
            let none = try await stage.phone(ada, ["approve", "--bank-at", stage.bank.url])
            #expect(none.status == 1 && none.errors.contains("no request is waiting"), "\(none)")

            // New credentials without pairing again, and then the removal.
            let rotated = try await Program.run(["devices", "rotate", third], environment: stage.environment)
            #expect(rotated.status == 0)
            #expect(try await stage.phone(bob, ["pending"]).status == 0)
            let events = try await stage.phone(bob, ["audit", "--json", "--type", "device"])
            #expect(events.output.contains("device.rotated"), "\(events)")
            _ = try await Program.run(["devices", "remove", third], environment: stage.environment)
            let removed = try await stage.phone(bob, ["pending"])
            #expect(removed.status == 1 && removed.errors.contains("pair it again"), "\(removed)")
        }
        try stage.expectNothingInTheClear(in: [ada, bob])
    }

    static let zbarimg = URL(filePath: "/usr/bin/zbarimg")

    @Test(
        "show a picture that zbarimg reads",
        .enabled(if: FileManager.default.isExecutableFile(atPath: zbarimg.path), "zbarimg is not installed"))
    func picture() async throws {
        let stage = try await PairingStage()
        try await stage.serving { _ in
            let invited = try await stage.invite()
            let read = try await ChildProcess.run(Self.zbarimg, ["--quiet", "--raw", invited.picture])
            #expect(String(decoding: read.output, as: UTF8.self) == invited.uri + "\n", "\(read.status)")
            invited.program.signal(SIGINT)
            _ = try await invited.program.status()
        }
    }

    @Test(
        "detects a man in the middle, whether the URI, the picture or the code was used",
        arguments: ["uri", "picture", "code"])
    func between(way: String) async throws {
        let stage = try await PairingStage()
        let home = stage.home("ada")
        try await stage.serving { _ in
            let proxy = try await TLSProxy(to: stage.broker.port)
            let invited = try await stage.invite()
            let address = "https://127.0.0.1:\(proxy.port)"
            let uri = invited.uri.replacing("%3A\(stage.broker.port)", with: "%3A\(proxy.port)")
            #expect(uri != invited.uri)
            var arguments = [uri]
            if way == "picture" {
                let picture = stage.broker.root.appending(path: "other.png")
                try Data(QRSymbol(Secret(uri), correction: .low).png()).write(to: picture)
                arguments = [picture.path]
            }
            if way == "code" { arguments = [invited.code, "--broker", address] }
            let phone = try await stage.phone(home, ["pair"] + arguments + stage.setup)
            #expect(phone.status == 1, "\(phone)")
            let warnings = way == "picture" ? 0 : 1
            #expect(phone.errors.split(separator: "\n").count == 1 + warnings, "\(phone)")
            if way == "code" {
                #expect(phone.errors.contains("the server's certificate is not the broker's"), "\(phone)")
            } else {
                #expect(phone.errors.contains("another certificate") && phone.errors.contains("nothing was sent"))
                #expect(proxy.heard == 0)
            }
            #expect(!FileManager.default.fileExists(atPath: home.appending(path: "vault.json").path))
            invited.program.signal(SIGINT)
            _ = try await invited.program.status()
            let list = try await Program.run(["devices", "list"], environment: stage.environment)
            #expect(list.output.contains("no device is paired"))
            await proxy.stop()
        }
    }

    @Test("trust a broker's own certificate when it is given, and again after a reset")
    func setup() async throws {
        let stage = try await PairingStage()
        let home = stage.home("ada")
        try await stage.serving { _ in
            let identity = try JSONReader.read(
                try await Program.run(["broker", "identity", "--json"], environment: stage.environment).output)
            let shown = try #require(
                identity["certificate_sha256"]?.stringValue.flatMap { CertificateFingerprint($0) })
            let setup = ["setup", "--broker", stage.url] + stage.setup
            let unasked = try await stage.phone(home, setup)
            #expect(unasked.status == 2 && unasked.output.contains("\(shown)"), "\(unasked)")
            #expect(unasked.errors.contains("--certificate"))
            let wrong = try await stage.phone(home, setup + ["--certificate", String(repeating: "0", count: 64)])
            #expect(wrong.status == 1 && wrong.errors.contains("not the one of --certificate"), "\(wrong)")
            #expect(!FileManager.default.fileExists(atPath: home.appending(path: "vault.json").path))
            let right = try await stage.phone(home, setup + ["--certificate", "\(shown)"])
            #expect(right.status == 0 && right.output.contains("✓ shared secret"), "\(right)")
            let reset = try await stage.phone(home, ["trust", "reset"])
            #expect(reset.status == 2 && reset.errors.contains("--yes"))
            #expect(try await stage.phone(home, ["trust", "reset", "--yes"]).status == 0)
            let pending = try await stage.phone(home, ["pending"])
            #expect(pending.status == 0 && pending.errors.contains("pinned from now on: \(shown)"), "\(pending)")
            let events = try await stage.phone(home, ["audit", "--json", "--type", "pin"])
            #expect(events.output.split(separator: "\n").count == 3, "\(events.output)")
        }
        try stage.expectNothingInTheClear(in: [home])
    }

    @Test("report an invalid invitation in one line, and need the broker's address for a code")
    func unusable() async throws {
        let stage = try await PairingStage()
        let home = stage.home("ada")
        let picture = stage.broker.root.appending(path: "other.png")
        try Data(QRSymbol(Secret("https://example.org/"), correction: .low).png()).write(to: picture)
        for (argument, status, words) in [
            ("17-ABCD", 2, "not a pairing URI, a code"), ("/no/such/file.png", 2, "not a pairing URI, a code"),
            ("countersign://pair?v=1", 1, "the pairing text has no"), (picture.path, 1, "not one of countersign pair"),
            ("17-ABCD-EFGH", 2, "--broker"),
        ] as [(String, Int32, String)] {
            let outcome = try await stage.phone(home, ["pair", argument] + stage.setup)
            #expect(outcome.status == status && outcome.errors.contains(words), "\(argument): \(outcome)")
            #expect(outcome.errors.split(separator: "\n").count == 1)
        }
        #expect(!FileManager.default.fileExists(atPath: home.appending(path: "vault.json").path))
        let visible = try await stage.phone(
            home, ["pair", "17-ABCD-EFGH", "--broker", "http://127.0.0.1:1"] + stage.setup)
        #expect(visible.status == 1 && visible.errors.contains("other users of this machine can see"), "\(visible)")
        let found = try await Program.run(
            ["phone", "discover", "--seconds", "1"], environment: ["PATH": "/nonexistent"])
        #expect(found.status == 0 && found.errors.contains("avahi-browse is not installed"), "\(found)")
        await stage.bank.stop()
    }
}
