extension BrowserNavigationEngine {
    /// Records what a person does in the window from now on, on each page that opens.
    ///
    /// The stream ends when the person closes the last window, or with ``close()``. Dialogs are left to the person.
    ///
    /// - Throws: ``BrowserError``.
    public func record() async throws -> AsyncStream<VisitorAction> {
        let connection = connection
        // A preload script would be earlier, but Chromium 156 opens no channel for one in a sandbox.
        let actions = recorder.begin { context in
            Task {
                _ = try? await connection.call(
                    "script.callFunction",
                    [
                        "functionDeclaration": .string(PageScripts.guarded(PageScripts.record)), "awaitPromise": false,
                        "target": ["context": .string(context), "sandbox": .string(PageScripts.sandbox)],
                        "arguments": [["type": "channel", "value": ["channel": .string(VisitRecorder.channel)]]],
                    ])
            }
        }
        activity.answer.withLock { $0 = nil }
        _ = try await connection.call(
            "session.subscribe", ["events": ["script.message", "script.realmCreated"]])
        return actions
    }
}
