import Encodings
import Foundation
import Languages
import TestSupport
import Testing

/// Looks at every state of the assistant's pages: in narrow and wide windows, in light and dark, and with axe-core. Pictures
/// are taken if `COUNTERSIGN_SCREENSHOTS` names a folder.
@Suite("Pictures of the assistant's pages", .serialized)
struct AssistantPicturesInBrowserTests {
    private static let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_SCREENSHOTS"].map { URL(filePath: $0) }
    private static let sizes = [(390, 844), (768, 1024), (1280, 800)]

    /// In English, and in the language with the longest words.
    @Test(
        "no state is wider than its window", .needsChromedriver, .timeLimit(.minutes(10)),
        arguments: [Language.english, .german])
    func widths(_ language: Language) async throws {
        let ending = language == .english ? "" : "-\(language.rawValue)"
        for scheme in Self.folder == nil ? ["light"] : ["light", "dark"] {
            try await AssistantPageStage.with(more: AssistantPageStates.settings, in: language) { stage in
                try await AssistantPageStates(stage: stage).walk { name in
                    // 200 % zoom leaves half the width (WCAG 2.2, 1.4.10 goes down to 320).
                    for (width, height) in Self.sizes + [(320, 640), (390, 844)] {
                        try await Self.show(stage.driver, width, height, scheme)
                        let isWider = try await stage.driver.evaluate(
                            "return document.documentElement.scrollWidth > innerWidth")
                        #expect(isWider == false, "\(name)\(ending) at \(width)")
                        #expect(try await stage.driver.misplacedPlaces() == [], "\(name)\(ending) at \(width)")
                        let cut = try await stage.driver.cutChoices()
                        #expect(width == 320 || cut == [], "\(name)\(ending) at \(width): \(cut)")
                        guard let folder = Self.folder, width != 320 else { continue }
                        try await stage.driver.screenshot(
                            to: folder.appending(path: "assistant-\(name)\(ending)-\(width)-\(scheme).png"))
                    }
                }
            }
        }
    }

    @Test(
        "in each language the place chosen in the settings is shown, no wider than its window", .needsChromedriver,
        .timeLimit(.minutes(5)))
    func languages() async throws {
        try await AssistantPageStage.with { stage in
            let driver = stage.driver
            try await stage.register()
            for language in ["de", "fr", "es"] {
                try await stage.open("/settings")
                _ = try await driver.evaluate(
                    """
                    document.getElementById('own-language').value = '\(language)';
                    document.querySelector('#language form').requestSubmit();
                    """)
                try await stage.wait(
                    until: "document.documentElement.lang === '\(language)'", "the page is in \(language)")
                for path in ["/", "/connections", "/settings", "/data", "/alerts", "/confirmations"] {
                    try await stage.open(path)
                    for width in [320, 390] {
                        try await Self.show(driver, width, 844, "light")
                        let isWider = try await driver.evaluate(
                            "return document.documentElement.scrollWidth > innerWidth")
                        #expect(isWider == false, "\(path) in \(language) at \(width)")
                        #expect(try await driver.misplacedPlaces() == [], "\(path) in \(language) at \(width)")
                    }
                    guard let folder = Self.folder else { continue }
                    let name = path == "/" ? "today" : String(path.dropFirst())
                    try await driver.screenshot(to: folder.appending(path: "assistant-\(name)-\(language).png"))
                }
            }
        }
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
