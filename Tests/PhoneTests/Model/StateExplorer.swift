/// A system that can be explored: its states, and the steps that lead from each to others.
protocol Explorable {
    associatedtype State: Hashable

    var start: State { get }
    func steps(from state: State) -> [(name: String, state: State)]
    /// Returns the rule that a state breaks; nil when it keeps all.
    func violation(in state: State) -> String?
}

/// Visits every state that a system can reach, nearest first, so that the way to a violation is as short as possible.
struct StateExplorer<System: Explorable> {
    struct Violation: CustomStringConvertible {
        let rule: String
        /// The names of the steps from the start to the state.
        let trace: [String]

        var description: String { "\(rule), after: \(trace.joined(separator: " → "))" }
    }

    private(set) var states: [System.State] = []
    /// The number of steps that lead to another state.
    private(set) var stepCount = 0
    private(set) var violation: Violation?

    private var origins: [(state: Int, step: String)] = []
    private var predecessors: [[Int32]] = []
    private var ends: [Int] = []

    /// Explores until the first violation, or until there is nothing new.
    ///
    /// - Parameter most: the number of states at which a system counts as too large.
    init(_ system: System, atMost most: Int = 2_000_000) {
        var numbers = [system.start: 0]
        states = [system.start]
        origins = [(-1, "")]
        predecessors = [[]]
        var next = 0
        while next < states.count {
            let state = states[next]
            if let rule = system.violation(in: state) {
                violation = Violation(rule: rule, trace: trace(to: next))
                return
            }
            var isEnd = true
            for (name, successor) in system.steps(from: state) where successor != state {
                isEnd = false
                stepCount += 1
                if let known = numbers[successor] {
                    predecessors[known].append(Int32(next))
                } else {
                    numbers[successor] = states.count
                    states.append(successor)
                    origins.append((next, name))
                    predecessors.append([Int32(next)])
                }
            }
            if isEnd { ends.append(next) }
            precondition(states.count <= most, "the system has more than \(most) states")
            next += 1
        }
    }

    /// The states that no step leaves.
    var endStates: [System.State] { ends.map { states[$0] } }

    /// A state from which no end can be reached; nil when every state leads to one.
    var trap: Violation? {
        var reaches = [Bool](repeating: false, count: states.count)
        var open = ends
        for end in ends { reaches[end] = true }
        while let number = open.popLast() {
            for before in predecessors[number] where !reaches[Int(before)] {
                reaches[Int(before)] = true
                open.append(Int(before))
            }
        }
        return reaches.firstIndex(of: false).map { Violation(rule: "no end can be reached", trace: trace(to: $0)) }
    }

    func trace(to number: Int) -> [String] {
        var steps: [String] = []
        var number = number
        while origins[number].state >= 0 {
            steps.append(origins[number].step)
            number = origins[number].state
        }
        return steps.reversed()
    }
}
