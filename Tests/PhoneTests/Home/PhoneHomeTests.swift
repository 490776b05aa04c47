import Foundation
import PhoneStore
import TestSupport
import Testing

@testable import Phone

@Suite("The phone's home")
struct PhoneHomeTests {
    @Test("that cannot be used is refused with the place, the reason and what to do")
    func unusable() throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("file")
        try Data().write(to: file)
        for place in [file, file.appending(path: "phone")] {
            let error = #expect(throws: PhoneError.self) { try PhoneHome(place).claim() }
            let fault = place == file ? "it" : file.path
            #expect(error?.code == .homeUnusable)
            #expect(
                error?.message
                    == "the phone's folder \(place.path) cannot be made: \(fault) is not a folder; move it away, and try again"
            )
        }
    }

    @Test("is taken from other users, also where it could only be read")
    func taken() throws {
        let folder = try TemporaryFolder()
        let home = folder.appending("phone")
        try FileManager.default.createDirectory(
            at: home, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
        _ = try PhoneHome(home).claim()
        #expect(try FileManager.default.attributesOfItem(atPath: home.path)[.posixPermissions] as? Int == 0o700)
    }

    @Test("whose lock cannot be opened is not taken for one that is in use")
    func lock() throws {
        let folder = try TemporaryFolder()
        let home = PhoneHome(folder.appending("phone"))
        try home.prepare()
        for name in ["lock", "page.lock"] {
            try FileManager.default.createDirectory(
                at: home.folder.appending(path: name), withIntermediateDirectories: false)
        }
        for claim in [home.claim, home.claimPage, home.claimClosedPage] {
            let error = #expect(throws: PhoneError.self) { try claim() }
            #expect(error?.code == .homeUnusable)
            #expect(error?.message.contains("lock cannot be opened: ") == true)
        }
    }

    @Test("is swept of what a visit has left, also of folders that it has closed")
    func swept() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let home = PhoneHome(folder.appending("phone"))
        try home.prepare()
        let closed = home.downloads.appending(path: "visit-1/sub/deep")
        try FileManager.default.createDirectory(at: closed, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: closed.appending(path: "file"))
        chmod(closed.path, 0)
        try Data("x".utf8).write(to: home.downloads.appending(path: "1.pdf"))
        home.sweepDownloads()
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.downloads.path).isEmpty)
    }
}
