import Foundation
import Terminal
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("The folder that an author opens to an assistant")
struct AuthorFolderTests {
    private func read(_ path: String, in folder: URL) -> Result<[UInt8], ToolFailure> {
        Result { () throws(ToolFailure) in
            do {
                return try AuthorFolder(folder.path).bytes(path, endingIn: ["yaml"], atMost: 100)
            } catch let failure as ToolFailure {
                throw failure
            } catch {
                throw ToolFailure("\(error)")
            }
        }
    }

    @Test("gives its own files")
    func own() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let inner = folder.appending("banks")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try Data("a: b".utf8).write(to: inner.appending(path: "one two.yaml"))
        #expect(try read("banks/one two.yaml", in: folder.url).get() == Array("a: b".utf8))
    }

    @Test(
        "gives nothing outside it, and no other kind of file",
        arguments: [
            "../secret.yaml", "banks/../../secret.yaml", "/etc/passwd.yaml", "./a.yaml", ".hidden.yaml", ".git/a.yaml",
            "link.yaml", "way/secret.yaml", "twice.yaml", "pipe.yaml", "a.txt", "", "/", "a.yaml/", "a\u{0}.yaml",
            "big.yaml", "missing.yaml", "banks", String(repeating: "a/", count: 400) + "a.yaml",
        ])
    func outside(path: String) throws {
        let around = try TemporaryFolder()
        defer { around.remove() }
        try Data("secret".utf8).write(to: around.appending("secret.yaml"))
        let folder = around.appending("scripts")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "banks"), withIntermediateDirectories: true)
        for name in ["a.txt", "a.yaml", ".hidden.yaml"] {
            try Data("a".utf8).write(to: folder.appending(path: name))
        }
        try Data(repeating: 0x20, count: 101).write(to: folder.appending(path: "big.yaml"))
        let files = FileManager.default
        try files.createSymbolicLink(
            at: folder.appending(path: "link.yaml"), withDestinationURL: around.appending("secret.yaml"))
        try files.createSymbolicLink(at: folder.appending(path: "way"), withDestinationURL: around.url)
        try files.linkItem(at: around.appending("secret.yaml"), to: folder.appending(path: "twice.yaml"))
        #expect(mkfifo(folder.appending(path: "pipe.yaml").path, 0o600) == 0)
        switch read(path, in: folder) {
        case .success(let bytes): Issue.record("\(path) gave \(bytes)")
        case .failure(let failure): #expect(failure.message.contains("“") || failure.message.contains("bytes"))
        }
    }

    @Test("stays the folder that it was when its name is given to another")
    func exchanged() throws {
        let around = try TemporaryFolder()
        defer { around.remove() }
        let place = around.appending("scripts")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data("first".utf8).write(to: place.appending(path: "a.yaml"))
        let folder = try AuthorFolder(place.path)
        try FileManager.default.moveItem(at: place, to: around.appending("moved"))
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data("second".utf8).write(to: place.appending(path: "a.yaml"))
        #expect(try folder.bytes("a.yaml", endingIn: ["yaml"], atMost: 100) == Array("first".utf8))
    }
}
