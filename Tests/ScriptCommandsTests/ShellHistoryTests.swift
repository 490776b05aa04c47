import Foundation
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("The history of the shell")
struct ShellHistoryTests {
    @Test("survives the session, in a file for its owner alone")
    func survives() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let home = folder.appending("home")
        var first = ShellHistory(in: home)
        #expect(first.listed == ["no lines yet"])
        for line in ["open /login", "press Sign in", "press Sign in", "page"] { try first.add(line) }
        let second = ShellHistory(in: home)
        #expect(second.listed == ["1  open /login", "2  press Sign in", "3  page"])
        let file = home.appending(path: "shell-history").path
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("performs a line again by its number")
    func again() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var history = ShellHistory(in: folder.url)
        #expect(history.expanded("!!") == nil)
        try history.add("open /login")
        try history.add("page")
        #expect(history.expanded("!1") == "open /login")
        #expect(history.expanded("!!") == "page")
        #expect(history.expanded("!9") == nil && history.expanded("!x") == nil)
        #expect(history.expanded("press Sign in") == "press Sign in")
    }

    @Test("keeps the latest five hundred lines")
    func limit() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let lines = (1...510).map { "open /\($0)" }
        try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending("shell-history"))
        var history = ShellHistory(in: folder.url)
        try history.add("page")
        #expect(history.lines.count == 500)
        #expect(history.lines.first == "open /12")
        #expect(history.listed.count == 50)
    }
}
