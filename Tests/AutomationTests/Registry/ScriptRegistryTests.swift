import Automation
import BankScript
import DefaultBank
import Foundation
import Testing

@Suite("The registry of scripts")
struct ScriptRegistryTests {
    private let place = FileManager.default.temporaryDirectory.appending(
        path: "registry-\(UUID().uuidString)", directoryHint: .isDirectory)
    private var folder: ScriptFolder { ScriptFolder(place.appending(path: "scripts", directoryHint: .isDirectory)) }
    private var accepted: AcceptedScripts { AcceptedScripts(home: place.appending(path: "home")) }

    private static func yaml(_ id: String, path: String = "/login", named name: String = "Northern Bank") -> String {
        """
        bank: \(id)
        name: \(name)
        origins: [https://northern.example]
        steps:
          - open: \(path)
          - download: PDF

        """
    }

    private func withFolder(_ files: [String: String], _ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.url.appending(path: name)) }
        try body()
    }

    private func registry() throws -> ScriptRegistry {
        try ScriptRegistry([MeridianSavings.script], folder: folder, accepted: accepted)
    }

    @Test("refuses a file until its digest is accepted, and says how to accept it")
    func refuses() throws {
        try withFolder(["northern.yaml": Self.yaml("northern")]) {
            let before = try registry()
            #expect(before.script(forBank: "northern") == nil)
            let refusal = try #require(before.refusal(forBank: "northern"))
            #expect(refusal.message.contains("has not been accepted"))
            #expect(refusal.message.contains("countersign script accept"))
            #expect(before.script(forBank: "default") != nil)

            let script = try BankScript(yaml: Self.yaml("northern"), file: "northern.yaml")
            try accepted.accept(script)
            let after = try registry()
            #expect(after.script(forBank: "northern")?.digest == script.digest)
            #expect(after.refusals.isEmpty)
        }
    }

    @Test("refuses an accepted file whose steps have changed, but not one whose layout has")
    func changed() throws {
        try withFolder(["northern.yaml": Self.yaml("northern")]) {
            try accepted.accept(try BankScript(yaml: Self.yaml("northern"), file: "northern.yaml"))
            let file = folder.url.appending(path: "northern.yaml")
            try Data(("# a comment\n" + Self.yaml("northern")).utf8).write(to: file)
            #expect(try registry().script(forBank: "northern") != nil)
            try Data(Self.yaml("northern", path: "/elsewhere").utf8).write(to: file)
            #expect(try registry().script(forBank: "northern") == nil)
        }
    }

    @Test("puts an accepted file before the compiled script of the same bank")
    func replaces() throws {
        try withFolder(["mine.yml": Self.yaml("default")]) {
            #expect(try registry().script(forBank: "default")?.digest == MeridianSavings.script.digest)
            try accepted.accept(try BankScript(yaml: Self.yaml("default"), file: "mine.yml"))
            #expect(try registry().script(forBank: "default")?.name == "Northern Bank")
        }
    }

    @Test("refuses a second file for one bank, a file that is not a script, and a file with lint errors")
    func broken() throws {
        let files = [
            "a.yaml": Self.yaml("northern"), "b.yaml": Self.yaml("northern"),
            "c.yaml": "bank: c", "d.yaml": Self.yaml("d", path: "'/{{ yaer }}'"),
            "northern.test.yaml": "scenarios: []", "notes.txt": "no script", ".hidden.yaml": "none",
        ]
        try withFolder(files) {
            try accepted.accept(try BankScript(yaml: Self.yaml("northern"), file: "a.yaml"))
            let refusals = try registry().refusals
            #expect(refusals.map { $0.file.suffix(6) } == ["b.yaml", "c.yaml", "d.yaml"])
            #expect(refusals.allSatisfy { $0.message.hasPrefix($0.file) }, "\(refusals)")
            #expect(refusals[0].message.contains("keep one of them"))
            #expect(refusals[1].message.contains("the script has no “"))
            #expect(refusals[2].message.contains("did you mean “year”?"))
        }
    }

    @Test("keeps the accepted digests in a file of mode 0600, and trusts no other mode")
    func mode() throws {
        try withFolder([:]) {
            try accepted.accept(MeridianSavings.script)
            let path = accepted.file.path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try accepted.digests() == [MeridianSavings.script.digest])
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
            let error = #expect(throws: ScriptFolderError.self) { try accepted.digests() }
            #expect(error?.message.contains("chmod 600") == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            try Data("not JSON".utf8).write(to: accepted.file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            #expect(throws: ScriptFolderError.self) { try accepted.digests() }
        }
    }

    @Test("reports a missing folder")
    func noFolder() {
        #expect(throws: ScriptFolderError.self) { try registry() }
    }

    @Test("refuses a file that is too large, and one that is not UTF-8")
    func unreadable() throws {
        let large = Self.yaml("northern") + String(repeating: "# padding\n", count: 110_000)
        try withFolder(["large.yaml": large]) {
            try Data([0x62, 0xFF, 0xFE]).write(to: folder.url.appending(path: "binary.yaml"))
            let refusals = try registry().refusals
            #expect(refusals.count == 2)
            #expect(refusals.allSatisfy { $0.message.contains("cannot be read as a script") })
        }
    }

    @Test("moves every script to another host, and keeps refusals")
    func moved() throws {
        try withFolder(["northern.yaml": Self.yaml("northern")]) {
            let moved = try registry().changing { $0.served(at: "http://localhost:1", isForTesting: true) }
            #expect(moved.all.map(\.origins) == [["http://localhost:1"]])
            #expect(moved.refusal(forBank: "northern") != nil)
        }
    }
}
