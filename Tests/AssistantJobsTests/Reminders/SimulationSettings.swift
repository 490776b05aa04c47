import AssistantStore
import Foundation
import Testing

@testable import AssistantJobs

/// The size of a simulation: small in a test run, and as the variables `ASSISTANT_SIMULATION_…` say where it is measured.
struct SimulationSettings: Sendable {
    /// True if the figures are printed.
    let isMeasured: Bool
    let users: Int
    /// The simulated hours.
    let hours: Int
    /// The seconds between two looks at a calendar.
    let interval: Int
    let stores: [ReminderStage.Store]

    /// The longest time of a simulation: a week of 100,000 users takes more than two hours.
    static let limit = TimeLimitTrait.Duration.minutes(number("USERS") == nil ? 10 : 600)

    /// Takes the given size where no variable says otherwise.
    init(users: Int, hours: Int, interval: Int) {
        isMeasured = Self.number("USERS") != nil
        self.users = Self.number("USERS") ?? users
        self.hours = Self.number("HOURS") ?? Self.number("DAYS").map { $0 * 24 } ?? hours
        self.interval = Self.number("INTERVAL") ?? interval
        let store = Self.variable("STORE").flatMap(ReminderStage.Store.init(rawValue:))
        stores = store.map { [$0] } ?? ReminderStage.Store.all
    }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment["ASSISTANT_SIMULATION_\(name)"]
    }

    private static func number(_ name: String) -> Int? { variable(name).flatMap { Int($0) } }

    /// Returns a share with two digits, cut off so that 99.999 % are not called all.
    static func percent(_ share: Double) -> String { "\((share * 100).rounded(.down) / 100) %" }
}

/// The processor time and the memory of this process.
enum ProcessorTime {
    /// In seconds, of all threads.
    static var used: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The peak, in megabytes; 0 where the system does not tell it.
    static var memory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: /VmHWM:\s+([0-9]+) kB/).flatMap { Int($0.1) }.map { $0 / 1024 } ?? 0
    }
}
