import Clocks
import Crypto
import Encodings
import Foundation
import Messages
import Secrets
import Testing

@testable import DeviceTrust

@Suite("The limits of a pairing")
struct PairingLimitTests {
    @Test(
        "lasts at most five minutes, and a clock may be a minute behind",
        arguments: [
            (300.0, 0.0, nil), (300.001, 0, .malformed), (0, 0, .malformed), (-1, 0, .malformed), (0.001, 0, nil),
            (300, -59.999, nil), (300, -60, .notYetValid), (300, 299.999, nil), (300, 300, .expired),
        ] as [(TimeInterval, TimeInterval, TrustError.Code?)])
    func time(life: TimeInterval, now: TimeInterval, expected: TrustError.Code?) {
        let begin = PairingStage.begin
        #expect(
            code {
                try PairingTime.check(
                    begin, Timestamp(begin.date.addingTimeInterval(life)), at: begin.date.addingTimeInterval(now))
            } == expected)
    }

    @Test("a payload checks its time by itself")
    func payloadTime() throws {
        let payload = try PairingStage().payload
        try payload.checkTime(at: PairingStage.begin.date)
        #expect(code { try payload.checkTime(at: PairingStage.end.date) } == .expired)
    }

    @Test("a pairing text has at most 2,048 bytes", arguments: [(2048, false), (2049, true)])
    func size(bytes: Int, isTooLong: Bool) {
        let error = #expect(throws: TrustError.self) {
            try PairingPayload(Secret("countersign://pair?" + String(repeating: "q", count: bytes - 19)))
        }
        #expect((error?.message == "the pairing text has \(bytes) bytes; at most 2048 are read") == isTooLong)
    }

    @Test("a pairing text has white space around it, and its scheme in any case")
    func spelling() throws {
        let payload = try PairingStage().payload
        let uri = payload.uri.revealed()
        for text in [
            "  \(uri)\n", uri.replacing("countersign://pair?", with: "Countersign://PAIR?"),
            " \(payload.json.revealed())\n",
        ] {
            #expect(try PairingPayload(Secret(text)).server == payload.server)
        }
    }

    @Test(
        "a code is 1 to 9999, a dash or a space, and eight characters",
        arguments: [
            ("17-ABCD-EFGH", true), ("17 ABCDEFGH", true), (" 17-abcd efgh\n", true), ("9999-ABCDEFGH", true),
            ("1-OIL0-0000", true), ("0-ABCDEFGH", false), ("10000-ABCDEFGH", false), ("-ABCDEFGH", false),
            ("17ABCDEFGH", false), ("17_ABCDEFGH", false), ("17-ABCDEFG", false), ("17-ABCDEFGHJ", false),
            ("17-ABCDEFGU", false), ("17", false), ("", false), ("١٧-ABCDEFGH", false),
            ("17-ABCDEFGH" + String(repeating: "-", count: 53), true),
            ("17-ABCDEFGH" + String(repeating: "-", count: 54), false),
        ])
    func codes(text: String, isOne: Bool) {
        #expect((PairingCode(text) != nil) == isOne)
    }

    @Test("a code reads alike letters as digits")
    func alike() {
        #expect(PairingCode("1-OILo-il00")?.code.revealed() == "01101100")
        #expect(PairingCode(session: 9999, code: "ABCDEFGH") != nil)
        #expect(
            PairingCode(session: 10_000, code: "ABCDEFGH") == nil && PairingCode(session: 0, code: "ABCDEFGH") == nil)
    }

    @Test("a random code has eight characters, of all 32 at every place")
    func random() {
        let codes = (0..<1000).map { _ in Array(PairingCode(session: 17).code.revealed()) }
        #expect(codes.allSatisfy { $0.count == 8 && PairingCode(session: 17, code: String($0)) != nil })
        #expect(Set(codes).count == 1000)
        // 1,000 characters leave out one of 32 with a probability below 1 in 10 to the 12.
        for place in 0..<8 {
            #expect(Set(codes.map { $0[place] }) == Set("0123456789ABCDEFGHJKMNPQRSTVWXYZ"), "place \(place)")
        }
        let code = PairingCode(session: 17, code: "ABCDEFGH")
        #expect(code?.written.revealed() == "17-ABCD-EFGH")
    }

    @Test("keys, shares and signatures have one size", arguments: [31, 32, 33, 63, 64, 65, 66])
    func sizes(count: Int) {
        let text = Base64URL.encode([UInt8](repeating: 2, count: count))
        #expect(AgreementPublicKey(text) == nil && DevicePublicKey(text) == nil)
        #expect((DeviceSignature(text) != nil) == (count == 64))
        if count != 32 { #expect(CodeShare(text) == nil) }
    }

    @Test("a key is written as its uncompressed point, and in no other form")
    func points() throws {
        let agreement = AgreementPrivateKey().publicKey
        let device = VaultDeviceKey().publicKey
        #expect(AgreementPublicKey(agreement.description) == agreement && DevicePublicKey(device.description) == device)
        #expect(AgreementPublicKey(agreement.description) != AgreementPrivateKey().publicKey)
        #expect(Set([agreement, AgreementPublicKey(agreement.description)!]).count == 1)
        for key in [agreement.key.x963Representation, agreement.key.compressedRepresentation] {
            #expect((AgreementPublicKey(Base64URL.encode(key)) != nil) == (key.count == 65))
            #expect((DevicePublicKey(Base64URL.encode(key)) != nil) == (key.count == 65))
        }
    }

    @Test("a share is an x coordinate of the curve")
    func shares() throws {
        let share = try CodeAgreement(code: PairingCode(session: 17), scalar: AgreementPrivateKey()).share
        let same = try #require(CodeShare(share.description))
        #expect(same == share && Set([same, share]).count == 1)
        let other = try CodeAgreement(code: PairingCode(session: 17), scalar: AgreementPrivateKey()).share
        #expect(other != share && Set([other, share]).count == 2)
    }

    private static let outcomes: [(JSONValue, PairingOutcome?)] = [
        (["status": "CLAIMED"], .claimed), (["status": "OPEN"], nil), ([:], nil),
        (["status": "DONE"], nil),
        (["status": "DONE", "device_id": "0"], nil),
        (
            ["status": "DONE", "device_id": "0f0e0d0c-0b0a-4900-8807-060504030201", "bank_ids": ["a", 1, "b"]],
            .done(DeviceID("0f0e0d0c-0b0a-4900-8807-060504030201")!, bankIDs: ["a", "b"])
        ),
        (
            ["status": "DONE", "device_id": "0f0e0d0c-0b0a-4900-8807-060504030201"],
            .done(DeviceID("0f0e0d0c-0b0a-4900-8807-060504030201")!, bankIDs: [])
        ),
    ]

    @Test(
        "an outcome is CLAIMED, or DONE with a device",
        arguments: outcomes)
    func outcome(json: JSONValue, outcome: PairingOutcome?) {
        #expect(PairingOutcome(json: json) == outcome)
        if let outcome { #expect(PairingOutcome(json: outcome.json) == outcome) }
    }

    @Test("the messages about an outcome have these members")
    func outcomeJSON() throws {
        let device = try #require(DeviceID("0f0e0d0c-0b0a-4900-8807-060504030201"))
        #expect(PairingOutcome.claimed.json == ["status": "CLAIMED"])
        #expect(
            PairingOutcome.done(device, bankIDs: ["a"]).json
                == ["status": "DONE", "device_id": .string(device.description), "bank_ids": ["a"]])
    }

    @Test("a broker checks the form of a first message before it looks for the pairing")
    func begin() throws {
        let stage = try PairingStage()
        try BrokerPairing.check(begin: stage.phone.begin)
        for (member, value) in [("version", "9"), ("commitment", "AAAA"), ("commitment", nil), ("more", 1)]
            as [(String, JSONValue?)]
        {
            #expect(code { try BrokerPairing.check(begin: stage.phone.begin.setting(member, to: value)) } != nil)
        }
        #expect(BrokerPairing.attempt(of: ["attempt": "00112233445566778899aabbccddeeff"]) != nil)
        #expect(BrokerPairing.attempt(of: ["attempt": "0"]) == nil && BrokerPairing.attempt(of: [:]) == nil)
    }

    @Test(
        "a device's name has 1 to 64 visible characters", arguments: [(0, false), (1, true), (64, true), (65, false)])
    func names(count: Int, isValid: Bool) {
        #expect(
            code { try PhonePairing(name: String(repeating: "n", count: count), key: VaultDeviceKey()) }
                == (isValid ? nil : .malformed))
    }

    @Test("a phone that scanned a code goes on with that broker only, and with its certificate")
    func scanned() async throws {
        let stage = try PairingStage()
        let offer = try stage.broker(hearing: stage.phone.begin).offer.json
        _ = try await stage.claim(offer, payload: stage.payload)
        func payload(
            _ id: ServerID, _ key: AgreementPublicKey, _ certificate: CertificateFingerprint?
        ) -> PairingPayload {
            PairingPayload(
                server: ServerIdentity(id: id, publicKey: key), code: stage.code, endpoint: "https://192.168.1.10:8765",
                certificate: certificate, createdAt: PairingStage.begin, expiresAt: PairingStage.end)
        }
        let (id, key, certificate) = (stage.id, stage.identity.publicKey, PairingStage.certificate)
        for (other, expected) in [
            (payload(ServerID(), key, certificate), TrustError.Code.otherServer),
            (payload(id, AgreementPrivateKey().publicKey, certificate), .otherServer),
            (payload(id, key, CertificateFingerprint(ofDER: [9])), .otherCertificate),
            (payload(id, key, nil), .otherCertificate),
        ] {
            #expect(await asyncCode { try await stage.claim(offer, payload: other) } == expected)
        }
    }

    @Test("a pairing text without a certificate reads back")
    func noCertificate() throws {
        let stage = try PairingStage()
        let plain = PairingPayload(
            server: stage.payload.server, code: stage.code, endpoint: "http://127.0.0.1:8765", certificate: nil,
            createdAt: PairingStage.begin, expiresAt: PairingStage.end)
        #expect(try PairingPayload(plain.uri).certificate == nil)
        #expect(try PairingPayload(plain.json).endpoint == plain.endpoint)
    }

    @Test("a name may have four bytes for each of its characters")
    func bytesOfNames() throws {
        _ = try PhonePairing(name: String(repeating: "\u{1D54F}", count: 64), key: VaultDeviceKey())
    }
}

@Suite("The limits of a listing")
struct ListingLimitTests {
    private static let id = "0b5a8c60-3a0e-4c53-9d5c-1a2b3c4d5e6f"

    private static func line(
        _ name: String = "x", address: String = "10.0.0.1", port: String = "80", id: String = Self.id,
        texts: String = "\"tls=0\""
    ) -> String {
        "=;e;IPv4;\(name);_countersign._tcp;local;h;\(address);\(port);\"v=1\" \"id=\(id)\" \(texts)"
    }

    @Test(
        "a port is from 1 to 65535",
        arguments: [("0", false), ("1", true), ("65535", true), ("65536", false), ("-1", false), ("x", false)])
    func ports(port: String, isOne: Bool) {
        #expect(AvahiListing.brokers(in: Self.line(port: port)).count == (isOne ? 1 : 0))
    }

    @Test("a link-local address is useless, in any case")
    func linkLocal() {
        #expect(AvahiListing.brokers(in: Self.line(address: "FE80::1")).isEmpty)
        #expect(AvahiListing.brokers(in: Self.line(address: "fe80::1")).isEmpty)
        #expect(
            AvahiListing.brokers(in: Self.line(address: "2001:db8::1")).map(\.endpoint) == ["http://[2001:db8::1]:80"])
    }

    @Test("the first value of a key counts, and a value may have an equals sign")
    func texts() {
        #expect(AvahiListing.brokers(in: Self.line(texts: "\"tls=0\" \"tls=1\"")).count == 1)
        #expect(AvahiListing.brokers(in: Self.line(texts: "\"tls=1\" \"tls=0\"")).isEmpty)
        #expect(AvahiListing.brokers(in: Self.line(texts: "\"tls=0\" \"a=b=c\" \"d\"")).count == 1)
    }

    @Test(
        "a name is unescaped byte by byte",
        arguments: [
            ("", "a broker"), ("a\\032b", "a b"), ("a\\\\b", "a\\b"), ("a\\.b", "a.b"), ("a\\032", "a broker"),
            ("a\\06", "a06"),
            ("a\\999b", "a999b"),
            ("\\195\\164", "ä"), ("a\\", "a"),
        ])
    func names(written: String, read: String) {
        #expect(AvahiListing.brokers(in: Self.line(written)).map(\.announcement.name) == [read])
    }

    @Test("brokers are in the order of their names, then of their addresses; one seen again keeps its IPv4 address")
    func order() {
        let other = "1b5a8c60-3a0e-4c53-9d5c-1a2b3c4d5e6f"
        let third = "2b5a8c60-3a0e-4c53-9d5c-1a2b3c4d5e6f"
        let output = [
            Self.line("b", address: "10.0.0.3"), Self.line("a", address: "10.0.0.2", id: other),
            Self.line("a", address: "10.0.0.1", id: third), Self.line("b", address: "2001:db8::1"),
        ].joined(separator: "\n")
        #expect(AvahiListing.brokers(in: output).map(\.address) == ["10.0.0.1", "10.0.0.2", "10.0.0.3"])
    }

    @Test("a name has at most 63 bytes", arguments: [(63, 63), (64, 63)])
    func long(count: Int, kept: Int) throws {
        let server = try #require(ServerID(Self.id))
        let name = BrokerAnnouncement(
            name: String(repeating: "n", count: count), port: 80, certificate: nil, server: server
        ).name
        #expect(name.utf8.count == kept)
    }

    @Test("an announcement has these texts")
    func announced() throws {
        let server = try #require(ServerID(Self.id))
        let certificate = CertificateFingerprint(ofDER: [1, 2, 3])
        #expect(
            BrokerAnnouncement(name: "n", port: 80, certificate: nil, server: server).texts
                == ["v=1", "id=\(Self.id)", "port=80", "tls=0"])
        #expect(
            BrokerAnnouncement(name: "n", port: 80, certificate: certificate, server: server).texts
                == ["v=1", "id=\(Self.id)", "port=80", "tls=1", "tls_sha256=\(certificate.hex)"])
    }
}
