import Foundation
import TestSupport
import Testing

@testable import Archive

/// An archive on a disk that comes and goes: a folder that is moved away and back, as a disk is unmounted and mounted.
@Suite("An archive whose folder goes away")
struct PresentIndexTests {
    private let folder: TemporaryFolder
    private var root: URL { folder.appending("archive") }
    private var disk: URL { folder.appending("disk") }
    private let archive: DocumentArchive

    init() throws {
        folder = try TemporaryFolder()
        try Self.make(folder.appending("archive"))
        archive = try DocumentArchive(root: folder.appending("archive"))
    }

    private static func make(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    private func file(_ text: String) async throws {
        _ = try await archive.file(IncomingDocument(.bytes(ArchiveStage.csv(text)), bank: "north", account: "giro"))
    }

    private func names(in place: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place.path)
    }

    /// Expects that nothing can be filed, searched or listed now, each time with these words.
    private func refuses(_ words: String) async throws {
        let calls: [@Sendable () async throws -> Void] = [
            { try await file("another") }, { _ = try await archive.find("first") },
            { _ = try await archive.documents() }, { _ = try await archive.verify() },
        ]
        for call in calls {
            let error = try await #require(throws: ArchiveError.self) { try await call() }
            #expect(error.code == .away && error.message.contains(words), "\(error)")
            #expect(error.message.contains("is its disk mounted?"))
        }
    }

    @Test("files nothing meanwhile, makes nothing in the disk's place, and goes on when the folder is back")
    func back() async throws {
        try await file("first")
        try FileManager.default.moveItem(at: root, to: disk)
        try await refuses("is not there")
        #expect(!FileManager.default.fileExists(atPath: root.path))
        // The folder on which a disk is mounted is there without it, and empty.
        try Self.make(root)
        try await refuses("countersign archive rebuild")
        #expect(try names(in: root) == [])
        try FileManager.default.removeItem(at: root)
        try FileManager.default.moveItem(at: disk, to: root)
        try await file("second")
        #expect(try await archive.documents().count == 2)
        #expect(try await archive.verify().isClean)
    }

    @Test("an empty folder in its place is taken by the command that is named, without a restart")
    func anew() async throws {
        try await file("first")
        try FileManager.default.moveItem(at: root, to: disk)
        try Self.make(root)
        try await refuses("countersign archive rebuild")
        let command = try DocumentArchive(root: root)
        #expect(try await command.documents().isEmpty)
        // A command that only looks has made an index there, which is not the archive's.
        try await refuses("countersign archive rebuild")
        #expect(try await command.rebuild().added == 0)
        command.close()
        try await file("second")
        #expect(try await archive.documents().count == 1)
        #expect(try await archive.verify().isClean)
    }

    @Test("one that held nothing is begun anew by itself")
    func empty() async throws {
        try FileManager.default.moveItem(at: root, to: disk)
        try Self.make(root)
        try await file("first")
        #expect(try await archive.verify().documents == 1)
    }

    @Test("one that is not there at the start says so")
    func missing() throws {
        let error = try #require(throws: ArchiveError.self) { try DocumentArchive(root: disk) }
        #expect(error.code == .unusable && error.message.contains("is not there; mount its disk"), "\(error)")
    }
}
