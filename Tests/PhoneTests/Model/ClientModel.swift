/// Programs elsewhere that ask a broker to become its agents, the owner who allows them and takes their rights away, and a thief
/// who has seen a code or a token.
///
/// Two programs want the same agent's name, and the first asks in two browsers. A code and a refresh token work once; one that
/// comes again was stolen, and ends the program's rights (RFC 9700, section 4.14.2). The store finds everything by the agent's
/// name (`ClientStore`), so a name must not lead to what belonged to another program, or to a permission of before.
struct ClientModel: Explorable {
    enum Mistake: Sendable, CaseIterable {
        /// A permission counts with a wrong number, too.
        case ignoresNumbers
        /// Every browser that knows the question gets the code.
        case answersEveryBrowser
        /// A code counts without the verifier of the one who asked.
        case ignoresVerifiers
        /// A used code gives tokens again.
        case servesUsedCodes
        /// A used refresh token gives tokens again.
        case servesUsedTokens
        /// A used code or token is refused, and nothing follows.
        case ignoresReuse
        /// The access token before a renewal goes on.
        case keepsAccessTokens
        /// A removed agent's tokens stay.
        case removalKeepsTokens
        /// A question that was allowed, and whose browser has not come back, outlives the permission.
        case removalKeepsQuestions
        /// The requests that were made under a name do not keep it from other programs.
        case forgetsRequestsOfName
        /// The offers that were made under a name do not keep it from other programs.
        case forgetsOffersOfName
        /// The agent of a message is looked up by its name once the whole message is there.
        case looksUpNamesLate
    }

    static let invariants = [
        "a token works, and no yes of the owner stands behind it",
        "a code comes to another browser than the one that asked",
        "a code gives tokens to one who has it alone",
        "a code or a refresh token gives tokens twice",
        "a program keeps its rights after a used token has come again",
        "two access tokens of one program work",
        "a program reads what another one has asked for or offered",
        "a message counts as another program's",
    ]

    /// The programs of the questions, by their numbers.
    static let programs = [0, 0, 1]
    static let lastGeneration: UInt8 = 2

    let mistake: Mistake?

    init(mistake: Mistake? = nil) { self.mistake = mistake }

    enum Question: Hashable {
        case unasked
        case waiting(wrongNumbers: UInt8)
        case allowed
        case denied
        /// Answered, or too old.
        case over
    }

    /// The code and the tokens that followed from one question, as far as the broker knows them.
    struct Chain: Hashable {
        enum Code: Hashable { case none, fresh, old, used }
        var code = Code.none
        /// The number of the refresh token that works; 0 for none.
        var refresh: UInt8 = 0
        var accessTokens: UInt8 = 0

        var works: Bool { code == .fresh || refresh > 0 || accessTokens > 0 }
    }

    struct State: Hashable {
        var questions: [Question]
        var chains: [Chain]
        /// The program that is the agent.
        var holder: Int?
        /// The questions whose yes the owner has not taken back.
        var standing: Set<Int> = []
        /// The programs that have requests under the name, and those that have offers.
        var requests: Set<Int> = []
        var offers: Set<Int> = []
        /// The program whose message has been admitted, and is not yet there in full.
        var arriving: Int?
        /// The number of the rule that was broken on the way here.
        var broken: Int?
    }

    var start: State {
        State(
            questions: Array(repeating: .unasked, count: Self.programs.count),
            chains: Array(repeating: Chain(), count: Self.programs.count))
    }

    func violation(in state: State) -> String? {
        if let broken = state.broken { return Self.invariants[broken] }
        let working = state.chains.indices.filter { state.chains[$0].works }
        if working.contains(where: { !state.standing.contains($0) }) { return Self.invariants[0] }
        return state.chains.map({ Int($0.accessTokens) }).reduce(0, +) > 1 ? Self.invariants[5] : nil
    }

    // MARK: Steps

    func steps(from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append((name, next))
        }
        if state.holder != nil { add("the owner removes the agent, or its program itself does") { remove(&$0) } }
        if !state.requests.isEmpty { add("the requests become old, and are removed") { $0.requests = [] } }
        if !state.offers.isEmpty { add("the offers expire, and are removed") { $0.offers = [] } }
        if let program = state.arriving { steps += arrivals(of: program, from: state) }
        for number in state.questions.indices {
            steps += answers(to: number, from: state)
            steps += calls(after: number, from: state)
        }
        return steps
    }

    private func remove(_ state: inout State) {
        state.holder = nil
        state.standing = []
        if mistake != .removalKeepsTokens { Self.dropTokens(&state) }
        endAllowed(&state)
    }

    private static func dropTokens(_ state: inout State) {
        state.chains = state.chains.map { _ in Chain() }
    }

    private func endAllowed(_ state: inout State) {
        guard mistake != .removalKeepsQuestions else { return }
        state.questions = state.questions.map { $0 == .allowed ? .over : $0 }
    }

    // MARK: Questions

    private func answers(to number: Int, from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append(("question \(number) \(name)", next))
        }
        switch state.questions[number] {
        case .unasked:
            add("is asked by program \(Self.programs[number])") { $0.questions[number] = .waiting(wrongNumbers: 0) }
        case .waiting(let wrong):
            add("is denied") { $0.questions[number] = .denied }
            add("becomes too old") { $0.questions[number] = .over }
            if mayHaveName(Self.programs[number], in: state) {
                add("is allowed") { allow(number, isRight: true, in: &$0) }
            }
            add("gets a wrong number") { next in
                if mistake == .ignoresNumbers, mayHaveName(Self.programs[number], in: next) {
                    allow(number, isRight: false, in: &next)
                } else {
                    next.questions[number] = wrong == 0 ? .waiting(wrongNumbers: 1) : .denied
                }
            }
        case .allowed:
            add("becomes too old") { $0.questions[number] = .over }
            add("is answered in its browser") { next in
                next.questions[number] = .over
                if next.holder == Self.programs[number] { next.chains[number].code = .fresh }
            }
            if mistake == .answersEveryBrowser { add("is answered in another browser") { $0.broken = 1 } }
        case .denied: add("is answered in its browser") { $0.questions[number] = .over }
        case .over: break
        }
        return steps
    }

    /// An agent of the same program goes on. Otherwise nothing of another program may be left under the name.
    private func mayHaveName(_ program: Int, in state: State) -> Bool {
        if let holder = state.holder { return holder == program }
        return (state.requests.isEmpty || mistake == .forgetsRequestsOfName)
            && (state.offers.isEmpty || mistake == .forgetsOffersOfName)
    }

    private func allow(_ number: Int, isRight: Bool, in state: inout State) {
        Self.dropTokens(&state)
        endAllowed(&state)
        state.holder = Self.programs[number]
        state.questions[number] = .allowed
        state.standing = isRight ? [number] : []
    }

    // MARK: Tokens and messages

    private func calls(after number: Int, from state: State) -> [(name: String, state: State)] {
        let chain = state.chains[number]
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            change(&next)
            steps.append(("the code of question \(number) \(name)", next))
        }
        func reuse(_ next: inout State, _ isServed: Bool) {
            if isServed { next.broken = 3 } else if mistake == .ignoresReuse { next.broken = 4 } else { remove(&next) }
        }
        switch chain.code {
        case .none: break
        case .fresh:
            add("becomes too old") { $0.chains[number].code = .old }
            add("is given away for tokens") {
                $0.chains[number].code = .used
                give(number, generation: 1, in: &$0)
            }
            add("is given away by a thief, who has no verifier") {
                $0.chains[number].code = .used
                if mistake == .ignoresVerifiers { $0.broken = 2 }
            }
        case .old: add("comes too late") { $0.chains[number].code = .used }
        case .used: add("comes again") { reuse(&$0, mistake == .servesUsedCodes) }
        }
        if chain.refresh > 0, chain.refresh < Self.lastGeneration {
            add("has led to a refresh token, which is renewed") { give(number, generation: chain.refresh + 1, in: &$0) }
        }
        if chain.refresh > 1 {
            add("has led to a refresh token, which comes again") { reuse(&$0, mistake == .servesUsedTokens) }
        }
        if chain.refresh > 0 {
            add("has led to a refresh token, which becomes too old") { $0.chains[number].refresh = 0 }
        }
        if chain.accessTokens > 0 {
            add("has led to an access token, which becomes too old") { $0.chains[number].accessTokens = 0 }
            if state.arriving == nil {
                add("has led to an access token, whose message begins") { $0.arriving = Self.programs[number] }
            }
        }
        return steps
    }

    private func give(_ number: Int, generation: UInt8, in state: inout State) {
        if mistake != .keepsAccessTokens {
            for other in state.chains.indices { state.chains[other].accessTokens = 0 }
        }
        state.chains[number].refresh = generation
        state.chains[number].accessTokens += 1
    }

    /// The rest of a message arrives. One whose program has lost its rights meanwhile is refused.
    private func arrivals(of program: Int, from state: State) -> [(name: String, state: State)] {
        var steps: [(name: String, state: State)] = []
        func add(_ name: String, _ change: (inout State) -> Void) {
            var next = state
            next.arriving = nil
            change(&next)
            steps.append(("the message of program \(program) \(name)", next))
        }
        guard let holder = state.holder, holder == program || mistake == .looksUpNamesLate else {
            add("is refused") { _ in }
            return steps
        }
        guard holder == program else {
            add("is answered") { $0.broken = 7 }
            return steps
        }
        add("asks for documents") { $0.requests.insert(program) }
        add("offers documents to the owner") { $0.offers.insert(program) }
        add("reads what there is") {
            if !$0.requests.union($0.offers).isSubset(of: [program]) { $0.broken = 6 }
        }
        return steps
    }
}
