import Automation
import BankScript
import Foundation
import TestCases
import Testing

@Suite("A server's temporary trouble")
struct PassingTroubleTests {
    private func run(_ engine: TroubledEngine, _ script: BankScript) async -> Result<FetchedDocument, RunFailure> {
        let services = HostServices(
            credentials: TestCredentials(values: [:]), person: TestPerson(),
            downloads: FolderSink(FileManager.default.temporaryDirectory), clock: HastyClock())
        do throws(RunFailure) {
            let runner = ScriptRunner(services: services) { _ in engine }
            let document = try await runner.run(script, parameters: ["month": 1, "year": 2026])
            try? FileManager.default.removeItem(at: document.file)
            return .success(document)
        } catch {
            return .failure(error)
        }
    }

    private static func script(interruptions: [Interruption] = [], @StepBuilder _ steps: () -> [Step]) -> BankScript {
        BankScript(
            id: "test", name: "Test", origins: ["https://bank.example"], interruptions: interruptions, steps: steps())
    }

    @Test(
        "is retried, twice at most",
        arguments: [
            ([200], ["open"]), ([503, 200], ["open", "reload"]), ([500, 502, 200], ["open", "reload", "reload"]),
            ([504, 504, 504, 200], ["open", "reload", "reload"]), ([501, 200], ["open"]), ([404, 200], ["open"]),
        ])
    func pages(statuses: [Int], visits: [String]) async {
        let engine = TroubledEngine(statuses)
        _ = await run(engine, Self.script { Open("/") })
        #expect(engine.visits == visits)
    }

    @Test("never sends a form twice")
    func forms() async {
        let engine = TroubledEngine([500, 200], isRepeatable: false)
        _ = await run(engine, Self.script { Press("Pay") })
        #expect(engine.visits == ["press"])
        let download = TroubledEngine([500, 200], isRepeatable: false)
        _ = await run(download, Self.script { Download("Make a statement") })
        #expect(download.visits == ["download"])
    }

    @Test("is retried for a download by a link, too")
    func downloads() async throws {
        let engine = TroubledEngine([503, 200])
        _ = try await run(engine, Self.script { Download("PDF") }).get()
        #expect(engine.visits == ["download", "download"])
    }

    @Test("is not retried when the script declares the page")
    func declared() async {
        let engine = TroubledEngine([503, 200])
        let known = Interruption(when: .status(503...503), fail: .navigationFailed, reason: .maintenance)
        let outcome = await run(engine, Self.script(interruptions: [known]) { Open("/") })
        #expect(engine.visits == ["open"])
        guard case .failure(let failure) = outcome else { return #expect(Bool(false), "no failure") }
        #expect(failure.reason == .maintenance)
    }

    @Test("is named by the failure when it does not pass")
    func named() async {
        let outcome = await run(
            TroubledEngine([500]),
            Self.script {
                Open("/")
                Expect(.shows(.heading("Overview")))
            })
        guard case .failure(let failure) = outcome else { return #expect(Bool(false), "no failure") }
        #expect(failure.reason == .serverError)
        #expect(failure.message.hasPrefix("the bank answered 500"))
        #expect(failure.place?.number == 1)
    }
}
