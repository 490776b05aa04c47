import Foundation
import Phone
import PhoneStore
import Secrets
import TestParties
import TestServers
import TestSupport
import Testing

@testable import ApprovalPage

/// The page under a host name, in a Chromium whose only additional authority is the household's.
@Suite("Names and certificates in Chromium", .serialized)
struct TrustInBrowserTests {
    private static let host = "phone.home.arpa"

    @Test(
        "a passkey is made and used under the household's own authority", .needsChromedriver, .needs("certutil"),
        .timeLimit(.minutes(3)))
    func ownAuthority() async throws {
        try await TestPhone.with { phone in
            let own = try OwnCertificate(in: phone.home, for: Self.host)
            var configuration = TestPhone.pageConfiguration
            configuration.hostName = Self.host
            configuration.security = .ownAuthority
            try await phone.opening(configuration) { page, _ in
                try await TrustingBrowser.with(own.authority.der, hosts: [Self.host]) { driver in
                    try await Self.makeAndUsePasskey(driver, page, phone)
                }
            }
        }
    }

    @Test(
        "a passkey is made and used behind a proxy with the guide's settings", .needsChromedriver, .needs("certutil"),
        .timeLimit(.minutes(3)), arguments: RecipeProxy.installed)
    func proxied(by program: String) async throws {
        try await TestPhone.with { phone in
            let own = try OwnCertificate(in: phone.home, for: Self.host)
            try await RecipeProxy.atFreePort { port in
                var configuration = TestPhone.pageConfiguration
                configuration.hostName = Self.host
                configuration.security = .behindProxy(try ProxyOrigin("https://\(Self.host):\(port)"))
                try await phone.opening(configuration) { page, _ in
                    let proxy = try RecipeProxy(program, at: port, host: Self.host, to: page.port, own)
                    defer { proxy.stop() }
                    try await proxy.isReady()
                    try await TrustingBrowser.with(own.authority.der, hosts: [Self.host]) { driver in
                        try await Self.makeAndUsePasskey(driver, page, phone)
                        try await Self.sendLargePicture(driver)
                    }
                }
            }
        }
    }

    @Test("a proxy whose port is taken says so", arguments: ["nginx", "caddy"].filter { Peers.program($0) != nil })
    func taken(by program: String) async throws {
        let (descriptor, port) = try LoopbackSocket.bound(to: 0)
        defer { close(descriptor) }
        try #require(listen(descriptor, 1) == 0)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let authority = try PageAuthority.make(in: folder.url, for: Self.host)
        let (certificate, key) = try authority.issue(for: Self.host)
        let (file, keyFile) = (folder.appending("page.pem"), folder.appending("page.key.pem"))
        try Data(certificate.pemBytes()).write(to: file)
        try Data(key.pemRepresentation.utf8).write(to: keyFile)
        let proxy = try RecipeProxy(program, at: port, host: Self.host, to: port, file, keyFile)
        defer { proxy.stop() }
        await #expect(throws: RecipeProxy.PortTaken.self) { try await proxy.isReady() }
    }

    @Test(
        "Chromium refuses the authority's certificate for any other name", .needsChromedriver,
        .needs("certutil", "nginx"),
        .timeLimit(.minutes(3)))
    func otherName() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let authority = try PageAuthority.make(in: folder.url, for: Self.host)
        let other = "bank.home.arpa"
        let (certificate, key) = try authority.issue(for: other)
        let own = (file: folder.appending("other.pem"), keyFile: folder.appending("other.key.pem"))
        try Data(certificate.pemBytes()).write(to: own.file)
        try Data(key.pemRepresentation.utf8).write(to: own.keyFile)
        try await RecipeProxy.atFreePort { port in
            let proxy = try RecipeProxy("nginx", at: port, host: other, to: port, own.file, own.keyFile)
            defer { proxy.stop() }
            try await proxy.isReady()
            try await TrustingBrowser.with(authority.der, hosts: [other]) { driver in
                try await driver.open("https://\(other):\(port)/")
                // The browser's own page of warning stands in its place.
                let page = try await driver.source()
                #expect(page.contains("ERR_CERT_INVALID"), "\(page.prefix(500))")
            }
        }
    }

    // MARK: Steps

    /// Sends a picture of more than a megabyte, nginx's own limit. The page's answer comes back, not the proxy's.
    private static func sendLargePicture(_ driver: WebDriver) async throws {
        let send = """
            const done = arguments[arguments.length - 1];
            const canvas = document.createElement("canvas");
            canvas.width = canvas.height = 700;
            const noise = new ImageData(700, 700);
            for (let at = 0; at < noise.data.length; at += 65536)
              crypto.getRandomValues(noise.data.subarray(at, at + 65536));
            canvas.getContext("2d").putImageData(noise, 0, 0);
            canvas.toBlob(async (blob) => {
              const bytes = new Uint8Array(await blob.arrayBuffer());
              let text = "";
              for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
              const picture = btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
              post("/authenticator/tokens", { uri: "", picture, assertion: null, passphrase: "" })
                .then(() => done([picture.length, "added"]), (error) => done([picture.length, error.message]));
            }, "image/png");
            """
        let answer = try await driver.wait(forResultOf: send)
        #expect((answer.arrayValue?.first?.intValue ?? 0) > 1 << 20, "\(answer)")
        #expect(answer.arrayValue?.last?.stringValue?.contains("QR code") == true, "\(answer)")
    }

    private static func makeAndUsePasskey(_ driver: WebDriver, _ page: OpenedPage, _ phone: TestPhone) async throws {
        try await driver.open(page.address.revealed())
        try await driver.wait(for: "Unlock with passphrase")
        let address = try await driver.evaluate("return location.href").stringValue ?? ""
        #expect(address.hasPrefix("https://\(host):"), "\(address)")
        #expect(try await driver.evaluate("return isSecureContext") == true)
        let place = String(address.prefix { $0 != "?" }.dropLast())
        try await driver.type(TestPhone.passphrase.revealed(), into: "#passphrase")
        try await driver.click("main form button")
        try await driver.wait(for: "Sign out")
        try await driver.open(place + "/passkeys")
        try await driver.type("My telephone", into: "#name")
        try await driver.type(TestPhone.passphrase.revealed(), into: "#open")
        try await driver.type(try await phone.passkeyCode(), into: "#code")
        try await driver.click("#add-passkey button[value=code]")
        try await driver.wait(for: "Passkey · added")
        try await driver.click("header form button")
        try await driver.wait(for: "Unlock with Face ID or passkey")
        try await driver.click("[data-passkey=sign-in]")
        try await driver.wait(for: "No request waits for you")
        // The stream of events passes the proxy at once, without a reload.
        try await phone.broker.offer([phone.envelope()])
        try await driver.wait(for: "January 2026")
        try await driver.click("[data-passkey=approve]")
        try await driver.wait(for: "Completed")
        try await driver.open(page.origin + "/trust")
        try await driver.wait(for: "It can speak for \(host)")
        try await driver.open(place + "/authenticator")
        try await driver.wait(for: "Show the codes")
    }
}
