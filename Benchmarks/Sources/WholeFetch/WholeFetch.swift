import Foundation
import Measuring

/// Measures the whole fetch from the mock bank, from sign-in to sign-out, by Countersign and by others, each compared with
/// runs in the same minute.
///
///     WholeFetch BENCHMARKS PYTHON
@main
struct WholeFetch {
    static func main() throws {
        let place = Place(CommandLine.arguments)
        let home = FileManager.default.temporaryDirectory.appending(path: "whole-fetch-\(UUID().uuidString)")
        let work = Workplace(home)
        defer { try? FileManager.default.removeItem(at: home) }
        let bank = try BankProcess(countersign: place.product("countersign"))
        defer { bank.stop() }
        let credentials = try work.folder().appending(path: "login.json")
        let login = #"{"username": "robin.ashdown", "password": "correct horse", "code": "123456"}"#
        try Data(login.utf8).write(to: credentials)
        let ours = Fetcher.countersign(place, bank, credentials: credentials)
        let floor = Fetcher.curl(place, bank)
        let peers = [
            Fetcher.peer("requests + lxml", "fetch_requests.py", place, bank),
            Fetcher.peer("MechanicalSoup", "fetch_mechanicalsoup.py", place, bank),
            Fetcher.peer("woob's browser", "fetch_woob.py", place, bank),
            Fetcher.peer("Playwright, Chromium", "fetch_playwright.py", place, bank, isTree: true),
        ]
        let cold = try ColdStarts(launching: Launching(launch: place.product("Launch")), work: work)
            .measure(ours, floor, peers)
        let warm = try WarmTurns(work: work).measure(ours, floor, peers)
        FetchTable(fetchers: [ours, floor] + peers, cold: cold, warm: warm).print()
        try SessionsAtOnce(work: work).measure(ours, floor)
        try BrowserFetches(place: place, work: work, credentials: credentials).measure()
    }
}

/// A folder for each run, deleted at the end.
struct Workplace {
    let home: URL

    init(_ home: URL) { self.home = home }

    func folder() throws -> URL {
        let folder = home.appending(path: UUID().uuidString, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Returns the PDF that a run left in its folder.
    func statement(in folder: URL) throws -> Data {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        guard files.count == 1 else { fatalError("\(files.count) files were left, not one PDF") }
        return try Data(contentsOf: files[0])
    }
}
