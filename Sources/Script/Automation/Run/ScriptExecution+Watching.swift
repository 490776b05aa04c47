import BankScript
import Clocks
import Selectors

// Waiting as a person at the screen does: by looking, not by loading the page anew. Engines whose pages change by steps
// alone look once.

extension ScriptExecution {
    /// The longest time between two looks at a page.
    private static let lookInterval: Duration = .milliseconds(500)
    /// The time for a condition to come true, where nothing on the page would show that it does not.
    private static let briefPatience: Duration = .seconds(2)

    /// Looks at the page until that finds something, as long as the page may still show it by itself.
    ///
    /// What the script's interruptions and its last `fail` steps say about the page counts meanwhile.
    ///
    /// - Parameter patience: the longest time; by default the engine's.
    /// - Returns: nil when the page did not show it in time.
    func watch<Found>(within patience: Duration? = nil, for look: () async throws -> Found?) async throws -> Found? {
        if let found = try await look() { return found }
        let end = ContinuousClock.now + (patience ?? engine.patience)
        while case let left = end - ContinuousClock.now, left > .zero,
            try await engine.awaitChange(within: min(left, Self.lookInterval))
        {
            if let found = try await look() { return found }
            try await handleInterruptions()
            try await failLate()
        }
        return nil
    }

    /// Waits for the next look at a page: until it changes by itself, or for an interval.
    ///
    /// - Returns: false when the page has to be loaded anew, because nothing else changes it.
    func watchPage(within interval: Duration) async throws -> Bool {
        guard engine.patience > .zero else { return false }
        return try await engine.awaitChange(within: interval)
    }

    /// Ends the run when the page says by now what a `fail` step has looked for, since the page was last changed by a step.
    /// An app shows a refusal a moment after the button was pressed.
    func failLate() async throws {
        for failure in lateFailures where try await holds(failure.condition) {
            throw await declared(failure.code, failure.reason, by: failure.condition)
        }
    }

    /// Fills in a locator for a step that uses what it finds. Of several ways, the first one that the page shows counts.
    public func locateShown(_ locator: Locator) async throws -> Locator {
        guard !locator.alternatives.isEmpty else { return try await locate(locator) }
        let shown = try await watch { () -> Locator? in
            let way = try await locate(locator)
            return try await engine.texts(way).isEmpty ? nil : way
        }
        if let shown { return shown }
        return try await locate(locator)
    }

    /// Evaluates the condition of a branch. The page has time to show it, until it shows what the steps go on with.
    ///
    /// - Parameter following: the steps after the branch.
    func holds(_ condition: Condition, orGoingOnWith following: ArraySlice<Step>) async throws -> Bool {
        guard condition.watchesPage else { return try await holds(condition) }
        let signs = Self.signs(of: following)
        let isBrief = signs.isEmpty && patienceOfStep == nil
        let isMet = try await watch(within: isBrief ? Self.briefPatience : nil) { () -> Bool? in
            if try await holds(condition) { return true }
            for sign in signs where (try? await holds(sign)) == true { return false }
            return nil
        }
        return isMet ?? false
    }

    /// Returns what the page shows when steps can go on: what the first of them uses, or ends the run for.
    private static func signs(of steps: ArraySlice<Step>) -> [Condition] {
        var signs: [Condition] = []
        for step in steps {
            guard let step = step.action.kind as? any PerformedStep else { return signs }
            signs += step.signs.conditions
            guard step.signs.continues else { return signs }
        }
        return signs
    }
}

extension Condition {
    /// True for a condition about what a page shows, which may come true without a step.
    var watchesPage: Bool {
        switch self {
        case .shows, .says, .titled, .path: true
        case .status, .json, .equal: false
        case .not(let condition): condition.watchesPage
        case .all(let conditions), .any(let conditions): conditions.contains(where: \.watchesPage)
        }
    }
}
