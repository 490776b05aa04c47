import Foundation

/// The numbers by which a worker works.
package struct WorkerLimits: Sendable {
    /// The jobs of one type that run at a time. Each type has its own, so that a slow Google holds no reminder up.
    package var jobsOfType = 16
    /// The reminders that run at a time. Each waits for push services, and one of them may hang.
    package var reminders = 256
    /// The seconds of a lease. A job is leased again within 30 s of its worker's death: after the lease and a look.
    package var lease: TimeInterval = 24
    /// The time between two renewals of leases.
    package var heartbeat: Duration = .seconds(6)
    /// The time between two looks for jobs that are due.
    package var look: Duration = .milliseconds(500)
    /// The time between two looks for newly connected users, who lack a periodic job.
    package var planning: Duration = .seconds(3)
    /// The longest run of a job, in seconds. It is longer than a call to Google may take.
    package var longestRun: TimeInterval = 150
    /// The runs without any result after which a job is set aside.
    package var strikes = 8
    /// The first pause of a job that could not be done, in seconds. Each further one is twice as long.
    package var firstPause: TimeInterval = 5
    package var longestPause: TimeInterval = 300
    /// The seconds for which jobs that ended are kept. A reminder must stay until its meeting is over.
    package var keepsEnded: TimeInterval = 3 * 86_400

    package init() {}

    /// Returns how many jobs of a type run at a time.
    func places(for type: JobType) -> Int { type == .meetingReminder ? reminders : jobsOfType }

    /// Returns the pause before the next run, in seconds.
    ///
    /// - Parameters:
    ///   - attempts: the runs so far, from 1.
    ///   - longest: the longest pause of this type of jobs; nil for that of all.
    ///   - least: what the other side asked for.
    ///   - jitter: a random number from 0 to 1, so that jobs that failed together do not come back together.
    func pause(
        after attempts: Int, atLeast least: Duration?, atMost longest: TimeInterval? = nil, jitter: Double
    ) -> TimeInterval {
        let doubled = min(longest ?? longestPause, firstPause * pow(2, Double(min(max(attempts, 1), 30) - 1)))
        let least = least.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 } ?? 0
        return max(doubled * (0.5 + jitter / 2), least * (1 + jitter / 10))
    }
}
