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
    private static let sizes = [(390, 844), (768, 1024), (1280, 800)]

    /// In English, and in the language with the longest words.
    @Test(
        "no state is wider than its window", .needsChromedriver, .timeLimit(.minutes(10)),
        arguments: [Language.english, .german])
    func states(_ language: Language) async throws {
        let ending = language == .english ? "" : "-\(language.rawValue)"
        for scheme in Self.folder == nil ? ["light"] : ["light", "dark"] {
            try await PageStage.with(
                PageStates.configuration, in: language, of: PageStates.script, pairs: true, unlocks: false
            ) { phone in
                try await phone.setKeepsCopies()
            } _: { stage in
                try await PageStates(stage).walk { name in
                    try await Self.look(at: name + ending, stage.driver, scheme)
                    let shown = try await stage.driver.evaluate("return document.documentElement.lang").stringValue
                    #expect(shown == language.rawValue, "\(name)")
                }
            }
            try await PageStage.withTrustPage(in: language) { driver in
                try await Self.look(at: "trust" + ending, driver, scheme)
            }
        }
    }

    /// The pages of an owner who has unlocked the vault.
    private static let places = [
        "/", "/ask", "/documents", "/history", "/banks", "/devices", "/clients", "/passkeys", "/settings",
        "/authenticator", "/audit", "/passphrase", "/forget", "/banks/add",
    ]

    @Test("no page is wider than its window in another language", .needsChromedriver, .timeLimit(.minutes(4)))
    func languages() async throws {
        try await PageStage.with { phone in
            try await phone.setKeepsCopies()
        } _: { stage in
            for language in PageResources.sentences.offered where language != .english {
                try await stage.server.state.choose(language: language.rawValue)
                for place in Self.places {
                    try await stage.driver.open(stage.page + place)
                    try await Self.look(at: place, in: language, stage.driver)
                }
            }
        }
    }

    private static func look(at place: String, in language: Language, _ driver: WebDriver) async throws {
        let shown = try await driver.evaluate("return document.documentElement.lang").stringValue
        #expect(shown == language.rawValue, "\(place) in \(language)")
        let isMarked = try await driver.evaluate("return document.body.innerText.includes('[[')")
        #expect(isMarked == false, "\(place) in \(language)")
        for width in [390, 320] {
            try await show(driver, width, 844, "light")
            let isWider = try await driver.evaluate("return document.documentElement.scrollWidth > innerWidth")
            #expect(isWider == false, "\(place) at \(width) in \(language)")
            #expect(try await driver.misplacedPlaces() == [], "\(place) at \(width) in \(language)")
        }
        try await show(driver, 390, 844, "light")
        let cut = try await driver.cutChoices()
        #expect(cut == [], "\(place) in \(language)")
        guard let folder else { return }
        // The states are pictured in German.
        guard language != .german else { return }
        let (width, height) = sizes[0]
        for scheme in ["light", "dark"] {
            try await show(driver, width, height, scheme)
            let page = place == "/" ? "inbox" : place.dropFirst().replacing("/", with: "-")
            let name = "\(page)-\(language.rawValue)"
            try await driver.screenshot(to: folder.appending(path: "\(name)-\(width)-\(scheme).png"))
            try await lookAtRest(of: name, driver, width, height, scheme, folder)
        }
        try await show(driver, 390, 844, "light")
    }

    private static func look(at name: String, _ driver: WebDriver, _ scheme: String) async throws {
        // 200 % zoom leaves half the width (WCAG 2.2, 1.4.10 goes down to 320).
        for (width, height) in sizes + [(320, 640)] {
            try await show(driver, width, height, scheme)
            let isWider = try await driver.evaluate("return document.documentElement.scrollWidth > innerWidth")
            #expect(isWider == false, "\(name) at \(width)")
            #expect(try await driver.misplacedPlaces() == [], "\(name) at \(width)")
            let cut = try await driver.cutChoices()
            #expect(width == 320 || cut == [], "\(name) at \(width)")
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
