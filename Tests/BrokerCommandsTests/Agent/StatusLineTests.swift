import Foundation
import Messages
import Testing

@testable import BrokerCommands

@Suite("The status line of a request that waits")
struct StatusLineTests {
    @Test(
        "the status line describes the request's state",
        arguments: [
            (RequestStatus.pendingApproval, "waiting for approval on the phone, 4:05 left"),
            (.approved, "approved; the phone is about to start"), (.executing, "the phone is fetching the statement"),
        ])
    func statusLine(status: RequestStatus, text: String) {
        let now = Date()
        let progress = RequestProgress(status: status, deadline: now.addingTimeInterval(245))
        #expect(progress.text(at: now) == text)
    }
}
