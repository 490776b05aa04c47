import Selectors

extension BankScript {
    /// The texts by which the searches find the link to the next page of a list.
    package var textsOfNextPages: [String] {
        stepsForOnePeriod.allActions.flatMap { action -> [String] in
            guard case .html(_, let next)? = action.as(SearchStep.self)?.pages else { return [] }
            return Self.texts(in: next.json, .shown, at: nil).map(\.text)
        }
    }

    /// The numbers of the steps that come right after a search: they may begin on a later page of its list.
    package var stepsAfterSearches: Set<Int> {
        Set(
            stepsForOnePeriod.enumerated().compactMap { index, step in
                [step].allActions.contains { $0.as(SearchStep.self) != nil } ? index + 2 : nil
            })
    }
}
