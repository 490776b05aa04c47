import BankScript
import Foundation
import Machine
import TestServers
import TestSupport
import Testing

@testable import BrowserAutomation

/// A run that is cancelled does not wait for its bank.
@Suite("A run in the browser that is cancelled", .serialized)
struct CancelledRunInBrowserTests {
    @Test(
        "stops at once although the bank never answers, and leaves nothing behind", .needsChromedriver,
        .timeLimit(.minutes(4)))
    func whileWaiting() async throws {
        let before = Set(Descendant.all)
        // Short, because Chromium makes a socket below it.
        let folder = try TemporaryFolder(in: URL(filePath: "/tmp"), named: "ct-\(UUID().uuidString.prefix(8))")
        defer { folder.remove() }
        // As root, the browser runs as another user.
        chmod(folder.url.path, 0o755)
        let bank = try LoopbackSocket.bound()
        defer { close(bank.descriptor) }
        // Ends the accept below if the browser never comes.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            bank.descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        try #require(listen(bank.descriptor, 8) == 0)
        let origin = "http://localhost:\(bank.port)"
        let script = BankScript("bank", named: "Bank", at: origin, isForTesting: true, steps: { Open("/") })
        let engine = try await BrowserNavigationEngine.start(
            for: script, configuration: ChromiumConfiguration(temporaryFolder: folder.url))
        let step = Task { try await engine.open(origin + "/") }
        // The step is under way when the browser has connected.
        let listener = bank.descriptor
        let client = try await BlockingWork.run { accept(listener, nil, nil) }
        #expect(client >= 0, "the browser did not connect")
        let began = ContinuousClock.now
        step.cancel()
        await #expect(throws: (any Error).self) { try await step.value }
        await engine.close()
        let took = ContinuousClock.now - began
        print("a cancelled run in the browser ended after \(took)")
        // Without the cancellation, the step would wait for a minute.
        #expect(took < .seconds(10))
        if client >= 0 { close(client) }
        #expect(folder.names == [])
        let left = Set(Descendant.all).subtracting(before)
        #expect(left == [], "\(left.map(\.command))")
    }
}
