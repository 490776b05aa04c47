import Automation
import BankScript
import Synchronization

/// Takes the skeleton of each page that a run comes to, to compare it with those of earlier runs. It stops no step.
final class SkeletonWatch: StepGate {
    private struct State {
        var pages: [Int: PageSkeleton] = [:]
        /// The page before the step before.
        var last: (step: Int, page: PageSkeleton)?
        /// A later page of a list, on which a search ended.
        var inList: PageSkeleton?
    }

    /// The most pages of a run.
    static let mostPages = 40

    private let texts: Set<String>
    private let textsOfNextPages: Set<String>
    private let stepsAfterSearches: Set<Int>
    private let state = Mutex(State())

    init(_ script: BankScript) {
        texts = Set(script.texts.map { PageSkeleton.folded($0.text) }.filter { $0.count > 1 })
        textsOfNextPages = Set(script.textsOfNextPages.map(PageSkeleton.folded))
        stepsAfterSearches = script.stepsAfterSearches
    }

    /// The pages by the number of the first step on each.
    var pages: [Int: PageSkeleton] { state.withLock { $0.pages } }

    /// Takes the pages that another process saw in its place.
    func take(_ pages: [Int: PageSkeleton]) { state.withLock { $0.pages = pages } }

    func pass(_ place: StepPlace, _ engine: any NavigationEngine) async {
        // Steps inside `when` and interruptions are on pages that do not come each time.
        guard place.depth == 0, !place.isFinally, state.withLock({ $0.pages.count < Self.mostPages }) else { return }
        guard var page = await engine.skeleton(knowing: texts), !page.parts.isEmpty else { return }
        for index in page.parts.indices where page.parts[index].isUsed {
            page.parts[index].turnsPages = textsOfNextPages.contains(PageSkeleton.folded(page.parts[index].name))
        }
        let found = page
        // A page that makes itself may not be there yet. It is once a step has found something on it.
        let makesItself = engine.patience > .zero
        let isAfterSearch = stepsAfterSearches.contains(place.number)
        state.withLock { state in
            let isSame = state.last?.page == found
            let step = isSame ? state.last?.step ?? place.number : place.number
            state.last = (step, found)
            // Which page of a list has the month, and so which links turn its pages, is another matter in each run.
            if isAfterSearch, !isSame { state.inList = found }
            guard isSame || !makesItself, found != state.inList, state.pages[step] == nil else { return }
            state.pages[step] = found
        }
    }
}
