import BankScript
import BrowserAutomation
import TestSupport
import Testing

@testable import PhoneCommands

/// The engines that a phone starts for its scripts.
@Suite("A phone's options")
struct PhoneOptionsTests {
    @Test("start a browser for a script that asks for one")
    func browser() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let options = try PhoneOptions.parse(["--home", folder.url.path])
        // The browser's engine refuses pins before it starts anything, so this needs no Chromium.
        let script = BankScript(
            "bank", named: "Bank", at: "https://bank.example", pins: ["https://bank.example": ["sha256//AAAA"]],
            engine: .browser, steps: { Open("/") })
        let services = try options.services
        let error = await #expect(throws: BrowserError.self) { _ = try await services.engine(script) }
        #expect(error?.code == .unsupported && error?.message.contains("pins") == true)
    }
}
