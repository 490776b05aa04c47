import ApprovalPage
import Foundation
import Messages
import Phone
import PhoneStore
import Secrets

extension TestPhone {
    /// A configuration for a free port and quick refreshes.
    package static var pageConfiguration: PageServerConfiguration {
        PageServerConfiguration(port: 0, refreshInterval: .milliseconds(50))
    }

    /// Serves the approval page while `body` runs with a browser that has shown the terminal's code.
    package func serving<Success: Sendable>(
        unlocked: Bool = false, _ configuration: PageServerConfiguration = pageConfiguration,
        services: PhoneServices? = nil, onNotice: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @escaping @Sendable (PageBrowser, PageServer) async throws -> Success
    ) async throws -> Success {
        try await opening(unlocked: unlocked, configuration, services: services, onNotice: onNotice) { page, server in
            let browser = PageBrowser(page.origin)
            try await browser.enter(Self.code(in: page))
            return try await body(browser, server)
        }
    }

    /// Serves the approval page of a phone for which one request waits, to a browser that has signed in and shows its card.
    package static func withCard(
        reason: AgentReason? = nil,
        _ body:
            @escaping @Sendable (TestPhone, PageBrowser, PageServer, RequestID, _ csrf: String) async throws -> Void
    ) async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id, reason: reason)])
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                try await phone.until(server) { try await browser.page().contains(id.short) }
                try await body(phone, browser, server, id, csrf)
            }
        }
    }

    /// Serves the approval page while `body` runs.
    package func opening<Success: Sendable>(
        unlocked: Bool = false, _ configuration: PageServerConfiguration = pageConfiguration,
        services: PhoneServices? = nil, onNotice: @escaping @Sendable (String) -> Void = { _ in },
        onRequest: @escaping @Sendable (AgentName?) -> Void = { _ in },
        _ body: @escaping @Sendable (OpenedPage, PageServer) async throws -> Success
    ) async throws -> Success {
        let server = try PageServer(home: home, services: services ?? self.services(), configuration: configuration)
        await server.onRequest(onRequest)
        if unlocked { try await server.unlock(verification) }
        let (pages, report) = AsyncStream.makeStream(of: OpenedPage.self)
        return try await withThrowingTaskGroup(of: Success?.self) { group in
            group.addTask {
                defer { report.finish() }
                try await server.run(onReady: { report.yield($0) }, onNotice: onNotice)
                return nil
            }
            group.addTask {
                for await page in pages { return try await body(page, server) }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() { if let result { return result } }
            throw CancellationError()
        }
    }

    /// Returns the code that the terminal has printed.
    package static func code(in page: OpenedPage) -> Secret {
        page.address.map { String($0.split(separator: "=").last ?? "") }
    }

    /// Returns another browser of the owner's, which has shown a code of its own.
    package func anotherBrowser(_ origin: String) async throws -> PageBrowser {
        let browser = PageBrowser(origin)
        try await browser.enter(try await PhoneDatabase(home).makeTerminalCode(for: .openPage, lifetime: 60).text)
        return browser
    }

    /// Returns a code with which the page adds one passkey.
    package func passkeyCode() async throws -> String {
        try await PhoneDatabase(home).makeTerminalCode(for: .addPasskey, lifetime: 60).text.revealed()
    }

    /// Waits until the phone is in the state that a test needs.
    package func until(_ server: PageServer, _ holds: @Sendable () async throws -> Bool) async throws {
        // Poll at short intervals instead of waiting for a change, which could come between a look and the wait.
        while try await !holds() { try await Task.sleep(for: .milliseconds(20)) }
    }
}
