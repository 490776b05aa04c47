import DeviceTrust
import Encodings
import Foundation
import Secrets
import Testing

/// A thief with a paired phone, and its owner with another one, far from the broker's machine.
@Suite("A lost phone")
struct LostPhoneTests {
    private func removal(
        of removed: AttackedPhone, by phone: AttackedPhone, key: VaultDeviceKey? = nil, server: ServerID? = nil,
        at age: TimeInterval = 0
    ) async throws -> JSONValue {
        let removal = DeviceRemoval(
            of: removed.id, by: phone.id, verifiedBy: [.passphrase], at: phone.broker.now.addingTimeInterval(age))
        return try await removal.signed(for: server ?? phone.server, with: key ?? phone.key)
    }

    @Test("is removed from another phone of its owner, and calls in vain from then on")
    func lost() async throws {
        try await AttackedBroker().run { broker in
            let (lost, left) = (try await AttackedPhone(broker), try await AttackedPhone(broker))
            let path = "/phone/devices/\(lost.id)/remove"
            let answer = try await left.send("POST", path, try await removal(of: lost, by: left))
            #expect(answer.status == 200, "\(answer)")
            #expect(try await lost.send("GET", "/phone/requests/pending").status == 401)
            #expect(try await left.send("GET", "/phone/requests/pending").status == 200)
            let again = try await left.send("POST", path, try await removal(of: lost, by: left))
            #expect(again.status == 404, "\(again)")
        }
    }

    @Test("cannot remove the others with a token alone, another's key, an old signature or one for another broker")
    func thief() async throws {
        try await AttackedBroker().run { broker in
            let (thief, owner) = (try await AttackedPhone(broker), try await AttackedPhone(broker))
            let path = "/phone/devices/\(owner.id)/remove"
            let forged: [(String, JSONValue)] = [
                ("another key", try await removal(of: owner, by: thief, key: VaultDeviceKey())),
                ("another broker", try await removal(of: owner, by: thief, server: ServerID())),
                ("an hour old", try await removal(of: owner, by: thief, at: -3600)),
                ("of the future", try await removal(of: owner, by: thief, at: 3600)),
                ("another device's", try await removal(of: owner, by: owner)),
                ("for another device", try await removal(of: thief, by: thief)),
            ]
            for (what, body) in forged {
                let answer = try await thief.send("POST", path, body)
                #expect(answer.status == 403 && answer.json["error_code"] == "SIGNATURE_INVALID", "\(what): \(answer)")
            }
            #expect(try await thief.send("POST", path, [:]).status == 400)
            let unpaired = try await broker.send("POST", path, token: AttackedBroker.phoneToken, [:])
            #expect([401, 409].contains(unpaired.status), "\(unpaired)")
            #expect(try await owner.send("GET", "/phone/devices").json["devices"]?.arrayValue?.count == 2)
        }
    }
}
