import Foundation
import Measuring

/// Measures the same visit in the same Chromium, driven by Countersign and by Playwright.
struct BrowserFetches {
    private static let rounds = 7

    let place: Place
    let work: Workplace
    let credentials: URL

    func measure() throws {
        print("\n## In Chromium, to Playwright\n")
        printHead()
        let bank = try BankProcess(countersign: place.product("countersign"))
        defer { bank.stop() }
        let ours = Fetcher.browser(place, bank, credentials: credentials, script: "meridian-savings.yaml")
        try measureCold(ours, Fetcher.peer("Playwright", "fetch_playwright.py", place, bank, isTree: true))
        try measureWarm(ours, Fetcher.peer("Playwright", "fetch_playwright.py", place, bank, isTree: true))
        // Chromium registers no service worker where it was told to ignore the certificate, as Playwright tells it.
        let app = try BankProcess(
            countersign: place.product("countersign"), scenario: "single-page-app", usesTLS: false)
        defer { app.stop() }
        let (first, second) = try cold(
            Fetcher.browser(place, app, credentials: credentials, script: "Variants/single-page-app.yaml"),
            Fetcher.peer("Playwright", "fetch_playwright_app.py", place, app, isTree: true))
        printRow("a bank that is a single page, cold", first.wall, second.wall)
    }

    private func measureCold(_ ours: Fetcher, _ theirs: Fetcher) throws {
        let (first, second) = try cold(ours, theirs)
        printRow("the fetch, cold", first.wall, second.wall, atMost: 1)
        let megabytes = [first, second].map { String(format: "%.0f MB", Double($0.memory) / 1024) }
        printRow(
            "peak memory, Chromium included",
            String(format: "%.2f (\(megabytes[0]) to \(megabytes[1]))", Double(first.memory) / Double(second.memory)),
            value: Double(first.memory) / Double(second.memory))
    }

    /// Warm, Playwright keeps its Chromium. Countersign starts a new one with a new profile for each run.
    private func measureWarm(_ ours: Fetcher, _ theirs: Fetcher) throws {
        let (first, second) = (
            try TurningProcess(ours.turns(try work.folder())), try TurningProcess(theirs.turns(try work.folder()))
        )
        defer {
            first.stop()
            second.stop()
        }
        _ = try (first.turn(), second.turn())
        let (mine, other) = try medians(
            rounds: Self.rounds, ours: { try first.turn() }, theirs: { try second.turn() })
        printRow("the fetch, warm", mine, other)
        let (two, one) = try medians(
            rounds: Self.rounds, ours: { try first.turn(2) }, theirs: { try first.turn() })
        printRow("two fetches at once, to one", two, one)
    }

    /// The medians of cold fetches in turns, and the most memory.
    private func cold(_ ours: Fetcher, _ theirs: Fetcher) throws -> (ours: Cost, theirs: Cost) {
        let launching = Launching(launch: place.product("Launch"))
        func cost(_ fetcher: Fetcher, lookingAtTree: Bool = false) throws -> Cost {
            let folder = try work.folder()
            let cost = try launching.run(fetcher.once(folder), lookingAtTree: lookingAtTree)
            _ = try work.statement(in: folder)
            return cost
        }
        _ = try (cost(ours), cost(theirs))
        var walls: [[Duration]] = [[], []]
        for _ in 0..<Self.rounds {
            walls[0].append(try cost(ours).wall)
            walls[1].append(try cost(theirs).wall)
        }
        // Looking at the processes slows a fetch, so its time does not count.
        var (first, second) = (try cost(ours, lookingAtTree: true), try cost(theirs, lookingAtTree: true))
        first.wall = median(walls[0])
        second.wall = median(walls[1])
        return (first, second)
    }
}
