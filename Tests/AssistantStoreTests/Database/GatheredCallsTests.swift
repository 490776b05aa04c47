import Testing

@testable import AssistantStore

@Suite("Gathered calls", .timeLimit(.minutes(3))) struct GatheredCallsTests {
    /// Remembers the groups, and lets the first one wait until it is released.
    private actor Groups {
        private(set) var list: [[Int]] = []
        private var gate: CheckedContinuation<Void, Never>?
        private var isOpen = false

        func take(_ numbers: [Int]) async {
            list.append(numbers)
            guard list.count == 1, !isOpen else { return }
            await withCheckedContinuation { gate = $0 }
        }

        func open() {
            isOpen = true
            gate?.resume()
        }

        func awaitFirst() async { while list.isEmpty { await Task.yield() } }
    }

    /// Makes one call, and many more while it is under way.
    private static func answers(
        atMost most: Int, _ perform: @escaping @Sendable ([Int]) async throws -> [Int]
    ) async -> (groups: [[Int]], answers: [Int: Result<Int, AssistantStoreError>]) {
        let groups = Groups()
        let calls = GatheredCalls<Int, Int>(atMost: most) { numbers in
            await groups.take(numbers)
            return try await perform(numbers)
        }
        @Sendable func call(_ number: Int) async -> (Int, Result<Int, AssistantStoreError>) {
            do {
                return (number, .success(try await calls(number)))
            } catch {
                return (number, .failure(error as? AssistantStoreError ?? AssistantStoreError(.other, "\(error)")))
            }
        }
        let answers = await withTaskGroup(of: (Int, Result<Int, AssistantStoreError>).self) { group in
            group.addTask { await call(0) }
            await groups.awaitFirst()
            for number in 1...9 { group.addTask { await call(number) } }
            while await calls.waitingCount < 9 { await Task.yield() }
            await groups.open()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return (await groups.list, answers)
    }

    @Test("calls that come while one is under way are made together, and each gets its own answer")
    func together() async {
        let (groups, answers) = await Self.answers(atMost: 5) { $0.map { $0 * 10 } }
        #expect(groups.map(\.count) == [1, 5, 4])
        #expect(Set(groups.joined()) == Set(0...9))
        for number in 0...9 { #expect((try? answers[number]?.get()) == number * 10) }
    }

    @Test(
        "a call whose values are at fault fails alone",
        arguments: [AssistantStoreError.Code.unstorable, .conflict, .damaged, .tooSlow, .deadlock, .other])
    func fault(_ code: AssistantStoreError.Code) async {
        let (groups, answers) = await Self.answers(atMost: 20) { numbers in
            if numbers.contains(7) { throw AssistantStoreError(code, "seven") }
            return numbers
        }
        for number in 0...9 { #expect((try? answers[number]?.get()) == (number == 7 ? nil : number)) }
        #expect(throws: AssistantStoreError(code, "seven")) { try answers[7]?.get() }
        #expect(groups.dropFirst(2).map(\.count) == Array(repeating: 1, count: 9))
        #expect(groups.dropFirst(2).flatMap(\.self) == groups[1], "the calls keep their order")
    }

    @Test(
        "a database that is away is not asked again for each call",
        arguments: [AssistantStoreError.Code.unavailable, .full, .readOnly])
    func away(_ code: AssistantStoreError.Code) async {
        let (groups, answers) = await Self.answers(atMost: 20) { _ in throw AssistantStoreError(code, "away") }
        #expect(groups.map(\.count) == [1, 9])
        for number in 0...9 { #expect(throws: AssistantStoreError(code, "away")) { try answers[number]?.get() } }
    }

    @Test("a call is finished though its task is cancelled")
    func cancelled() async throws {
        let groups = Groups()
        let calls = GatheredCalls<Int, Int> { numbers in
            await groups.take(numbers)
            return numbers
        }
        let task = Task { try await calls(1) }
        await groups.awaitFirst()
        task.cancel()
        await groups.open()
        #expect(try await task.value == 1)
    }
}
