import Automation
import Secrets

/// A person who answers nothing.
struct AbsentOwner: HumanPrompt {
    func answer(_ prompt: Prompt) async throws -> Secret { throw CancellationError() }
}
