import Clocks
import Foundation
import Secrets
import Synchronization
import TestSupport

@testable import KeyVault

let passphrase = Secret("correct horse battery staple")

/// The output of a passkey, by which a vault opens.
let passkeyOutput = Secret(bytes: [UInt8](repeating: 9, count: 32))

final class FakeBoot: BootClock {
    private let state = Mutex((boot: "one", uptime: 1000.0))
    var boot: String? { state.withLock { $0.boot } }
    var uptime: Double { state.withLock { $0.uptime } }
    func pass(_ seconds: Double) { state.withLock { $0.uptime += seconds } }
    func restart() { state.withLock { $0 = ("two", 0) } }
}

struct TemporaryVault: ~Copyable {
    private let folder: TemporaryFolder
    let clock = FakeBoot()
    var file: URL { folder.appending("vault.json") }
    var vault: Vault { Vault(file: file, scrypt: .cheapForTests, clock: clock) }

    func vault(_ generations: any VaultGenerations) -> Vault {
        Vault(file: file, scrypt: .cheapForTests, generations: generations, clock: clock)
    }

    init() throws { folder = try TemporaryFolder() }
}

func aPasskey(_ id: UInt8 = 1) -> KeySlot.Passkey {
    KeySlot.Passkey(
        credentialID: [id, 2, 3], publicKey: [4, 5, 6], prfInput: [UInt8](repeating: id, count: 32))
}

func code(_ error: any Error) -> VaultError.Code? { (error as? VaultError)?.code }
