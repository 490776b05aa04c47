import Foundation
import Machine
import TestSupport
import Testing

@testable import AuthorDesk

@Suite("The script's file under the desk")
struct ScriptOnDiskTests {
    private func refusal(of work: () throws(DeskRefusal) -> Void) -> DeskRefusal? {
        do throws(DeskRefusal) {
            try work()
            return nil
        } catch {
            return error
        }
    }

    /// Returns a folder with a script's file that says “old”.
    private static func written() throws -> (folder: TemporaryFolder, file: URL) {
        let folder = try TemporaryFolder()
        let file = folder.appending("bank.yaml")
        try Data("old".utf8).write(to: file)
        return (folder, file)
    }

    private func text(_ file: URL) throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }

    @Test("is saved whole, keeps its permissions, and has a new version")
    func saved() throws {
        let (folder, file) = try Self.written()
        defer { folder.remove() }
        #expect(chmod(file.path, 0o640) == 0)
        let disk = ScriptOnDisk(path: file.path)
        let old = try disk.read()
        let version = try disk.save("new", replacing: old.version)
        #expect(try disk.read() == ScriptOnDisk.Content(text: "new", version: version) && version != old.version)
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(folder.names == ["bank.yaml"])
    }

    @Test("behind a symbolic link is saved, and the link stays")
    func link() throws {
        let (folder, file) = try Self.written()
        defer { folder.remove() }
        let link = folder.appending("link.yaml")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let disk = ScriptOnDisk(path: link.path)
        _ = try disk.save("new", replacing: try disk.read().version)
        #expect(try text(file) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
    }

    @Test("that another program has changed is not replaced")
    func changed() throws {
        let (folder, file) = try Self.written()
        defer { folder.remove() }
        let disk = ScriptOnDisk(path: file.path)
        let version = try disk.read().version
        try Data("theirs".utf8).write(to: file)
        #expect(
            refusal { () throws(DeskRefusal) in _ = try disk.save("mine", replacing: version) }?.code == .changedOnDisk)
        #expect(try text(file) == "theirs")
    }

    @Test("that another program changes during the save is not replaced, and nothing is left behind")
    func changedMeanwhile() throws {
        let (folder, file) = try Self.written()
        defer { folder.remove() }
        let disk = ScriptOnDisk(path: file.path) { () throws(FileError) in try? Data("theirs".utf8).write(to: file) }
        let version = try disk.read().version
        #expect(
            refusal { () throws(DeskRefusal) in _ = try disk.save("mine", replacing: version) }?.code == .changedOnDisk)
        #expect(try text(file) == "theirs")
        #expect(folder.names == ["bank.yaml"])
    }

    @Test("that is gone has the version “missing”, and is written anew when the author says so")
    func removed() throws {
        let (folder, file) = try Self.written()
        defer { folder.remove() }
        let disk = ScriptOnDisk(path: file.path)
        let version = try disk.read().version
        try FileManager.default.removeItem(at: file)
        #expect(try disk.read().version == ScriptOnDisk.missing)
        #expect(
            refusal { () throws(DeskRefusal) in _ = try disk.save("mine", replacing: version) }?.code == .changedOnDisk)
        _ = try disk.save("mine", replacing: ScriptOnDisk.missing)
        #expect(try text(file) == "mine")
    }

    @Test("stays as it is when the save fails, and the author hears why")
    func failed() throws {
        let (folder, file) = try Self.written()
        defer { folder.remove() }
        let disk = ScriptOnDisk(path: file.path) { () throws(FileError) in
            throw FileError("written", file.path, ENOSPC)
        }
        let version = try disk.read().version
        let refusal = refusal { () throws(DeskRefusal) in _ = try disk.save("mine", replacing: version) }
        #expect(
            refusal?.code == .saveFailed && refusal?.message.contains("No space left") == true,
            "\(String(describing: refusal))")
        #expect(try text(file) == "old")
        #expect(folder.names == ["bank.yaml"])
    }

    @Test("is refused when it is not a script's", arguments: ["folder", "pipe", "bytes", "large"])
    func unreadable(kind: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("bank.yaml")
        switch kind {
        case "folder": try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        case "pipe": #expect(mkfifo(file.path, 0o600) == 0)
        case "bytes": try Data([0xFF, 0xFE]).write(to: file)
        default: try Data(repeating: 0x20, count: (1 << 20) + 1).write(to: file)
        }
        #expect(refusal { () throws(DeskRefusal) in _ = try ScriptOnDisk(path: file.path).read() }?.code == .unreadable)
    }
}
