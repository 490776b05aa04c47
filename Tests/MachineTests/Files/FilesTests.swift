import Foundation
import TestSupport
import Testing

@testable import Machine

@Suite("An atomic file")
struct AtomicFileTests {
    @Test("appears whole, private, and without its temporary sibling")
    func writes() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a.json")
        try AtomicFile.write(Array("one".utf8), to: file)
        try AtomicFile.write(Array("two".utf8), to: file)
        #expect(try String(contentsOf: file, encoding: .utf8) == "two")
        #expect(folder.names == ["a.json"])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("leaves what was there when it cannot be written")
    func fails() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a.json")
        try AtomicFile.write(Array("one".utf8), to: file)
        #expect(throws: FileError.self) {
            try AtomicFile.replace(file) { _, path throws(FileError) in throw FileError("written", path, ENOSPC) }
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "one")
        #expect(folder.names == ["a.json"])
        let missing = folder.url.appending(path: "no/such/folder.json")
        #expect(throws: FileError.self) { try AtomicFile.write([1], to: missing) }
    }

    @Test(
        "says what to do where only its owner can help",
        arguments: [
            (ENOSPC, "; free some space on its disk, and try again"),
            (EDQUOT, "; free some space on its disk, and try again"),
            (EROFS, "; its disk can only be read, so mount it for writing, or name another folder"),
            (EACCES, "; check its owner and its mode"), (EPERM, "; check its owner and its mode"),
            (ENOENT, ""),
        ])
    func remedy(code: Int32, words: String) {
        let said = FileError("written", "/inbox/a.pdf", code).description
        #expect(said == "/inbox/a.pdf cannot be written: \(String(cString: strerror(code)))\(words)")
    }

    @Test("says so of a device that is full")
    func full() throws {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 7, count: 10)
        let error = #expect(throws: FileError.self) {
            try bytes.withUnsafeBytes { try AtomicFile.write($0, to: descriptor, "/inbox/a.pdf") }
        }
        #expect(error?.description.hasSuffix("; free some space on its disk, and try again") == true)
    }
}

@Suite("A passing file")
struct PassingFileTests {
    @Test("is private, and never replaces or follows another one")
    func writes() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a.pdf")
        try PassingFile.write(Array("one".utf8), to: file)
        #expect(throws: FileError("made", file.path, EEXIST)) { try PassingFile.write([2], to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == "one")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let elsewhere = folder.url.appending(path: "elsewhere")
        let link = folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: elsewhere)
        #expect(throws: FileError.self) { try PassingFile.write([3], to: link) }
        #expect(!FileManager.default.fileExists(atPath: elsewhere.path))
    }
}

@Suite("A private folder")
struct PrivateFolderTests {
    @Test("names the reason when it cannot be made")
    func reason() throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("file")
        try Data().write(to: file)
        #expect {
            try PrivateFolder.make(file.appending(path: "inside"))
        } throws: { error in
            (error as? FileError)?.code == ENOTDIR
        }
    }

    @Test("that is there is taken from other users, and must be a folder")
    func claim() throws {
        let folder = try TemporaryFolder()
        let own = folder.appending("own")
        try FileManager.default.createDirectory(
            at: own, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
        try PrivateFolder.claim(own)
        var status = stat()
        #expect(stat(own.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        let file = folder.appending("file")
        try Data().write(to: file)
        let error = #expect(throws: FileError.self) { try PrivateFolder.claim(file.appending(path: "inside")) }
        #expect(
            error?.description
                == "\(file.path)/inside cannot be made: \(file.path) is not a folder; move it away, and try again")
        let other = #expect(throws: FileError.self) { try PrivateFolder.claim(file) }
        #expect(other?.description == "\(file.path) cannot be made: it is not a folder; move it away, and try again")
    }
}

@Suite("The fault of a folder")
struct FolderFaultTests {
    @Test("is its own mode, or the mode of a folder above it that is there")
    func mode() throws {
        let folder = try TemporaryFolder()
        let closed = folder.appending("it's closed")
        try FileManager.default.createDirectory(
            at: closed, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o500])
        let command = "chmod u+rwx '\(closed.path.replacing("'", with: "'\\''"))'"
        #expect(FolderFault.words(of: EACCES, at: closed.path) == "its mode forbids it; run: \(command)")
        #expect(
            FolderFault.words(of: EACCES, at: closed.path + "/a/b")
                == "the mode of \(closed.path) forbids it; run: \(command)")
    }

    @Test("is its owner, and root gets no command that takes it from a person")
    func owner() throws {
        let folder = try TemporaryFolder().url.path
        let owner = try #require(
            try FileManager.default.attributesOfItem(atPath: "/")[.ownerAccountName] as? String)
        #expect(
            FolderFault.words(of: EPERM, at: "/", for: 4711)
                == "it belongs to the user \(owner); name a folder of your own, or ask them for one there")
        #expect(
            FolderFault.words(of: EACCES, at: "/no-such/folder", for: 4711)
                == "/ belongs to the user \(owner); name a folder of your own, or ask them for one there")
        guard geteuid() != 0 else { return }
        #expect(FolderFault.words(of: EACCES, at: folder, for: 0).hasSuffix("; run this as that user"))
    }

    @Test("is a disk that is full or can only be read", arguments: [ENOSPC, EDQUOT, EROFS])
    func disk(code: Int32) throws {
        let folder = try TemporaryFolder().url.path
        #expect(FolderFault.words(of: code, at: folder) == FileError.words(of: code))
    }

    @Test("is a link that leads nowhere")
    func link() throws {
        let folder = try TemporaryFolder()
        let link = folder.appending("link")
        #expect(symlink("nowhere", link.path) == 0)
        #expect(
            FolderFault.words(of: EEXIST, at: link.path + "/inside")
                == "\(link.path) is not a folder; move it away, and try again")
    }
}

@Suite("An opened file")
struct OpenedFileTests {
    @Test("gives the bytes of a plain file, even after its name is gone")
    func reads() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a")
        try AtomicFile.write(Array("first".utf8), to: file)
        let opened = try OpenedFile(file)
        try AtomicFile.write(Array("second".utf8), to: file)
        #expect(try opened.bytes(atMost: 100) == Array("first".utf8))
        #expect(throws: FileError.self) { try opened.bytes(atMost: 4) }
    }

    @Test("a file of 4 GB is refused by its size, before it is read")
    func huge() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "huge")
        try AtomicFile.write([1], to: file)
        #expect(truncate(file.path, 4 << 30) == 0)
        let opened = try OpenedFile(file)
        var seen = 0
        let error = #expect(throws: FileError.self) {
            try opened.copy(to: folder.url.appending(path: "copy"), atMost: 64 << 20) { seen += $0.count }
        }
        #expect(error?.code == EFBIG && seen == 0)
        #expect((#expect(throws: FileError.self) { try opened.bytes(atMost: 64 << 20) })?.code == EFBIG)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["huge"])
    }

    @Test("refuses anything but a regular file with one name")
    func refuses() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "plain")
        try AtomicFile.write([1], to: file)
        let link = folder.url.appending(path: "link")
        let hard = folder.url.appending(path: "hard")
        let pipe = folder.url.appending(path: "pipe")
        #expect(symlink(file.path, link.path) == 0)
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for name in [link, pipe, folder.url, folder.url.appending(path: "none")] {
            #expect(throws: FileError.self, "\(name.lastPathComponent)") { try OpenedFile(name) }
        }
        #expect(Foundation.link(file.path, hard.path) == 0)
        #expect(throws: FileError.self) { try OpenedFile(file) }
    }

    @Test("follows links where they are allowed, but to regular files only")
    func follows() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "plain")
        try AtomicFile.write(Array("text".utf8), to: file)
        #expect(symlink(file.path, folder.appending("link").path) == 0)
        #expect(Foundation.link(file.path, folder.appending("hard").path) == 0)
        #expect(mkfifo(folder.appending("pipe").path, 0o600) == 0)
        #expect(symlink(folder.appending("pipe").path, folder.appending("to a pipe").path) == 0)
        #expect(symlink("/dev/zero", folder.appending("to a device").path) == 0)
        for name in ["plain", "link", "hard"] {
            #expect(try OpenedFile(folder.appending(name), links: .followed).bytes(atMost: 4) == Array("text".utf8))
            #expect(OpenedFile.text(of: folder.appending(name), atMost: 4) == "text")
            #expect(OpenedFile.text(of: folder.appending(name), atMost: 3) == nil)
        }
        for name in ["pipe", "to a pipe", "to a device", "none", "."] {
            #expect(throws: FileError.self, "\(name)") { try OpenedFile(folder.appending(name), links: .followed) }
            #expect(OpenedFile.text(of: folder.appending(name), atMost: 100) == nil)
        }
    }

    @Test("is at its path until it is written to, or another one takes its place")
    func place() throws {
        let folder = try TemporaryFolder()
        let (file, other) = (folder.url.appending(path: "a.pdf"), folder.url.appending(path: "b.pdf"))
        for name in [file, other] { try AtomicFile.write(Array("half".utf8), to: name) }
        let opened = try OpenedFile(file)
        #expect(opened.isUnchanged(at: file) && !opened.isUnchanged(at: other))
        #expect(rename(other.path, file.path) == 0)
        #expect(!opened.isUnchanged(at: file), "the same words, but another file")
        let second = try OpenedFile(file)
        #expect(truncate(file.path, 2) == 0)
        #expect(!second.isUnchanged(at: file) && !second.isUnchanged(at: other))
    }

    @Test("gives its start, its end, and a handle for another program")
    func parts() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "plain")
        try AtomicFile.write(Array("0123456789".utf8), to: file)
        let opened = try OpenedFile(file)
        for (count, start, end) in [(0, "", ""), (3, "012", "789"), (10, "0123456789", "0123456789")] {
            #expect(try opened.start(count) == Array(start.utf8))
            #expect(try opened.end(count) == Array(end.utf8))
        }
        #expect(try opened.start(99) == opened.end(99))
        #expect(try opened.input().readToEnd() == Data("0123456789".utf8))
        #expect(try opened.input().readToEnd() == Data("0123456789".utf8))
        #expect(opened.isPrivate)
        #expect(chmod(file.path, 0o640) == 0)
        #expect(try !OpenedFile(file).isPrivate)
        #expect(truncate(file.path, 4) == 0)
        #expect(try opened.start(10) == Array("0123".utf8))
    }
}

@Suite("Names and watching")
struct WatchTests {
    @Test(
        "knows temporary names",
        arguments: [
            "x.pdf.tmp", ".x.pdf.Xy12ab", ".syncthing.x.pdf.tmp", "~x.pdf", "x.pdf~", "x.pdf.part", ".x.pdf.icloud",
            "x.sync-conflict-20260101-120000-ABC.pdf", "x.crdownload",
        ])
    func temporary(name: String) {
        #expect(TemporaryNames.isTemporary(name))
    }

    @Test("knows names that are complete", arguments: ["x.pdf", "x.manifest.json", "tmp.pdf", "part-1.pdf"])
    func complete(name: String) {
        #expect(!TemporaryNames.isTemporary(name))
    }

    @Test("reports the files that come into a folder", .timeLimit(.minutes(3)))
    func watches() async throws {
        let folder = try TemporaryFolder()
        let watch = try DirectoryWatch(folder: folder.url)
        try AtomicFile.write([1], to: folder.url.appending(path: "came.pdf"))
        var seen: Set<DirectoryEvent> = []
        for await event in watch.events {
            seen.insert(event)
            if event == .changed("came.pdf") { break }
        }
        #expect(seen.contains(.changed("came.pdf")))
        // The watch ends with its last use.
        defer { withExtendedLifetime(watch) {} }
        #if os(Linux)
            // The thread that made the watch names the other one after it has started.
            while try !Self.threadNames().contains("folder watch\n") { try await Task.sleep(for: .milliseconds(5)) }
        #endif
    }

    #if os(Linux)
        private static func threadNames() throws -> [String] {
            let threads = URL(filePath: "/proc/self/task")
            return try FileManager.default.contentsOfDirectory(atPath: threads.path).compactMap {
                // A thread may end meanwhile.
                try? String(contentsOf: threads.appending(path: "\($0)/comm"), encoding: .utf8)
            }
        }
    #endif

    @Test("cannot watch what is not there")
    func missing() {
        #expect(throws: FileError.self) { try DirectoryWatch(folder: URL(filePath: "/no/such/folder")) }
    }
}
