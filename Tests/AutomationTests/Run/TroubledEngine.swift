import Automation
import BankScript
import Clocks
import Foundation
import Secrets
import Selectors
import Synchronization

/// A browser whose pages have one status after the other; each request gives the next one.
final class TroubledEngine: NavigationEngine {
    private struct State {
        var statuses: [Int]
        var visits: [String] = []
        var dialog: String?
        var isClosed = false
    }

    private let state: Mutex<State>
    /// True when the pages came by requests that may be repeated.
    private let isRepeatable: Bool
    /// Opening a page, or a download, hangs here.
    private let hang: Hang?
    private let hangsInDownload: Bool

    init(
        _ statuses: [Int], isRepeatable: Bool = true, hangingIn hang: Hang? = nil,
        atDownload hangsInDownload: Bool = false
    ) {
        state = Mutex(State(statuses: statuses))
        self.isRepeatable = isRepeatable
        self.hang = hang
        self.hangsInDownload = hangsInDownload
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    var visits: [String] { state.withLock { $0.visits } }

    /// Opens a dialog that no rule names.
    func open(dialog text: String) { state.withLock { $0.dialog = text } }

    func takeUntoldDialog() async -> String? { state.withLock { $0.dialog.take() } }

    private func visit(_ name: String) {
        state.withLock { state in
            if !state.visits.isEmpty, state.statuses.count > 1 { state.statuses.removeFirst() }
            state.visits.append(name)
        }
    }

    func open(_ reference: String) async throws {
        visit("open")
        if !hangsInDownload { await hang?.wait() }
    }
    func follow(_ link: Locator) async throws { visit("follow") }
    func press(_ button: Locator) async throws { visit("press") }
    func submit(formOf field: Locator) async throws { visit("submit") }
    func enter(frame: Locator) async throws { visit("enter") }

    func reload() async throws {
        guard isRepeatable else { throw EngineError(.other, "came by sending a form") }
        visit("reload")
    }

    func fill(_ field: Locator, with input: Input) async throws {}
    func choose(_ option: String, in list: Locator) async throws {}
    func check(_ box: Locator, _ isOn: Bool) async throws {}
    func texts(_ locator: Locator) async throws -> [String] { [] }

    func text(of locator: Locator) async throws -> String {
        throw EngineError(.notFound, "nothing is found by: \(locator)")
    }

    func attribute(_ name: String, of locator: Locator) async throws -> String? {
        name == "href" && isRepeatable ? "/pdf" : nil
    }

    func picture(_ image: Locator) async throws -> Prompt.Picture { Prompt.Picture(bytes: [], mediaType: "image/png") }

    func page() async -> EnginePage? {
        let status = state.withLock { $0.visits.isEmpty ? nil : $0.statuses.first }
        return status.map { status in
            EnginePage(
                url: "https://bank.example/", path: "/", status: status, title: "Status \(status)", text: "",
                headline: nil,
                needsJavaScript: false, json: nil, headers: [])
        }
    }

    func cookies() async -> [(name: String, value: String)] { [] }

    func request(_ request: EngineRequest) async throws -> EngineAnswer {
        EngineAnswer(status: 200, headers: [], json: nil)
    }

    func download(_ source: EngineDownload, to file: URL, limit: Int) async throws -> EngineFile {
        visit("download")
        if hangsInDownload { await hang?.wait() }
        let status = state.withLock { $0.statuses.first ?? 200 }
        let bytes = Array((status == 200 ? "%PDF-1.4 … startxref 0 %%EOF" : "an error").utf8)
        try Data(bytes).write(to: file)
        if hangsInDownload { visit("downloaded") }
        return EngineFile(
            status: status, mediaType: nil, sha256: "", bytes: bytes.count, firstBytes: bytes, lastBytes: bytes)
    }

    func close() async { state.withLock { $0.isClosed = true } }
}

/// A clock without pauses.
struct HastyClock: RunClock {
    var now: Date { Date() }

    func sleep(for duration: Duration) async throws {
        // The limit of a run is not a pause.
        try await Task.sleep(for: duration > .seconds(60) ? duration : .zero)
    }
}
