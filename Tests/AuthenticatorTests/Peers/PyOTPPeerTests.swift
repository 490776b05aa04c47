import Encodings
import Foundation
import Secrets
import TestSupport
import Testing

@testable import Authenticator

@Suite("Codes compared with pyotp")
struct PyOTPPeerTests {
    @Test(
        "10,000 random tokens at random times give the same codes",
        .needsPeers)
    func codes() async throws {
        var generator = SeededGenerator(seed: 6238)
        // pyotp accepts secrets of at least 112 bits and periods of at most two minutes.
        var cases: [(token: Token, time: Int)] = []
        for number in 0..<10_000 {
            let bytes = (0..<Int.random(in: 14...64, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let token = try Token(
                issuer: "Bank \(number)", account: "robin", secret: Base32.encoded(Secret(bytes: bytes)),
                digits: Bool.random(using: &generator) ? 6 : 8,
                period: [15, 30, 60, 97].randomElement(using: &generator)!,
                algorithm: TOTPAlgorithm.allCases.randomElement(using: &generator)!)
            cases.append((token, Int.random(in: 0...4_000_000_000, using: &generator)))
        }
        let asked = cases.map { "\($0.time) \($0.token.uri.revealed())\n" }.joined()
        let answered = try await Self.run("pyotp_codes.py", input: asked).split(separator: "\n")
        #expect(answered.count == cases.count)
        let agreed = zip(cases, answered).count { test, code in
            test.token.code(at: Date(timeIntervalSince1970: Double(test.time))).digits.revealed() == code
        }
        #expect(agreed == 10_000)
    }

    @Test(
        "opens an encrypted Aegis export made by Python's cryptography package",
        .needsPeers)
    func aegis() async throws {
        let export = try await Self.run("aegis_export.py", input: "a password for Aegis\n\(sampleSecret)\n")
        let found = try TokenImport.read(Secret(export)) { Secret("a password for Aegis") }
        #expect(found.tokens.map(\.issuer) == ["Meridian Savings"] && found.refusals.isEmpty)
        #expect(found.tokens.first?.secret.revealed() == sampleSecret)
        let error = #expect(throws: SecondFactorError.self) {
            try TokenImport.read(Secret(export)) { Secret("another password") }
        }
        #expect(error?.code == .wrongPassphrase)
    }

    static func run(_ script: String, input: String) async throws -> String {
        let outcome = try await Peers.run(script: script, input: Data(input.utf8))
        #expect(outcome.status == 0)
        return String(decoding: outcome.output, as: UTF8.self)
    }
}
