/// An event that the assistant counts, for all its processes together. Its text is in Prometheus' form, without the
/// prefix that every name has.
package enum AssistantMetric: Sendable, Hashable {
    /// The end of a reminder of a meeting.
    package enum ReminderOutcome: String, Sendable, CaseIterable {
        /// A push service has taken it.
        case delivered
        /// It waits for the end of the user's quiet hours.
        case held
        case noDevice = "no_device"
        /// Every push service refused it for good.
        case refused
        /// It could not be sent before it was of no use.
        case late
    }

    /// The end of an exchange of a refresh token for an access token.
    package enum RefreshOutcome: String, Sendable, CaseIterable {
        case success
        /// Google no longer accepts the consent.
        case needsReconnect = "needs_reconnect"
        /// The enclave, the key service or Google cannot be reached, or Google asks for fewer calls.
        case unavailable
        /// One of the four checks, or Google, refused it.
        case refused
    }

    package enum Channel: String, Sendable, CaseIterable { case apns, webpush }

    /// The answer to one push message.
    package enum PushOutcome: String, Sendable, CaseIterable {
        case accepted
        /// The device is gone, and was removed.
        case gone
        /// The push service refused the message for good.
        case refused
        /// The push service cannot be reached, or asks to wait.
        case later
    }

    case reminders(ReminderOutcome)
    case tokenRefreshes(RefreshOutcome)
    case urgentAlerts
    case urgentFeedback(urgent: Bool)
    case pushes(Channel, PushOutcome)

    package static var all: [AssistantMetric] {
        ReminderOutcome.allCases.map(reminders) + RefreshOutcome.allCases.map(tokenRefreshes) + [urgentAlerts]
            + [true, false].map { urgentFeedback(urgent: $0) }
            + Channel.allCases.flatMap { channel in PushOutcome.allCases.map { pushes(channel, $0) } }
    }

    /// The name of its family, such as `reminders_total`.
    package var name: String {
        switch self {
        case .reminders: "reminders_total"
        case .tokenRefreshes: "token_refreshes_total"
        case .urgentAlerts: "urgent_alerts_total"
        case .urgentFeedback: "urgent_feedback_total"
        case .pushes: "pushes_total"
        }
    }

    package var help: String {
        switch self {
        case .reminders: "Reminders of meetings, by how they ended."
        case .tokenRefreshes: "Exchanges of refresh tokens for access tokens, by how they ended."
        case .urgentAlerts: "Alerts of urgent mail."
        case .urgentFeedback: "Users' words on alerts: whether the mail was urgent."
        case .pushes: "Push messages, by channel and the push service's answer."
        }
    }

    /// The name with its labels, such as `reminders_total{outcome="held"}`.
    package var series: String {
        switch self {
        case .reminders(let outcome): "\(name){outcome=\"\(outcome.rawValue)\"}"
        case .tokenRefreshes(let outcome): "\(name){outcome=\"\(outcome.rawValue)\"}"
        case .urgentAlerts: name
        case .urgentFeedback(let urgent): "\(name){urgent=\"\(urgent)\"}"
        case .pushes(let channel, let outcome):
            "\(name){channel=\"\(channel.rawValue)\",outcome=\"\(outcome.rawValue)\"}"
        }
    }
}

/// A time that the assistant measures, as a Prometheus histogram.
package enum AssistantHistogram: Sendable, Hashable {
    /// From the time at which a reminder was due until a push service had taken it.
    case reminderLatency
    /// From the start of a push message until the push service's answer.
    case pushDuration(AssistantMetric.Channel)

    package static var all: [AssistantHistogram] {
        [reminderLatency] + AssistantMetric.Channel.allCases.map(pushDuration)
    }

    /// The upper bounds of the buckets, in seconds. 60 s is the promise for reminders (specification, section 12).
    package static let bounds: [Double] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 900]

    package var name: String {
        switch self {
        case .reminderLatency: "reminder_latency_seconds"
        case .pushDuration: "push_duration_seconds"
        }
    }

    package var help: String {
        switch self {
        case .reminderLatency: "From a reminder's due time until a push service had taken it."
        case .pushDuration: "From the start of a push message until the push service's answer."
        }
    }

    /// The labels without their braces, such as `channel="apns"`; empty for a histogram without labels.
    var labels: String {
        switch self {
        case .reminderLatency: ""
        case .pushDuration(let channel): "channel=\"\(channel.rawValue)\""
        }
    }

    private func bucket(_ bound: String) -> String {
        "\(name)_bucket{\(labels.isEmpty ? "" : labels + ",")le=\"\(bound)\"}"
    }

    private var braced: String { labels.isEmpty ? "" : "{\(labels)}" }

    /// The series of the number of observations, and of their sum in microseconds.
    var count: String { "\(name)_count\(braced)" }
    var sum: String { "\(name)_sum\(braced)" }

    /// Every bucket's series, with its bound; the last has none.
    var buckets: [(bound: Double, series: String)] {
        Self.bounds.map { ($0, bucket(Self.text($0))) } + [(.infinity, bucket("+Inf"))]
    }

    private static func text(_ bound: Double) -> String {
        bound == bound.rounded() ? String(Int(bound)) : String(bound)
    }
}
