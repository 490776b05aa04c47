import Testing

@testable import BrowserAutomation

@Suite("The browser's own traffic")
struct OwnTrafficTests {
    @Test("is left out of what an author reads, and what a page asked for stays")
    func leftOut() {
        let refused = [
            "https://update.googleapis.com", "https://fonts.bank.example", "https://accounts.google.com",
            "https://www.google.com:8443", "https://update.googleapis.com.evil.example", "ws:",
        ]
        #expect(
            OwnTraffic.leavingOut(of: refused, askedByPages: []) == [
                "https://fonts.bank.example", "https://update.googleapis.com.evil.example", "ws:",
            ])
        // A bank may sign in with that host, and then its author has to know.
        #expect(
            OwnTraffic.leavingOut(of: refused, askedByPages: ["https://accounts.google.com"]) == [
                "https://fonts.bank.example", "https://accounts.google.com",
                "https://update.googleapis.com.evil.example", "ws:",
            ])
    }
}
