import AssistantStore
import Encodings
import Foundation
import Notifications
import TestSupport
import Testing

@Suite("The assistant's key for notifications at the terminal", .timeLimit(.minutes(4)))
struct AssistantNotificationsTests {
    /// Runs `body` with the state folder of an assistant that notifies two browsers and a telephone.
    private static func withState(
        _ body: (_ environment: [String: String], _ key: URL, _ devices: () async throws -> [String]) async throws ->
            Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.appending("countersign/assistant")
        try FileManager.default.createDirectory(
            at: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let key = state.appending(path: "webpush.key")
        _ = try ApplicationServer(keyFile: key, subject: nil)
        let address = "sqlite:\(state.appending(path: "assistant.sqlite").path)"
        let database = try await AssistantDatabase.open(address)
        let admission = try await database.users.admit(
            [UInt8](repeating: 1, count: 32), .open, timeZone: "Europe/Vienna", at: Date())
        guard case .new(let user) = admission else { throw AssistantStoreError(.other, "\(admission)") }
        for (name, channel) in [("one", StoredDevice.Channel.webpush), ("two", .webpush), ("phone", .apns)] {
            try await database.devices.put(
                name, of: user, channel, .production, sealedToken: Array(name.utf8), at: Date())
        }
        await database.close()
        try await body(["XDG_DATA_HOME": folder.url.path], key) {
            let database = try await AssistantDatabase.open(address)
            let names = try await database.devices.devices(of: user).map(\.deviceID).sorted()
            await database.close()
            return names
        }
    }

    private static func run(_ words: String, _ environment: [String: String]) async throws -> (
        status: Int32, output: String, errors: String
    ) {
        let outcome = try await Program.run(words.split(separator: " ").map(String.init), environment: environment)
        return (outcome.status, outcome.output, outcome.errors)
    }

    @Test("is replaced by the next version, the browsers are told of and forgotten, and telephones stay")
    func rotate() async throws {
        try await Self.withState { environment, key, devices in
            let before = try ApplicationServer(keyFile: key, subject: nil)
            let listed = try await Self.run("assistant notifications --json", environment)
            let shown = try JSONReader.read(listed.output)
            #expect(shown["version"] == 1 && shown["browsers"] == 2, "\(listed)")
            #expect(shown["public_key"]?.stringValue == before.publicKey)
            let rotated = try await Self.run("assistant notifications rotate --yes --json", environment)
            #expect(rotated.status == 0, "\(rotated)")
            let answer = try JSONReader.read(rotated.output)
            let after = try ApplicationServer(keyFile: key, subject: nil)
            #expect(answer["version"] == 2 && answer["browsers_forgotten"] == 2)
            #expect(answer["public_key"]?.stringValue == after.publicKey && after.publicKey != before.publicKey)
            #expect(after.version == 2)
            let left = try await devices()
            #expect(left == ["phone"])
            let status = try FileManager.default.attributesOfItem(atPath: key.path)[.posixPermissions] as? Int
            #expect(status == 0o600)
            let words = try await Self.run("assistant notifications", environment)
            #expect(
                words.output == "The key is version 2.\nBrowsers that are notified: 0\n", "\(words.output)")
        }
    }

    @Test("stays as it is without a yes, and without a key nothing is made", arguments: [true, false])
    func refused(hasKey: Bool) async throws {
        try await Self.withState { environment, key, devices in
            let before = try Data(contentsOf: key)
            if !hasKey { try FileManager.default.removeItem(at: key) }
            let rotated = try await Self.run(
                "assistant notifications rotate" + (hasKey ? "" : " --yes"), environment)
            #expect(rotated.status != 0 && rotated.output.isEmpty)
            #expect(
                rotated.errors.contains(hasKey ? "give --yes" : "no key for notifications yet"), "\(rotated.errors)")
            #expect((try? Data(contentsOf: key)) == (hasKey ? before : nil))
            let left = try await devices()
            #expect(left == ["one", "phone", "two"])
        }
    }

    @Test("stays where the browsers cannot be forgotten, so that none is left behind it")
    func lockedDatabase() async throws {
        try await Self.withState { environment, key, _ in
            let before = try Data(contentsOf: key)
            let file = key.deletingLastPathComponent().appending(path: "assistant.sqlite")
            try FileManager.default.removeItem(at: file)
            try Data("no database".utf8).write(to: file)
            let rotated = try await Self.run("assistant notifications rotate --yes", environment)
            #expect(rotated.status != 0, "\(rotated)")
            #expect(try Data(contentsOf: key) == before)
        }
    }
}
