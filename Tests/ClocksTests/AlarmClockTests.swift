import Foundation
import Testing

@testable import Clocks

@Suite("The alarm clock", .timeLimit(.minutes(3)))
struct AlarmClockTests {
    @Test("wakes each at its time, in whatever order they came")
    func order() async throws {
        let alarms = AlarmClock()
        let began = ContinuousClock.now
        try await withThrowingTaskGroup(of: Duration.self) { group in
            for delay in [400, 100, 300, 0, 200].map(Duration.milliseconds) {
                group.addTask {
                    try await alarms.sleep(until: began + delay)
                    return ContinuousClock.now - began - delay
                }
            }
            for try await late in group { #expect(late >= .zero && late < .seconds(30)) }
        }
        #expect(alarms.sleepers == 0)
    }

    @Test("wakes one that comes later for an earlier time, and one that comes after all others have left")
    func latecomers() async throws {
        let alarms = AlarmClock()
        let far = Task { try await alarms.sleep(until: .now + .seconds(3600)) }
        while alarms.sleepers == 0 { await Task.yield() }
        try await alarms.sleep(until: .now + .milliseconds(20))
        far.cancel()
        await #expect(throws: CancellationError.self) { try await far.value }
        try await alarms.sleep(until: .now + .milliseconds(20))
        #expect(alarms.sleepers == 0)
    }

    @Test("lets a cancelled task go at once", arguments: [true, false])
    func cancellation(isLate: Bool) async throws {
        let alarms = AlarmClock()
        let began = ContinuousClock.now
        let sleeper = Task {
            if !isLate { withUnsafeCurrentTask { $0?.cancel() } }
            try await alarms.sleep(until: .now + .seconds(3600))
        }
        if isLate {
            while alarms.sleepers == 0 { await Task.yield() }
            sleeper.cancel()
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(ContinuousClock.now - began < .seconds(60) && alarms.sleepers == 0)
    }

    @Test("holds against many that come and are cancelled at once")
    func crowd() async {
        let alarms = AlarmClock()
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let sleeper = Task { try await alarms.sleep(until: .now + .milliseconds(number % 20)) }
                    if number.isMultiple(of: 3) { sleeper.cancel() }
                    do {
                        try await sleeper.value
                        return true
                    } catch {
                        return error is CancellationError
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.count == 200 && outcomes.allSatisfy { $0 })
        #expect(alarms.sleepers == 0)
    }
}
