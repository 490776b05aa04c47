import Foundation
import TestSupport
import Testing

/// A Chromium with one authority more in its store, and with a virtual authenticator.
enum TrustingBrowser {
    /// Runs `body` with the browser. certutil puts the authority into the store.
    ///
    /// - Parameters:
    ///   - authority: its certificate (DER).
    ///   - hosts: the host names that lead to this machine.
    static func with(
        _ authority: [UInt8], hosts: [String], _ body: @Sendable (WebDriver) async throws -> Void
    ) async throws {
        let home = try TemporaryFolder()
        defer { home.remove() }
        let store = home.appending(".pki/nssdb")
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        let file = home.appending("authority.crt")
        try Data(authority).write(to: file)
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
