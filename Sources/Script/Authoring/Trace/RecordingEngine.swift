import Automation
import BankScript
import Foundation
import Secrets
import Selectors

/// An engine that shows a recorder each page before a step acts on it, and each page that a step leads to.
struct RecordingEngine: NavigationEngine {
    private let engine: any NavigationEngine
    private let recorder: TraceRecorder

    init(_ engine: any NavigationEngine, _ recorder: TraceRecorder) {
        self.engine = engine
        self.recorder = recorder
    }

    private func seen(_ locator: Locator?) async {
        recorder.acted(on: await engine.snapshot(outlining: locator))
    }

    private func going(
        by locator: Locator? = nil, _ go: (any NavigationEngine) async throws -> Void
    ) async throws {
        if let locator { await seen(locator) }
        try await go(engine)
        recorder.arrived(at: await engine.snapshot(outlining: nil))
    }

    func open(_ reference: String) async throws { try await going { try await $0.open(reference) } }
    func reload() async throws { try await going { try await $0.reload() } }
    func back() async throws { try await going { try await $0.back() } }
    func follow(_ link: Locator) async throws { try await going(by: link) { try await $0.follow(link) } }
    func press(_ button: Locator) async throws { try await going(by: button) { try await $0.press(button) } }
    func enter(frame: Locator) async throws { try await going(by: frame) { try await $0.enter(frame: frame) } }

    func submit(formOf field: Locator) async throws {
        try await going(by: field) { try await $0.submit(formOf: field) }
    }

    func submit(form: Locator, with fields: [(name: String, value: Input)]) async throws {
        try await going(by: form) { try await $0.submit(form: form, with: fields) }
    }

    func choose(secret option: Secret, in list: Locator) async throws {
        await seen(list)
        try await engine.choose(secret: option, in: list)
    }

    func press(unseen button: Locator) async throws { try await going { try await $0.press(unseen: button) } }

    func submitButtons(formOf field: Locator) async throws -> [String] {
        try await engine.submitButtons(formOf: field)
    }

    func rule(of field: Locator, brokenBy value: Secret) async throws -> String? {
        try await engine.rule(of: field, brokenBy: value)
    }

    func characterFields(of field: Locator) async throws -> [Locator] {
        try await engine.characterFields(of: field)
    }

    func fill(_ field: Locator, with input: Input) async throws {
        await seen(field)
        try await engine.fill(field, with: input)
    }

    func choose(_ option: String, in list: Locator) async throws {
        await seen(list)
        try await engine.choose(option, in: list)
    }

    func check(_ box: Locator, _ isOn: Bool) async throws {
        await seen(box)
        try await engine.check(box, isOn)
    }

    func rows() async throws -> [String] { try await engine.rows() }

    var patience: Duration { engine.patience }

    func wait(within limit: Duration?) async { await engine.wait(within: limit) }

    func awaitChange(within limit: Duration) async throws -> Bool { try await engine.awaitChange(within: limit) }

    func texts(_ locator: Locator) async throws -> [String] {
        await seen(locator)
        return try await engine.texts(locator)
    }

    func shownTexts(_ locator: Locator) async throws -> [String] {
        await seen(locator)
        return try await engine.shownTexts(locator)
    }

    func text(of locator: Locator) async throws -> String {
        await seen(locator)
        return try await engine.text(of: locator)
    }

    func attribute(_ name: String, of locator: Locator) async throws -> String? {
        await seen(locator)
        return try await engine.attribute(name, of: locator)
    }

    func value(of locator: Locator, attribute: String?, inMarkup markup: String) async throws -> String? {
        try await engine.value(of: locator, attribute: attribute, inMarkup: markup)
    }

    func picture(_ image: Locator) async throws -> Prompt.Picture {
        await seen(image)
        return try await engine.picture(image)
    }

    func page() async -> EnginePage? { await engine.page() }
    func cookies() async -> [(name: String, value: String)] { await engine.cookies() }

    func deviceCookies(named names: [String]) async throws -> [DeviceCookie] {
        try await engine.deviceCookies(named: names)
    }

    func put(_ cookies: [DeviceCookie]) async throws { try await engine.put(cookies) }

    func snapshot(outlining locator: Locator?) async -> (any PageSnapshot)? {
        await engine.snapshot(outlining: locator)
    }

    func takeUntoldDialog() async -> String? { await engine.takeUntoldDialog() }

    func request(_ request: EngineRequest) async throws -> EngineAnswer { try await engine.request(request) }

    func download(_ source: EngineDownload, to file: URL, limit: Int) async throws -> EngineFile {
        switch source {
        case .control(let locator), .submit(let locator, _): await seen(locator)
        case .open, .request, .printedPage: break
        }
        return try await engine.download(source, to: file, limit: limit)
    }

    func beforeRepeating(_ check: @escaping @Sendable () throws -> Void) async {
        await engine.beforeRepeating(check)
    }

    func watch(_ secret: Secret, before check: @escaping @Sendable () throws -> Void) async throws {
        try await engine.watch(secret, before: check)
    }

    func close() async { await engine.close() }
}
