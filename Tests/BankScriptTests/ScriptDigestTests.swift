import Foundation
import TestSupport
import Testing

@testable import BankScript

/// The digests of scripts as they were recorded. A person approves a digest, so a change of the language must not change
/// one. With `COUNTERSIGN_WRITE_GOLDEN` set the record is written anew, for a script that was itself changed.
@Suite("The digest of a script that exists")
struct ScriptDigestTests {
    private static let record = Repository.file("Tests/BankScriptTests/Golden/digests.txt")

    /// The folders of the repository that hold scripts.
    private static let folders = ["BankScripts", "Tests/AutomationTests/Golden", "Tests/ScriptCommandsTests/Mistakes"]

    /// The scripts of the repository that can be read, those that tests make, and ten made at random, by name.
    static let scripts: [(name: String, script: BankScript)] = {
        var scripts: [(String, BankScript)] = [
            ("everything", ScriptWriterTests.everything), ("answering", ScriptWriterTests.answering),
        ]
        for seed in 1...10 { scripts.append(("made-\(seed)", MadeScript.script(seed: UInt64(seed)))) }
        for folder in folders {
            let files = FileManager.default.enumerator(atPath: Repository.file(folder).path)?.allObjects ?? []
            for case let name as String in files where name.hasSuffix(".yaml") && !name.hasSuffix(".test.yaml") {
                guard let text = try? String(contentsOf: Repository.file("\(folder)/\(name)"), encoding: .utf8),
                    let script = try? BankScript(yaml: text, file: name)
                else { continue }
                scripts.append(("\(folder)/\(name)", script))
            }
        }
        return scripts.sorted { $0.0 < $1.0 }
    }()

    @Test("is the one that was recorded")
    func digests() throws {
        let lines = Self.scripts.map { "\($0.script.digest) \($0.name)" }
        if ProcessInfo.processInfo.environment["COUNTERSIGN_WRITE_GOLDEN"] != nil {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: Self.record)
        }
        let recorded = try String(contentsOf: Self.record, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines.count > 60)
        #expect(Set(lines).subtracting(recorded).isEmpty)
        #expect(Set(recorded).subtracting(lines).isEmpty)
    }

    @Test("stays when the script is written and read again")
    func roundTrip() throws {
        for (name, script) in Self.scripts {
            let again = try BankScript(yaml: script.yaml(), file: name)
            #expect(again.digest == script.digest, "\(name)")
        }
    }
}
