import Foundation
import LoopbackPage
import LoopbackPhone
import LoopbackSockets
import Phone
import PhoneStore
import Secrets
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
                try await Self.browsing(trusting: own.authority) { driver in
                    try await Self.makeAndUsePasskey(driver, page, phone)
                }
            }
        }
    }

    @Test(
        "a passkey is made and used behind a proxy with the guide's settings", .needsChromedriver, .needs("certutil"),
        .timeLimit(.minutes(3)), arguments: ["nginx", "caddy"].filter { Peers.program($0) != nil })
    func proxied(by program: String) async throws {
        try await TestPhone.with { phone in
            let own = try OwnCertificate(in: phone.home, for: Self.host)
            let port = try FreePort.find()
            var configuration = TestPhone.pageConfiguration
            configuration.hostName = Self.host
            configuration.security = .behindProxy(try ProxyOrigin("https://\(Self.host):\(port)"))
            try await phone.opening(configuration) { page, _ in
                let proxy = try RecipeProxy(program, at: port, host: Self.host, to: page.port, own)
                defer { proxy.stop() }
                try await proxy.isReady()
                try await Self.browsing(trusting: own.authority) { driver in
                    try await Self.makeAndUsePasskey(driver, page, phone)
                }
            }
        }
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
        let port = try FreePort.find()
        let proxy = try RecipeProxy("nginx", at: port, host: other, to: port, own.file, own.keyFile)
        defer { proxy.stop() }
        try await proxy.isReady()
        try await Self.browsing(trusting: authority, hosts: [other]) { driver in
            try await driver.open("https://\(other):\(port)/")
            // The browser's own page of warning stands in its place.
            let page = try await driver.source()
            #expect(page.contains("ERR_CERT_INVALID"), "\(page.prefix(500))")
        }
    }

    // MARK: Steps

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
    }

    /// Runs `body` with a browser that trusts an authority, as certutil puts it into the store.
    private static func browsing(
        trusting authority: PageAuthority, hosts: [String] = [host],
        _ body: @Sendable (WebDriver) async throws -> Void
    ) async throws {
        let home = try TemporaryFolder()
        defer { home.remove() }
        let store = home.appending(".pki/nssdb")
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        let file = home.appending("authority.crt")
        try Data(authority.der).write(to: file)
        let certutil = try #require(Peers.program("certutil"))
        for arguments in [
            ["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "Countersign", "-i", file.path],
        ] {
            let outcome = try await ChildProcess.run(certutil, ["-d", "sql:\(store.path)"] + arguments)
            try #require(outcome.status == 0, "\(outcome.text)")
        }
        let driver = WebDriver()
        try await driver.start(home: home.url, hosts: hosts)
        let outcome: Result<Void, any Error>
        do {
            try await driver.addAuthenticator()
            outcome = .success(try await body(driver))
        } catch { outcome = .failure(error) }
        await driver.stop()
        try outcome.get()
    }
}

/// A proxy with the settings of the guide `docs/phone-in-your-pocket.md`, changed in names, ports and files only.
private final class RecipeProxy: Sendable {
    private let process = Process()
    private let folder: TemporaryFolder
    private let port: Int

    convenience init(_ program: String, at port: Int, host: String, to page: Int, _ own: OwnCertificate) throws {
        try self.init(program, at: port, host: host, to: page, own.file, own.keyFile)
    }

    init(_ program: String, at port: Int, host: String, to page: Int, _ certificate: URL, _ key: URL) throws {
        folder = try TemporaryFolder()
        self.port = port
        let language = program == "caddy" ? "caddyfile" : "nginx"
        let guide = try String(contentsOf: Repository.file("docs/phone-in-your-pocket.md"), encoding: .utf8)
        let block = try #require(
            guide.split(separator: "```\(language)\n").dropFirst().first?.split(separator: "```").first)
        let recipe = block.replacing("8766", with: "\(page)")
        let file = folder.appending("proxy.conf")
        let arguments: [String]
        if program == "caddy" {
            let named = recipe.replacing(
                "phone.example {", with: "https://\(host):\(port) {\n\ttls \(certificate.path) \(key.path)")
            let global = "{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system \(folder.url.path)\n}\n"
            try Data((global + named).utf8).write(to: file)
            arguments = ["run", "--config", file.path, "--adapter", "caddyfile"]
        } else {
            let named = recipe.replacing("listen 443 ssl", with: "listen 127.0.0.1:\(port) ssl")
                .replacing("/etc/ssl/private/phone.example.pem", with: certificate.path)
                .replacing("/etc/ssl/private/phone.example.key.pem", with: key.path)
                .replacing("phone.example", with: host)
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(folder.url.path)/\($0);"
            }.joined(separator: "\n")
            let whole = """
                daemon off;
                master_process off;
                pid \(folder.url.path)/nginx.pid;
                error_log \(folder.url.path)/error.log;
                events {}
                http {
                access_log off;
                \(temporary)
                \(named)
                }
                """
            try Data(whole.utf8).write(to: file)
            arguments = ["-c", file.path, "-p", folder.url.path]
        }
        let process = process
        let place: URL = try #require(Peers.program(program))
        process.executableURL = place
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["HOME": folder.url.path]) { $1 }
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try ChildProcess.starting { try process.run() }
    }

    /// Waits until the proxy listens.
    func isReady() async throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if let descriptor = try? LoopbackSocket.connected(to: port) {
                close(descriptor)
                return
            }
            try #require(process.isRunning, "the proxy has ended")
            try await Task.sleep(for: .milliseconds(50))
        }
        throw WebDriver.Failure(description: "the proxy does not listen")
    }

    func stop() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        folder.remove()
    }
}
