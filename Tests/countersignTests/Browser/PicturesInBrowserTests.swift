import Encodings
import Foundation
import Languages
import TestParties
import TestSupport
import Testing

@testable import ApprovalPage

/// Takes pictures of every state, for a reader with eyes, but only if `COUNTERSIGN_SCREENSHOTS` names a folder.
@Suite("Pictures of the approval page", .serialized)
struct PicturesInBrowserTests {
    private static let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_SCREENSHOTS"].map { URL(filePath: $0) }
    /// Without pictures, the language with the longest words alone: each one loads every state again.
    private static let languages =
        folder == nil ? [Language.german] : PageResources.sentences.offered.filter { $0 != .english }
    private static let sizes = [(390, 844), (768, 1024), (1280, 800)]

    @Test(
        "no state is wider than its window", .needsChromedriver, .timeLimit(.minutes(10)))
    func states() async throws {
        for scheme in Self.folder == nil ? ["light"] : ["light", "dark"] {
            try await PageStage.with(unlocks: false) { phone in
                try await phone.setKeepsCopies()
            } _: { stage in
                try await PageStates(stage).walk { name in try await Self.look(at: name, stage.driver, scheme) }
            }
            try await PageStage.withTrustPage { driver in try await Self.look(at: "trust", driver, scheme) }
        }
    }

    /// The states that a browser can load again: no answer to a form, and nothing that waits for a passkey.
    private static let lasting: Set = [
        "unlock", "inbox-empty", "documents-empty", "ask", "card-passphrase", "completed",
    ]

    @Test(
        "no state is wider than its window in German, or in any language for pictures", .needsChromedriver,
        .timeLimit(.minutes(10)))
    func languages() async throws {
        try await PageStage.with(unlocks: false) { phone in
            try await phone.setKeepsCopies()
        } _: { stage in
            try await PageStates(stage).walk { name in
                guard Self.lasting.contains(name) else { return }
                for language in Self.languages {
                    try await Self.look(at: name, in: language, stage)
                }
                try await Self.show(stage, in: .english)
            }
        }
    }

    private static func look(at name: String, in language: Language, _ stage: PageStage) async throws {
        try await show(stage, in: language)
        for width in [390, 320] {
            try await show(stage.driver, width, 844, "light")
            let isWider = try await stage.driver.evaluate("return document.documentElement.scrollWidth > innerWidth")
            #expect(isWider == false, "\(name) at \(width) in \(language)")
            let isMarked = try await stage.driver.evaluate("return document.body.innerText.includes('[[')")
            #expect(isMarked == false, "\(name) in \(language)")
            guard let folder, width > 320 else { continue }
            let whole = try await stage.driver.evaluate("return document.documentElement.scrollHeight").intValue ?? 844
            try await show(stage.driver, width, max(844, whole), "light")
            try await stage.driver.screenshot(to: folder.appending(path: "\(name)-\(width)-\(language.rawValue).png"))
        }
    }

    /// Loads the page again in a language, as if its owner had chosen it before.
    private static func show(_ stage: PageStage, in language: Language) async throws {
        try await stage.server.state.choose(language: language.rawValue)
        let isOffline = try await stage.driver.evaluate("return location.pathname.endsWith('.html')") == true
        // The page without a connection has its language in its address, as the worker keeps it.
        let load = isOffline ? "location.search = '\(language.query)' || '?en'" : "location.reload()"
        _ = try await stage.driver.evaluate("document.documentElement.lang = ''; \(load)")
        try await stage.wait(
            until: "document.readyState === 'complete' && document.documentElement.lang === '\(language.rawValue)'",
            "the page in \(language)")
    }

    private static func look(at name: String, _ driver: WebDriver, _ scheme: String) async throws {
        // 200 % zoom leaves half the width (WCAG 2.2, 1.4.10 goes down to 320).
        for (width, height) in sizes + [(320, 640)] {
            try await show(driver, width, height, scheme)
            let isWider = try await driver.evaluate("return document.documentElement.scrollWidth > innerWidth")
            #expect(isWider == false, "\(name) at \(width)")
            guard let folder, width > 320 else { continue }
            try await driver.screenshot(to: folder.appending(path: "\(name)-\(width)-\(scheme).png"))
            try await lookAtRest(of: name, driver, width, height, scheme, folder)
        }
        try await show(driver, 390, 844, scheme)
    }

    /// Takes a picture of the whole page, if it is higher than its window.
    private static func lookAtRest(
        of name: String, _ driver: WebDriver, _ width: Int, _ height: Int, _ scheme: String, _ folder: URL
    ) async throws {
        let whole = try await driver.evaluate("return document.documentElement.scrollHeight").intValue ?? 0
        guard width == 390, whole > height else { return }
        try await show(driver, width, whole, scheme)
        try await driver.screenshot(to: folder.appending(path: "\(name)-\(width)-whole-\(scheme).png"))
    }

    private static func show(_ driver: WebDriver, _ width: Int, _ height: Int, _ scheme: String) async throws {
        _ = try await driver.tell(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(Double(width)), "height": .number(Double(height)), "deviceScaleFactor": 1,
                "mobile": false,
            ])
        _ = try await driver.tell(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": .string(scheme)]]])
    }
}
