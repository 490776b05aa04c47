import Automation
import Testing

@testable import BrowserAutomation

@Suite("A command that the browser refuses")
struct ProtocolFaultTests {
    @Test(
        "is told in our words, with the browser's behind them",
        arguments: [
            ("no such frame", "Context 7 not found", "closed the window or frame"),
            ("no such node", "Node 3", "replaced the element"),
            ("no such history entry", "", "open the page instead of going back"),
            ("move target out of bounds", "(-1, 3)", "left the place"),
            ("invalid argument", "Unknown key", "install the newest chromium"),
            ("unknown error", "net error", "failed at a command"),
        ])
    func words(_ code: String, _ said: String, _ words: String) {
        let error = EngineError(browser: BrowserError(.refused, "the browser refused (\(code)): \(said)\nat frame 1"))
        #expect(error.message.contains(words), "\(error.message)")
        #expect(error.message.hasSuffix(said.isEmpty ? "(\(code))" : "(\(code): \(said))"), "\(error.message)")
    }

    @Test("keeps its own words where the table has not the code")
    func unknown() {
        for message in ["the browser refused (strange): x", "the browser could not type the secret"] {
            #expect(EngineError(browser: BrowserError(.refused, message)).message == message)
        }
    }

    /// Chromium's replies to a reload of a page that loads itself anew at the same moment, and other refusals.
    @Test(
        "is known for one of a page that goes elsewhere at the same moment",
        arguments: [
            ("unknown error", "navigation canceled by concurrent navigation", true, false),
            ("unknown error", "Not attached to an active page", true, false),
            ("unknown error", "net::ERR_ABORTED", false, true),
            ("unknown error", "net::ERR_CONNECTION_REFUSED", false, false),
            ("no such frame", "Context 7", false, false),
        ])
    func otherNavigation(_ code: String, _ said: String, _ isAboutOtherNavigation: Bool, _ hasAborted: Bool) {
        let error = BrowserError(.refused, "the browser refused (\(code)): \(said)")
        #expect(error.isAboutOtherNavigation == isAboutOtherNavigation)
        #expect(error.hasAborted == hasAborted)
    }
}
