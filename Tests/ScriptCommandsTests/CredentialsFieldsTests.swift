import BankScript
import Foundation
import Terminal
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("The fields of a credentials file")
struct CredentialsFieldsTests {
    private static func script(_ head: String = "") throws -> BankScript {
        try BankScript(
            yaml: """
                bank: my-bank
                name: My bank
                origins: [https://my-bank.example]
                \(head)
                steps:
                  - open: /login
                  - download: PDF
                """, file: "my-bank.yaml")
    }

    /// Returns what is said about a file.
    private static func complaint(_ text: String, for script: BankScript) throws -> CommandFailure? {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("login.json")
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        do {
            _ = try CredentialsFile(path: file.path, for: script)
            return nil
        } catch let failure as CommandFailure {
            #expect(failure.status == 2)
            return CommandFailure(failure.message.replacing(file.path, with: "login.json"), status: failure.status)
        }
    }

    @Test(
        "are named with what was meant where one is mistyped",
        arguments: [
            (
                #"{"username": "robin", "pasword": "x"}"#,
                "login.json has an unknown field “pasword”; did you mean “password”? The script of “my-bank” declares "
                    + "username, password"
            ),
            (#"{"user-name": "robin", "password": "x"}"#, "“user-name”; did you mean “username”?"),
            (#"{"username": "robin", "Password": "y"}"#, "“Password”; did you mean “password”?"),
            (#"{"username": "robin", "password": 70413}"#, "“password” is not a text; write what it stands for in"),
            (#"{"username": "robin", "password": null}"#, "“password” is not a text"),
            (#"{"username": "robin", "password": ""}"#, "“password” is empty, and the bank would count"),
            (#"{"username": "robin", "username": "robyn"}"#, "is not JSON"),
        ])
    func wrong(file: String, words: String) throws {
        let failure = try #require(try Self.complaint(file, for: Self.script()), "\(file)")
        #expect(failure.message.contains(words), "\(failure.message)")
        #expect(!failure.message.contains("robyn") && !failure.message.contains("70413"), "values are not shown")
    }

    @Test(
        "may be fewer, more, a code, and what an exchange would give",
        arguments: [
            ("", #"{"username": "robin", "password": "x", "note": "of the joint account", "": "y"}"#),
            ("", #"{"username": "robin", "password": "x", "Password": "y"}"#),
            ("", #"{}"#), ("", #"{"username": "robin", "password": "x", "code": "271828"}"#),
            ("credentials: [access_number]", #"{"access_number": "1"}"#),
            (
                "credentials: [setup_token]\nexchange: { claim: $setup_token, gives: [username, password] }",
                #"{"username": "robin", "password": "x"}"#
            ),
        ])
    func right(head: String, file: String) throws {
        #expect(try Self.complaint(file, for: Self.script(head))?.message == nil)
    }

    @Test("are checked before a phone stores any of them, and before any is missed")
    func stored() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("login.json")
        try Data(#"{"username": "robin", "pasword": "x"}"#.utf8).write(to: file)
        let failure = #expect(throws: CommandFailure.self) {
            _ = try ScriptFolderOptions.answers(to: try Self.script(), ofBank: "my-bank", file: file.path)
        }
        #expect(failure?.message.contains("did you mean “password”?") == true, "\(failure?.message ?? "")")
        // A file may serve several scripts; a phone keeps what its own declares.
        try Data(#"{"username": "robin", "password": "x", "branch": "7"}"#.utf8).write(to: file)
        let kept = try ScriptFolderOptions.answers(to: try Self.script(), ofBank: "my-bank", file: file.path)
        #expect(kept.keys.sorted() == ["password", "username"])
        try Data(#"{"username": "robin", "pasword": "x"}"#.utf8).write(to: file)
        // Without a script nothing is known of the names.
        let taken = try ScriptFolderOptions.answers(to: nil, ofBank: "my-bank", file: file.path)
        #expect(taken.keys.sorted() == ["pasword", "username"])
    }
}
