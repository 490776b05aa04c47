import BankScript
import Foundation
import ScriptCollections
import TestSupport
import Testing

@Suite("Vouches", .needs("ssh-keygen"))
struct VouchTests {
    private static let script = BankScript(
        id: "north", name: "Northern Bank", origins: ["https://north.example"], steps: [Step(.open("/"))])

    /// A reviewer's key in a folder, as ssh-keygen makes it.
    private struct Reviewer {
        let key: SSHKey
        let folder: TemporaryFolder

        init(_ type: String = "ed25519") async throws {
            folder = try TemporaryFolder()
            let outcome = try await Self.keygen([
                "-q", "-t", type, "-N", "", "-C", "a reviewer", "-f", folder.appending("id").path,
            ])
            try #require(outcome.status == 0, "\(outcome.text)")
            key = try SSHKey(line: String(decoding: Data(contentsOf: folder.appending("id.pub")), as: UTF8.self))
        }

        func signed(_ statement: String, namespace: String = Vouch.namespace) async throws -> String {
            let file = folder.appending("statement")
            try Data(statement.utf8).write(to: file)
            let outcome = try await Self.keygen([
                "-q", "-Y", "sign", "-f", folder.appending("id").path, "-n", namespace, file.path,
            ])
            try #require(outcome.status == 0, "\(outcome.text)")
            let signature = folder.appending("statement.sig")
            defer { try? FileManager.default.removeItem(at: signature) }
            return statement + String(decoding: try Data(contentsOf: signature), as: UTF8.self)
        }

        private static func keygen(_ arguments: [String]) async throws -> ChildProcess.Outcome {
            let program = try #require(Peers.program("ssh-keygen"))
            return try await ChildProcess.run(
                program, arguments, environment: ProcessInfo.processInfo.environment, input: nil,
                in: FileManager.default.temporaryDirectory)
        }
    }

    @Test("by ssh-keygen's keys are read", arguments: ["ed25519", "ecdsa"], Vouch.Kind.allCases)
    func read(type: String, kind: Vouch.Kind) async throws {
        let ada = try await Reviewer(type)
        let text = try await ada.signed(Vouch.statement(kind, of: Self.script, on: "2026-01-31"))
        let vouches = try Vouch.all(in: text)
        #expect(vouches.map(\.kind) == [kind] && vouches.map(\.day) == ["2026-01-31"])
        let trusted = Vouch.trusted(among: vouches, for: Self.script, by: ["ada": ada.key])
        #expect(trusted.map(\.reviewer) == ["ada"])
        #expect(ada.key.fingerprint.hasPrefix("SHA256:") && ada.key.fingerprint.count == 50)
    }

    @Test("count once for each reviewer, for this version, and for keys that the owner names")
    func counted() async throws {
        let (ada, bea) = (try await Reviewer(), try await Reviewer())
        let statement = Vouch.statement(.read, of: Self.script, on: "2026-01-31")
        let again = Vouch.statement(.ran, of: Self.script, on: "2026-02-01")
        let text = try await ada.signed(statement) + ada.signed(again) + bea.signed(statement)
        let vouches = try Vouch.all(in: text)
        #expect(vouches.count == 3)
        let both = Vouch.trusted(among: vouches, for: Self.script, by: ["ada": ada.key, "bea": bea.key])
        #expect(both.map(\.reviewer) == ["ada", "bea"] && both.first?.vouch.kind == .ran)
        #expect(Vouch.trusted(among: vouches, for: Self.script, by: ["ada": ada.key, "eve": ada.key]).count == 1)
        #expect(Vouch.trusted(among: vouches, for: Self.script, by: [:]).isEmpty)
        var other = Self.script
        other.steps.append(Step(.open("/other")))
        #expect(Vouch.trusted(among: vouches, for: other, by: ["ada": ada.key]).isEmpty)
    }

    @Test("are refused when the statement was changed, or signed for another purpose")
    func changed() async throws {
        let ada = try await Reviewer()
        let statement = Vouch.statement(.read, of: Self.script, on: "2026-01-31")
        let text = try await ada.signed(statement)
        for (old, new) in [("says read", "says ran"), ("2026-01-31", "2026-11-31"), ("bank north", "bank south")] {
            #expect {
                _ = try Vouch.all(in: text.replacing(old, with: new))
            } throws: { ($0 as? CollectionError)?.kind == .unsigned }
        }
        let commit = try await ada.signed(statement, namespace: "git")
        #expect { _ = try Vouch.all(in: commit) } throws: { ($0 as? CollectionError)?.kind == .unsigned }
    }

    @Test(
        "that are broken are refused",
        arguments: ["x", "countersign-vouch 1\n", "-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----"])
    func broken(text: String) {
        #expect(throws: CollectionError.self) { _ = try Vouch.all(in: text) }
    }

    @Test(
        "by a key that cannot vouch are refused with a hint",
        arguments: ["", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ=="])
    func keys(line: String) {
        #expect(throws: CollectionError.self) { _ = try SSHKey(line: line) }
    }
}
