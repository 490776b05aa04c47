import Messages
import Testing

@testable import Notifications

@Suite("What waits to be sent")
struct WaitingMessagesTests {
    private func announcement(_ number: Int) -> WaitingMessages.Announcement {
        WaitingMessages.Announcement(message: { _ in OwnerMessage(.request, "\(number)") })
    }

    private func text(of announcement: WaitingMessages.Announcement?) -> String? {
        announcement?.message(OwnerText(.english)).text
    }

    private func names(_ waiting: WaitingMessages) -> [String] {
        var names: [String] = []
        while let item = waiting.next() {
            switch item {
            case .announcement(let announcement): names.append(text(of: announcement) ?? "")
            case .completion: names.append("completion")
            case .end: names.append("end")
            }
        }
        return names
    }

    @Test("announcements go first, each kind in its order, and each end once")
    func order() {
        let waiting = WaitingMessages()
        let id = RequestID()
        waiting.addEnd(of: id)
        waiting.addCompletion(of: id)
        waiting.addEnd(of: id)
        for number in 1...3 { #expect(waiting.add(announcement(number)) == nil) }
        #expect(names(waiting) == ["1", "2", "3", "end", "completion"])
        waiting.addEnd(of: id)
        #expect(names(waiting) == ["end"], "one that was taken may come again")
    }

    @Test("many ends displace no announcement, and the oldest of each kind makes room")
    func room() {
        let waiting = WaitingMessages()
        #expect(waiting.add(announcement(0)) == nil)
        for _ in 0..<WaitingMessages.most * 3 { waiting.addEnd(of: RequestID()) }
        for number in 1..<WaitingMessages.most { #expect(waiting.add(announcement(number)) == nil) }
        #expect(text(of: waiting.add(announcement(-1))) == "0")
        let left = names(waiting)
        #expect(left.count == WaitingMessages.most * 2 && left.first == "1")
    }
}
