import Crypto
import CryptoExtras
import Encodings
import Foundation
import TestSupport
import Testing

@testable import AttestedKeys

/// Quotes that this file writes byte by byte, so that every field can be wrong by itself.
@Suite("TPM: quotes") struct TPMEvidenceVerifierTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let digest = [UInt8](repeating: 0xD1, count: 32)

    /// The fields of TPMS_ATTEST.
    private struct Quote {
        var magic: [UInt8] = [0xFF, 0x54, 0x43, 0x47]
        var type: [UInt8] = [0x80, 0x18]
        var signer: [UInt8] = [0, 34, 0, 0x0B] + [UInt8](repeating: 7, count: 32)
        var extraData: [UInt8]
        /// The clock, the counts of resets and restarts, whether the clock is safe, and the firmware's version.
        var clock = [UInt8](repeating: 0, count: 16) + [1] + [UInt8](repeating: 9, count: 8)
        /// Registers 0, 2, 4, 7, 8 and 9 of the SHA-256 bank.
        var selection: [UInt8] = [0, 0, 0, 1, 0, 0x0B, 3, 0b1001_0101, 0b11, 0]
        var digest: [UInt8] = [0, 32] + TPMEvidenceVerifierTests.digest
        var more: [UInt8] = []

        var bytes: [UInt8] {
            magic + type + signer + [0, UInt8(extraData.count)] + extraData + clock + selection + digest + more
        }
    }

    private static let call = TPMEvidence.Call(nonce: [5], publicKey: [6], at: now)

    private enum Signer {
        case ecdsa(P256.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)

        var pem: String {
            switch self {
            case .ecdsa(let key): key.publicKey.pemRepresentation
            case .rsa(let key): key.publicKey.pemRepresentation
            }
        }

        /// TPMT_SIGNATURE.
        func signature(of bytes: [UInt8]) throws -> [UInt8] {
            switch self {
            case .ecdsa(let key):
                let raw = Array(try key.signature(for: bytes).rawRepresentation)
                return [0, 0x18, 0, 0x0B, 0, 32] + raw.prefix(32) + [0, 32] + raw.suffix(32)
            case .rsa(let key):
                let raw = Array(try key.signature(for: bytes, padding: .insecurePKCS1v1_5).rawRepresentation)
                return [0, 0x14, 0, 0x0B, UInt8(raw.count >> 8), UInt8(raw.count & 0xFF)] + raw
            }
        }
    }

    private static func examine(
        _ evidence: [UInt8], enrolled pem: String, over selection: TPMRegisterSelection = .boot
    ) async throws -> ExaminedEvidence {
        let folder = try TemporaryFolder()
        let file = folder.appending("tpm.pub")
        try Data(pem.utf8).write(to: file)
        chmod(file.path, 0o644)
        return await TPMEvidenceVerifier(keyFile: file, owner: geteuid(), selection: selection)
            .examine(evidence, at: now)
    }

    private static func evidence(_ quote: Quote, _ signer: Signer, call: TPMEvidence.Call = call) throws -> [UInt8] {
        let bytes = quote.bytes
        return TPMEvidence(quote: bytes, signature: try signer.signature(of: bytes), call: call).encoded
    }

    @Test("a right quote states the registers' digest and the call", arguments: ["ecdsa", "rsa"])
    func right(_ kind: String) async throws {
        let signer: Signer = kind == "rsa" ? .rsa(try .init(keySize: .bits2048)) : .ecdsa(.init())
        let evidence = try Self.evidence(Quote(extraData: Self.call.qualifyingData), signer)
        let examined = try await Self.examine(evidence, enrolled: signer.pem)
        #expect(examined.flaw == nil)
        let claims = try #require(examined.claims)
        #expect(claims.runtime == "tpm" && claims.nonce == [5] && claims.publicKey == [6])
        #expect(claims.measurement == Base16.encode(Self.digest) && claims.issuedAt == Self.now)
    }

    @Test(
        "each wrong field is refused",
        arguments: [
            "magic", "type", "clock", "extra data", "a bank more", "SHA-1's bank", "a register less", "a register more",
            "a digest of 31 bytes", "a digest of 48 bytes", "a byte more", "another nonce", "another key",
            "another time", "another signer", "a key that is not enrolled", "RSA's algorithm", "SHA-1's signature",
        ])
    func fields(_ wrong: String) async throws {
        let signer = Signer.ecdsa(.init())
        var quote = Quote(extraData: Self.call.qualifyingData)
        var call = Self.call
        switch wrong {
        case "magic": quote.magic[3] = 0x48
        case "type": quote.type[1] = 0x17
        case "clock": quote.clock[16] = 2
        case "extra data": quote.extraData[0] ^= 1
        case "a bank more": quote.selection = [0, 0, 0, 2] + quote.selection.dropFirst(4) + [0, 4, 3, 0, 0, 0]
        case "SHA-1's bank": quote.selection[5] = 4
        case "a register less": quote.selection[8] = 0b01
        case "a register more": quote.selection[9] = 0b1000_0000
        case "a digest of 31 bytes": quote.digest = [0, 31] + Self.digest.dropLast()
        case "a digest of 48 bytes": quote.digest = [0, 48] + Self.digest + Self.digest.prefix(16)
        case "a byte more": quote.more = [0]
        case "another nonce": call = .init(nonce: [4], publicKey: [6], at: Self.now)
        case "another key": call = .init(nonce: [5], publicKey: [7], at: Self.now)
        case "another time": call = .init(nonce: [5], publicKey: [6], at: Self.now + 0.001)
        default: break
        }
        let bytes = quote.bytes
        var signature = try (wrong == "another signer" ? Signer.ecdsa(.init()) : signer).signature(of: bytes)
        if wrong == "RSA's algorithm" { signature[1] = 0x14 }
        if wrong == "SHA-1's signature" { signature[3] = 4 }
        let pem = wrong == "a key that is not enrolled" ? Signer.ecdsa(.init()).pem : signer.pem
        let examined = try await Self.examine(
            TPMEvidence(quote: bytes, signature: signature, call: call).encoded, enrolled: pem)
        #expect(examined.flaw != nil)
        let isSigned = !["another signer", "a key that is not enrolled", "RSA's algorithm"].contains(wrong)
        #expect((examined.flaw == .badSignature) != isSigned, "\(String(describing: examined.flaw))")
    }

    @Test("one changed bit is refused, wherever it is")
    func everyBit() async throws {
        let signer = Signer.ecdsa(.init())
        let evidence = try Self.evidence(Quote(extraData: Self.call.qualifyingData), signer)
        let folder = try TemporaryFolder()
        let file = folder.appending("tpm.pub")
        try Data(signer.pem.utf8).write(to: file)
        chmod(file.path, 0o644)
        let verifier = TPMEvidenceVerifier(keyFile: file, owner: geteuid(), selection: .boot)
        #expect(await verifier.examine(evidence, at: Self.now).flaw == nil)
        var accepted: [Int] = []
        for bit in 0..<evidence.count * 8 {
            var changed = evidence
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            if await verifier.examine(changed, at: Self.now).flaw == nil { accepted.append(bit) }
        }
        #expect(accepted.isEmpty, "of \(evidence.count * 8) bits")
    }

    @Test("a quote that is cut off anywhere is refused")
    func cutOff() throws {
        let bytes = Quote(extraData: Self.call.qualifyingData).bytes
        for count in bytes.indices {
            #expect(throws: EvidenceError.self) { try TPMQuote(Array(bytes.prefix(count))) }
        }
    }

    @Test("a short key, or no key, is not believed", arguments: ["not a key", "rsa 1024"])
    func keys(_ text: String) async throws {
        let signer = Signer.ecdsa(.init())
        // 1024 bits, made by `openssl genrsa 1024`.
        let short = """
            -----BEGIN PUBLIC KEY-----
            MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDcti5tTMkyv+HD2AAQaU28ZPFY
            oTHNQEieZ9icZq72BYE0ofHyTIST9AmPFHdwyT1sykOQPcjnn9/6elgRB0OfLPw3
            5h7/2G5WFU8/skEIQ5L3KmHcYB7gyrVA0u49Iydgf0dOtCy2GGWSmVPVgVtdiE+A
            eSmlNKN+2Be1JJLjewIDAQAB
            -----END PUBLIC KEY-----
            """
        let evidence = try Self.evidence(Quote(extraData: Self.call.qualifyingData), signer)
        let examined = try await Self.examine(evidence, enrolled: text == "not a key" ? text : short)
        guard case .unknownSigner? = examined.flaw else {
            Issue.record("\(String(describing: examined.flaw))")
            return
        }
    }

    @Test(
        "registers are named as tpm2-tools name them; those that any program can reset prove nothing",
        arguments: [
            ("sha256:0", "sha256:0"), ("sha256:7,4,0", "sha256:0,4,7"), ("sha256:22", "sha256:22"), ("sha256:", nil),
            ("0,1", nil), ("sha1:0", nil), ("sha256:0,0", nil), ("sha256:24", nil), ("sha256:-1", nil),
            ("sha256:16", nil), ("sha256:0,23", nil), ("sha256:0,", nil), ("sha256:0+sha1:0", nil),
        ] as [(String, String?)])
    func selections(_ text: String, _ expected: String?) {
        #expect(TPMRegisterSelection(text)?.description == expected)
    }
}
