import BankScript
import Clocks
import Selectors
import TextMatching

extension ScriptExecution {
    func perform(_ search: SearchStep) async throws {
        let target = try locate(search.target)
        let next = try locate(search.next)
        found = nil
        var seen: [String] = []
        for page in 1...max(search.limit, 1) {
            let shown = try await engine.texts(target)
            if !shown.isEmpty {
                // Asking for one element makes several an error that lists them.
                if shown.count > 1 { _ = try await engine.text(of: target) }
                found = target
                return
            }
            seen += try await rows(like: target)
            let isLast = try await engine.texts(next).isEmpty
            if isLast || page == search.limit {
                throw await missing(target, pages: page, hasMore: !isLast, seen: seen)
            }
            try await turn(submitting: true) { try await engine.press(next) }
            try await endIfInterrupted()
        }
    }

    private func missing(_ target: Locator, pages: Int, hasMore: Bool, seen: [String]) async -> RunFailure {
        let looked = pages == 1 ? "the only page" : "\(pages) pages"
        let limit = hasMore ? "; there are more pages, but the step's limit ended the search" : ""
        var candidates: [String] = []
        if case .row(let text) = target.target {
            candidates = seen.mostAlike(to: text.words, atMost: 6).map { "row “\($0)”" }
        }
        if candidates.isEmpty { candidates = await nearest(to: target) }
        return RunFailure(
            .navigationFailed, reason: .statementMissing, message: "\(target) is not on \(looked)\(limit)",
            candidates: candidates)
    }

    /// Returns the texts of the page's rows, when the target is a row: the most similar may not be on the last page.
    private func rows(like target: Locator) async throws -> [String] {
        guard case .row = target.target else { return [] }
        return try await engine.rows().map { String($0.prefix(80)) }
    }

    /// Returns the engine's suggestions on the open page.
    func nearest(to target: Locator) async -> [String] {
        do {
            _ = try await engine.text(of: target)
            return []
        } catch let error as EngineError {
            return error.candidates
        } catch {
            return []
        }
    }

    func perform(_ wait: WaitStep) async throws {
        do {
            try await withTimeLimit(wait.limit, on: services.clock) { [self] in
                while true {
                    if let poll = wait.poll { try await perform(poll) }
                    if try await holds(wait.condition) { return }
                    try await endIfInterrupted()
                    try await services.clock.sleep(for: wait.interval)
                    if wait.poll == nil { try await turn { try await engine.reload() } }
                }
            }
        } catch is TimeLimitExceeded {
            let words = wait.condition.words { (try? self.fill($0)) ?? $0.source }
            var failure = RunFailure(
                .navigationFailed, reason: .timeout,
                message: "waited \(wait.limit.inWords) until \(words), without success")
            switch wait.condition {
            case .shows(let locator): failure.candidates = await nearest(to: try locate(locator))
            case .json(let path, _): failure.candidates = await currentJSON?.paths(nearestTo: try fill(path)) ?? []
            default: break
            }
            throw failure
        }
    }
}

extension TextMatch {
    fileprivate var words: String {
        switch self {
        case .name(let text), .exact(let text), .regex(let text): text
        }
    }
}
