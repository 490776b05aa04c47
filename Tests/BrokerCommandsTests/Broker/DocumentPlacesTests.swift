import Archive
import Broker
import BrokerStore
import Foundation
import Messages
import Terminal
import TestParties
import TestSupport
import Testing

@testable import BrokerCommands

@Suite("Statements in an archive", .timeLimit(.minutes(3)))
struct DocumentPlacesTests {
    /// Takes one request to COMPLETED, and waits until the statement is filed.
    private static func complete(_ stage: BrokerStage) async throws -> RequestID {
        let id = try await stage.request()
        _ = try await stage.decide(id, "APPROVE")
        try stage.publish(id)
        #expect(try await BrokerStage.wait(for: id, on: stage) == "COMPLETED")
        for _ in 0..<500
        where !stage.logged.contains(where: { $0.contains("document filed") || $0.contains("could not be filed") }) {
            try await Task.sleep(for: .milliseconds(20))
        }
        return id
    }

    @Test("a completed statement stands in the archive, and the program is told with a clean environment")
    func filed() async throws {
        let stage = try BrokerStage()
        let folder = try TemporaryFolder()
        let root = folder.appending("archive")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let program = folder.appending("told")
        let told = folder.appending("told.txt")
        try await WrittenProgram.script("env | sort >\(told.path)", as: program)
        let places = try #require(
            try await DocumentPlaces(["BROKER_ARCHIVE_PATH": root.path, "BROKER_ON_DOCUMENT": program.path]))
        try await stage.run(filer: places) { stage in
            let id = try await Self.complete(stage)
            let archive = try DocumentArchive(root: root)
            let document = try #require(try await archive.documents().first)
            #expect(document.path == "default/2026/2026-01 pdf.pdf")
            #expect(document.requestID == id.description)
            #expect(document.sha256 == (try stage.column("result_sha256", of: id)))
            #expect(try await archive.verify().isClean)
            // The specification's own copy stays.
            #expect(FileManager.default.fileExists(atPath: try #require(try stage.column("result_file_path", of: id))))
            let lines = try String(contentsOf: told, encoding: .utf8).split(separator: "\n")
            #expect(lines.contains("COUNTERSIGN_DOCUMENT=\(archive.root.path)/\(document.path)"))
            #expect(lines.contains("COUNTERSIGN_PERIOD=2026-01"))
            #expect(!lines.contains { $0.hasPrefix("BROKER_") || $0.contains("TOKEN") })
        }
    }

    @Test("an archive whose disk is away gets the statement when it is back, without a restart")
    func away() async throws {
        let stage = try BrokerStage()
        let folder = try TemporaryFolder()
        let (root, disk) = (folder.appending("archive"), folder.appending("disk"))
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        let places = try #require(try await DocumentPlaces(["BROKER_ARCHIVE_PATH": root.path]))
        try FileManager.default.moveItem(at: root, to: disk)
        var configuration = stage.configuration
        configuration.filingPause = .milliseconds(20)
        try await stage.run(configuration, filer: places) { stage in
            let id = try await Self.complete(stage)
            #expect(stage.logged.contains { $0.contains("is its disk mounted?") })
            #expect(!FileManager.default.fileExists(atPath: root.path))
            try FileManager.default.moveItem(at: disk, to: root)
            let archive = try DocumentArchive(root: root)
            var filed: [String?] = []
            for _ in 0..<4500 where filed.isEmpty {
                try await Task.sleep(for: .milliseconds(20))
                filed = try await archive.documents().map(\.requestID)
            }
            #expect(filed == [id.description], "\(stage.logged.suffix(5))")
        }
    }

    @Test(
        "a broker that starts while its archive's disk is away begins no new one, and files what came when it is back",
        arguments: [true, false])
    func awayAtStart(hasEmptyFolder: Bool) async throws {
        let stage = try BrokerStage()
        let folder = try TemporaryFolder()
        let (root, disk) = (folder.appending("archive"), folder.appending("disk"))
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        let before = try #require(try await DocumentPlaces(["BROKER_ARCHIVE_PATH": root.path]))
        try await stage.run(filer: before) { stage in
            _ = try await Self.complete(stage)
        }
        before.archive?.close()
        let database = try BrokerDatabase(administering: stage.configuration.database)
        #expect(try await database.requests.hasFiled(in: root.path))
        #expect(try await !database.requests.hasFiled(in: disk.path))

        try FileManager.default.moveItem(at: root, to: disk)
        if hasEmptyFolder { try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false) }
        let places = try #require(
            try await DocumentPlaces(["BROKER_ARCHIVE_PATH": root.path]) { folder in
                (try? await database.requests.hasFiled(in: folder)) ?? false
            })
        database.close()
        #expect(places.notices.contains { $0.contains("is its disk mounted?") && $0.contains("by itself") })
        var configuration = stage.configuration
        configuration.filingPause = .milliseconds(20)
        try await stage.run(configuration, filer: places) { stage in
            let id = try await stage.request()
            _ = try await stage.decide(id, "APPROVE")
            try stage.publish(id)
            #expect(try await BrokerStage.wait(for: id, on: stage) == "COMPLETED")
            while !stage.logged.contains(where: { $0.contains("is its disk mounted?") }) {
                try await Task.sleep(for: .milliseconds(20))
            }
            let made = try? FileManager.default.contentsOfDirectory(atPath: root.path)
            #expect(made == (hasEmptyFolder ? [] : nil))
            if hasEmptyFolder { try FileManager.default.removeItem(at: root) }
            try FileManager.default.moveItem(at: disk, to: root)
            // A moment may lie between the two moves in which the folder is not there.
            while (try? await places.archive?.documents().count) != 2 { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    @Test("a program that fails leaves the statement in the archive, and the request completed")
    func failing() async throws {
        let stage = try BrokerStage()
        let folder = try TemporaryFolder()
        let places = try #require(
            try await DocumentPlaces(["BROKER_ARCHIVE_PATH": folder.url.path, "BROKER_ON_DOCUMENT": "/bin/false"]))
        try await stage.run(filer: places) { stage in
            let id = try await Self.complete(stage)
            #expect(try await stage.status(id) == "COMPLETED")
            #expect(stage.logged.contains { $0.contains("/bin/false ended with status 1") })
            #expect(try await DocumentArchive(root: folder.url).documents().count == 1)
        }
    }

    @Test("a program that never ends is ended at its limit, with what it started", .timeLimit(.minutes(4)))
    func endless() async throws {
        let folder = try TemporaryFolder()
        let program = folder.appending("endless")
        let child = folder.appending("child.txt")
        try await WrittenProgram.script("sleep 3600 &\necho $! >\(child.path)\nwait", as: program)
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            _ = try await stage.decide(id, "APPROVE")
            try stage.publish(id)
            #expect(try await BrokerStage.wait(for: id, on: stage) == "COMPLETED")
        }
        let command = try DocumentCommand(program.path, limit: .seconds(6))
        let filer = CommandFiler(command: command)
        try await stage.run(filer: filer) { stage in
            while !stage.logged.contains(where: { $0.contains("was ended by signal 9; it has 6 seconds") }) {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        let number = try String(contentsOf: child, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let state = { (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? "" }
        // A child may stay as a zombie: its parent has ended, and the system need not wait for it.
        while !state().isEmpty, !state().contains(") Z ") { try await Task.sleep(for: .milliseconds(20)) }
    }

    @Test("a wrong variable ends the broker's start with its name")
    func wrong() async throws {
        #expect(try await DocumentPlaces([:]).map { _ in 1 } == nil)
        for (name, value) in [
            ("BROKER_ARCHIVE_PATH", "/nonexistent"), ("BROKER_ON_DOCUMENT", "told"),
            ("BROKER_ON_DOCUMENT", "/nonexistent"),
        ] {
            let failure = await #expect(throws: CommandFailure.self) { try await DocumentPlaces([name: value]) }
            #expect(failure?.status == 2)
            #expect(failure?.message.contains(name) == true)
        }
        let folder = try TemporaryFolder()
        let failure = await #expect(throws: CommandFailure.self) {
            try await DocumentPlaces(["BROKER_ARCHIVE_PATH": folder.url.path, "BROKER_ARCHIVE_TEMPLATE": "{{ iban }}"])
        }
        #expect(failure?.message.contains("BROKER_ARCHIVE_TEMPLATE") == true)
    }
}

/// Runs the program for each document, and files it nowhere.
private struct CommandFiler: DocumentFiler {
    let command: DocumentCommand

    func file(_ document: AcceptedDocument) async throws { try await command.run(document, at: document.file) }
}
