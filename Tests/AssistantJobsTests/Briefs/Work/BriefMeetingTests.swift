import AssistantProcesses
import Foundation
import Testing

@testable import AssistantJobs

@Suite("Meetings of several calendars") struct BriefMeetingTests {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    private static func event(
        _ meeting: String, _ title: String, declined: Bool = false, cancelled: Bool = false, allDay: Bool = false
    ) -> CalendarEvent {
        CalendarEvent(
            id: UUID().uuidString, meetingID: meeting, start: allDay ? nil : start, end: start.addingTimeInterval(60),
            title: title, isCancelled: cancelled, isDeclined: declined)
    }

    @Test("come once, and the first calendar decides where it has the meeting")
    func meetings() {
        let primary = [
            Self.event("accepted", "Accepted"), Self.event("declined", "Declined", declined: true),
            Self.event("cancelled", "Cancelled", cancelled: true), Self.event("day", "Day", allDay: true),
        ]
        let others = [
            // A colleague has declined what the user goes to.
            Self.event("accepted", "A colleague's copy", declined: true),
            // The user has declined what a colleague goes to.
            Self.event("declined", "A colleague's copy"), Self.event("team", "Team"), Self.event("team", "Team again"),
            Self.event("theirs", "Declined by its owner", declined: true),
        ]
        #expect(GoogleBriefs.meetings(of: primary, others).map(\.title) == ["Accepted", "Team"])
    }
}
