import Foundation
import Machine
import Synchronization
import TestServers
import TestSupport
import Testing

@testable import HouseholdCommands

/// The findings that take more than a broken file: another program, another clock, another user.
@Suite("countersign doctor beside other programs", .timeLimit(.minutes(4)))
struct DoctorMachineTests {
    private let setup: BrokenSetup

    init() throws { setup = try BrokenSetup() }

    @Test("a broker that was started with another token")
    func token() async throws {
        let broker = try Program(["broker", "serve", "--no-telegram"], environment: setup.environment)
        try await wait("the broker") { broker.errors.contains("broker is ready") }
        #expect(try await setup.doctor().codes.isDisjoint(with: ["BROKER_TOKEN_WRONG", "BROKER_NOT_RUNNING"]))
        let report = try await setup.doctor(["BROKER_API_TOKEN": "fedcba9876543210fedcba9876543210"])
        broker.signal(SIGTERM)
        #expect(try await broker.status() == 0)
        let finding = try #require(report.finding("BROKER_TOKEN_WRONG"), "\(report.all)")
        #expect(finding.severity == "error" && finding.remedy.contains("start the broker anew"))
    }

    @Test("a program that goes on after an upgrade has replaced its file")
    func oldProgram() async throws {
        let file = setup.folder.appending("countersign")
        try await WrittenProgram.copy(of: Repository.countersign, as: file)
        let old = try RunningProgram([file.path, "script", "mockbank", "serve"], environment: nil, output: .dropped)
        defer { old.kill() }
        try await wait("the program") {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(old.id)/exe") == file.path
        }
        try FileManager.default.removeItem(at: file)
        let report = try await setup.doctor()
        old.send(SIGTERM)
        await old.ended()
        let finding = try #require(report.finding("OLD_PROGRAM_RUNS"), "\(report.all)")
        #expect(finding.severity == "warning" && finding.text.contains("\(old.id)"))
    }

    @Test("a broker on a machine whose clock is another", arguments: [(3_600.0, "ahead of"), (-3_600, "behind")])
    func otherClock(seconds: TimeInterval, words: String) async throws {
        let server = try ClockServer(ahead: seconds)
        defer { server.stop() }
        let report = try await setup.doctor(["BROKER_URL": "http://127.0.0.1:\(server.port)"])
        let finding = try #require(report.finding("CLOCK_DIFFERS"), "\(report.all)")
        #expect(finding.text.contains(words), "\(finding)")
    }

    @Test("a clock that no time server has set")
    func unsetClock() async throws {
        let folder = setup.folder.appending("timesync")
        let installation = Installation(environment: setup.environment, phoneHome: setup.phone)
        func codes() async -> [Finding.Code] {
            await ClockCheck(installation: installation, timeService: folder.path).findings().compactMap(\.code)
        }
        #expect(await codes() == [], "another time service")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        #expect(await codes() == [.clockNotSynchronised])
        try Data().write(to: folder.appending(path: "synchronized"))
        #expect(await codes() == [])
    }

    @Test("an inbox in which nothing can be written")
    func readOnlyInbox() async throws {
        // Root, too, makes no files here.
        let findings = await InboxCheck(inbox: URL(filePath: "/proc/self", directoryHint: .isDirectory)).findings()
        #expect(findings.first?.code == .inboxNotWritable)
        #expect(findings.first?.remedy?.contains("owner and mode") == true)
    }

    @Test("a folder of statements that is away")
    func missingArchive() throws {
        let folder = setup.folder.appending("statements")
        let variables = setup.environment.merging(["BROKER_ARCHIVE_PATH": folder.path]) { $1 }
        let installation = Installation(environment: variables, phoneHome: setup.phone)
        #expect(installation.archive?.path == folder.path)
        #expect(ArchiveCheck(folder: folder).finding().code == .archiveMissing)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        #expect(ArchiveCheck(folder: folder).finding().code == nil)
    }

    @Test("an inbox from which another program takes files away")
    func greedyInbox() async throws {
        let inbox = setup.inbox
        let isOver = Atomic(false)
        let thief = Thread {
            while !isOver.load(ordering: .relaxed) {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: inbox.path)) ?? []
                // Only a file that is whole: a probe that is still being written would make the inbox seem read-only.
                for name in names where !name.hasSuffix(".tmp.tmp") {
                    unlink(inbox.appending(path: name).path)
                }
                usleep(2_000)
            }
        }
        thief.start()
        let findings = await InboxCheck(inbox: inbox, pause: .seconds(5)).findings()
        isOver.store(true, ordering: .relaxed)
        #expect(findings.first?.code == .inboxReadsDiffer, "\(findings)")
    }

    @Test("files that belong to another user", .enabled(if: geteuid() == 0, "only root can give files away"))
    func foreignFiles() async throws {
        try setup.write("phone/vault.json", "{}")
        let file = setup.phone.appending(path: "vault.json").path
        #expect(chown(file, 65_534, 65_534) == 0)
        let finding = try #require(try await setup.doctor().finding("NOT_YOURS"))
        #expect(finding.text == "\(file) belongs to another user" && finding.remedy.contains("chown 0 '\(file)'"))
    }

    private func wait(_ what: String, until holds: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try !holds() {
            try #require(ContinuousClock.now < end, "\(what)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// Answers each request with an empty 200 whose date is off.
private final class ClockServer: Sendable {
    private let listener: LoopbackListener
    let port: Int

    init(ahead seconds: TimeInterval) throws {
        let bound = try LoopbackSocket.bound()
        port = bound.port
        listener = try LoopbackListener(bound.descriptor)
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = format.string(from: Date(timeIntervalSinceNow: seconds))
        let answer = Array("HTTP/1.1 200 OK\r\nDate: \(date)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        listener.accept { connection in
            var request = [UInt8](repeating: 0, count: 4096)
            _ = recv(connection, &request, request.count, 0)
            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        }
    }

    func stop() { listener.stop() }
}
