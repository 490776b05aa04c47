import Encodings
import Foundation
import Messages
import PhoneStore
import TestParties
import Testing

@testable import ApprovalPage

/// A request's card in windows of all heights.
@Suite("A card in Chromium", .serialized)
struct CardInBrowserTests {
    @Test(
        "the box that confirms another sign-in is never behind the buttons, and in a low window nothing is",
        .needsChromedriver, .timeLimit(.minutes(2)))
    func covered() async throws {
        let id = RequestID()
        try await PageStage.with { phone in
            await phone.broker.offer([try phone.envelope(id: id)])
        } _: { stage in
            let store = await stage.server.state.store
            let version = try await store.credentialsVersion(forBank: "default")
            try await store.record(
                .refused(.accountLocked), ofBank: "default", credentials: version, request: id, at: Date())
            try await stage.addPasskey()
            try await stage.open("/")
            try await stage.driver.wait(for: "Sign in once more")
            let choice = "#h-\(id.short), label[for=h-\(id.short)]"
            let all = ["p", "input", "label", "button", "summary"].map { ".request \($0)" }.joined(separator: ", ")
            for (width, height, parts) in [
                (390, 844, choice), (768, 1024, choice), (390, 560, all), (320, 480, all), (844, 390, all),
            ] {
                _ = try await stage.driver.tell(
                    "Emulation.setDeviceMetricsOverride",
                    [
                        "width": .number(Double(width)), "height": .number(Double(height)), "deviceScaleFactor": 1,
                        "mobile": false,
                    ])
                let hidden = try await stage.driver.evaluate(Self.covered(parts)).stringValue
                #expect(hidden == "", "\(width)x\(height)")
            }
        }
    }

    /// Returns a script that scrolls through the page, and gives the texts of what is in the window, but behind something.
    private static func covered(_ selector: String) -> String {
        """
        const hidden = new Set();
        const end = document.documentElement.scrollHeight - innerHeight;
        for (let place = 0; place <= Math.max(0, end); place += 20) {
          scrollTo({ top: place, behavior: "instant" });
          for (const part of document.querySelectorAll("\(selector)")) {
            const box = part.getBoundingClientRect();
            const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
            if (!part.checkVisibility() || box.height === 0 || y < 0 || y >= innerHeight) continue;
            const top = document.elementFromPoint(x, y);
            if (top && !part.contains(top) && !top.contains(part)) hidden.add(part.textContent || part.id);
          }
        }
        return [...hidden].join("|");
        """
    }

    @Test(
        "a time within the last hour is relative, and another one is not", .needsChromedriver, .timeLimit(.minutes(2)))
    func ago() async throws {
        try await PageStage.with { stage in
            for (seconds, words) in [(-30, "just now"), (5, "just now"), (330, "5 min ago"), (7500, " at a time")] {
                let text = try await stage.driver.evaluate(
                    """
                    const time = document.createElement("time");
                    time.dateTime = new Date(Date.now() - \(seconds) * 1000).toISOString();
                    time.dataset.ago = "";
                    document.body.append(time);
                    localise(document);
                    return time.textContent;
                    """
                ).stringValue
                #expect(words.hasPrefix(" ") ? text?.contains(":") == true : text == words, "\(seconds): \(text ?? "")")
            }
        }
    }
}
