import Foundation
import Measuring

/// The approval page as Chromium sees it with an empty cache.
struct PageVisit {
    let python: URL
    let program: URL

    func measure(_ household: RunningHousehold) throws {
        let process = Process()
        process.executableURL = python
        process.arguments = [program.path, household.page, household.passphrase.path, household.program.path]
        process.environment = Environment.bare(home: household.home)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let numbers = output.fileHandleForReading.readDataToEndOfFile().split(separator: UInt8(ascii: " "))
            .compactMap { Double(String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)) }
        process.waitUntilExit()
        guard process.terminationStatus == 0, numbers.count == 5 else {
            throw HouseholdProblem("inbox.py ended with \(process.terminationStatus)")
        }
        let (paint, requests, bytes, bare, shown) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
        let page = "the inbox in Chromium with an empty cache"
        printRow(
            "\(page), first paint, to a bare static page of as many bytes", .milliseconds(paint), .milliseconds(bare),
            atMost: 1.5)
        printRow("\(page), requests", String(format: "%.0f", requests), value: requests, atMost: 6)
        printRow(
            "\(page), transferred", String(format: "%.1f KB", bytes / 1024), value: bytes / 1024, atMost: 60,
            unit: " KB")
        printRow(
            "a request, until the open page shows it", String(format: "%.0f ms", shown), value: shown, atMost: 1000,
            unit: " ms")
    }
}
