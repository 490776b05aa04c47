import Foundation
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import Authenticator

/// A secret store in memory, in place of the phone's vault.
private final class OpenSecrets: SecretStore {
    private let secrets = Mutex<[String: Secret]>([:])

    func secret(named name: String) async throws -> Secret? { secrets.withLock { $0[name] } }
    func store(_ secret: Secret, named name: String) async throws { secrets.withLock { $0[name] = secret } }
    func remove(named name: String) async throws { secrets.withLock { $0[name] = nil } }
}

/// One of the person's devices.
private struct Device {
    let folder: TemporaryFolder
    let secrets = OpenSecrets()

    init() throws { folder = try TemporaryFolder() }

    func tokens(_ synced: (any KeyValueStore)? = nil) -> TokenStore {
        TokenStore(folder: folder.url, secrets: secrets, synced: synced)
    }

    var file: URL { folder.url.appending(path: "vault.totp") }
}

@Suite("Tokens on a device and between devices")
struct TokenStoreTests {
    /// Two devices with one key.
    private static func pair() async throws -> (Device, Device) {
        let (one, two) = (try Device(), try Device())
        let key = TokenVaultKey()
        for device in [one, two] { try await key.save(to: device.secrets) }
        return (one, two)
    }

    @Test("keeps added tokens across a restart, encrypted and readable only by the owner")
    func durable() async throws {
        let device = try Device()
        let token = try aToken()
        try await device.tokens().change { try $0.add(token) }
        #expect(try await device.tokens().vault().tokens == [token])
        let bytes = try Data(contentsOf: device.file)
        for text in [sampleSecret, "Meridian", "robin"] { #expect(bytes.range(of: Data(text.utf8)) == nil) }
        let mode = try FileManager.default.attributesOfItem(atPath: device.file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(device.folder.names == ["lock", "vault.totp"])
    }

    @Test("says why the lock of its folder cannot be taken", arguments: [true, false])
    func lockInTheWay(isFolder: Bool) async throws {
        let device = try Device()
        let lock = device.folder.appending("lock")
        if isFolder {
            try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: false)
        } else {
            try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: device.folder.appending("other"))
        }
        let reason = String(cString: strerror(isFolder ? EISDIR : ELOOP))
        let error = await #expect(throws: SecondFactorError.self) { try await device.tokens().vault() }
        #expect(error?.code == .unreadable)
        #expect(
            error?.message
                == "\(lock.path) cannot be opened: \(reason); move what is in the way, and try again")
    }

    @Test("writes nothing before the first token")
    func nothing() async throws {
        let device = try Device()
        #expect(try await device.tokens().vault().tokens.isEmpty)
        #expect(device.folder.names == ["lock"])
        #expect(try await TokenVaultKey.load(from: device.secrets) == nil)
    }

    @Test("leaves a vault without its key unchanged and says what to do")
    func keyMissing() async throws {
        let device = try Device()
        let token = try aToken()
        try await device.tokens().change { try $0.add(token) }
        let before = try Data(contentsOf: device.file)
        try await device.secrets.remove(named: TokenVaultKey.identifier)
        let error = await #expect(throws: SecondFactorError.self) {
            try await device.tokens().change { try $0.add(aToken("Other")) }
        }
        #expect(error?.code == .keyMissing && error?.message.contains("totp sync join") == true)
        #expect(try Data(contentsOf: device.file) == before)
    }

    @Test("leaves a damaged vault unchanged")
    func damaged() async throws {
        let device = try Device()
        let token = try aToken()
        try await device.tokens().change { try $0.add(token) }
        var bytes = try Data(contentsOf: device.file)
        bytes[40] ^= 1
        try bytes.write(to: device.file)
        let error = await #expect(throws: SecondFactorError.self) {
            try await device.tokens().change { try $0.add(aToken("Other")) }
        }
        #expect(error?.code == .damaged)
        #expect(try Data(contentsOf: device.file) == bytes)
    }

    @Test("merges tokens that two devices add at the same time")
    func twoDevices() async throws {
        let (one, two) = try await Self.pair()
        let synced = FolderKeyValueStore(try TemporaryFolder().kept().url)
        let (a, b) = (try aToken("A"), try aToken("B"))
        try await one.tokens(synced).change { try $0.add(a) }
        try await two.tokens(synced).change { try $0.add(b) }
        let result = try await one.tokens(synced).sync()
        #expect(result.vault.tokens == [a, b] && result.sync == .inStep)
        try await one.tokens(synced).change { try $0.delete(a.id) }
        #expect(try await two.tokens(synced).vault().tokens == [b])
        try FileManager.default.removeItem(at: synced.folder)
    }

    @Test("restores tokens that another device overwrote")
    func lostUpdate() async throws {
        let (one, two) = try await Self.pair()
        let synced = MemoryKeyValueStore()
        let (a, b) = (try aToken("A"), try aToken("B"))
        try await one.tokens(synced).change { try $0.add(a) }
        // The second device writes later, without having seen the first one's write.
        let aside = MemoryKeyValueStore()
        try await two.tokens(aside).change { try $0.add(b) }
        let late = try await aside.values(forKey: TokenStore.vaultName)[0].data
        try await synced.set(late, forKey: TokenStore.vaultName, superseding: [])
        #expect(try await one.tokens(synced).vault().tokens == [a, b])
        #expect(try await two.tokens(synced).vault().tokens == [a, b])
    }

    @Test(
        "merges and removes conflicting versions of a sync client",
        arguments: [
            "vault.sync-conflict-20260101-120000-ABCDEFG.totp", "vault (conflicted copy 2026-01-01).totp",
            "vault 2.totp", "vault (Robin's conflicted copy).totp",
        ])
    func conflicts(_ name: String) async throws {
        let (one, two) = try await Self.pair()
        let shared = try TemporaryFolder()
        let (a, b) = (try aToken("A"), try aToken("B"))
        try await one.tokens(FolderKeyValueStore(shared.url)).change { try $0.add(a) }
        try await two.tokens().change { try $0.add(b) }
        try FileManager.default.copyItem(at: two.file, to: shared.url.appending(path: name))
        let result = try await one.tokens(FolderKeyValueStore(shared.url)).sync()
        #expect(result.vault.tokens == [a, b] && result.mergedVersions == 1)
        #expect(shared.names == ["vault.totp"])
    }

    @Test("leaves a damaged or foreign synced copy alone and keeps working")
    func foreignCopy() async throws {
        let (one, stranger) = (try Device(), try Device())
        let shared = try TemporaryFolder()
        let synced = FolderKeyValueStore(shared.url)
        try await stranger.tokens(synced).change { try $0.add(aToken("Stranger")) }
        let before = try Data(contentsOf: synced.file(forKey: TokenStore.vaultName))
        let token = try aToken()
        try await one.tokens(synced).change { try $0.add(token) }
        let result = try await one.tokens(synced).sync()
        guard case .apart = result.sync else {
            Issue.record("a copy under another key was taken")
            return
        }
        #expect(result.vault.tokens == [token])
        #expect(try Data(contentsOf: synced.file(forKey: TokenStore.vaultName)) == before)
    }

    @Test("gives codes even if the synced folder is missing")
    func offline() async throws {
        let device = try Device()
        let synced = FolderKeyValueStore(device.folder.url.appending(path: "gone"))
        let token = try aToken()
        try await device.tokens(synced).change { try $0.add(token) }
        let result = try await device.tokens(synced).sync()
        #expect(result.vault.tokens == [token] && result.sync != .inStep)
    }

    @Test("joins other devices by their key and keeps its own tokens")
    func adopt() async throws {
        let (one, two) = (try Device(), try Device())
        let synced = MemoryKeyValueStore()
        let (a, b) = (try aToken("A"), try aToken("B"))
        try await one.tokens(synced).change { try $0.add(a) }
        try await two.tokens().change { try $0.add(b) }
        try await two.tokens().adopt(#require(try await TokenVaultKey.load(from: one.secrets)))
        #expect(try await two.tokens(synced).vault().tokens == [a, b])
        #expect(try await one.tokens(synced).vault().tokens == [a, b])
    }

    @Test("loses nothing if the power fails while it adopts a key")
    func adoptInterrupted() async throws {
        let device = try Device()
        let token = try aToken()
        try await device.tokens().change { try $0.add(token) }
        let before = try Data(contentsOf: device.file)
        try await device.tokens().adopt(TokenVaultKey())
        // The key was written, but the vault was not.
        try before.write(to: device.file)
        #expect(try await device.tokens().vault().tokens == [token])
        #expect(try Data(contentsOf: device.file) != before)
        #expect(try await device.tokens().vault().tokens == [token])
    }

    @Test("keeps many simultaneous changes")
    func concurrent() async throws {
        let device = try Device()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                // Each uses its own store, like separate processes.
                let tokens = device.tokens()
                group.addTask { try await tokens.change { try $0.add(aToken("Bank \(number)")) } }
            }
            try await group.waitForAll()
        }
        #expect(try await device.tokens().vault().count == 20)
    }

    @Test("notices a change in the synced folder", .timeLimit(.minutes(3)))
    func notifications() async throws {
        let (one, two) = try await Self.pair()
        let shared = try TemporaryFolder()
        let changes = try FolderKeyValueStore(shared.url).changes()
        try await one.tokens(FolderKeyValueStore(shared.url)).change { try $0.add(aToken()) }
        for await _ in changes { break }
        #expect(try await two.tokens(FolderKeyValueStore(shared.url)).vault().count == 1)
    }

    @Test("does not read links or folders in place of a vault", arguments: ["link", "folder"])
    func unplain(_ kind: String) async throws {
        let device = try Device()
        let shared = try TemporaryFolder()
        let file = shared.url.appending(path: "vault.totp")
        if kind == "link" {
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: URL(filePath: "/etc/hostname"))
        } else {
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        }
        try await device.tokens(FolderKeyValueStore(shared.url)).change { try $0.add(aToken()) }
        let result = try await device.tokens(FolderKeyValueStore(shared.url)).sync()
        #expect(result.vault.count == 1 && result.sync != .inStep)
    }
}

extension TemporaryFolder {
    /// A folder that outlives its value; the caller removes it.
    fileprivate func kept() -> TemporaryFolder { Unmanaged.passRetained(self).takeUnretainedValue() }
}
