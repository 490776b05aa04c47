import Encodings
import Foundation
import TestSupport
import Testing

@testable import Phone
@testable import Secrets

/// `countersign totp`, as people and scripts use it.
@Suite("countersign totp")
struct TotpCommandTests {
    private static let secret = "CANARYCANARYCANARYCANARYCANARYCA"
    private static let uri = "otpauth://totp/Meridian%20Savings:robin?secret=\(secret)"

    /// A folder with phone homes and a passphrase file, deleted with this object.
    private final class Place: Sendable {
        let temporary: TemporaryFolder
        var folder: URL { temporary.url }
        var passphrase: String { temporary.appending("passphrase").path }

        /// Creates the vaults, with a fast key derivation.
        init(homes: String...) async throws {
            temporary = try TemporaryFolder()
            try Data("a good passphrase\n".utf8).write(to: URL(filePath: passphrase))
            for name in homes + ["home"] {
                let home = PhoneHome(folder.appending(path: name), scrypt: .cheapForTests)
                try home.prepare()
                try await home.vault.create(passphrase: Secret("a good passphrase")).close()
            }
        }

        func path(_ name: String) -> String { folder.appending(path: name).path }

        func totp(_ arguments: String..., input: String? = nil, home: String = "home") async throws
            -> CountersignProcess.Outcome
        {
            try await CountersignProcess(
                ["totp"] + arguments + ["--home", path(home), "--passphrase-file", passphrase], typed: input, in: folder
            ).run()
        }
    }

    @Test("adds a token from standard input, lists it, and shows its code")
    func life() async throws {
        let place = try await Place()
        let added = try await place.totp("add", "--uri-file", "-", "--bank", "default", input: Self.uri + "\n")
        #expect(added.status == 0)
        #expect(added.output == "added Meridian Savings, robin; it now answers the bank “default”\n")
        let listed = try await place.totp("list")
        #expect(listed.output == "Meridian Savings, robin  (6 digits, 30 s, SHA1)  answers default\n")
        let code = try await place.totp("code")
        #expect(code.output.wholeMatch(of: /[0-9]{3} [0-9]{3}  [0-9]{1,2} s left  Meridian Savings, robin\n/) != nil)
        let json = try await JSONReader.read(place.totp("code", "meridian", "--json").output)
        #expect(json["code"]?.stringValue?.count == 6)
        #expect(try await place.totp("rename", "robin", "--issuer", "Meridian").status == 0)
        #expect(try await place.totp("remove", "Meridian").status == 2)
        #expect(try await place.totp("remove", "Meridian", "--yes").output == "deleted Meridian, robin\n")
        #expect(try await place.totp("list").output.hasPrefix("the vault has no tokens yet"))
        for run in [added, listed] { #expect(!run.all.contains("CANARY")) }
    }

    @Test("adds a typed secret whose codes have another form, which a URI says itself")
    func form() async throws {
        let place = try await Place()
        let form = ["--digits", "8", "--period", "60", "--algorithm", "sha-256"]
        let options = ["--home", place.path("home"), "--passphrase-file", place.passphrase]
        let adding = try Program(
            ["totp", "add", "--issuer", "Meridian", "--account", "robin"] + form + options, atTerminal: true)
        try await adding.printing("not shown")
        try adding.write(Self.secret)
        #expect(try await adding.status() == 0 && adding.printed.contains("added Meridian, robin"), "\(adding.printed)")
        #expect(try await place.totp("list").output == "Meridian, robin  (8 digits, 60 s, SHA256)\n")
        let refused = try await place.totp("add", "--uri-file", "-", "--digits", "6", input: Self.uri + "\n")
        #expect(refused.status == 2 && refused.errors.contains("the URI says the digits"), "\(refused)")
        #expect(try await place.totp("add", "--digits", "7").errors.contains("--digits is 6 or 8"))
        let wrong = try await place.totp("add", "--algorithm", "md5")
        #expect(wrong.status == 2 && wrong.errors.contains("SHA256"), "\(wrong)")
    }

    @Test("takes no secret from the command line")
    func argument() async throws {
        let run = try await Place().totp("add", Self.uri)
        #expect(run.status == 2)
        #expect(run.errors.contains("can be read by other programs"))
        #expect(!run.all.contains("CANARY"))
    }

    @Test("leaves no secret in any file of the home, nor in what is printed about a broken vault")
    func quiet() async throws {
        let place = try await Place()
        _ = try await place.totp("add", "--uri-file", "-", input: Self.uri)
        let home = URL(filePath: place.path("home"))
        let files =
            FileManager.default.enumerator(at: home, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
        #expect(files.contains { $0.lastPathComponent == "vault.totp" })
        for file in files {
            guard let data = try? Data(contentsOf: file) else { continue }
            #expect(data.range(of: Data("CANARYCANARY".utf8)) == nil, "\(file.lastPathComponent)")
        }
        let vault = home.appending(path: "tokens/vault.totp")
        var bytes = try Data(contentsOf: vault)
        bytes[20] ^= 4
        try bytes.write(to: vault)
        let broken = try await place.totp("code")
        #expect(broken.status == 1 && broken.errors.contains("it was left unchanged"))
        #expect(!broken.all.contains("CANARY"))
        #expect(try Data(contentsOf: vault) == bytes)
    }

    @Test("exports encrypted, plain only when told, and imports what it exported")
    func exchange() async throws {
        let place = try await Place(homes: "another")
        _ = try await place.totp("add", "--uri-file", "-", input: Self.uri)
        let sealed = place.path("sealed.json")
        #expect(try await place.totp("export", sealed, "--export-passphrase-file", place.passphrase).status == 0)
        #expect(try !String(contentsOfFile: sealed, encoding: .utf8).contains("CANARY"))
        let again = try await place.totp("export", sealed, "--export-passphrase-file", place.passphrase)
        #expect(again.status == 1 && again.errors.contains("already exists"))
        let plain = place.path("plain.txt")
        #expect(try await place.totp("export", plain, "--plain").output.contains("delete it after use"))
        #expect(try String(contentsOfFile: plain, encoding: .utf8).hasPrefix("otpauth://totp/"))
        for file in [sealed, plain] {
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        let imported = try await place.totp(
            "import", sealed, "--export-passphrase-file", place.passphrase, home: "another")
        #expect(imported.output == "1 added, 0 already there, 0 left out\n")
        #expect(
            try await place.totp("import", plain, home: "another").output == "0 added, 1 already there, 0 left out\n")
    }

    @Test("shows a token as a QR code that it can add again")
    func qr() async throws {
        let place = try await Place(homes: "another")
        _ = try await place.totp("add", "--uri-file", "-", input: Self.uri)
        let picture = place.path("token.png")
        #expect(try await place.totp("qr", "meridian", "--png", picture).status == 0)
        #expect(
            try await place.totp("add", "--qr", picture, home: "another").output == "added Meridian Savings, robin\n")
        #expect(try await place.totp("qr", "meridian").output.contains("█"))
    }

    @Test("two homes share their tokens through a folder")
    func sync() async throws {
        let place = try await Place(homes: "second")
        let folder = place.path("synced")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        _ = try await place.totp("add", "--uri-file", "-", input: Self.uri)
        #expect(try await place.totp("sync", "use", folder).status == 0)
        let key = place.path("key.json")
        _ = try await place.totp("sync", "invite", key, "--export-passphrase-file", place.passphrase)
        let other = Self.uri.replacing("Meridian%20Savings", with: "Another")
        _ = try await place.totp("add", "--uri-file", "-", input: other, home: "second")
        let refused = try await place.totp("sync", "use", folder, home: "second")
        #expect(refused.status == 1 && refused.errors.contains("totp sync join"))
        #expect(
            try await place.totp("sync", "join", key, "--export-passphrase-file", place.passphrase, home: "second")
                .status
                == 0)
        #expect(try await place.totp("sync", "use", folder, home: "second").output.hasPrefix("2 tokens, in step with"))
        let status = try await JSONReader.read(place.totp("sync", "status", "--json").output)
        #expect(status["state"] == "in_step" && status["tokens"] == 2)
    }

    @Test("says what to do when there is nothing yet")
    func empty() async throws {
        for home in ["home", "none"] {
            let run = try await Place().totp("code", home: home)
            #expect(run.status == 1 && run.errors.contains("countersign totp add"))
        }
    }
}
