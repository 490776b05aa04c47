import BankScript
import Selectors

extension ScriptExecution {
    func perform(_ search: SearchStep) async throws {
        let target = try locate(search.target)
        let next = try locate(search.next)
        found = nil
        for page in 1...max(search.limit, 1) {
            if try await !engine.texts(target).isEmpty {
                // Asks for the one thing, so that several of them are an error that lists them.
                _ = try await engine.text(of: target)
                found = target
                return
            }
            let isLast = try await engine.texts(next).isEmpty
            if isLast || page == search.limit {
                throw await missing(target, pages: page, hasMore: !isLast)
            }
            try await turn { try await engine.press(next) }
            try await endIfInterrupted()
        }
    }

    private func missing(_ target: Locator, pages: Int, hasMore: Bool) async -> RunFailure {
        let looked = pages == 1 ? "the one page" : "\(pages) pages"
        let limit = hasMore ? "; there are more pages, the step’s limit ends the search" : ""
        let seen = (try? await engine.text(of: target)) == nil ? await nearest(to: target) : []
        return RunFailure(
            .navigationFailed, reason: .statementMissing, message: "\(target) is not on \(looked)\(limit)",
            candidates: seen)
    }

    /// What the engine offers instead, on the last page that was looked at.
    private func nearest(to target: Locator) async -> [String] {
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
            throw RunFailure(
                .navigationFailed, reason: .timeout,
                message: "waited \(wait.limit.inWords) until \(words); it did not come")
        }
    }
}
