import Foundation

/// Cuts between the assistant's processes and Google, one or two at a time, while meetings are entered in the calendar. Once the
/// links are whole again, each meeting must have had its reminder once, and the connection must still stand: a process that
/// cannot reach another must never take that for Google's refusal.
struct Partitions {
    let extent: Extent

    func run() async throws -> Tally {
        try await AssistantStage.with { stage in
            var row = Tally()
            var meetings = 0
            var givenUp = 0
            var longest = Duration.zero
            while row.tried < extent.count, !extent.isOver {
                row.tried += 1
                let faults = row.lost + row.doubled + givenUp
                let cuts = AssistantStage.Way.allCases.shuffled().prefix(Int.random(in: 1...2))
                for way in cuts { stage.links[way]?.cut(.allCases.randomElement()!) }
                meetings += 1
                await stage.enter(meeting: meetings, in: 600 + meetings)
                try await Task.sleep(for: .milliseconds(Int.random(in: 500...5000)))
                for way in cuts { stage.links[way]?.mend() }

                let began = ContinuousClock.now
                let words = cuts.map(\.rawValue).joined(separator: ", ")
                let isReminded = try await eventually(within: .seconds(300)) {
                    try stage.reminders().meetings >= meetings
                }
                longest = max(longest, ContinuousClock.now - began)
                let (reminded, given) = try stage.reminders()
                if !isReminded {
                    row.lose("after \(words): \(reminded) of \(meetings) meetings had a reminder")
                    break
                }
                if given > reminded { row.double("after \(words): \(given) reminders of \(reminded) meetings") }
                let states = try await stage.connectors()
                if states != ["ACTIVE"] {
                    givenUp += 1
                    row.fault("after \(words): the connection is \(states)")
                }
                if row.lost + row.doubled + givenUp == faults { row.survived += 1 }
            }
            row.seen =
                "\(meetings) meetings, \(givenUp) connections given up, a reminder at most \(Table.words(longest)) later"
            return row
        }
    }
}
