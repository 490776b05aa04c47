import Automation
import BankScript
import Synchronization

/// Takes the skeleton of each page that a run comes to, to compare it with those of earlier runs. It stops no step.
final class SkeletonWatch: StepGate {
    private struct State {
        var pages: [Int: PageSkeleton] = [:]
        /// The page before the step before.
        var last: (step: Int, page: PageSkeleton)?
    }

    /// The most pages of a run.
    private static let mostPages = 40

    private let texts: Set<String>
    private let state = Mutex(State())

    init(_ script: BankScript) {
        texts = Set(script.texts.map { PageSkeleton.folded($0.text) }.filter { $0.count > 1 })
    }

    /// The pages by the number of the first step on each.
    var pages: [Int: PageSkeleton] { state.withLock { $0.pages } }

    func pass(_ place: StepPlace, _ engine: any NavigationEngine) async {
        // Steps inside `when` and interruptions are on pages that do not come each time.
        guard place.depth == 0, !place.isFinally, state.withLock({ $0.pages.count < Self.mostPages }) else { return }
        guard let page = await engine.skeleton(knowing: texts), !page.parts.isEmpty else { return }
        // A page that makes itself may not be there yet. It is once a step has found something on it.
        let makesItself = engine.patience > .zero
        state.withLock { state in
            defer { state.last = (state.last.flatMap { $0.page == page ? $0.step : nil } ?? place.number, page) }
            let isSame = state.last?.page == page
            let step = isSame ? state.last?.step ?? place.number : place.number
            guard isSame || !makesItself, state.pages[step] == nil else { return }
            state.pages[step] = page
        }
    }
}
