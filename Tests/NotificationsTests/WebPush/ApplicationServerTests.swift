import Crypto
import Encodings
import Foundation
import TestSupport
import Testing

@testable import Notifications

@Suite("The contact and the key for push services")
struct ApplicationServerTests {
    @Test(
        "a public contact is taken",
        arguments: [
            "mailto:robin@provider.net", "https://robin.example", "https://a.example:8443/contact", "mailto:a@b.co",
        ])
    func taken(_ text: String) throws { #expect(try VAPIDSubject(text).text == text) }

    @Test(
        "a contact that a push service refuses is refused with the reason",
        arguments: [
            ("mailto:robin@localhost", "public host"), ("https://localhost:8766", "public host"),
            ("mailto:robin@phone.local", "“phone.local”"), ("https://phone.invalid", "“phone.invalid”"),
            ("mailto:robin@a.test", "public host"), ("https://192.168.1.2", "names no public host"),
            ("https://[::1]", "names no public host"), ("robin@provider.net", "mailto: or https:"),
            ("http://provider.net", "not http"), ("mailto:robin", "no mail address"),
            ("mailto:@b.net", "no mail address"),
            ("mailto:a b@c.net", "mailto"), ("", "must begin with"), ("mailto:a@b@c.net", "no mail address"),
        ])
    func refused(_ text: String, _ reason: String) {
        let error = #expect(throws: WebPushError.self) { try VAPIDSubject(text) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("a real address of yours") == true)
    }

    @Test("the key is made at the first start, for its owner alone, and stays")
    func key() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (file, subject) = (folder.appending("push.key.pem"), try VAPIDSubject("mailto:robin@provider.net"))
        let first = try ApplicationServer(keyFile: file, subject: subject)
        #expect(try ApplicationServer(keyFile: file, subject: subject).publicKey == first.publicKey)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try Data("no key".utf8).write(to: file)
        #expect(throws: WebPushError.self) { try ApplicationServer(keyFile: file, subject: subject) }
    }

    @Test("a key that is replaced is gone from its file, and the next one has the next version and stays")
    func replaced() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("push.key.pem")
        let first = try ApplicationServer(keyFile: file, subject: nil)
        let earlier = try String(contentsOf: file, encoding: .utf8)
        let next = try first.replaced(in: file)
        #expect(first.version == 1 && next.version == 2 && next.publicKey != first.publicKey)
        let read = try ApplicationServer(keyFile: file, subject: nil)
        #expect(read.version == 2 && read.publicKey == next.publicKey)
        #expect(try read.replaced(in: file).version == 3)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains(earlier.split(separator: "\n")[1]))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["push.key.pem"])
    }

    @Test(
        "a version that none of our files has is refused",
        arguments: ["0", "-1", "65536", "2x", "", "99999999999999999999"])
    func version(_ stated: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.appending("push.key.pem")
        let pem = P256.Signing.PrivateKey().pemRepresentation
        try Data("Countersign-Key-Version: \(stated)\n\(pem)\n".utf8).write(to: file)
        #expect(throws: WebPushError.self) { try ApplicationServer(keyFile: file, subject: nil) }
    }

    @Test("a token names the push service, the contact and its end, and its signature holds")
    func token() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try ApplicationServer(
            keyFile: folder.appending("key"), subject: VAPIDSubject("mailto:robin@provider.net"))
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let text = try server.authorization(for: "https://push.example", at: now)
        let parts = try #require(text.wholeMatch(of: /vapid t=([\w-]+)\.([\w-]+)\.([\w-]+),k=([\w-]+)/))
        let claims = try JSONReader.read(Data(try #require(Base64URL.decode(String(parts.2)))))
        #expect(claims == ["aud": "https://push.example", "exp": 1_800_043_200, "sub": "mailto:robin@provider.net"])
        let key = try P256.Signing.PublicKey(x963Representation: try #require(Base64URL.decode(String(parts.4))))
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: try #require(Base64URL.decode(String(parts.3))))
        #expect(key.isValidSignature(signature, for: Data("\(parts.1).\(parts.2)".utf8)))
    }
}
