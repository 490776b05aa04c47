import DeviceTrust
import Encodings
import Foundation
import Messages
import PhoneStore
import Secrets
import Synchronization
import TestParties
import Testing

@testable import Phone

/// A place of device keys that a test makes misbehave.
private final class KeyPlace: DeviceKeyMaker {
    enum Mood: Sendable {
        case good, away, hanging, other, lying
    }

    struct Away: Error, CustomStringConvertible {
        let description = "no reader is connected\u{202E}\nyes?"
    }

    private struct State {
        var mood = Mood.good
        var keys: [String: VaultDeviceKey] = [:]
        var heard: [[UInt8]] = []
        var references: [[UInt8]] = []
    }

    private let state = Mutex(State())
    private let reference: String

    init(reference: String = "slot 7") {
        self.reference = reference
    }

    func turn(_ mood: Mood) { state.withLock { $0.mood = mood } }
    /// Everything that was given to it.
    var heard: [[UInt8]] { state.withLock { $0.heard + $0.references } }

    func make() async throws -> MadeDeviceKey {
        try await behave()
        let key = VaultDeviceKey()
        state.withLock { $0.keys[reference] = key }
        return MadeDeviceKey(Key(publicKey: key.publicKey, key: key, place: self), reference: Secret(reference))
    }

    func key(_ reference: Secret) async throws -> any DeviceKey {
        try await behave()
        let (key, mood) = state.withLock { state in
            state.references.append(Array(reference.revealed().utf8))
            return (state.keys[reference.revealed()], state.mood)
        }
        guard let key, mood != .other else {
            let other = VaultDeviceKey()
            return Key(publicKey: other.publicKey, key: other, place: self)
        }
        return Key(publicKey: key.publicKey, key: mood == .lying ? VaultDeviceKey() : key, place: self)
    }

    private func behave() async throws {
        switch state.withLock({ $0.mood }) {
        case .away: throw Away()
        case .hanging:
            // Heeds no cancellation.
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + 5) { continuation.resume() }
            }
        case .good, .other, .lying: break
        }
    }

    private struct Key: DeviceKey {
        let publicKey: DevicePublicKey
        let key: VaultDeviceKey
        let place: KeyPlace

        func signature(of payload: [UInt8]) async throws -> DeviceSignature {
            place.state.withLock { $0.heard.append(payload) }
            return try await key.signature(of: payload)
        }
    }
}

// Serialized: while one test writes the name into a vault, another one's messages have it masked.
@Suite("A phone whose device key a plug-in keeps", .serialized, .timeLimit(.minutes(3)))
struct PluggedDeviceKeyTests {
    private static func makers(_ place: KeyPlace, limit: Duration = .seconds(30)) -> DeviceKeyMakers {
        DeviceKeyMakers(["smartcard": place], limit: limit)
    }

    @Test("pairs with it, approves with it, and has nothing of it but a sealed reference")
    func good() async throws {
        try await TestPhone.with { phone in
            let place = KeyPlace()
            let paired = try await phone.pair(keyIn: "smartcard", of: Self.makers(place))
            #expect(paired.deviceKey.maker == "smartcard")
            #expect(await phone.broker.pairing.device?.key == paired.deviceKey.publicKey)
            for (name, data) in try phone.files() {
                #expect(data.range(of: Data("slot 7".utf8)) == nil, "\(name)")
            }
            await phone.broker.offer([try phone.envelope()])
            let runner = try await phone.storedRunner(of: Self.makers(place))
            let request = try #require(try await runner.refresh().pending.first)
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
            #expect(await phone.broker.pairing.approvals.map(\.envelope.requestID) == [request.id])
        }
    }

    @Test("gives it what is to be signed and its own reference, and nothing else")
    func canaries() async throws {
        try await TestPhone.with { phone in
            let place = KeyPlace()
            let paired = try await phone.pair(keyIn: "smartcard", of: Self.makers(place))
            await phone.broker.offer([try phone.envelope()])
            let runner = try await phone.storedRunner(of: Self.makers(place))
            let request = try #require(try await runner.refresh().pending.first)
            _ = try await runner.approve(request, with: phone.verification)
            let heard = place.heard
            // The proof of the pairing, the approval, and the reference.
            #expect(heard.count == 3)
            let canaries = [
                TestPhone.passphrase.revealed(), "ada.lovelace", "analytical engine",
                paired.credentials.token.revealed(), paired.credentials.rawSharedSecret.revealed(),
            ]
            for canary in canaries {
                #expect(!heard.contains { Data($0).range(of: Data(canary.utf8)) != nil }, "\(canary.prefix(4))")
            }
        }
    }

    @Test(
        "says which key fails and signs nothing; the request stays, and is approved when the key is back",
        arguments: [
            (KeyPlace.Mood.away, "cannot be used: no reader is connected yes?"),
            (.hanging, "did not answer within 0 s"),
            (.other, "is another key than the one of the pairing"), (.lying, "gave a signature that is not its own"),
        ])
    private func bad(_ mood: KeyPlace.Mood, _ words: String) async throws {
        try await TestPhone.with { phone in
            let place = KeyPlace()
            try await phone.pair(keyIn: "smartcard", of: Self.makers(place))
            await phone.broker.offer([try phone.envelope()])
            place.turn(mood)
            func refused() async throws {
                let runner = try await phone.storedRunner(
                    of: Self.makers(place, limit: mood == .hanging ? .milliseconds(200) : .seconds(30)))
                let request = try #require(try await runner.refresh().pending.first)
                let began = ContinuousClock.now
                let error = await #expect(throws: PhoneError.self) {
                    try await runner.approve(request, with: phone.verification)
                }
                #expect(ContinuousClock.now - began < .seconds(4))
                #expect(error?.code == .deviceKeyUnusable)
                #expect(
                    error?.message.contains("the device key “smartcard” \(words)") == true, "\(error?.message ?? "")")
                #expect(error?.message.contains("slot 7") == false)
                #expect(await phone.broker.posts.isEmpty)
                #expect(phone.engine.state.withLock { $0.opened } == 0)
                #expect(try await runner.pending().map(\.id) == [request.id])
                #expect(try await phone.auditTypes("warning").contains("approval.refused"))
                #expect(try await !phone.auditTypes().contains("approval.signed"))
            }
            try await refused()
            place.turn(.good)
            let runner = try await phone.storedRunner(of: Self.makers(place))
            let request = try #require(try await runner.refresh().pending.first)
            let outcome = try await runner.approve(request, with: phone.verification)
            #expect(outcome == .completed(filename: "\(request.id)-jan-2026.pdf"))
        }
    }

    @Test("is told which plug-in is missing in a program without it")
    func missing() async throws {
        try await TestPhone.with { phone in
            try await phone.pair(keyIn: "smartcard", of: Self.makers(KeyPlace()))
            await phone.broker.offer([try phone.envelope()])
            let runner = try await phone.storedRunner()
            let request = try #require(try await runner.refresh().pending.first)
            let error = await #expect(throws: PhoneError.self) {
                try await runner.approve(request, with: phone.verification)
            }
            #expect(error?.message.contains("“smartcard”, which is not plugged into this program") == true)
            #expect(await phone.broker.posts.isEmpty)
        }
    }

    @Test(
        "makes no pairing when the key cannot be made, and the broker hears nothing",
        arguments: ["away", "empty", "long", "unknown"])
    func unmade(_ why: String) async throws {
        try await TestPhone.with { phone in
            let place = KeyPlace(
                reference: why == "empty" ? "" : String(repeating: "x", count: why == "long" ? 4097 : 1))
            if why == "away" { place.turn(.away) }
            let before = try phone.files()
            let error = await #expect(throws: PhoneError.self) {
                try await phone.pair(keyIn: why == "unknown" ? "tpm" : "smartcard", of: Self.makers(place))
            }
            let expected = [
                "away": "the device key “smartcard” cannot be used: no reader is connected",
                "empty": "the device key “smartcard” gave no reference of 1 to 4096 bytes",
                "long": "the device key “smartcard” gave no reference of 1 to 4096 bytes",
                "unknown": "no device key “tpm” is plugged in; the names are: vault, smartcard",
            ]
            #expect(error?.message.contains(expected[why]!) == true, "\(error?.message ?? "")")
            #expect(await phone.broker.pairing.heard.isEmpty)
            #expect(try phone.files() == before)
        }
    }

    @Test("keeps the reference when credentials rotate, and forgets it when it is paired with a key of the vault")
    func kept() async throws {
        try await TestPhone.with { phone in
            let place = KeyPlace()
            try await phone.pair(keyIn: "smartcard", of: Self.makers(place))
            func names() async throws -> Set<String> {
                let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
                defer { secrets.close() }
                var names: Set<String> = []
                for name in ["device-key", "device-key-maker", "device-public-key"]
                where try await secrets.secret(named: "connection/\(name)") != nil { names.insert(name) }
                return names
            }
            #expect(try await names() == ["device-key", "device-key-maker", "device-public-key"])
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            try await PhoneConnection(from: secrets).save(to: secrets)
            secrets.close()
            #expect(try await names() == ["device-key", "device-key-maker", "device-public-key"])
            await phone.broker.pairing { $0 = FakePairing() }
            try await phone.pair()
            #expect(try await names() == ["device-key"])
        }
    }
}
