import BankScript
import Clocks
import Foundation
import Messages
import Secrets
import Synchronization

/// Runs bank scripts.
public struct ScriptRunner: Sendable {
    public typealias EngineFactory = @Sendable (BankScript) async throws -> any NavigationEngine

    /// Ten minutes (Secure Data Fetcher specification, section 4).
    public static let executionLimit: Duration = .seconds(600)

    let services: HostServices
    private let engine: EngineFactory
    private let limit: Duration
    private let grace: Duration
    /// The longest time for a plug-in's engine to close, and for the bank's `finally`.
    private let closing: Duration

    public init(
        services: HostServices, limit: Duration = Self.executionLimit, engine: @escaping EngineFactory
    ) {
        self.init(services: services, limit: limit, grace: .seconds(10), engine: engine)
    }

    /// - Parameter grace: the time that a plug-in has to end after its run was stopped. Then it is left behind.
    package init(
        services: HostServices, limit: Duration, grace: Duration, closing: Duration = .seconds(15),
        engine: @escaping EngineFactory
    ) {
        self.services = services
        self.engine = engine
        self.limit = limit
        self.grace = grace
        self.closing = closing
    }

    /// Runs the script to its end, and returns the statement.
    ///
    /// The script's `finally` steps run in any case, also after a cancellation. Then the session is closed.
    ///
    /// - Parameter parameters: one value for each of the script's parameters, one that it accepts.
    /// - Throws: ``RunFailure`` with the reason why the statement is missing.
    public func run(_ script: BankScript, parameters: [String: ParameterValue]) async throws(RunFailure)
        -> FetchedDocument
    {
        try check(parameters, against: script)
        if script.documentSource != nil { return try await fetchOne(script, parameters) }
        return try await visit(script, parameters, limit: limit) { execution, _ in try await execution.performAll() }
    }

    /// The time that each document after the first adds to the limit of a run.
    public static let timeForEachFurtherDocument: Duration = .seconds(60)

    /// Signs in once and fetches the statements of several months, one after the other.
    ///
    /// - Parameters:
    ///   - script: a script with steps ``BankScript/forEachPeriod``.
    ///   - periods: the months, in the order in which they are fetched.
    ///   - parameters: one value for each of the script's parameters except `month` and `year`.
    ///   - receive: takes each month's statement, or the reason why it is missing, before the next month begins.
    ///     What it throws ends the run.
    /// - Throws: ``RunFailure`` with the reason why the run ended early. Months that `receive` has not been called with
    ///   were not fetched.
    public func run(
        _ script: BankScript, forEach periods: [MonthYear], parameters: [String: ParameterValue] = [:],
        receive: @escaping @Sendable (MonthYear, Result<FetchedDocument, RunFailure>) async throws(RunFailure) -> Void
    ) async throws(RunFailure) {
        try await run(script, fetching: periods.map { DocumentPlace(period: $0) }, parameters: parameters) {
            (place, result) throws(RunFailure) in try await receive(place.period, result)
        }
    }

    /// Signs in once and fetches several documents, one after the other.
    ///
    /// - Parameters:
    ///   - script: a script with steps ``BankScript/forEachPeriod``.
    ///   - places: the documents, in the order in which they are fetched. Those of one account stand together, and among
    ///     them those of one month.
    ///   - names: the bank's names of accounts whose aliases the person has chosen.
    ///   - parameters: one value for each of the script's parameters except `month` and `year`.
    ///   - receive: takes each document, or the reason why it is missing, before the next month begins.
    /// - Throws: ``RunFailure`` with the reason why the run ended early. Documents that `receive` has not been called with
    ///   were not fetched.
    public func run(
        _ script: BankScript, fetching places: [DocumentPlace], naming names: [AccountAlias: String] = [:],
        parameters: [String: ParameterValue] = [:], receive: @escaping DocumentReceiver
    ) async throws(RunFailure) {
        guard let first = places.first else { return }
        guard script.fetchesSeveral else {
            throw RunFailure(
                .navigationFailed,
                message:
                    "the script fetches one document in a run; put the steps that fetch one under “for each period:”")
        }
        if let missing = Set(places.map(\.kind)).subtracting(script.kinds).min() {
            throw RunFailure(
                .navigationFailed,
                message: "the script downloads no \(missing.rawValue); it downloads "
                    + script.kinds.map(\.rawValue).joined(separator: ", "))
        }
        guard script.listsAccounts || places.allSatisfy({ $0.account == nil }) else {
            throw RunFailure(
                .navigationFailed,
                message: "the script knows no accounts; say under “accounts:” where the page lists them")
        }
        guard script.asksForDays || places.allSatisfy({ $0.days == nil }) else {
            throw RunFailure(
                .navigationFailed,
                message:
                    "the script fetches whole months; name the days as {{ from }} and {{ to }} to fetch some of them"
            )
        }
        func values(_ period: MonthYear) -> [String: ParameterValue] {
            parameters.merging(["month": ParameterValue(period.month), "year": ParameterValue(period.year)]) { $1 }
        }
        for period in Set(places.map(\.period)).sorted() { try check(values(period), against: script) }
        let limit = limit + Self.timeForEachFurtherDocument * (places.count - 1)
        if let declaration = script.documentSource {
            return try await fetch(places, naming: names, of: script, from: declaration.source, limit, receive)
        }
        try await visit(script, values(first.period), limit: limit) { execution, end in
            try await execution.performEach(places, naming: names, end.guarding(receive))
        }
    }

    /// Opens the bank, does the work, leaves the bank as the script says, and closes the session.
    private func visit<Value: Sendable>(
        _ script: BankScript, _ parameters: [String: ParameterValue], limit: Duration,
        _ work: @escaping @Sendable (ScriptExecution, RunEnd) async throws -> Value
    ) async throws(RunFailure) -> Value {
        let began = ContinuousClock.now
        services.tell(.began(script: script.digest, steps: script.stepsForOnePeriod.count + script.finally.count))
        let obtained = try await credentials(obtainedFor: script, limit)
        let browser = try await start(script, limit)
        let device = await recallDevice(of: script, browser)
        let end = RunEnd()
        let execution = ScriptExecution(
            script: script, parameters: parameters, engine: browser, services: services.until(end),
            obtained: obtained.credentials, answer: obtained.answer, grant: obtained.grant)
        let executor = (browser as? any ThreadConfinedEngine)?.executor
        let callsPlugins = script.callsPlugins
        let part: @Sendable () -> String = { execution.partUnderWay }
        // A plug-in that blocks the engine's thread must not keep its limit from coming.
        let outcome = await withTaskExecutorPreference(callsPlugins ? nil : executor) {
            let outcome = await self.outcome(limit, leaving: callsPlugins ? part : nil, end, on: executor) {
                try await work(execution, end)
            }
            let told: Result<Value, RunFailure> =
                if case .failure(let failure) = outcome {
                    .failure(await described(failure, by: execution, browser, on: executor))
                } else { outcome }
            await leave(execution, on: executor)
            await keepDevice(device, of: script, browser)
            return told
        }
        end.end()
        // Off the engine's thread: closing ends that thread.
        if callsPlugins {
            _ = await ending(within: closing) { await browser.close() }
        } else {
            await browser.close()
        }
        services.tell(.ended(ContinuousClock.now - began))
        return try outcome.get()
    }

    /// Starts the engine. One that is a plug-in has the time of the run for it; one that comes later is closed.
    private func start(_ script: BankScript, _ limit: Duration) async throws(RunFailure) -> any NavigationEngine {
        do {
            guard !ScriptEngine.standard.contains(script.engine) else { return try await engine(script) }
            let close: @Sendable (any NavigationEngine) async -> Void = { await $0.close() }
            return try await withTimeLimit(limit, on: services.clock) {
                try await leavingBehind(after: grace, late: close) { try await engine(script) }
            }
        } catch let error where error is TimeLimitExceeded || error is LeftBehind {
            throw RunFailure(
                .navigationFailed, reason: Task.isCancelled ? .cancelled : .timeout,
                message: "the engine “\(script.engine.rawValue)” did not start")
        } catch {
            throw RunFailure(.navigationFailed, message: "the browser could not be started: \(sanitised("\(error)"))")
        }
    }

    /// Returns a failure with what the run and its engine say of it. Where a plug-in was left behind that holds them, the failure
    /// stays as it is after a time, and counts as one of a sign-in that nothing has confirmed.
    private func described(
        _ failure: RunFailure, by execution: ScriptExecution, _ browser: any NavigationEngine,
        on executor: (any TaskExecutor)?
    ) async -> RunFailure {
        var failure = failure
        failure.hasSentCredentials = execution.ledger?.hasSent ?? false
        failure.isSignInUnconfirmed = failure.hasSentCredentials
        failure.isSignInUnanswered = failure.hasSentCredentials
        let plain = failure
        let describe = { @Sendable () async -> RunFailure in
            await execution.discardAllDocuments()
            var noted = plain.noting(await execution.refusedCodes).naming(await browser.takeUntoldDialog())
            noted.isSignInUnconfirmed = await execution.isSignInUnconfirmed
            noted.isSignInUnanswered = await execution.isSignInUnanswered
            return noted.ending(execution.script, isRefused: await execution.isObtainedRefused)
        }
        let told =
            execution.script.callsPlugins
            ? await ending(within: grace, on: executor, describe) ?? plain : await describe()
        if told.code == .consentEnded {
            let now = services.clock.now
            await services.changeConsent(of: execution.script, given: execution.grant) { $0.endedAt = now }
        }
        return told
    }

    /// Does what ends a run, also after its cancellation. A plug-in that holds it up is left behind.
    ///
    /// - Returns: nil after the time.
    private func ending<Value: Sendable>(
        within limit: Duration, on executor: (any TaskExecutor)? = nil,
        _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        await Task {
            try? await withTimeLimit(limit, on: SystemClock()) {
                try await leavingBehind(after: .zero, on: executor) { await work() }
            }
        }.value
    }

    // MARK: Exchanges

    /// Obtains new credentials with the owner's help, in exchange for those that they gave.
    ///
    /// - Returns: the end of the owner's consent, where the script says how it is known.
    /// - Throws: ``RunFailure`` when there is nothing to exchange, or the bank or the owner does not agree.
    public func connect(_ script: BankScript, with browser: any OwnersBrowser) async throws(RunFailure) -> Date? {
        guard let exchange = script.exchange, let store = services.grants else {
            throw RunFailure(
                .navigationFailed,
                message:
                    "\(script.name) needs no connection: its script has no “exchange”, so its credentials are enough; "
                    + "after a consent has ended, store what the bank gives you for a new one: "
                    + "countersign phone banks change \(script.id)")
        }
        let end = RunEnd()
        defer { end.end() }
        let given = services.until(end)
        return try await outcome(limit, leaving: script.engineOfPlugin, end) {
            try await exchanging(exchange, script, store, given) { try await $0.connect(browser) }
        }.get()
    }

    /// Returns what the phone has obtained from the bank, renewed where it has to be.
    ///
    /// - Throws: ``RunFailure`` for a consent that has ended: the bank is not asked then.
    private func credentials(
        obtainedFor script: BankScript, _ limit: Duration
    ) async throws(RunFailure) -> CredentialExchanger.Obtained {
        var consent: Consent?
        do {
            consent = try await services.consents.consent(atBank: script.id)
            // A phone of before did not note who renews it.
            let needsOwner = script.exchange?.needsOwner == true
            if let known = consent, known.needsOwner != needsOwner {
                consent?.needsOwner = needsOwner
                try await services.consents.keep(consent, atBank: script.id)
            }
        } catch {
            throw RunFailure(.navigationFailed, message: sanitised("\(error)"))
        }
        if let end = consent?.end(by: services.clock.now) {
            throw RunFailure.consentEnded(script, "your consent ended on \(end.inWords())")
        }
        guard let exchange = script.exchange, let store = services.grants else { return .init() }
        let end = RunEnd()
        defer { end.end() }
        let given = services.until(end)
        let outcome = await outcome(limit, leaving: script.engineOfPlugin, end) {
            try await exchanging(exchange, script, store, given) { try await $0.current() }
        }
        do {
            return try outcome.get()
        } catch {
            // It signs in nowhere, and the bank's answers say what became of it.
            var failure = error
            failure.isSignInUnconfirmed = false
            failure.isSignInUnanswered = false
            throw failure
        }
    }

    /// Does the work in a session of its own, which shares no cookies with the run's.
    private func exchanging<Value: Sendable>(
        _ exchange: CredentialExchange, _ script: BankScript, _ store: any GrantStore, _ services: HostServices,
        _ work: (CredentialExchanger) async throws -> Value
    ) async throws -> Value {
        let engine: any NavigationEngine
        do {
            engine = try await self.engine(script)
        } catch {
            throw RunFailure(.navigationFailed, message: "the browser could not be started: \(sanitised("\(error)"))")
        }
        // One that comes after the run's end asks for nothing.
        guard !Task.isCancelled else {
            await engine.close()
            throw CancellationError()
        }
        let exchanger = CredentialExchanger(
            script: script, exchange: exchange, services: services, store: store, engine: engine)
        do {
            let value = try await work(exchanger)
            await engine.close()
            return value
        } catch {
            await engine.close()
            if error is CancellationError { throw error }
            throw RunFailure(ending: error)
        }
    }

    /// - Parameters:
    ///   - part: names what may ignore its cancellation, and is left behind then; nil where all that is called ships.
    ///   - end: stops when the work is over.
    private func outcome<Value: Sendable>(
        _ limit: Duration, leaving part: (@Sendable () -> String)? = nil, _ end: RunEnd = RunEnd(),
        on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, RunFailure> {
        defer { end.stop() }
        let own = Mutex<RunFailure?>(nil)
        let work = { @Sendable () async throws -> Value in
            do {
                return try await work()
            } catch {
                own.withLock { $0 = error as? RunFailure }
                throw error
            }
        }
        do {
            return .success(
                try await withTimeLimit(limit, on: services.clock) { () async throws -> Value in
                    guard let part else { return try await work() }
                    do {
                        return try await leavingBehind(after: grace, on: executor) {
                            defer { end.workEnded() }
                            return try await work()
                        }
                    } catch let error as LeftBehind {
                        await end.stopReceiving()
                        end.leave(part())
                        throw error
                    }
                })
        } catch let failure as RunFailure {
            return .failure(failure)
        } catch is TimeLimitExceeded {
            let message = "the script was stopped after \(limit.inWords), the limit for a run"
            let failure = RunFailure(.executionTimeout, reason: .timeout, message: message)
            return .failure(failure.leaving(behind: end.leftBehind).counting(end, own.withLock(\.self)))
        } catch {
            let failure = RunFailure(ending: error is LeftBehind ? CancellationError() : error)
            return .failure(failure.leaving(behind: end.leftBehind).counting(end, own.withLock(\.self)))
        }
    }

    // MARK: Sources

    /// Fetches the document of one month from a source: the first kind that the file names.
    private func fetchOne(
        _ script: BankScript, _ parameters: [String: ParameterValue]
    ) async throws(RunFailure) -> FetchedDocument {
        guard let month = parameters["month"]?.number, let year = parameters["year"]?.number,
            let period = MonthYear(month: month, year: year), let kind = script.kinds.first
        else { throw RunFailure(.navigationFailed, message: "a source of documents needs a month and a year") }
        let fetched = Mutex<(part: Int, result: Result<FetchedDocument, RunFailure>)?>(nil)
        let kinds = script.kinds.contains(.pdf) ? .pdf : kind
        let receive: DocumentReceiver = { (place, result) throws(RunFailure) in
            let surplus = fetched.withLock { kept -> FetchedDocument? in
                guard let before = kept, case .success(let older) = before.result else {
                    kept = (place.part, result)
                    return nil
                }
                guard case .success(let newer) = result else { return nil }
                if place.part < before.part { return newer }
                kept = (place.part, result)
                return older
            }
            guard let surplus else { return }
            try? FileManager.default.removeItem(at: surplus.file)
            services.tell(
                .warned(
                    0,
                    "the bank has several documents for \(period), and the newest is kept; ask for a range of months to get all"
                ))
        }
        do throws(RunFailure) {
            try await run(script, fetching: [DocumentPlace(period: period, kind: kinds)], receive: receive)
        } catch {
            if case .success(let document)? = fetched.withLock({ $0?.result }) {
                try? FileManager.default.removeItem(at: document.file)
            }
            throw error
        }
        guard let result = fetched.withLock({ $0?.result }) else {
            throw RunFailure(.pdfDownloadFailed, reason: .statementMissing, message: "the source brought no document")
        }
        return try result.get()
    }

    private func fetch(
        _ places: [DocumentPlace], naming names: [AccountAlias: String], of script: BankScript, from name: SourceName,
        _ limit: Duration, _ receive: @escaping DocumentReceiver
    ) async throws(RunFailure) {
        guard let source = services.sources[name] else {
            throw RunFailure(
                .navigationFailed,
                message:
                    "no source “\(name.rawValue)” is plugged into this program; `script plugins list` says which it has"
            )
        }
        let began = ContinuousClock.now
        services.tell(.began(script: script.digest, steps: 0))
        let end = RunEnd()
        let services = services.until(end)
        let part: @Sendable () -> String = { "the source “\(name.rawValue)”" }
        let outcome = await outcome(limit, leaving: part, end) {
            try await source.fetch(
                places, naming: names, of: script, with: services, receive: end.guarding(receive))
        }
        end.end()
        self.services.tell(.ended(ContinuousClock.now - began))
        try outcome.get()
    }

    /// Runs `finally` in its own task with a short limit, so that a cancelled run signs out too.
    private func leave(_ execution: ScriptExecution, on executor: (any TaskExecutor)?) async {
        guard !execution.script.callsPlugins else {
            _ = await ending(within: closing, on: executor) { await execution.performFinally() }
            return
        }
        await Task(executorPreference: executor) {
            try? await withTimeLimit(closing, on: SystemClock()) { await execution.performFinally() }
        }.value
    }

    private func check(_ parameters: [String: ParameterValue], against script: BankScript) throws(RunFailure) {
        for parameter in script.parameters {
            guard let value = parameters[parameter.name] else {
                throw RunFailure(.navigationFailed, message: "the parameter “\(parameter.name)” is missing")
            }
            guard parameter.accepts(value) else {
                throw RunFailure(
                    .navigationFailed,
                    message: "“\(parameter.name)” is \(value); the script accepts \(parameter.accepted)")
            }
        }
        let known = script.parameters.map(\.name)
        if let stranger = parameters.keys.sorted().first(where: { !known.contains($0) }) {
            let names = known.joined(separator: ", ")
            throw RunFailure(
                .navigationFailed, message: "the script has no parameter “\(stranger)”; it has: \(names)")
        }
    }
}
