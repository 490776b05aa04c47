import Archive
import BrokerCommands
import BrokerStore
import Foundation
import Secrets
import TestParties
import TestSupport
import Testing

@Suite("An encrypted backup", .timeLimit(.minutes(4)))
struct SealedBackupTests {
    private let stage: BackupStage

    init() throws {
        stage = try BackupStage()
    }

    private func made() async throws {
        _ = try await stage.fill()
        try await stage.backUp(protection: BackupStage.protection)
    }

    private func restoration(_ passphrase: Secret? = BackupStage.passphrase) async throws -> Restoration {
        try await Restoration(of: stage.backup, passphrase: passphrase)
    }

    private func expectRefusal(_ code: BackupError.Code, _ passphrase: Secret?, _ what: Comment) async {
        let error = await #expect(throws: BackupError.self, what) {
            try await restoration(passphrase).perform(into: stage.new)
        }
        #expect(error?.code == code, what)
        #expect(stage.placed.isEmpty, what)
    }

    @Test("opens with its passphrase, and the broker is served from there")
    func whole() async throws {
        let requests = try await stage.fill()
        try await stage.serve(stage.old) { [stage] _ in
            let receipt = try await stage.backUp(protection: BackupStage.protection)
            #expect(receipt.requests == 2 && receipt.statements == 2 && receipt.archived == 2)
        }
        let checked = try await ChildProcess.run(
            URL(filePath: "/bin/sh"), ["-c", "cd '\(stage.backup.path)' && sha256sum --check --strict SHA256SUMS"])
        #expect(checked.status == 0, "\(String(decoding: checked.output, as: UTF8.self))")
        let receipt = try await restoration().perform(into: stage.new)
        #expect(receipt.requests == 2 && receipt.statements == 2 && receipt.archived == 2 && receipt.audit.isIntact)
        try await stage.serve(stage.new) { broker in
            for id in requests {
                let answer = try await broker.send("GET", "/request/\(id)")
                let file = try #require(answer.json["file_path"]?.stringValue)
                #expect(try Data(contentsOf: URL(filePath: file)).starts(with: Data("%PDF".utf8)))
            }
        }
        let archive = try DocumentArchive(root: #require(stage.new.archive))
        #expect(try await archive.find("marmalade").map(\.document.bank) == ["north"])
        archive.close()
    }

    @Test("shows nothing of what is in it, and nothing is left beside the database")
    func sealed() async throws {
        try await made()
        let names = try FileManager.default.subpathsOfDirectory(atPath: stage.backup.path).sorted()
        #expect(names.filter { $0.wholeMatch(of: #/parts(/[1-9][0-9]*)?/#) == nil } == ["KEY", "LIST", "SHA256SUMS"])
        let secret = try stage.secret.revealed()
        let canaries = ["marmalade", "SQLite format 3", "%PDF", "rules:", "north", "statements/", secret]
        for name in names {
            let file = stage.backup.appending(path: name)
            guard let bytes = try? Data(contentsOf: file) else { continue }
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode.map { $0 & 0o077 } == 0, "\(name)")
            for canary in canaries { #expect(bytes.range(of: Data(canary.utf8)) == nil, "\(canary) in \(name)") }
        }
        let beside = try FileManager.default.contentsOfDirectory(
            atPath: stage.broker.database.deletingLastPathComponent().path)
        #expect(!beside.contains(".backup"))
    }

    @Test("a working folder that a killed backup has left is removed by the next one")
    func leftover() async throws {
        _ = try await stage.fill()
        let folder = stage.broker.database.deletingLastPathComponent().appending(path: ".backup")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data("half a copy".utf8).write(to: folder.appending(path: "database"))
        try await stage.backUp(protection: BackupStage.protection)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("does not open without its passphrase")
    func passphrase() async throws {
        try await made()
        await expectRefusal(.wrongPassphrase, nil, "none")
        await expectRefusal(.wrongPassphrase, Secret("the words of another owner"), "another")
    }

    @Test("a passphrase that is too short makes no backup")
    func weak() async throws {
        _ = try await stage.fill()
        await #expect(throws: (any Error).self) {
            try await stage.backUp(protection: BackupProtection(Secret("elevenchars"), scrypt: .cheapForTests))
        }
        #expect(!FileManager.default.fileExists(atPath: stage.backup.path))
    }

    private static let damages: [(name: String, code: BackupError.Code, make: @Sendable (URL) throws -> Void)] = [
        ("a changed byte", .damaged, { try change($0.appending(path: "parts/1"), at: 1000) }),
        ("a changed last byte", .damaged, { try change($0.appending(path: "parts/1"), at: -1) }),
        ("a changed list", .damaged, { try change($0.appending(path: "LIST"), at: 3) }),
        (
            "a key file with another cost", .wrongPassphrase,
            { folder in
                let file = folder.appending(path: "KEY")
                let text = try String(contentsOf: file, encoding: .utf8)
                try Data(text.replacing("\"n\":1024", with: "\"n\":2048").utf8).write(to: file)
            }
        ),
        ("another key file", .damaged, { try Data("{}".utf8).write(to: $0.appending(path: "KEY")) }),
        (
            "a file without its last piece", .damaged,
            { folder in
                let file = folder.appending(path: "parts/1")
                let bytes = try Data(contentsOf: file)
                #expect(bytes.count > 2 * 65552, "the database has several pieces")
                try bytes.prefix(65552).write(to: file)
            }
        ),
        (
            "a lengthened file", .damaged,
            { folder in
                let file = folder.appending(path: "parts/1")
                try (Data(contentsOf: file) + Data(count: 16)).write(to: file)
            }
        ),
        (
            "two files exchanged", .damaged,
            { folder in
                let (one, two) = (folder.appending(path: "parts/3"), folder.appending(path: "parts/4"))
                let (first, second) = (try Data(contentsOf: one), try Data(contentsOf: two))
                try second.write(to: one)
                try first.write(to: two)
            }
        ),
        ("a missing file", .damaged, { try FileManager.default.removeItem(at: $0.appending(path: "parts/2")) }),
        ("a missing key", .damaged, { try FileManager.default.removeItem(at: $0.appending(path: "KEY")) }),
        ("a missing list", .damaged, { try FileManager.default.removeItem(at: $0.appending(path: "LIST")) }),
        ("no digests", .damaged, { try FileManager.default.removeItem(at: $0.appending(path: "SHA256SUMS")) }),
    ]

    private static func change(_ file: URL, at place: Int) throws {
        var bytes = try Data(contentsOf: file)
        bytes[place < 0 ? bytes.count + place : min(place, bytes.count / 2)] ^= 1
        try bytes.write(to: file)
    }

    @Test("that was changed is refused, and nothing is placed")
    func damaged() async throws {
        _ = try await stage.fill()
        for (name, code, damage) in Self.damages {
            try await stage.backUp(protection: BackupStage.protection)
            try damage(stage.backup)
            await expectRefusal(code, BackupStage.passphrase, "\(name)")
            try FileManager.default.removeItem(at: stage.backup)
        }
    }

    @Test("a file of another backup with the same passphrase does not take a place in it")
    func foreign() async throws {
        try await made()
        let other = stage.root.appending(path: "other", directoryHint: .isDirectory)
        _ = try await BackupWriter(stage.old, .all(sealing: stage.secret), protection: BackupStage.protection)
            .write(to: other)
        let place = stage.backup.appending(path: "parts/1")
        try FileManager.default.removeItem(at: place)
        try FileManager.default.copyItem(at: other.appending(path: "parts/1"), to: place)
        await expectRefusal(.damaged, BackupStage.passphrase, "another backup's file")
    }

    @Test("of the database alone comes back beside its documents and its secret")
    func database() async throws {
        let requests = try await stage.fill()
        let receipt = try await BackupWriter(stage.old, .database, protection: BackupStage.protection)
            .write(to: stage.backup)
        #expect(receipt.requests == 2 && receipt.statements == 0 && receipt.archived == nil)
        await expectRefusal(.configuration, BackupStage.passphrase, "a machine without the secret")
        for ending in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: stage.old.database.path + ending)
        }
        _ = try await restoration().perform(into: stage.old)
        try await stage.serve(stage.old) { broker in
            for id in requests {
                let answer = try await broker.send("GET", "/request/\(id)")
                let file = try #require(answer.json["file_path"]?.stringValue)
                #expect(FileManager.default.fileExists(atPath: file))
            }
        }
    }
}
