import Clocks
import Foundation
import Secrets
import Synchronization
import Terminal
import TestSupport
import Testing

@testable import CountersignCommandLine

@Suite("The whole road")
struct WholeRoadTests {
    private final class Output: Sendable {
        private let text = Mutex("")
        var all: String { text.withLock { $0 } }
        func add(_ line: String) { text.withLock { $0 += line } }
    }

    private func files(below folder: URL) -> [URL] {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return (all?.allObjects as? [URL] ?? []).filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) ?? false
        }
    }

    /// Returns the spellings that a secret can have in a file or a text.
    private func spellings(of secret: String) -> [String] {
        let bytes = Data(secret.utf8)
        let base64 = bytes.base64EncodedString()
        return [
            secret, secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!,
            secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!.replacing("%20", with: "+"), base64,
            base64.replacing("=", with: ""),
            base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""),
            bytes.map { String(format: "%02x", $0) }.joined(),
        ]
    }

    @Test(
        "goes from request to verified PDF over TLS, HTTP and disk, and leaves no secret anywhere",
        .timeLimit(.minutes(4))
    )
    func canaries() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let home = folder.url
        let secrets = [
            "username": "canary user ÄÖ+1@x", "password": "canary/päss&word=2?",
            "token": "CANARYCANARYCANARYCANARYCANARYCA",
            "agent": "canary-agent-token-0123456789abcdef", "phone": "canary-phone-token-0123456789abcdef",
            "shared": "canary shared secret 0123456789abcdef", "passphrase": "canary passphrase of the vault",
        ]
        let output = Output()
        var stage = DemoStage(home: home, period: MonthYear(month: 1, year: 2026)!, console: Console { output.add($0) })
        stage.credentials = .init(
            username: Secret(secrets["username"]!), password: Secret(secrets["password"]!),
            tokenSecret: Secret(secrets["token"]!), codeLength: 8)
        stage.agentToken = Secret(secrets["agent"]!)
        stage.phoneToken = Secret(secrets["phone"]!)
        stage.sharedSecret = Secret(secrets["shared"]!)
        stage.passphrase = Secret(secrets["passphrase"]!)
        stage.asksPerson = false
        let pdf = try await stage.play()
        defer { try? FileManager.default.removeItem(at: pdf) }

        #expect(output.all.contains("COMPLETED"))
        #expect(output.all.contains("the vault answered"))
        #expect(output.all.contains("code     your vault answers: Meridian Savings"))
        #expect(try Data(contentsOf: pdf).starts(with: Data("%PDF-".utf8)))
        #expect(try String(decoding: Data(contentsOf: pdf), as: UTF8.self).contains("January 2026"))

        let files = files(below: home)
        #expect(files.contains { $0.lastPathComponent == "broker.sqlite" })
        #expect(files.contains { $0.lastPathComponent == "vault.json" })
        #expect(files.contains { $0.lastPathComponent == "phone.sqlite" })
        for (name, secret) in secrets {
            for spelling in spellings(of: secret) {
                #expect(!output.all.contains(spelling), "the \(name) was printed")
                for file in files {
                    let data = try Data(contentsOf: file)
                    #expect(data.range(of: Data(spelling.utf8)) == nil, "the \(name) is in \(file.lastPathComponent)")
                }
            }
        }
        for file in files {
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int ?? 0
            #expect(mode & 0o077 == 0, "\(file.path) is not private")
        }
    }
}
