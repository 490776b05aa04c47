import Foundation
import JSON
import LoopbackPhone
import TestSupport
import Testing

/// Takes pictures of every state, for a reader with eyes, but only if `COUNTERSIGN_SCREENSHOTS` names a folder.
@Suite("Pictures of the approval page", .serialized)
struct PicturesInBrowserTests {
    private static let folder = ProcessInfo.processInfo.environment["COUNTERSIGN_SCREENSHOTS"].map { URL(filePath: $0) }
    private static let sizes = [(390, 844), (768, 1024), (1280, 800)]

    @Test(
        "no state is wider than its window", .needsChromedriver, .timeLimit(.minutes(10)))
    func states() async throws {
        for scheme in Self.folder == nil ? ["light"] : ["light", "dark"] {
            try await PageStage.with(unlocks: false) { phone in
                try await phone.setKeepsCopies()
            } _: { stage in
                try await PageStates(stage).walk { name in
                    for (width, height) in Self.sizes {
                        try await Self.show(stage.driver, width, height, scheme)
                        let isWider = try await stage.driver.evaluate(
                            "return document.documentElement.scrollWidth > innerWidth")
                        #expect(isWider == false, "\(name) at \(width)")
                        guard let folder = Self.folder else { continue }
                        try await stage.driver.screenshot(
                            to: folder.appending(path: "\(name)-\(width)-\(scheme).png"))
                    }
                    // 200 % zoom leaves half the width (WCAG 2.2, 1.4.10 goes down to 320).
                    try await Self.show(stage.driver, 320, 640, scheme)
                    let isWider = try await stage.driver.evaluate(
                        "return document.documentElement.scrollWidth > innerWidth")
                    #expect(isWider == false, "\(name) at 320")
                    try await Self.show(stage.driver, 390, 844, scheme)
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
