import Foundation
import TestSupport
import Testing

@testable import Machine

@Suite("The removal of a folder")
struct FolderRemovalTests {
    @Test("takes closed folders, deep ones, and odd names with it")
    func everything() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let root = folder.appending("visit-1")
        try PrivateFolder.make(root.appending(path: "sub/deep/deeper"))
        try PrivateFolder.make(root.appending(path: "empty"))
        for file in ["a", "sub/.b", "sub/deep/c", "sub/deep/deeper/d"] {
            try Data("x".utf8).write(to: root.appending(path: file))
        }
        let odd = root.path + "/\u{0A}odd"
        #expect(mkfifo(odd, 0o000) == 0)
        // More folders in each other than a process may have files open.
        var deep = open(root.path, O_RDONLY | O_DIRECTORY)
        for _ in 0..<3_000 {
            #expect(mkdirat(deep, "a-folder-in-a-folder", 0o700) == 0)
            let next = openat(deep, "a-folder-in-a-folder", O_RDONLY | O_DIRECTORY)
            close(deep)
            deep = next
        }
        close(deep)
        chmod(root.appending(path: "sub/deep/deeper").path, 0o500)
        chmod(root.appending(path: "sub/deep").path, 0)
        chmod(root.appending(path: "sub").path, 0o500)
        chmod(root.path, 0)
        try FolderRemoval.remove(root)
        #expect(folder.names.isEmpty)
    }

    @Test("removes links, and nothing behind them")
    func links() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let outside = folder.appending("outside")
        try PrivateFolder.make(outside)
        try Data("kept".utf8).write(to: outside.appending(path: "statement.pdf"))
        chmod(outside.path, 0o500)
        let root = folder.appending("visit-1")
        try PrivateFolder.make(root.appending(path: "sub"))
        for name in ["link", "sub/link"] {
            try FileManager.default.createSymbolicLink(
                at: root.appending(path: name), withDestinationURL: outside)
        }
        let link = folder.appending("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: outside)
        for place in [root, link, folder.appending("missing")] { try FolderRemoval.remove(place) }
        #expect(folder.names == ["outside"])
        #expect(try String(contentsOf: outside.appending(path: "statement.pdf"), encoding: .utf8) == "kept")
        #expect(try FileManager.default.attributesOfItem(atPath: outside.path)[.posixPermissions] as? Int == 0o500)
    }

    @Test("names what stays")
    func stays() {
        let error = #expect(throws: FileError.self) { try FolderRemoval.remove(URL(filePath: "/proc/self/status")) }
        #expect(error?.operation == "removed" && error?.path == "/proc/self/status")
    }
}
