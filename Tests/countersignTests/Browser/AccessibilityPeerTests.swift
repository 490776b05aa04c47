import Automation
import Encodings
import Foundation
import Messages
import Phone
import PhoneStore
import TestParties
import TestSupport
import Testing

@testable import ApprovalPage

/// Every state of our pages, judged by axe-core.
@Suite("axe-core against our pages", .serialized)
struct AccessibilityPeerTests {
    @Test("finds nothing in any state, in light and dark", .needsPeers, .needsChromedriver, .timeLimit(.minutes(5)))
    func states() async throws {
        let axe = try await Self.axe()
        for scheme in ["light", "dark"] {
            try await PageStage.with(
                PageStates.configuration, of: PageStates.script, pairs: true, unlocks: false
            ) { phone in
                try await phone.setKeepsCopies()
            } _: { stage in
                _ = try await stage.driver.tell(
                    "Emulation.setEmulatedMedia",
                    ["features": [["name": "prefers-color-scheme", "value": .string(scheme)]]])
                try await PageStates(stage).walk { name in
                    let found = try await Self.findings(stage.driver, axe)
                    #expect(found.isEmpty, "\(name) in \(scheme): \(found)")
                }
            }
        }
    }

    @Test(
        "finds nothing in any state of the assistant's pages, in light and dark", .needsPeers, .needsChromedriver,
        .timeLimit(.minutes(10)))
    func assistant() async throws {
        let axe = try await Self.axe()
        for scheme in ["light", "dark"] {
            try await AssistantPageStage.with(more: AssistantPageStates.settings) { stage in
                _ = try await stage.driver.tell(
                    "Emulation.setEmulatedMedia",
                    ["features": [["name": "prefers-color-scheme", "value": .string(scheme)]]])
                try await AssistantPageStates(stage: stage).walk { name in
                    let found = try await Self.findings(stage.driver, axe)
                    #expect(found.isEmpty, "\(name) in \(scheme): \(found)")
                }
            }
        }
    }

    @Test(
        "finds nothing on the page that a device learns to trust", .needsPeers, .needsChromedriver,
        .timeLimit(.minutes(4)))
    func trust() async throws {
        let axe = try await Self.axe()
        try await PageStage.withTrustPage { driver in
            for scheme in ["light", "dark"] {
                _ = try await driver.tell(
                    "Emulation.setEmulatedMedia",
                    ["features": [["name": "prefers-color-scheme", "value": .string(scheme)]]])
                let found = try await Self.findings(driver, axe)
                #expect(found.isEmpty, "\(scheme): \(found)")
            }
        }
    }

    /// Returns axe-core's source as axe-playwright-python carries it.
    private static func axe() async throws -> String {
        let find =
            "import importlib.util, pathlib; s = importlib.util.find_spec('axe_playwright_python'); "
            + "print((pathlib.Path(s.origin).parent / 'axe.min.js').read_text())"
        let outcome = try await Peers.run("python", ["-c", find])
        try #require(outcome.status == 0, "\(outcome.text)")
        return String(decoding: outcome.output, as: UTF8.self)
    }

    private static func findings(_ driver: WebDriver, _ axe: String) async throws -> [String] {
        _ = try await driver.evaluate(axe + "\nwindow.axe = axe;")
        let run = """
            const done = arguments[arguments.length - 1];
            axe.run(document).then((all) => done(all.violations.map((one) => one.id + ": " + one.nodes.map((n) => n.html).join(" | "))));
            """
        return try await driver.wait(forResultOf: run).arrayValue?.compactMap(\.stringValue) ?? []
    }
}

extension TestPhone {
    func setKeepsCopies() async throws { try await PhoneDatabase(home).setKeepsCopies(true) }
}
