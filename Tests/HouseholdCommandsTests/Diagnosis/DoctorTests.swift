import Foundation
import KeyVault
import Secrets
import TestServers
import TestSupport
import Testing

@testable import HouseholdCommands

@Suite("countersign doctor on broken set-ups")
struct DoctorTests {
    private let setup: BrokenSetup

    init() throws { setup = try BrokenSetup() }

    @Test("a machine without anything is told how to begin")
    func nothing() async throws {
        let home = try TemporaryFolder()
        let outcome = try await CountersignProcess(["doctor"], environment: ["HOME": home.url.path]).run()
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("[NOTHING_SET_UP]"))
        #expect(outcome.output.contains("set up a household: countersign up"))
        #expect(home.names.isEmpty, "doctor writes nothing")
    }

    @Test("a stopped broker and a missing vault are errors, each with a remedy")
    func stopped() async throws {
        let report = try await setup.doctor()
        #expect(report.status == 1)
        #expect(report.codes.isSuperset(of: ["BROKER_NOT_RUNNING", "VAULT_MISSING"]), "\(report.all)")
        #expect(report.codes.isDisjoint(with: ["OPEN_TO_OTHERS", "INBOX_NOT_WRITABLE", "CONFIGURATION_UNUSABLE"]))
        #expect(report.findings.allSatisfy { !$0.remedy.isEmpty })
    }

    @Test("files that others can read are named with the command that closes them")
    func permissions() async throws {
        try setup.write("phone/policy.yaml", mode: 0o644)
        try setup.write("broker/sealing.secret", mode: 0o640)
        let report = try await setup.doctor()
        let open = report.findings.filter { $0.code == "OPEN_TO_OTHERS" }
        #expect(
            open.map(\.remedy).sorted() == [
                "chmod 600 '\(setup.database.deletingLastPathComponent().path)/sealing.secret'",
                "chmod 600 '\(setup.phone.path)/policy.yaml'",
            ])
    }

    @Test("the passphrase's file of a trial phone that has its broker elsewhere is looked at")
    func passphraseFile() async throws {
        let household = """
            {"bank":{"id":"default","mock":"http://127.0.0.1:8767"},"inbox":"\(setup.inbox.path)",\
            "phone":{"home":"\(setup.phone.path)","port":8766},"version":1}
            """
        try setup.write("config.json", household)
        try setup.write("passphrase", mode: 0o644)
        let report = try await setup.doctor(["COUNTERSIGN_CONFIG": setup.folder.appending("config.json").path])
        #expect(report.finding("OPEN_TO_OTHERS")?.text.contains("/passphrase has mode 644") == true, "\(report.all)")
    }

    @Test("a household's file that others can read stops the household, but not doctor")
    func openHousehold() async throws {
        try setup.write("config.json", "{}", mode: 0o644)
        let report = try await setup.doctor(["COUNTERSIGN_CONFIG": setup.folder.appending("config.json").path])
        let finding = try #require(report.finding("CONFIGURATION_UNUSABLE"))
        #expect(finding.severity == "error" && finding.text.contains("must be yours alone"))
    }

    @Test("a variable that is wrong is named by its own finding")
    func variables() async throws {
        let report = try await setup.doctor(["BROKER_API_TOKEN": "short", "BROKER_PORT": "no"])
        let wrong = report.findings.filter { $0.code == "CONFIGURATION_UNUSABLE" }
        #expect(wrong.count == 2 && !report.all.contains("\"short\""), "\(report.all)")
        #expect(wrong.allSatisfy { $0.remedy.contains("countersign config check") })
    }

    @Test("an inbox that is missing")
    func missingInbox() async throws {
        try FileManager.default.removeItem(at: setup.inbox)
        let finding = try #require(try await setup.doctor().finding("INBOX_MISSING"))
        #expect(finding.remedy.contains("mkdir -p '\(setup.inbox.path)'"))
    }

    @Test("unusual files in the inbox are listed, deliveries and sync programs' own files are not")
    func unusual() async throws {
        try setup.write("inbox/2026-01.pdf")
        try setup.write("inbox/2026-01.manifest.json")
        try setup.write("inbox/report.sync-conflict-20260101-120000-ABC.pdf")
        try setup.write("inbox/empty.pdf", "")
        try FileManager.default.createDirectory(
            at: setup.inbox.appending(path: ".stfolder"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: setup.inbox.appending(path: "link.pdf").path, withDestinationPath: "/etc/hostname")
        try FileManager.default.createDirectory(
            at: setup.inbox.appending(path: "holidays"), withIntermediateDirectories: false)
        let finding = try #require(try await setup.doctor().finding("INBOX_UNUSUAL_FILES"))
        #expect(finding.severity == "warning")
        #expect(
            finding.text == "unusual in the inbox: empty.pdf (empty), holidays (a folder), link.pdf (a link), "
                + "report.sync-conflict-20260101-120000-ABC.pdf (a conflict of the sync)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: setup.inbox.path).count == 7, "the probe is gone")
    }

    @Test("a file from the future shows that the clock was set back")
    func clock() async throws {
        try setup.write("phone/vault.json", "{}")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 90_000)],
            ofItemAtPath: setup.phone.appending(path: "vault.json").path)
        let finding = try #require(try await setup.doctor().finding("CLOCK_BEHIND"))
        #expect(finding.text.contains("1 day") && finding.remedy.contains("timedatectl"), "\(finding)")
    }

    @Test(
        "certificates that expired, end soon, or are not certificates",
        arguments: [
            (-3_600.0, "CERTIFICATE_EXPIRED"), (3 * 86_400.0, "CERTIFICATE_ENDS_SOON"), (nil, "CERTIFICATE_UNREADABLE"),
            (60 * 86_400.0, nil),
        ] as [(Double?, String?)])
    func certificates(lifetime: Double?, code: String?) async throws {
        let pem = try lifetime.map { try LoopbackCertificate(lifetime: $0).pem } ?? "not a certificate"
        try setup.write("phone/certificate.pem", pem)
        let codes = try await setup.doctor().codes.filter { $0.hasPrefix("CERTIFICATE") }
        #expect(codes == (code.map { [$0] } ?? []))
    }

    @Test("a vault that is damaged, and one whose next passphrase has to wait")
    func vault() async throws {
        try setup.write("phone/vault.json", "{\"version\":")
        #expect(try await setup.doctor().finding("VAULT_DAMAGED")?.remedy.contains("phone accept-backup") == true)
        try await makeVault()
        #expect(try await setup.doctor().codes.isDisjoint(with: ["VAULT_DAMAGED", "PASSPHRASE_DELAYED"]))
        let uptime = try String(contentsOfFile: "/proc/uptime", encoding: .utf8).split(separator: " ")[0]
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8).dropLast()
        try setup.write(
            "phone/vault.json.attempts",
            #"{"version":1,"wrong_in_a_row":13,"boot":"\#(boot)","uptime":\#(uptime)}"#)
        let finding = try #require(try await setup.doctor().finding("PASSPHRASE_DELAYED"))
        #expect(finding.severity == "warning" && finding.text.contains("at the terminal"))
        #expect(finding.text.contains("3 minutes") || finding.text.contains("4 minutes"), "\(finding.text)")
    }

    private func makeVault() async throws {
        let file = setup.phone.appending(path: "vault.json")
        unlink(file.path)
        try await Vault(file: file).create(passphrase: Secret("a passphrase of the test")).close()
    }

    @Test("a database that is not a broker's")
    func database() async throws {
        try setup.write("broker/broker.sqlite", "not a database, but long enough to have a header of a hundred bytes …")
        let finding = try #require(try await setup.doctor().finding("DATABASE_UNUSABLE"))
        #expect(finding.severity == "error" && finding.text.contains(setup.database.path), "\(finding)")
    }

    @Test("a Telegram server that does not answer")
    func telegram() async throws {
        let port = try #require(setup.environment["BROKER_PORT"])
        let report = try await setup.doctor([
            "TELEGRAM_BOT_TOKEN": "12345:abcdefghijklmnopqrstuvwxyz", "TELEGRAM_PHONE_CHAT_ID": "1",
            "TELEGRAM_API_BASE_URL": "http://127.0.0.1:\(port)",
        ])
        #expect(report.finding("TELEGRAM_UNREACHABLE") != nil, "\(report.all)")
        #expect(!report.all.contains("abcdefghijklmnopqrstuvwxyz"))
    }

    @Test("two doctors find each other's file in one folder; a lonely one says what to do")
    func sync() async throws {
        async let first = setup.doctor([:], "--sync", "30")
        async let second = setup.doctor([:], "--sync", "30")
        let both = try await [first, second]
        #expect(both.allSatisfy { !$0.codes.contains("INBOX_NOT_SYNCHRONISED") }, "\(both.map(\.all))")
        let alone = try await setup.doctor([:], "--sync", "1")
        #expect(alone.finding("INBOX_NOT_SYNCHRONISED")?.text.contains("within 1 second") == true, "\(alone.all)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: setup.inbox.path).isEmpty)
    }

    @Test(
        "disks with room, little room, and none",
        arguments: [
            (1 << 30, Optional<String>.none), (200 << 20, "DISK_LOW"), (1 << 20, "DISK_FULL"),
        ])
    func disk(free: Int, code: String?) {
        #expect(DiskCheck.finding(freeBytes: UInt64(free), at: "/srv").code?.rawValue == code)
    }
}
