import Crypto
import CurlClient
import Foundation
import Phone
import PhoneStore
import Storage
import TestParties
import TestSupport
import Testing
import X509

@testable import ApprovalPage

@Suite("The household's certificate authority", .timeLimit(.minutes(3)))
struct PageAuthorityTests {
    private static let day: TimeInterval = 86_400

    private static func inFolder(_ body: (PhoneHome) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await body(PhoneHome(folder.url))
    }

    /// Judges a certificate as RFC 5280 does, with this authority as the only trusted one.
    private static func isTrusted(_ certificate: Certificate, by authority: PageAuthority) async -> Bool {
        var verifier = Verifier(rootCertificates: CertificateStore([authority.certificate])) {
            RFC5280Policy()
        }
        if case .validCertificate = await verifier.validate(leaf: certificate, intermediates: CertificateStore([])) {
            return true
        }
        return false
    }

    @Test("the authority is one, and speaks for its own host name alone")
    func constraints() async throws {
        try await Self.inFolder { home in
            let authority = try PageAuthority.make(in: home.folder, for: "phone.example")
            let extensions = authority.certificate.extensions
            #expect(try extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 0))
            let constraints = try #require(try extensions.nameConstraints)
            #expect(Array(constraints.permittedDNSDomains) == ["phone.example"])
            #expect(constraints.excludedIPRanges.count == 2, "IPv4 and IPv6")
            for (name, isTrusted) in [
                ("phone.example", true), ("bank.example", false), ("example", false), ("notphone.example", false),
            ] {
                let issued = try authority.issue(for: name).certificate
                #expect(await Self.isTrusted(issued, by: authority) == isTrusted, "\(name)")
            }
            for file in ["authority-phone.example.pem", "authority-phone.example.key.pem"] {
                let mode =
                    try FileManager.default.attributesOfItem(
                        atPath: home.folder.appending(path: file).path)[.posixPermissions] as? Int
                #expect(mode == 0o600, "\(file)")
            }
        }
    }

    @Test("it stays the same for its name, and another name gets another authority")
    func kept() async throws {
        try await Self.inFolder { home in
            let first = try OwnCertificate(in: home, for: "phone.example")
            let again = try OwnCertificate(in: home, for: "phone.example")
            #expect(first.isNew && !again.isNew)
            #expect(first.authority.fingerprint == again.authority.fingerprint)
            #expect(PageAuthority.hostNames(in: home.folder) == ["phone.example"])
            #expect(try OwnCertificate.kept(in: home, for: "other.example") == nil)
            let other = try OwnCertificate(in: home, for: "other.example")
            #expect(other.isNew && other.authority.fingerprint != first.authority.fingerprint)
            let still = try OwnCertificate(in: home, for: "phone.example")
            #expect(
                !still.isNew && still.authority.fingerprint == first.authority.fingerprint, "devices trust it still")
            #expect(PageAuthority.hostNames(in: home.folder) == ["other.example", "phone.example"])
        }
    }

    @Test("a certificate and a key that do not belong together are made anew")
    func mixed() async throws {
        try await Self.inFolder { home in
            _ = try OwnCertificate(in: home, for: "phone.example")
            let stranger = P256.Signing.PrivateKey().pemRepresentation
            for file in ["certificate-phone.example.key.pem", "authority-phone.example.key.pem"] {
                try Data(stranger.utf8).write(to: home.folder.appending(path: file))
                let mended = try OwnCertificate(in: home, for: "phone.example")
                #expect(mended.isNew == (file.hasPrefix("authority")))
                let certificate = try #require(Certificate.read(mended.file))
                #expect(await Self.isTrusted(certificate, by: mended.authority), "\(file)")
            }
        }
    }

    @Test("a certificate is renewed in its last 30 days, and never outlives its authority")
    func renewed() async throws {
        try await Self.inFolder { home in
            let now = Date()
            let own = try OwnCertificate(in: home, for: "phone.example", at: now)
            let first = try #require(Certificate.read(own.file))
            #expect(try !own.renew(at: now.addingTimeInterval(366 * Self.day)))
            #expect(try own.renew(at: now.addingTimeInterval(368 * Self.day)))
            let second = try #require(Certificate.read(own.file))
            #expect(second != first && second.notValidAfter > first.notValidAfter)
            #expect(try !own.renew(at: now.addingTimeInterval(368 * Self.day)))
            #expect(try own.renew(at: now.addingTimeInterval(3500 * Self.day)))
            let last = try #require(Certificate.read(own.file))
            #expect(last.notValidAfter == own.authority.certificate.notValidAfter)
            // A certificate that ends with its authority cannot be renewed any more.
            #expect(try !own.renew(at: now.addingTimeInterval(3640 * Self.day)))
            #expect(
                try OwnCertificate(in: home, for: "phone.example", at: now.addingTimeInterval(3600 * Self.day)).isNew)
        }
    }

    @Test(
        "an authority that is replaced has the next version and another key, and its earlier certificates are worth nothing"
    )
    func replaced() async throws {
        try await Self.inFolder { home in
            let first = try OwnCertificate(in: home, for: "phone.example")
            let other = try OwnCertificate(in: home, for: "other.example")
            let earlier = try #require(Certificate.read(first.file))
            let key = try Data(contentsOf: PageAuthority.keyFile(in: home.folder, for: "phone.example"))
            #expect(first.authority.version == 1 && first.authority.name == "Countersign at phone.example")

            let next = try OwnCertificate.replace(in: home, for: "phone.example")
            #expect(next.isNew && next.authority.version == 2)
            #expect(next.authority.name == "Countersign at phone.example (2)")
            #expect("\(next.authority.certificate.subject)" == "CN=Countersign at phone.example (2)")
            let certificate = try #require(Certificate.read(next.file))
            #expect("\(certificate.issuer)".hasSuffix("(2)"), "a certificate names the version of its authority")
            #expect(await Self.isTrusted(certificate, by: next.authority))
            #expect(await !Self.isTrusted(certificate, by: first.authority))
            #expect(await !Self.isTrusted(earlier, by: next.authority))
            for name in try FileManager.default.contentsOfDirectory(atPath: home.folder.path) {
                #expect(try Data(contentsOf: home.folder.appending(path: name)) != key, "\(name) has the earlier key")
            }

            let kept = try OwnCertificate(in: home, for: "phone.example")
            #expect(!kept.isNew && kept.authority.fingerprint == next.authority.fingerprint)
            let still = try OwnCertificate(in: home, for: "other.example")
            #expect(!still.isNew && still.authority.fingerprint == other.authority.fingerprint, "another name's stays")
            #expect(try OwnCertificate.replace(in: home, for: "phone.example").authority.version == 3)
        }
    }

    @Test("a change that stops between its files ends with a later version at the next start")
    func stopped() async throws {
        try await Self.inFolder { home in
            _ = try OwnCertificate(in: home, for: "phone.example")
            let stranger = P256.Signing.PrivateKey().pemRepresentation
            try Data(stranger.utf8).write(to: PageAuthority.keyFile(in: home.folder, for: "phone.example"))
            let next = try OwnCertificate(in: home, for: "phone.example")
            #expect(next.isNew && next.authority.version == 2)
            #expect(next.authority.firstNotice(at: "https://phone.example").contains("version 2"))
            #expect(await Self.isTrusted(try #require(Certificate.read(next.file)), by: next.authority))
        }
    }

    @Test("a page whose authority was replaced says so, and has it in its log")
    func replacedPage() async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.hostName = "phone.example"
            configuration.security = .ownAuthority
            _ = try OwnCertificate(in: phone.home, for: "phone.example")
            let stranger = P256.Signing.PrivateKey().pemRepresentation
            try Data(stranger.utf8).write(to: PageAuthority.keyFile(in: phone.home.folder, for: "phone.example"))
            try await phone.opening(configuration) { page, _ in
                #expect(page.notices.contains { $0.contains("version 2") })
                var trusting = CurlConfiguration()
                trusting.extraCAFile = PageAuthority.file(in: phone.home.folder, for: "phone.example")
                trusting.resolve = ["phone.example:\(page.port):127.0.0.1"]
                let session = CurlSession(trusting)
                let trust = try await session.send(HTTPRequest("GET", page.origin + "/trust"))
                await session.close()
                let text = String(decoding: trust.body, as: UTF8.self)
                #expect(text.contains("version 2") && text.contains("-n Countersign-2 -i"))
                #expect(text.contains("“Countersign at phone.example (2)”"))
            }
            let records = try await PhoneDatabase(phone.home).audit.records(
                AuditFilter(type: "page.authority_replaced"))
            #expect(records.map { $0.event.details["version"] } == [2])
        }
    }

    @Test("a client that trusts only the authority reaches the page, also after a renewal")
    func served() async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.hostName = "phone.example"
            configuration.security = .ownAuthority
            let own = try OwnCertificate(in: phone.home, for: "phone.example")
            try await phone.opening(configuration) { page, _ in
                #expect(page.notices.isEmpty, "the authority is not new")
                #expect(page.origin == "https://phone.example:\(page.port)")
                var trusting = CurlConfiguration()
                trusting.extraCAFile = PageAuthority.file(in: phone.home.folder, for: "phone.example")
                trusting.resolve = ["phone.example:\(page.port):127.0.0.1"]
                let session = CurlSession(trusting)
                let trust = try await session.send(HTTPRequest("GET", page.origin + "/trust"))
                #expect(trust.status == 200)
                #expect(trust.header("Strict-Transport-Security") == nil, "a new authority could not be trusted")
                #expect(String(decoding: trust.body, as: UTF8.self).contains(own.authority.fingerprint))
                let der = try await session.send(HTTPRequest("GET", page.origin + "/trust/countersign-authority.crt"))
                #expect(der.body == own.authority.der)
                #expect(der.header("Content-Type") == "application/x-x509-ca-cert")
                let symbol = try await session.send(HTTPRequest("GET", page.origin + "/trust/code.png"))
                #expect(symbol.body.starts(with: [0x89] + Array("PNG".utf8)))
                await session.close()
                var stranger = CurlConfiguration()
                stranger.resolve = trusting.resolve
                await #expect(throws: (any Error).self, "other clients do not trust it") {
                    try await CurlSession(stranger).send(HTTPRequest("GET", page.origin + "/trust"))
                }
            }
        }
    }

    @Test("a long host name fits a certificate's common name")
    func long() async throws {
        try await Self.inFolder { home in
            let name = String(repeating: "telephone.", count: 9) + "home.arpa"
            let own = try OwnCertificate(in: home, for: name)
            let certificate = try #require(Certificate.read(own.file))
            #expect(await Self.isTrusted(certificate, by: own.authority))
            #expect("\(certificate.subject)".count <= "CN=".count + 64)
            let next = try OwnCertificate.replace(in: home, for: name).authority
            #expect(next.version == 2 && next.name.count == 64)
        }
    }

    @Test("a page without an authority has no page about it")
    func plain() async throws {
        try await TestPhone.with { phone in
            try await phone.opening { page, _ in
                let session = CurlSession()
                let answer = try await session.send(HTTPRequest("GET", page.origin + "/trust"))
                #expect(answer.status == 404)
                await session.close()
            }
        }
    }

    @Test("a new authority is announced with its fingerprint")
    func announced() async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.hostName = "phone.example"
            configuration.security = .ownAuthority
            try await phone.opening(configuration) { page, _ in
                let authority = try #require(PageAuthority.kept(in: phone.home.folder, for: "phone.example"))
                #expect(page.notices.contains { $0.contains(authority.fingerprint) && $0.contains("/trust") })
            }
        }
    }

    @Test("the profile installs the authority, and replaces itself")
    func profile() async throws {
        try await Self.inFolder { home in
            let authority = try PageAuthority.make(in: home.folder, for: "phone.example")
            let bytes = try TrustProfile(authority).bytes
            #expect(try TrustProfile(authority).bytes == bytes)
            let read = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
            let profile = try #require(read as? [String: Any])
            #expect(profile["PayloadType"] as? String == "Configuration")
            #expect(UUID(uuidString: profile["PayloadUUID"] as? String ?? "") != nil)
            let payload = try #require((profile["PayloadContent"] as? [[String: Any]])?.first)
            #expect(payload["PayloadType"] as? String == "com.apple.security.root")
            #expect((payload["PayloadContent"] as? Data).map(Array.init) == authority.der)
            #expect(payload["PayloadUUID"] as? String != profile["PayloadUUID"] as? String)
        }
    }

    @Test(
        "an IP address is refused with the reason, and a host name is not",
        arguments: [
            ("192.168.1.20", true), ("::1", true), ("2001:db8::7", true), ("0x7f.1", true), ("phone.7", true),
            ("2130706433", true), ("phone.local", false), ("phone7.example", false), ("7.example", false),
        ])
    func addresses(_ name: String, isRefused: Bool) throws {
        let configuration = PageServerConfiguration(hostName: name, address: "0.0.0.0", security: .ownAuthority)
        guard isRefused else {
            #expect(throws: Never.self) { try configuration.check() }
            return
        }
        let error = #expect(throws: PhoneError.self) { try configuration.check() }
        #expect(error?.message.contains("passkey") == true)
    }
}
