import Automation
import BankScript
import Foundation
import TestSupport
import Testing

/// Someone who can write to the folder of scripts brings back a version that its owner has replaced.
@Suite("A version of a script that was replaced")
struct ReplacedScriptTests {
    private static func yaml(_ path: String) -> String {
        """
        bank: northern
        name: Northern Bank
        origins: [https://northern.example]
        steps:
          - open: \(path)
          - download: PDF

        """
    }

    private func withVersions(
        _ body: (_ accepted: AcceptedScripts, _ old: BankScript, _ new: BankScript, _ runs: (String) throws -> Bool)
            throws
            -> Void
    ) throws {
        let place = try TemporaryFolder()
        defer { place.remove() }
        let folder = place.appending("scripts")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let accepted = AcceptedScripts(home: place.appending("home"))
        let old = try BankScript(yaml: Self.yaml("/old"), file: "northern.yaml")
        let new = try BankScript(yaml: Self.yaml("/new"), file: "northern.yaml")
        try body(accepted, old, new) { path in
            try Data(Self.yaml(path).utf8).write(to: folder.appending(path: "northern.yaml"))
            let registry = try ScriptRegistry([], folder: ScriptFolder(folder), accepted: accepted)
            return registry.script(forBank: "northern") != nil
        }
    }

    @Test("does not run any more when it comes back")
    func replaced() throws {
        try withVersions { accepted, old, new, runs in
            try accepted.accept(old)
            #expect(try runs("/old"))
            let retired = try accepted.accept(new)
            #expect(try runs("/new"))
            #expect(try !runs("/old"), "the replaced version runs")
            #expect(retired.map(\.digest) == [old.digest])
        }
    }

    @Test("runs where its owner said so, until it is revoked")
    func kept() throws {
        try withVersions { accepted, old, new, runs in
            try accepted.accept(old, at: Date(timeIntervalSince1970: 1_700_000_000))
            #expect(try accepted.accept(new, keepingOthers: true).isEmpty)
            #expect(try runs("/old"))
            #expect(try accepted.all().map(\.digest) == [new.digest, old.digest])
            #expect(try accepted.revoke(digest: String(old.digest.hex.prefix(11))) == nil, "too short to be meant")
            #expect(try accepted.revoke(digest: String(old.digest.hex.prefix(12)))?.digest == old.digest)
            #expect(try !runs("/old"))
            #expect(try runs("/new"))
        }
    }

    @Test("leaves the scripts of other banks accepted")
    func otherBank() throws {
        try withVersions { accepted, old, new, _ in
            let other = try BankScript(
                yaml: Self.yaml("/old").replacing("bank: northern", with: "bank: southern"), file: "s.yaml")
            try accepted.accept(other)
            try accepted.accept(old)
            try accepted.accept(new)
            #expect(try accepted.digests() == [other.digest, new.digest])
        }
    }
}
