import Foundation
import TestSupport
import Testing

@testable import AttestedKeys

/// Attestation documents that AWS Nitro made, and their clock (evervault/attestation-doc-validation, Apache-2.0).
@Suite("Nitro: documents of AWS", .needsVectors) struct NitroVectorTests {
    struct Document: Sendable, CustomTestStringConvertible {
        let name: String
        let time: String
        let isDebug: Bool
        var testDescription: String { name }

        var bytes: [UInt8] {
            get throws {
                let data = try Data(contentsOf: Vectors.url("nitro/\(name)"))
                guard name.hasSuffix("base64") else { return Array(data) }
                return Array(try #require(Data(base64Encoded: data, options: .ignoreUnknownCharacters)))
            }
        }

        var date: Date { get throws { try Date(time, strategy: .iso8601) } }
    }

    static let documents = [
        Document(name: "valid-attestation-doc-bytes", time: "2022-10-13T08:58:30Z", isDebug: false),
        Document(name: "debug-mode-attestation-doc-bytes", time: "", isDebug: true),
        Document(name: "valid-attestation-doc-base64", time: "", isDebug: true),
    ]

    /// The time at which a document was made, with a minute for the way.
    private static func time(of bytes: [UInt8]) throws -> Date {
        try NitroDocument(COSESign1(bytes).payload).issuedAt.addingTimeInterval(20)
    }

    @Test("each verifies at its time; those of debug mode are refused as that", arguments: documents)
    func verifies(_ document: Document) async throws {
        let bytes = try document.bytes
        let now = try Self.time(of: bytes)
        if !document.time.isEmpty { #expect(abs(now.timeIntervalSince(try document.date)) < 60) }

        let evidence = await NitroEvidenceVerifier().examine(bytes, at: now)

        #expect(evidence.flaw == (document.isDebug ? .debugMode : nil))
        #expect(evidence.claims?.runtime == "nitro")
        #expect(evidence.claims?.measurement.count == 96)
    }

    @Test("the tag 18 in front changes nothing")
    func tagged() async throws {
        let bytes = try Self.documents[0].bytes
        let evidence = await NitroEvidenceVerifier().examine([0xD2] + bytes, at: try Self.time(of: bytes))
        #expect(evidence.flaw == nil)
        #expect(evidence.claims?.measurement.hasPrefix("f4d48b81") == true)
    }

    @Test("four hours later, and a day before, its certificate is not valid", arguments: [4 * 3600.0, -86_400])
    func otherTimes(_ offset: TimeInterval) async throws {
        let bytes = try Self.documents[0].bytes
        let evidence = await NitroEvidenceVerifier().examine(
            bytes, at: try Self.time(of: bytes).addingTimeInterval(offset))
        guard case .untrustedCertificate = evidence.flaw else {
            Issue.record("accepted, or refused for another reason: \(String(describing: evidence.flaw))")
            return
        }
    }

    @Test("another root is not trusted")
    func otherRoot() async throws {
        let bytes = try Self.documents[0].bytes
        let verifier = NitroEvidenceVerifier(rootDigest: String(repeating: "0", count: 64))
        let evidence = await verifier.examine(bytes, at: try Self.time(of: bytes))
        #expect(evidence.flaw == .untrustedCertificate("the first certificate is not the pinned root"))
    }

    /// The signature covers the protected header and the payload. Bits that stand outside of both, i.e. CBOR's own heads
    /// and the empty unprotected header, break the form; every bit of the signature itself breaks it.
    @Test("one changed bit is refused, wherever it is")
    func everyBit() async throws {
        let bytes = try Self.documents[0].bytes
        let now = try Self.time(of: bytes)
        let verifier = NitroEvidenceVerifier()
        var refused = 0
        var accepted: [Int] = []
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << UInt8(index % 8)
            if await verifier.examine(changed, at: now).flaw == nil {
                accepted.append(index)
            } else {
                refused += 1
            }
        }
        #expect(accepted.isEmpty)
        #expect(refused == bytes.count)
    }
}
