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
    private static let windows = [(390, 844), (768, 1024), (1280, 800), (390, 560), (320, 480), (844, 390), (195, 422)]

    @Test(
        "nothing of a card is behind its buttons, and the button says what it approves, with one card, two and twenty",
        .needsChromedriver, .timeLimit(.minutes(3)), arguments: [1, 2, 20])
    func covered(count: Int) async throws {
        let ids = (1...count).map { _ in RequestID() }
        let id = ids[0]
        try await PageStage.with { phone in
            let requests = try ids.enumerated().map { number, id in
                try phone.envelope(month: 1 + number % 12, year: 2020 + number / 12, id: id)
            }
            await phone.broker.offer(requests)
        } _: { stage in
            let store = await stage.server.state.store
            let version = try await store.credentialsVersion(forBank: "default")
            try await store.record(
                .refused(.accountLocked), ofBank: "default", credentials: version, request: id, at: Date())
            try await stage.addPasskey()
            try await stage.open("/")
            try await stage.driver.wait(for: "Sign in once more")
            try await stage.wait(
                until: "document.querySelectorAll('.request').length === \(count)", "all requests are shown")
            let all = ["p", "h2", "input", "label", "button", "summary"].map { ".request \($0)" }
                .joined(separator: ", ")
            for (width, height) in Self.windows {
                _ = try await stage.driver.tell(
                    "Emulation.setDeviceMetricsOverride",
                    [
                        "width": .number(Double(width)), "height": .number(Double(height)), "deviceScaleFactor": 1,
                        "mobile": false,
                    ])
                let hidden = try await stage.driver.evaluate(Self.covered(all)).stringValue
                #expect(hidden == "", "\(width)x\(height)")
                let unnamed = try await stage.driver.evaluate(Self.unnamed).stringValue
                #expect(unnamed == "", "\(width)x\(height)")
            }
        }
    }

    /// A script that gives the ids of the cards that have a visible button for an approval without the words of the title
    /// and of the bank, or with words that do not fit into it.
    private static let unnamed = """
        return [...document.querySelectorAll(".request")].filter((card) => {
          const buttons = [...card.querySelectorAll("button.main")].filter((one) => one.checkVisibility());
          const words = [card.querySelector(".what").textContent, card.querySelector(".where").textContent];
          return buttons.length === 0 || buttons.some((button) => button.scrollWidth > button.clientWidth
            || words.some((some) => !button.innerText.includes(some)));
        }).map((card) => card.id).join("|");
        """

    /// Returns a script that scrolls through the page, and gives the texts of what is in the window, but behind something.
    private static func covered(_ selector: String) -> String {
        """
        const hidden = new Set();
        const end = document.documentElement.scrollHeight - innerHeight;
        for (let place = 0; place <= Math.max(0, end); place += Math.max(20, end / 200)) {
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
        "a time within the last hour is relative, and another one is not", .needsChromedriver, .timeLimit(.minutes(4)))
    func ago() async throws {
        try await PageStage.with { stage in
            for (seconds, words) in [(-30, "just now"), (5, "just now"), (330, "5\u{A0}min ago"), (7500, " at a time")]
            {
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
