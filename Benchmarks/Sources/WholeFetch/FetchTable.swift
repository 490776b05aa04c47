import Foundation
import Measuring

/// The fetches of all, and their limits.
struct FetchTable {
    let fetchers: [Fetcher]
    let cold: [Cost]
    let warm: [WarmTurns.Medians]

    func print() {
        Swift.print("## The whole fetch\n")
        Swift.print("| by | cold: wall | processor | peak memory | warm: wall | processor |")
        Swift.print("|---|---|---|---|---|---|")
        for (index, fetcher) in fetchers.enumerated() {
            let (cold, warm) = (cold[index], warm[index])
            let cells = [
                cell(cold.wall, self.cold[0].wall), cell(cold.processor, self.cold[0].processor),
                cell(cold.memory, self.cold[0].memory), cell(warm.wall, self.warm[0].wall),
                cell(warm.processor, self.warm[0].processor),
            ]
            Swift.print("| \(fetcher.name) | \(cells.joined(separator: " | ")) |")
        }
        Swift.print("")
        printHead()
        let soup = 3
        let chromium = 5
        printRow("the fetch, warm, to one bare libcurl handle", warm[0].wall, warm[1].wall, atMost: 1.3)
        printRow("the same, cold: two programs from nothing to the PDF", cold[0].wall, cold[1].wall)
        printRow(
            "processor time, cold, of \(fetchers[soup].name) to Countersign's", cold[soup].processor, cold[0].processor,
            atLeast: 5)
        printRow(
            "processor time, warm, of \(fetchers[soup].name) to Countersign's", warm[soup].processor, warm[0].processor,
            atLeast: 5)
        printRow(
            "wall time, cold, of \(fetchers[chromium].name) to Countersign's", cold[chromium].wall, cold[0].wall,
            atLeast: 50)
        printRow(
            "peak memory of a cold fetch", "\(megabytes(cold[0].memory))", value: Double(cold[0].memory) / 1024,
            atMost: 45, unit: " MB")
    }

    private func cell(_ value: Duration, _ ours: Duration) -> String { "\(value.short) (\(ratio(value, ours)))" }

    private func cell(_ kilobytes: Int, _ ours: Int) -> String {
        "\(megabytes(kilobytes)) (\(String(format: "%.2f", Double(kilobytes) / Double(ours))))"
    }

    private func megabytes(_ kilobytes: Int) -> String { String(format: "%.1f MB", Double(kilobytes) / 1024) }
}
