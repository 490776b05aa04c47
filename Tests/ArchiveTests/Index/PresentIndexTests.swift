import Foundation
import GRDB
import Machine
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

    @Test("an index that its owner has emptied is not that of a disk which is away")
    func emptied() async throws {
        try await file("first")
        for document in try await archive.documents() { try await archive.forget(document) }
        archive.close()
        let later = try DocumentArchive(root: root, hadDocuments: true)
        #expect(later.absence == nil)
        later.close()
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

    @Test(
        "is away at the start, too, where documents were filed before: nothing is made, and it goes on when it is back")
    func awayAtStart() async throws {
        try await file("first")
        archive.close()
        for isMade in [false, true] {
            try FileManager.default.moveItem(at: root, to: disk)
            if isMade { try Self.make(root) }
            let later = try DocumentArchive(root: root, hadDocuments: true)
            #expect(later.absence?.code == .away && !later.holdsDocuments)
            let error = await #expect(throws: ArchiveError.self) {
                try await later.file(
                    IncomingDocument(.bytes(ArchiveStage.csv("second")), bank: "north", account: "giro"))
            }
            #expect(error?.code == .away && error?.message.contains("is its disk mounted?") == true)
            #expect(isMade ? try names(in: root) == [] : !FileManager.default.fileExists(atPath: root.path))
            if isMade { try FileManager.default.removeItem(at: root) }
            try FileManager.default.moveItem(at: disk, to: root)
            #expect(later.absence == nil && later.holdsDocuments)
            #expect(try await later.documents().count == 1)
            later.close()
        }
    }

    @Test("a folder that was emptied on purpose is taken by the command that is named, also at the start")
    func anewAtStart() async throws {
        try await file("first")
        archive.close()
        try FileManager.default.removeItem(at: root)
        try Self.make(root)
        let later = try DocumentArchive(root: root, hadDocuments: true)
        #expect(later.absence?.code == .away)
        let command = try DocumentArchive(root: root)
        #expect(later.absence?.code == .away, "a command that only looks has made an index there")
        _ = try await command.rebuild()
        command.close()
        #expect(later.absence == nil)
    }

    @Test("one that held nothing is begun anew by itself")
    func empty() async throws {
        try FileManager.default.moveItem(at: root, to: disk)
        try Self.make(root)
        try await file("first")
        #expect(try await archive.verify().documents == 1)
    }

    @Test(
        "tells what may pass, by itself or by what a person does, from what stays",
        arguments: [
            (ArchiveError(.away, ""), true), (ArchiveError(.unusable, ""), true), (ArchiveError(.invalid, ""), false),
            (ArchiveError(.refused, ""), false), (ArchiveError(.changed, ""), false),
            (FileError("written", "/x", ENOSPC), true), (FileError("written", "/x", EROFS), true),
            (FileError("read", "/x", EIO), true), (FileError("opened", "/the/brokers/own.pdf", ENOENT), false),
            (FileError("named", "/x", ENAMETOOLONG), false), (DatabaseError(resultCode: .SQLITE_FULL), true),
            (DatabaseError(resultCode: .SQLITE_IOERR_WRITE), true),
            (DatabaseError(resultCode: .SQLITE_CONSTRAINT), false), (CancellationError(), false),
        ] as [(any Error, Bool)])
    func passing(error: any Error, passes: Bool) {
        #expect(archive.mayPass(error) == passes, "\(error)")
    }

    @Test("a file of its own that is gone may come back with its disk")
    func passingOfOwnFile() {
        #expect(archive.mayPass(FileError("opened", archive.root.path + "/north/1.csv", ENOENT)))
    }

    @Test("one that is not there at the start says so")
    func missing() throws {
        let error = try #require(throws: ArchiveError.self) { try DocumentArchive(root: disk) }
        #expect(error.code == .unusable && error.message.contains("is not there; mount its disk"), "\(error)")
    }

    @Test("an index that the disk does not take stays, and no other one is advised")
    func readOnly() throws {
        // Root, too, makes no files here.
        let error = try #require(throws: ArchiveError.self) {
            try ArchiveIndex(URL(filePath: "/proc/self/index.sqlite"))
        }
        #expect(error.code == .unusable && !error.message.contains("rebuild"), "\(error)")
    }
}
