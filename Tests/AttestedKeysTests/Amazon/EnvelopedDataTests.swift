import Foundation
import TestServers
import TestSupport
import Testing

@testable import AttestedKeys

/// CMS messages that `openssl cms` makes.
@Suite("CMS messages for an enclave", .needs("openssl")) struct EnvelopedDataTests {
    private static let plain = [UInt8](0..<32)

    /// An RSA key with a certificate, and the messages to it.
    private struct Recipient {
        let folder: TemporaryFolder
        let key: RSARecipientKey

        init() async throws {
            folder = try TemporaryFolder()
            try await Self.openssl(
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder.appending("key.pem").path,
                    "-out",
                    folder.appending("certificate.pem").path, "-subj", "/CN=recipient", "-days", "3",
                ])
            key = try RSARecipientKey(pem: String(contentsOf: folder.appending("key.pem"), encoding: .utf8))
        }

        static let oaep = ["-keyopt", "rsa_padding_mode:oaep", "-keyopt", "rsa_oaep_md:sha256"]

        /// - Parameters:
        ///   - form: options for the message as a whole.
        ///   - options: for the encryption of the key.
        func message(
            form: [String] = [], _ options: [String] = oaep, cipher: String = "-aes-256-cbc"
        ) async throws -> [UInt8] {
            let recipient = ["-recip", folder.appending("certificate.pem").path]
            return try await Self.openssl(
                ["cms", "-encrypt", "-binary", cipher, "-outform", "DER"] + form + recipient + options, input: plain)
        }

        @discardableResult
        static func openssl(_ arguments: [String], input: [UInt8] = []) async throws -> [UInt8] {
            let outcome = try await ChildProcess.run(
                try #require(Peers.program("openssl")), arguments, input: Data(input))
            try #require(outcome.status == 0, "\(outcome.text)")
            return Array(outcome.output)
        }
    }

    @Test("a message with definite lengths opens, and one in pieces")
    func opens() async throws {
        let recipient = try await Recipient()
        for form in [[], ["-stream", "-indef"]] {
            let message = try await recipient.message(form: form)
            let opened = try recipient.key.open(message, nonce: [])
            #expect(opened.withUnsafeBytes { Array($0) } == Self.plain)
        }
        let own = try RSARecipientKey()
        let message = try await FakeKMS.message(Self.plain, to: own.publicKey)
        #expect(try own.open(message, nonce: []).withUnsafeBytes { Array($0) } == Self.plain)
        #expect(throws: AmazonKeysError.self) { try RSARecipientKey().open(message, nonce: []) }
    }

    @Test("other algorithms are refused")
    func algorithms() async throws {
        let recipient = try await Recipient()
        let sha1 = ["-keyopt", "rsa_padding_mode:oaep"]
        let mixed = Recipient.oaep + ["-keyopt", "rsa_mgf1_md:sha1"]
        for (options, cipher, words) in [
            (Recipient.oaep, "-aes-128-cbc", "AES-256-CBC"), (Recipient.oaep, "-aes-192-cbc", "AES-256-CBC"),
            ([], "-aes-256-cbc", "RSAES-OAEP"), (sha1, "-aes-256-cbc", "SHA-256"), (mixed, "-aes-256-cbc", "SHA-256"),
        ] {
            let message = try await recipient.message(options, cipher: cipher)
            #expect {
                try recipient.key.open(message, nonce: [])
            } throws: {
                ($0 as? AmazonKeysError)?.description.contains(words) == true
            }
        }
    }

    @Test("a message that is cut off anywhere, or not a message, is refused")
    func damaged() async throws {
        let recipient = try await Recipient()
        for message in [
            try await recipient.message(), try await recipient.message(form: ["-stream", "-indef"]),
        ] {
            for count in message.indices {
                #expect(throws: AmazonKeysError.self) { try EnvelopedData(Array(message.prefix(count))) }
            }
        }
        for bytes: [UInt8] in [[], [0x30, 0], [0x30, 0x80, 0, 0], Array("text".utf8)] {
            #expect(throws: AmazonKeysError.self) { try EnvelopedData(bytes) }
        }
    }

    @Test("each changed byte of the encrypted key is noticed")
    func changed() async throws {
        let recipient = try await Recipient()
        let message = try await recipient.message()
        let key = try EnvelopedData(message).encryptedKey
        let start = try #require(message.firstRange(of: key)).lowerBound
        for offset in stride(from: 0, to: key.count, by: 5) {
            var changed = message
            changed[start + offset] ^= 0x10
            #expect(throws: AmazonKeysError.self) { try recipient.key.open(changed, nonce: []) }
        }
    }
}
