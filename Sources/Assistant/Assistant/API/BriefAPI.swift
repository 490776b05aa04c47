import AssistantJobs
import AssistantStore
import Clocks
import Foundation
import Hummingbird

/// Briefs, each of which is read once.
struct BriefAPI: Sendable {
    let briefs: BriefStore
    let keys: StateKeys
    let clock: BrokerClock

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.get("v1/briefs/:id") { _, context in
            guard let id = context.id(),
                let sealed = try await briefs.take(id, of: try context.signedIn().userID, at: clock.now)
            else {
                throw AssistantError(
                    .notFound, .briefNotFound,
                    "no brief waits under this id: each is read once, and kept for an hour at most")
            }
            return Response.json(try SealedBrief.open(sealed, id, keys))
        }
    }
}

extension AssistantContext {
    /// Returns the id that the path names, or nil when it is not one.
    func id() -> UUID? {
        guard let text = parameters.get("id"), text == text.lowercased() else { return nil }
        return UUID(uuidString: String(text))
    }
}
