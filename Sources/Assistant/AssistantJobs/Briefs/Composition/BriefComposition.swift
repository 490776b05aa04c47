import Clocks
import Encodings
import Foundation

/// The parts of a brief, as they were read.
package struct BriefSources: Sendable, Hashable {
    package var meetings: [Brief.Meeting] = []
    package var urgentMail: [Brief.UrgentMail] = []
    package var statements: [Brief.Statement] = []
    package var consents: [Brief.Consent] = []

    package init() {}
}

/// Composes a brief for the rest of a day.
package struct BriefComposition: Sendable {
    /// Shorter gaps between meetings are not worth a line.
    private static let shortestFreeBlock: TimeInterval = 30 * 60
    /// More lines of one kind are not read on a phone.
    private static let most = 50
    /// Urgent mail of so many seconds is shown.
    package static let mailAge: TimeInterval = 86_400

    private let now: Date
    private let day: LocalDay
    private let quiet: QuietTimes

    package init(at now: Date, in zone: TimeZone, quiet: QuietTimes) {
        self.now = now
        day = LocalDay(of: now, in: zone)
        self.quiet = quiet
    }

    /// The part of the day whose meetings are read.
    package var window: DateInterval { DateInterval(start: now, end: max(now, day.end)) }

    package func brief(of sources: BriefSources) -> Brief {
        let meetings = sources.meetings.filter { $0.end > now && $0.start < day.end && $0.start <= $0.end }
            .sorted { ($0.start, $0.end, $0.title) < ($1.start, $1.end, $1.title) }
        let mail = sources.urgentMail.filter {
            $0.receivedAt <= now && now.timeIntervalSince($0.receivedAt) <= Self.mailAge
        }.sorted { ($1.receivedAt, $0.from) < ($0.receivedAt, $1.from) }
        return Brief(
            meetings: meetings.prefix(Self.most).map {
                Brief.Meeting(title: ShownText.cleaned($0.title), start: $0.start, end: $0.end)
            }, free: free(beside: meetings),
            urgentMail: mail.prefix(Self.most).map {
                Brief.UrgentMail(
                    from: ShownText.cleaned($0.from), subject: ShownText.cleaned($0.subject), receivedAt: $0.receivedAt)
            },
            statements: Array(
                sources.statements.sorted { ($1.month, $0.bank) < ($0.month, $1.bank) }.prefix(Self.most)),
            consents: sources.consents.sorted { ($0.end, $0.bank) < ($1.end, $1.bank) }.prefix(Self.most).map {
                Brief.Consent(bank: ShownText.cleaned($0.bank), end: $0.end, hasEnded: $0.hasEnded)
            })
    }

    /// Returns the blocks without a meeting between now and the end of the day, quiet hours left out.
    ///
    /// - Parameter meetings: in the order of their beginnings.
    private func free(beside meetings: [Brief.Meeting]) -> [DateInterval] {
        quiet.awake(on: day).flatMap { awake in
            var blocks: [(start: Date, end: Date)] = []
            var start = max(awake.start, now)
            for meeting in meetings where meeting.start < awake.end {
                if meeting.start > start { blocks.append((start, meeting.start)) }
                start = max(start, meeting.end)
            }
            if start < awake.end { blocks.append((start, awake.end)) }
            return blocks.filter { $0.end.timeIntervalSince($0.start) >= Self.shortestFreeBlock }
                .map { DateInterval(start: $0.start, end: $0.end) }
        }
    }
}
