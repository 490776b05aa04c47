import ApprovalPage
import Synchronization

/// A household whose settings a page changes, without its file and its other parts.
package final class FakeHousehold: PageHousehold {
    private let state: Mutex<(plan: HouseholdPlan, changes: [HouseholdChange], refusal: String?)>

    package init(
        hasBroker: Bool = true, _ values: [HouseholdField: String] = [:], credentials: Set<HouseholdField> = []
    ) {
        let plan = HouseholdPlan(hasBroker: hasBroker, values: values, credentials: credentials)
        state = Mutex((plan, [], nil))
    }

    package var changes: [HouseholdChange] { state.withLock { $0.changes } }

    /// Refuses every change from now on, with these words.
    package func refuse(_ words: String) { state.withLock { $0.refusal = words } }

    package func plan() throws -> HouseholdPlan { state.withLock { $0.plan } }

    package func make(_ change: HouseholdChange) async throws {
        try state.withLock { state in
            if let refusal = state.refusal { throw HouseholdRefusal(refusal) }
            state.changes.append(change)
            state.plan.values.merge(change.values) { $1 }
            state.plan.credentials.formUnion(change.credentials.keys)
            for field in change.unset {
                state.plan.values[field] = nil
                state.plan.credentials.remove(field)
            }
        }
    }
}
