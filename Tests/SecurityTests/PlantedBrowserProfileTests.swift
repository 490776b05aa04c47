import Foundation
import Machine
import TestSupport
import Testing

@testable import BrowserAutomation

/// Another user makes the browser's folder first, to read what the browser keeps there.
@Suite("A planted profile of the browser")
struct PlantedBrowserProfileTests {
    private let base: TemporaryFolder

    init() throws {
        base = try TemporaryFolder()
    }

    /// Returns the names, one a call, and the last for ever.
    private func names(_ list: String...) -> () -> String {
        var list = list.map { PrivateProfile.prefix + $0 }
        return { list.count > 1 ? list.removeFirst() : list[0] }
    }

    private func plant(_ name: String, mode: Int = 0o700) throws -> URL {
        let folder = base.appending(PrivateProfile.prefix + name)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
        return folder
    }

    @Test("is not used: the next name is")
    func planted() throws {
        let folder = try plant("planted", mode: 0o777)
        let profile = try PrivateProfile(in: base.url, name: names("planted", "free"))
        #expect(profile.folder.lastPathComponent == PrivateProfile.prefix + "free")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("is an error when every name is planted")
    func allPlanted() throws {
        _ = try plant("planted")
        #expect(throws: BrowserError.self) { try PrivateProfile(in: base.url, name: names("planted")) }
    }

    @Test("is not followed when it is a link")
    func link() throws {
        let target = try plant("target")
        try FileManager.default.createSymbolicLink(
            at: base.appending(PrivateProfile.prefix + "link"), withDestinationURL: target)
        let profile = try PrivateProfile(in: base.url, name: names("link", "free"))
        #expect(profile.folder.lastPathComponent == PrivateProfile.prefix + "free")
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == [])
    }

    @Test("leaves ours to ourselves alone")
    func mode() throws {
        let profile = try PrivateProfile(in: base.url)
        let attributes = try FileManager.default.attributesOfItem(atPath: profile.folder.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        #expect(base.names == [profile.folder.lastPathComponent])
        profile.remove()
        #expect(base.names == [])
    }

    @Test("of a killed run is removed at the next start, one in use is not")
    func stale() throws {
        let killed = try plant("killed")
        _ = try FileLock(killed.appending(path: "run.lock"))
        let old = try plant("old")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -600)], ofItemAtPath: old.path)
        let young = try plant("young")
        let watched = try plant("watched")
        _ = try FileLock(watched.appending(path: "run.lock"))
        let watch = try FileLock(watched.appending(path: PrivateProfile.watchName))
        let open = try plant("open", mode: 0o755)
        _ = try FileLock(open.appending(path: "run.lock"))
        let running = try PrivateProfile(in: base.url)
        PrivateProfile.removeStale(in: base.url)
        #expect(base.names == [young, watched, open, running.folder].map(\.lastPathComponent).sorted())
        withExtendedLifetime(watch) {}
    }
}
