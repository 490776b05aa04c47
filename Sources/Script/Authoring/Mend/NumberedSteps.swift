import BankScript

extension BankScript {
    /// The script with a number in place of each step's line, nested steps included, so that a replay tells which step it
    /// stopped at. A mark is not part of the digest.
    var numbered: BankScript {
        var next = 0
        return changingSteps { step in
            next += 1
            return .looked(at: step.numbered(next))
        }
    }

    /// Returns the script with the steps of this number replaced. The new steps take the number.
    func replacing(_ number: Int, by change: (Step) -> [Step]) -> BankScript {
        changingSteps { step in
            guard step.mark?.line == number else { return .looked(at: step) }
            return .replaced(by: change(step).map { $0.numbered(number, inside: true) })
        }
    }

    /// Every step with the line of its mark, an outer step before the steps inside it.
    var stepsByNumber: [(number: Int, step: Step)] {
        var found: [(number: Int, step: Step)] = []
        _ = changingSteps { step in
            found.append((step.mark?.line ?? 0, step))
            return .looked(at: step)
        }
        return found
    }

    /// The steps that have taken a number, without the steps inside them.
    func steps(numbered number: Int) -> [Step] {
        var found: [Step] = []
        _ = changingSteps { step in
            guard step.mark?.line == number else { return .looked(at: step) }
            found.append(step)
            return .replaced(by: [step])
        }
        return found
    }

    private enum Change {
        /// The step stays, and the steps inside it are next.
        case looked(at: Step)
        case replaced(by: [Step])
    }

    private func changingSteps(_ change: (Step) -> Change) -> BankScript {
        func changed(_ steps: [Step]) -> [Step] {
            steps.flatMap { step -> [Step] in
                switch change(step) {
                case .replaced(let steps): return steps
                case .looked(var step):
                    step.action = step.action.changingBlocks(changed)
                    return [step]
                }
            }
        }
        var copy = self
        copy.steps = changed(steps)
        copy.forEachAccount = changed(forEachAccount)
        copy.forEachPeriod = changed(forEachPeriod)
        copy.finally = changed(finally)
        return copy
    }
}

extension Step {
    /// - Parameter inside: gives the number to the steps inside this one too.
    fileprivate func numbered(_ number: Int, inside: Bool = false) -> Step {
        var copy = self
        copy.mark = Mark(file: mark?.file ?? "", line: number)
        if inside { copy.action = action.changingBlocks { $0.map { $0.numbered(number, inside: true) } } }
        return copy
    }
}
