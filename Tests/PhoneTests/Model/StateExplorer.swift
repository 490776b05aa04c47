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
    private(set) var violation: Violation?

    private let system: System
    /// The state from which each was first reached.
    private var origins: [Int32] = []
    /// Each step that leads to another state, by the numbers of both.
    private var edges: [(from: Int32, to: Int32)] = []
    private var ends: [Int] = []

    /// Explores until the first violation, or until there is nothing new.
    ///
    /// - Parameter most: the number of states at which a system counts as too large.
    init(_ system: System, atMost most: Int = 2_000_000) {
        self.system = system
        var numbers: [System.State: Int32] = [system.start: 0]
        states = [system.start]
        origins = [-1]
        var next = 0
        while next < states.count {
            let state = states[next]
            if let rule = system.violation(in: state) {
                violation = Violation(rule: rule, trace: trace(to: next))
                return
            }
            var isEnd = true
            for (_, successor) in system.steps(from: state) where successor != state {
                isEnd = false
                let fresh = Int32(states.count)
                let known = numbers[successor] ?? fresh
                edges.append((Int32(next), known))
                guard known == fresh else { continue }
                numbers[successor] = fresh
                states.append(successor)
                origins.append(Int32(next))
            }
            if isEnd { ends.append(next) }
            precondition(states.count <= most, "the system has more than \(most) states")
            next += 1
        }
    }

    /// The number of steps that lead to another state.
    var stepCount: Int { edges.count }

    /// The states that no step leaves.
    var endStates: [System.State] { ends.map { states[$0] } }

    /// A state from which no end can be reached; nil when every state leads to one.
    var trap: Violation? {
        // The predecessors of one state after the other, in one array.
        var starts = [Int](repeating: 0, count: states.count + 1)
        for edge in edges { starts[Int(edge.to) + 1] += 1 }
        for number in states.indices { starts[number + 1] += starts[number] }
        var places = starts
        var predecessors = [Int32](repeating: 0, count: edges.count)
        for edge in edges {
            predecessors[places[Int(edge.to)]] = edge.from
            places[Int(edge.to)] += 1
        }
        var reaches = [Bool](repeating: false, count: states.count)
        var open = ends
        for end in ends { reaches[end] = true }
        while let number = open.popLast() {
            for before in predecessors[starts[number]..<starts[number + 1]] where !reaches[Int(before)] {
                reaches[Int(before)] = true
                open.append(Int(before))
            }
        }
        return reaches.firstIndex(of: false).map { Violation(rule: "no end can be reached", trace: trace(to: $0)) }
    }

    /// Returns the names of the steps from the start to a state.
    func trace(to number: Int) -> [String] {
        var steps: [String] = []
        var number = number
        while origins[number] >= 0 {
            let origin = Int(origins[number])
            let step = system.steps(from: states[origin]).first { $0.state == states[number] }
            steps.append(step?.name ?? "?")
            number = origin
        }
        return steps.reversed()
    }
}
