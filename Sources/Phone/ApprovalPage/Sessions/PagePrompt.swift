import Automation
import Foundation
import Secrets

/// Asks the person one question at a time on the page; any signed-in browser can answer it.
actor PagePrompt: HumanPrompt {
    struct Open: Sendable {
        let id: String
        let prompt: Prompt
    }

    private(set) var open: Open?
    private var answer: CheckedContinuation<Secret, any Error>?
    private var changed: @Sendable () -> Void = {}

    /// Sets a function that is called whenever a question is asked or answered.
    func onChange(_ body: @escaping @Sendable () -> Void) { changed = body }

    func answer(_ prompt: Prompt) async throws -> Secret {
        let id = UUID().uuidString.lowercased()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard !Task.isCancelled, open == nil else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                open = Open(id: id, prompt: prompt)
                answer = continuation
                changed()
            }
        } onCancel: {
            Task { await self.withdraw(id) }
        }
    }

    /// - Returns: false if the question is not open any more, or if the answer is not one of the choices.
    func take(_ secret: Secret, for id: String) -> Bool {
        guard let open, open.id == id, let answer else { return false }
        var taken = secret
        if case .choice(let choices) = open.prompt.kind {
            // The page shows what a choice hides, such as a soft hyphen, and so sends it back.
            let chosen = secret.revealed()
            guard
                let choice = choices.first(where: { $0 == chosen })
                    ?? choices.first(where: { $0.visibleLines == chosen })
            else { return false }
            taken = Secret(choice)
        }
        close()
        answer.resume(returning: taken)
        return true
    }

    private func withdraw(_ id: String) {
        guard open?.id == id, let answer else { return }
        close()
        answer.resume(throwing: CancellationError())
    }

    private func close() {
        open = nil
        answer = nil
        changed()
    }
}
