import Archive
import BrokerCommands
import BrokerStore
import Foundation
import Messages
import Secrets
import Storage
import TestParties
import TestSupport
import Testing

@Suite("Backups of a whole broker", .timeLimit(.minutes(4)))
struct RestorationTests {
    private let stage: BackupStage

    init() throws {
        stage = try BackupStage()
    }

    @Test("a broker is backed up while it runs, restored elsewhere, and served from there")
    func whole() async throws {
        let requests = try await stage.fill()
        try await stage.serve(stage.old) { [stage] _ in
            let receipt = try await stage.backUp()
            #expect(receipt.requests == 2 && receipt.statements == 2 && receipt.archived == 2)
        }
        try everythingIsPrivate()
        let checked = try await ChildProcess.run(
            URL(filePath: "/bin/sh"), ["-c", "cd '\(stage.backup.path)' && sha256sum --check --strict SHA256SUMS"])
        #expect(checked.status == 0, "\(String(decoding: checked.output, as: UTF8.self))")

        // The old machine is gone.
        try FileManager.default.removeItem(at: stage.broker.database.deletingLastPathComponent())
        try FileManager.default.removeItem(at: #require(stage.old.archive))
        let receipt = try await Restoration(of: stage.backup).perform(into: stage.new)
        #expect(receipt.requests == 2 && receipt.statements == 2 && receipt.archived == 2)
        #expect(receipt.audit.isIntact)

        try await stage.serve(stage.new) { [stage] broker in
            for id in requests {
                let answer = try await broker.send("GET", "/request/\(id)")
                let file = try #require(answer.json["file_path"]?.stringValue)
                let folder = stage.new.database.deletingLastPathComponent().appending(path: "statements").path
                #expect(file.hasPrefix(folder + "/"))
                #expect(try Data(contentsOf: URL(filePath: file)).starts(with: Data("%PDF".utf8)))
            }
            let log = try BrokerAudit.open(stage.new.database)
            #expect(try await log.verify().isIntact)
            #expect(try await log.records().contains { $0.event.type == "broker.restored" })
        }
        let archive = try DocumentArchive(root: #require(stage.new.archive))
        #expect(try await archive.verify().isClean)
        #expect(try await archive.find("marmalade").map(\.document.bank) == ["north"])
        archive.close()
        #expect(try String(contentsOf: #require(stage.new.policy), encoding: .utf8) == "version: 1\nrules: []\n")
    }

    private func everythingIsPrivate() throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: stage.backup.path)
        for path in [stage.backup.path] + names.map({ stage.backup.appending(path: $0).path }) {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode.map { $0 & 0o077 } == 0, "\(path)")
        }
        #expect(
            names.sorted().filter { !$0.hasPrefix("statements/") && !$0.hasPrefix("archive/") } == [
                "SHA256SUMS", "archive", "archive-index.sqlite", "broker.sqlite", "policy.yaml", "sealing.secret",
                "statements",
            ])
    }

    /// Expects that a restoration is refused, and that nothing is at the new places that was not there before.
    private func expectRefusal(
        _ code: BackupError.Code, into places: BrokerPlaces? = nil, _ what: Comment
    ) async {
        let before = stage.placed
        let error = await #expect(throws: BackupError.self, what) {
            try await Restoration(of: stage.backup).perform(into: places ?? stage.new)
        }
        #expect(error?.code == code, what)
        #expect(stage.placed == before, what)
    }

    // MARK: Places

    @Test("a place where something is stays as it is")
    func occupied() async throws {
        _ = try await stage.fill()
        try await stage.backUp()
        let data = stage.new.database.deletingLastPathComponent()
        let taken: [URL] = [
            stage.new.database, URL(filePath: stage.new.database.path + "-wal"), data.appending(path: "sealing.secret"),
            try #require(stage.new.policy), data.appending(path: "statements/other.pdf"),
            try #require(stage.new.archive).appending(path: "other.pdf"),
            try #require(stage.new.archive).appending(path: ".countersign/index.sqlite"),
        ]
        for file in taken {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("another's".utf8).write(to: file)
            await expectRefusal(.occupied, "\(file.path)")
            #expect(try String(contentsOf: file, encoding: .utf8) == "another's")
            try FileManager.default.removeItem(at: stage.root.appending(path: "machine"))
        }
        // A link that leads nowhere is something, too.
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: stage.new.database.path, withDestinationPath: "/nowhere/broker.sqlite")
        await expectRefusal(.occupied, "a link")
    }

    @Test("a backup's folder that exists is not written to")
    func occupiedFolder() async throws {
        _ = try await stage.fill()
        try FileManager.default.createDirectory(at: stage.backup, withIntermediateDirectories: false)
        let error = await #expect(throws: BackupError.self) { try await stage.backUp() }
        #expect(error?.code == .occupied)
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.backup.path).isEmpty)
    }

    @Test("an archive, a policy or a secret without its place is refused before anything is written")
    func missingPlaces() async throws {
        _ = try await stage.fill()
        try await stage.backUp()
        var places = stage.new
        places.archive = nil
        await expectRefusal(.configuration, into: places, "no archive")
        places = stage.new
        places.policy = nil
        await expectRefusal(.configuration, into: places, "no policy")
        places = stage.new
        places.sealing = .variable(Secret("another sealing secret of a restored broker"))
        await expectRefusal(.configuration, into: places, "another secret")
        places.sealing = .variable(try stage.secret)
        _ = try await Restoration(of: stage.backup).perform(into: places)
        #expect(!stage.placed.contains("data/sealing.secret"), "the variable has the secret")
    }

    @Test("a step that fails takes back the steps before it")
    func undone() async throws {
        _ = try await stage.fill()
        try await stage.backUp()
        // A folder cannot be made below a file.
        let machine = stage.root.appending(path: "machine")
        try FileManager.default.createDirectory(at: machine, withIntermediateDirectories: false)
        try Data().write(to: machine.appending(path: "file"))
        var places = stage.new
        places.archive = machine.appending(path: "file/documents", directoryHint: .isDirectory)
        await #expect(throws: (any Error).self) { try await Restoration(of: stage.backup).perform(into: places) }
        #expect(stage.placed == ["file"])
    }

    // MARK: Damage

    private static let damages: [(name: String, make: @Sendable (URL) throws -> Void)] = [
        (
            "a changed byte",
            { folder in
                let file = folder.appending(path: "broker.sqlite")
                var bytes = try Data(contentsOf: file)
                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: file)
            }
        ),
        (
            "a shortened file",
            { folder in
                let file = folder.appending(path: "archive-index.sqlite")
                try Data(contentsOf: file).dropLast().write(to: file)
            }
        ),
        ("a missing file", { try FileManager.default.removeItem(at: $0.appending(path: "policy.yaml")) }),
        (
            "a link in place of a file",
            { folder in
                let file = folder.appending(path: "policy.yaml")
                try FileManager.default.moveItem(at: file, to: folder.appending(path: "elsewhere"))
                try FileManager.default.createSymbolicLink(
                    at: file, withDestinationURL: folder.appending(path: "elsewhere"))
            }
        ),
        ("no list", { try FileManager.default.removeItem(at: $0.appending(path: "SHA256SUMS")) }),
        (
            "a shortened list",
            { folder in
                let file = folder.appending(path: "SHA256SUMS")
                let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropLast()
                try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
            }
        ),
        (
            "an exchanged secret",
            { folder in
                let file = folder.appending(path: "sealing.secret")
                try Data("a sealing secret that someone else has made".utf8).write(to: file)
            }
        ),
    ]

    @Test("a damaged backup is refused, and nothing is placed")
    func damaged() async throws {
        _ = try await stage.fill()
        for (name, damage) in Self.damages {
            try await stage.backUp()
            try damage(stage.backup)
            await expectRefusal(.damaged, "\(name)")
            try FileManager.default.removeItem(at: stage.backup)
        }
    }

    @Test("a secret that does not open the database is refused, with a list that fits it")
    func foreignSecret() async throws {
        _ = try await stage.fill()
        try await stage.backUp()
        try Data("a sealing secret of a stranger's broker".utf8).write(
            to: stage.backup.appending(path: "sealing.secret"))
        let rewritten = try await ChildProcess.run(
            URL(filePath: "/bin/sh"),
            [
                "-c",
                """
                cd '\(stage.backup.path)' && head -1 SHA256SUMS > list
                tail -n +2 SHA256SUMS | cut -c67- | xargs -d '\\n' sha256sum >> list && mv list SHA256SUMS
                """,
            ])
        #expect(rewritten.status == 0)
        await expectRefusal(.damaged, "a stranger's secret")
    }

    // MARK: Making a backup

    @Test("a stopped backup leaves nothing")
    func stopped() async throws {
        _ = try await stage.fill()
        let (writer, folder) = (BackupWriter(stage.old, .all(sealing: try stage.secret), protection: nil), stage.backup)
        let work = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await writer.write(to: folder)
        }
        await #expect(throws: CancellationError.self) { try await work.value }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("a secret that did not seal the database makes no backup")
    func wrongSecret() async throws {
        _ = try await stage.fill()
        let writer = BackupWriter(
            stage.old, .all(sealing: Secret("a secret that never sealed this database")), protection: nil)
        let error = await #expect(throws: BackupError.self) { try await writer.write(to: stage.backup) }
        #expect(error?.code == .configuration)
        #expect(!FileManager.default.fileExists(atPath: stage.backup.path))
    }

    @Test("a backup is not made inside what it copies")
    func inside() async throws {
        _ = try await stage.fill()
        let archive = try #require(stage.old.archive)
        let link = stage.root.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: archive)
        for folder in [archive.appending(path: "north/backup"), link.appending(path: "backup")] {
            let error = await #expect(throws: BackupError.self) {
                try await BackupWriter(stage.old, .all(sealing: stage.secret), protection: nil).write(to: folder)
            }
            #expect(error?.code == .configuration, "\(folder.path)")
            #expect(!FileManager.default.fileExists(atPath: folder.path))
        }
    }

    @Test("names that look like temporary ones, and long ones, are copied as any other")
    func oddNames() async throws {
        _ = try await stage.fill()
        let archive = try #require(stage.old.archive)
        let names = ["a.pdf", "a.pdf.tmp", "b.pdf", "b.pdf.tmp", String(repeating: "x", count: 251) + ".pdf"]
        for name in names { try Data(name.utf8).write(to: archive.appending(path: name)) }
        try await stage.backUp()
        _ = try await Restoration(of: stage.backup).perform(into: stage.new)
        let placed = try #require(stage.new.archive)
        for name in names { #expect(try Data(contentsOf: placed.appending(path: name)) == Data(name.utf8)) }
    }

    @Test("links in the archive are left out and named")
    func links() async throws {
        _ = try await stage.fill()
        let archive = try #require(stage.old.archive)
        try FileManager.default.createSymbolicLink(
            atPath: archive.appending(path: "passwords").path, withDestinationPath: "/etc/passwd")
        let receipt = try await stage.backUp()
        #expect(receipt.leftOut == ["passwords"] && receipt.archived == 2)
        _ = try await Restoration(of: stage.backup).perform(into: stage.new)
        #expect(!stage.placed.contains("documents/passwords"))
    }
}
