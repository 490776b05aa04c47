import Foundation
import Machine
import TestSupport
import Testing

@Suite("Installed programs")
struct InstalledProgramTests {
    /// Makes the folders `first` and `second` with a file of each name and mode, and `third` with a folder `tool`.
    private static func withFolders(_ body: (TemporaryFolder) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let files = FileManager.default
        for (place, name, mode) in [("first", "tool", 0o644), ("second", "tool", 0o755), ("second", "other", 0o700)] {
            let parent = folder.appending(place)
            try files.createDirectory(at: parent, withIntermediateDirectories: true)
            try Data("#!/bin/sh\n".utf8).write(to: parent.appending(path: name))
            chmod(parent.appending(path: name).path, mode_t(mode))
        }
        try files.createDirectory(at: folder.appending("third/tool"), withIntermediateDirectories: true)
        try files.createSymbolicLink(
            at: folder.appending("third/link"), withDestinationURL: folder.appending("second/tool"))
        try files.createSymbolicLink(
            at: folder.appending("third/dangling"), withDestinationURL: folder.appending("nowhere"))
        try body(folder)
    }

    @Test("are found in the first folder that has one, and neither a file without the right nor a folder is one")
    func found() throws {
        try Self.withFolders { folder in
            let path = ["first", "third", "second"].map { folder.appending($0).path }.joined(separator: ":")
            for (name, place) in [
                ("tool", "second/tool"), ("other", "second/other"), ("link", "third/link"), ("dangling", nil),
                ("missing", nil),
            ] {
                let expected = place.map { folder.appending($0).path }
                #expect(InstalledProgram.path(of: name, in: path) == expected, "\(name)")
            }
            #expect(InstalledProgram.isProgram(folder.appending("second/tool").path))
            #expect(!InstalledProgram.isProgram(folder.appending("third/tool").path))
        }
    }

    @Test("are not looked for in relative folders")
    func relative() {
        // The way from the working directory to the folder of the shell.
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let bin = (Array(repeating: "..", count: depth) + ["bin"]).joined(separator: "/")
        #expect(InstalledProgram.isProgram("\(bin)/sh"))
        for folders in [bin, "", ":", ".:\(bin):"] {
            #expect(InstalledProgram.path(of: "sh", in: folders) == nil, "\(folders)")
            #expect(InstalledProgram.path(of: "sh", in: folders + ":/bin") == "/bin/sh", "\(folders)")
        }
    }
}
