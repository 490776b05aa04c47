import Clocks
import Crypto
import DeviceTrust
import Encodings
import Foundation
import Messages
import Testing

@Suite("The permission for a program elsewhere")
struct ClientPermissionTests {
    let server = ServerID()
    let device = DeviceID()
    let key = VaultDeviceKey()
    let now = Date(timeIntervalSince1970: 1_770_000_000)
    let client = WaitingClient(
        id: RequestID(), name: "Books", clientID: "https://books.example/client.json",
        returnsTo: "https://books.example/back", expiresAt: Timestamp(Date(timeIntervalSince1970: 1_770_000_600)))

    private var permission: ClientPermission {
        get throws {
            ClientPermission(
                for: client, number: "ABCD-EFGH", agent: try #require(AgentName("books")),
                limits: ClientLimits(banks: ["default"], kinds: [.pdf], perDay: 3), verifiedBy: [.passkey], at: now)
        }
    }

    private func read(
        _ body: JSONValue, by signer: DeviceID? = nil, key: DevicePublicKey? = nil, server: ServerID? = nil,
        after seconds: TimeInterval = 0
    ) throws(TrustError) -> ClientPermission {
        try ClientPermission(
            body: body, for: client.id, by: (signer ?? device, key ?? self.key.publicKey),
            server: server ?? self.server, at: now.addingTimeInterval(seconds))
    }

    private func code(_ body: () throws -> ClientPermission) -> TrustError.Code? {
        do {
            _ = try body()
            return nil
        } catch { return (error as? TrustError)?.code }
    }

    @Test("is what was signed, for one signer, one broker and five minutes")
    func signed() async throws {
        let body = try await permission.signed(for: server, by: device, with: key)
        #expect(try read(body) == permission)
        #expect(code { try read(body, by: DeviceID()) } == .badSignature)
        #expect(code { try read(body, key: VaultDeviceKey().publicKey) } == .badSignature)
        #expect(code { try read(body, server: ServerID()) } == .badSignature)
        for (seconds, isValid) in [(-301.0, false), (-300, true), (300, true), (301, false)] {
            #expect(code { try read(body, after: seconds) } == (isValid ? nil : .badSignature))
        }
    }

    @Test(
        "is refused after a change of any member",
        arguments: [
            ("number", JSONValue.string("ABCD-EFGJ")), ("agent", "default2"), ("client_id", "https://other.example/c"),
            ("returns_to", "https://other.example/back"), ("verified_by", ["passphrase"]),
            ("limits", ["banks": .null, "kinds": .null, "per_day": .null]),
            ("signed_at", "2026-02-02T02:40:01.000Z"),
        ] as [(String, JSONValue)])
    func changed(name: String, value: JSONValue) async throws {
        var members = try #require(
            try await permission.signed(for: server, by: device, with: key).objectValue)
        #expect(members[name] != nil)
        members[name] = value
        #expect(code { try read(.object(members)) } == .badSignature)
    }

    @Test(
        "of another form is refused",
        arguments: [
            ("agent", JSONValue.string("Not A Name")), ("limits", ["banks": []]),
            ("limits", ["per_day": 0]), ("limits", ["kinds": ["exe"]]), ("verified_by", []), ("number", ""),
            ("more", "than expected"),
        ] as [(String, JSONValue)])
    func malformed(name: String, value: JSONValue) async throws {
        var members = try #require(
            try await permission.signed(for: server, by: device, with: key).objectValue)
        members[name] = value
        #expect(code { try read(.object(members)) } == .malformed)
    }

    @Test("of a later version is refused as such")
    func later() async throws {
        var members = try #require(
            try await permission.signed(for: server, by: device, with: key).objectValue)
        members["version"] = "2"
        #expect(code { try read(.object(members)) } == .unknownVersion)
    }

    @Test("is signed over the bytes that the interface describes, whose length no other signature of a device has")
    func bytes() async throws {
        var members = try #require(try await permission.signed(for: server, by: device, with: key).objectValue)
        let signature = try #require(
            members.removeValue(forKey: "signature")?.stringValue.flatMap { DeviceSignature($0) })
        let bytes =
            Array("countersign client permission 1\n\(server)\n".utf8)
            + SHA256.hash(data: try JSONValue.object(members).canonicalBytes())
        #expect(key.publicKey.isValid(signature, for: bytes))
        // 72, 58 and 98 are taken: see docs/proofs/messages.pvl.
        #expect(bytes.count == 101)
    }

    @Test("without a key has no signature, and is for one question")
    func unsigned() throws {
        let body = try permission.unsigned
        let read = try ClientPermission(body: body, for: client.id, by: nil, server: server, at: now)
        #expect(try read == permission)
        #expect(
            code { try ClientPermission(body: body, for: RequestID(), by: nil, server: server, at: now) }
                == .malformed)
        #expect(code { try self.read(body) } == .malformed, "a paired device has to sign")
    }
}
