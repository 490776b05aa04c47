import Encodings
import Foundation
import Secrets
import TestSupport
import Testing

@testable import Signer

@Suite("HMAC-SHA256 against Project Wycheproof")
struct WycheproofTests {
    @Test(
        "accepts the 87 full tags as they are marked, and refuses the 87 truncated ones",
        .needsVectors)
    func tags() throws {
        let data = try Vectors.data("wycheproof/testvectors_v1/hmac_sha256_test.json")
        let suite = try JSONReader.read(data, limits: .init(size: 1 << 22))
        var full = 0
        var truncated = 0
        for group in suite["testGroups"]?.arrayValue ?? [] {
            let isFull = group["tagSize"]?.intValue == 256
            for test in group["tests"]?.arrayValue ?? [] {
                let key = Self.bytes(test["key"])
                let tag = Base64URL.encode(Self.bytes(test["tag"]))
                let isValid = Self.verify(tag, key: key, message: Self.bytes(test["msg"]))
                let id = test["tcId"]?.intValue ?? 0
                if isFull {
                    #expect(isValid == (test["result"] == "valid"), "test \(id)")
                    full += 1
                } else {
                    #expect(!isValid, "test \(id)")
                    truncated += 1
                }
            }
        }
        #expect((full, truncated) == (87, 87))
    }

    /// Keys of Wycheproof may be shorter than ours may be, so the check that makes a `SharedSecret` is passed by.
    private static func verify(_ tag: String, key: [UInt8], message: [UInt8]) -> Bool {
        SharedSecret(unchecked: Secret(bytes: key)).isValid(tag, for: message)
    }

    private static func bytes(_ hex: JSONValue?) -> [UInt8] {
        let digits = Array((hex?.stringValue ?? "").utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }
}
