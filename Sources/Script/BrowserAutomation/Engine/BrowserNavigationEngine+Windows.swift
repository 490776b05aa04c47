import Automation
import Encodings
import Selectors

// Windows that a page opens and closes: a step works on the newest one, as a person does.

extension BrowserNavigationEngine {
    /// The longest time for a new window or frame to answer, before the driver is told to look at it again.
    private static let greetingLimit: Duration = .seconds(2)
    /// The time after which a window without an address of its own is looked at: its page is written by its opener.
    private static let writingTime: Duration = .milliseconds(300)

    /// Makes a window that the page has opened since the last step acted the page of the steps.
    ///
    /// - Parameter includesWritten: also takes a window without an address, whose page its opener writes.
    /// - Returns: false when no such window shows a page.
    func moveToOpenedWindow(includingWritten includesWritten: Bool = false) async -> Bool {
        let (context, known, now) = (context, knownWindows, ContinuousClock.now)
        let opened = activity.read { state -> (id: String, isWritten: Bool)? in
            let openers = [context, Self.top(of: context, in: state)]
            for (id, window) in state.windows where !known.contains(id) && !window.isClosed {
                guard let opener = window.opener, openers.contains(opener) else { continue }
                if window.arrived != nil { return (id, false) }
                if includesWritten, window.navigation == nil, now - window.created > Self.writingTime {
                    return (id, true)
                }
            }
            return nil
        }
        guard let opened else { return false }
        await lookAnew(at: opened.id)
        outer.append(context)
        self.context = opened.id
        if opened.isWritten, (try? await call(PageScripts.hasContent, within: Self.greetingLimit)) != true {
            // An empty window, such as the one in which a download begins.
            outer.removeLast()
            self.context = context
            return false
        }
        knownWindows.insert(opened.id)
        lastReading = nil
        return true
    }

    /// Goes back to the window or the page around, when those of the steps are closed.
    @discardableResult func leaveClosedWindows() -> Bool {
        var hasLeft = false
        while activity.window(context).isClosed, let last = outer.popLast() {
            context = last
            lastReading = nil
            hasLeft = true
        }
        return hasLeft
    }

    /// Goes from a frame to the page around all frames.
    func leaveFrames() {
        while activity.window(context).parent != nil, let last = outer.popLast() { context = last }
    }

    /// Makes sure that a frame answers.
    func greet(_ frame: String) async {
        let answer = try? await connection.call(
            "script.evaluate",
            [
                "expression": "true", "awaitPromise": false,
                "target": ["context": .string(frame), "sandbox": .string(PageScripts.sandbox)],
            ], limit: Self.greetingLimit)
        if answer == nil { await lookAnew(at: frame) }
    }

    /// Lets the driver list the realms of a window again.
    ///
    /// It hears of a new window's first page, and of the navigation to it, in either order. In the wrong one it waits for
    /// a realm that it has, and answers no function there (chromedriver 156; chromium-bidi, `#defaultRealmDeferred`).
    private func lookAnew(at window: String) async {
        let answer = try? await connection.call(
            "goog:cdp.getSession", ["context": .string(window)], limit: Self.greetingLimit)
        guard let session = answer?["session"] else { return }
        for method in ["Runtime.disable", "Runtime.enable"] {
            _ = try? await connection.call(
                "goog:cdp.sendCommand", ["method": .string(method), "params": [:], "session": session],
                limit: Self.greetingLimit)
        }
    }

    static func top(of context: String, in state: PageActivity.State) -> String {
        var top = context
        while let parent = state.windows[top]?.parent { top = parent }
        return top
    }
}

extension Locator {
    /// What `enter: top` names: the page around all frames. No page has an element of that name.
    static let top = Locator.css("top")
}
