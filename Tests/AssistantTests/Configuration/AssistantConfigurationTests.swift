import AssistantJobs
import AssistantProcesses
import Foundation
import Secrets
import TestSupport
import Testing

@testable import Assistant

@Suite("The assistant's settings") struct AssistantConfigurationTests {
    @Test("what is not set has its default")
    func defaults() throws {
        let configuration = try AssistantConfiguration(environment: ["XDG_DATA_HOME": "/data"])
        #expect(configuration.databaseURL == "sqlite:/data/countersign/assistant/assistant.sqlite")
        #expect(configuration.port == 8790 && configuration.host == "127.0.0.1")
        #expect(configuration.signup == .invite)
        #expect(configuration.apple == nil)
        #expect(configuration.auditDays == 400)
        let apple = try #require(
            try AssistantConfiguration(environment: ["ASSISTANT_APPLE_AUDIENCE": "app", "HOME": "/x"]).apple)
        #expect(apple.issuer == "https://appleid.apple.com")
        #expect(apple.keySetURL == "https://appleid.apple.com/auth/keys")
    }

    @Test(
        "every problem is named",
        arguments: [
            ("ASSISTANT_PORT", "70000"), ("ASSISTANT_SIGNUP", "maybe"), ("ASSISTANT_AUDIT_DAYS", "0"),
            ("ASSISTANT_HOST", "0.0.0.0"), ("ASSISTANT_CA_FILE", "/nonexistent"),
            ("ASSISTANT_DATABASE_PASSWORD_FILE", "/nonexistent"),
            ("ASSISTANT_APPLE_JWKS_URL", "http://apple.example/keys"),
            ("ASSISTANT_PUBLIC_URL", "http://assistant.example"), ("ASSISTANT_PUBLIC_URL", "assistant.example"),
            ("ASSISTANT_APPLE_JWKS_URL", "http://127.0.0.1.example/keys"),
            ("ASSISTANT_APPLE_JWKS_URL", "ftp://127.0.0.1/k"),
        ])
    func problems(_ name: String, _ value: String) {
        let error = #expect(throws: AssistantConfigurationError.self) {
            try AssistantConfiguration(environment: ["ASSISTANT_APPLE_AUDIENCE": "app", "HOME": "/x", name: value])
        }
        #expect(error?.problems.count == 1)
        #expect(error?.description.contains(name) == true)
    }

    @Test(
        "a passkey's site is the public URL's host and origin",
        arguments: [
            ("https://assistant.example/app", "assistant.example", "https://assistant.example"),
            ("https://assistant.example:443", "assistant.example", "https://assistant.example"),
            ("https://assistant.example:8443/", "assistant.example", "https://assistant.example:8443"),
            ("", "localhost", "http://localhost:8790"),
        ])
    func site(_ url: String, _ id: String, _ origin: String) throws {
        let site = try AssistantConfiguration(environment: ["HOME": "/x", "ASSISTANT_PUBLIC_URL": url]).site
        #expect(site.id == id && site.origin == origin)
    }

    @Test("plain HTTP is for loopback", arguments: ["http://127.0.0.1:5/k", "http://localhost/k", "http://[::1]:8/k"])
    func loopback(_ url: String) { #expect(SettingsReader.isSafe(url)) }

    @Test("a password is the first line of a private file")
    func password() throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("password")
        try Data("pass word\nrest".utf8).write(to: file)
        let environment = ["HOME": "/x", "ASSISTANT_DATABASE_PASSWORD_FILE": file.path]
        chmod(file.path, 0o644)
        #expect(throws: AssistantConfigurationError.self) { try AssistantConfiguration(environment: environment) }
        chmod(file.path, 0o600)
        #expect(try AssistantConfiguration(environment: environment).databasePassword?.revealed() == "pass word")
    }

    @Test("keys are made once, privately, also by programs that start together")
    func keys() async throws {
        let folder = try TemporaryFolder()
        let state = folder.appending("state")
        let digests = try await withThrowingTaskGroup(of: [UInt8].self, returning: Set<[UInt8]>.self) { group in
            for _ in 0..<6 { group.addTask { try StateKeys(in: state).digest("text", for: "purpose") } }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
        #expect(digests.count == 1)
        let file = state.appending(path: "root.key")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let keys = try StateKeys(in: state)
        #expect(keys.digest("text", for: "other") != digests.first)
        chmod(file.path, 0o640)
        #expect(throws: AssistantStartError.self) { try StateKeys(in: state) }
        chmod(file.path, 0o600)
        try Data([1, 2]).write(to: file)
        #expect(throws: AssistantStartError.self) { try StateKeys(in: state) }
    }
}
