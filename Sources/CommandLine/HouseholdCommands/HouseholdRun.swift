import Broker
import Encodings
import Foundation
import Machine
import Phone
import Secrets
import Terminal

/// Runs the programs of a household until it is told to stop, or one of them ends.
actor HouseholdRun {
    /// The address of the approval page, with its code.
    struct Page {
        var origin: String
        var address: Secret
        /// True while the passphrase of a trial's phone lies in its file.
        var hasTrialPassphrase = false
    }

    private static let page = "page"

    private var household: HouseholdFile
    private let folder: URL
    private let running: RunningHousehold
    private var programs: [HouseholdProgram] = []
    /// True once a part has been started.
    var hasStarted: Bool { !programs.isEmpty }
    /// False when another program has the broker's port, so that the broker answers at its socket alone.
    private(set) var hasPort = true

    init(_ household: HouseholdFile, folder: URL, _ running: RunningHousehold) {
        self.household = household
        self.folder = folder
        self.running = running
    }

    // MARK: Starting

    func startBank() async throws {
        guard let origin = household.phone?.mockBank.flatMap({ URL(string: $0) }), let port = origin.port else {
            return
        }
        let program = try start("bank", ["script", "mockbank", "serve", "--port", "\(port)"])
        for await line in program.lines where line.contains(" is open at ") { return }
        throw failure(of: program)
    }

    /// Starts the household's broker, and waits until it listens.
    ///
    /// - Returns: the broker, to be administered; nil when it is on another machine.
    func startBroker() async throws -> BrokerAdministration? {
        guard household.broker != nil else { return nil }
        try checkInbox()
        // The owner's settings count before variables of the shell.
        let own = Self.inherited(without: ["BROKER_", "PHONE_", "ICLOUD_"])
            .filter { !household.settings.names.contains($0.key) }
        let environment = try HouseholdFile.completing(own, with: household)
        let silent = (environment["TELEGRAM_BOT_TOKEN"] ?? "").isEmpty ? ["--no-telegram"] : []
        let program = try start(RunningHousehold.broker, ["broker", "serve"] + silent, environment: environment)
        // The database also has the record of an earlier run, so the program's own word counts.
        try await ready(program) { program.hasLogged("broker is ready") }
        hasPort = !program.hasLogged(BrokerService.socketAlone)
        if !hasPort { try record() }
        return try BrokerAdministration(environment: environment)
    }

    /// Starts the approval page, and waits until it can be opened.
    ///
    /// - Parameter notify: is called with what the owner should hear about later, such as a new passkey.
    /// - Returns: nil when the phone is on another machine.
    func startPage(_ notify: @escaping @Sendable (String) -> Void) async throws -> Page? {
        guard let phone = household.phone else { return nil }
        var arguments = [
            "phone", "serve", "--json", "--home", phone.home.path, "--port", "\(phone.pagePort)",
        ]
        if let scripts = phone.scripts { arguments += ["--scripts", scripts] }
        if let authority = phone.authority { arguments += ["--ca", authority.path] }
        arguments += HouseholdReachOptions.arguments(for: phone)
        if let bank = phone.mockBank {
            arguments += ["--bank-at", bank]
        }
        // Once its owner has changed the passphrase, a trial's page opens locked, as any other.
        let trial = phone.mockBank == nil ? nil : TrialPassphrase(in: folder)
        let words = trial.flatMap { $0.exists ? $0.file : nil }
        if let words { arguments += ["--passphrase-file", words.path] }
        let own = Self.inherited(without: ["BROKER_", "PHONE_", "ICLOUD_", "TELEGRAM_"])
        let environment = household.phoneVariables.merging(own) { own, _ in own }
        let program = try start(Self.page, arguments, environment: environment)
        let (pages, opened) = AsyncStream<Page>.makeStream()
        // It ends with the program's output.
        Task {
            var hasTrialPassphrase = words != nil
            for await line in program.lines {
                guard let json = try? JSONReader.read(line) else { continue }
                if json["file_refused"] == true { hasTrialPassphrase = false }
                if let notice = json["notice"]?.stringValue { notify(notice) }
                guard let origin = json["origin"]?.stringValue, let address = json["address"]?.stringValue else {
                    continue
                }
                opened.yield(
                    Page(origin: origin, address: Secret(address), hasTrialPassphrase: hasTrialPassphrase))
            }
            opened.finish()
        }
        for await page in pages { return page }
        throw failure(of: program)
    }

    @discardableResult
    private func start(
        _ name: String, _ arguments: [String], environment: [String: String]? = nil
    ) throws -> HouseholdProgram {
        let program = try HouseholdProgram(
            name, arguments,
            environment: environment ?? Self.inherited(without: ["BROKER_", "PHONE_", "ICLOUD_", "TELEGRAM_"]),
            log: folder.appending(path: "logs/\(name).log"))
        programs.append(program)
        try record()
        return program
    }

    /// Writes down what runs, for the commands that ask.
    private func record() throws {
        let own = RunningHousehold.Member(RunningHousehold.up, id: getpid())
        let members = programs.map { program in
            var member = RunningHousehold.Member(program.name, id: program.id)
            if program.name == RunningHousehold.broker { member?.lacksPort = !hasPort }
            return member
        }
        try running.record(([own] + members).compactMap(\.self))
    }

    /// A program gets no other program's tokens.
    private static func inherited(without prefixes: [String]) -> [String: String] {
        ProcessInfo.processInfo.environment.filter { name, _ in !prefixes.contains(where: name.hasPrefix) }
    }

    private func ready(_ program: HouseholdProgram, _ isReady: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while program.isRunning, ContinuousClock.now < deadline {
            if isReady() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw failure(of: program)
    }

    private func failure(of program: HouseholdProgram) -> CommandFailure {
        let words = program.lastWords
        let end = "the \(program.name) \(program.isRunning ? "does not answer" : "ended")"
        // On a disk that is full, a log has no room for the reason.
        if let disk = diskFailure { return CommandFailure("\(end), because \(disk)") }
        return CommandFailure(
            "\(end); its log is \(program.log.path)" + (words.isEmpty ? "" : ", and ends with:\n\(words)"))
    }

    /// Says that the inbox is away before the broker does so in the words of its variables.
    private func checkInbox() throws {
        let inbox = household.inbox.path
        guard access(inbox, R_OK | W_OK | X_OK) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw CommandFailure(
            "documents cannot come through the inbox, \(inbox): \(reason). Is its disk mounted, and is the folder yours? Correct that, "
                + "and run countersign up again")
    }

    /// Writes some bytes where the programs write. Returns why that fails, with what helps; nil when it succeeds.
    private var diskFailure: FileError? {
        let file = folder.appending(path: "logs/room")
        defer { unlink(file.path) }
        do {
            try AtomicFile.replaceUnderLock(Array(repeating: 0, count: 64 << 10), to: file)
            return nil
        } catch {
            return error as? FileError
        }
    }

    // MARK: Running

    private enum Event: Sendable {
        case ended(HouseholdProgram, status: Int32)
        case changed(HouseholdFile)
    }

    /// Waits until a program ends. A broker whose settings are changed is started anew with them.
    ///
    /// Returns when the page ended because its owner had the phone deleted on it.
    ///
    /// - Parameter tell: is called when the broker was started anew; with the reason why it was not.
    /// - Throws: ``CommandFailure`` with the program's log; `CancellationError`.
    func watch(_ tell: @Sendable (_ failure: CommandFailure?) -> Void) async throws {
        var seen = household
        while true {
            switch await nextEvent(after: seen) {
            case .ended(let program, let status)?:
                try Task.checkCancellation()
                if program.name == Self.page, status == 0, Self.isPhoneDeleted() { return }
                throw failure(of: program)
            case .changed(let chosen)?:
                let former = household
                seen = chosen
                household.settings = chosen.settings
                household.broker?.statements = chosen.broker?.statements
                guard household.brokerVariables != former.brokerVariables || household.broker != former.broker else {
                    continue
                }
                tell(try await restartBroker(orWith: former))
            case nil:
                throw CancellationError()
            }
        }
    }

    /// Tells whether the phone of the household was deleted on purpose. One whose vault is only away was not.
    static func isPhoneDeleted(file: URL = HouseholdFile.place()) -> Bool {
        guard let household = try? HouseholdFile.read(file), let phone = household.phone else { return false }
        return phone.absence == nil && !household.isSetUp
    }

    /// Starts the broker anew. If it does not start, it goes on as it was, so that a setting ends neither the page nor a visit.
    ///
    /// - Returns: nil when it has started; else the reason.
    private func restartBroker(orWith former: HouseholdFile) async throws -> CommandFailure? {
        guard let place = programs.firstIndex(where: { $0.name == RunningHousehold.broker }) else { return nil }
        do {
            try checkInbox()
        } catch let failure as CommandFailure {
            household = former
            return failure
        }
        await programs[place].stop()
        programs.remove(at: place)
        // Before the page, which ends first.
        defer {
            if programs.last?.name == RunningHousehold.broker { programs.insert(programs.removeLast(), at: place) }
        }
        try Task.checkCancellation()
        do {
            _ = try await startBroker()
            return nil
        } catch let failure as CommandFailure {
            programs.removeAll { $0.name == RunningHousehold.broker }
            household = former
            _ = try await startBroker()
            return failure
        }
    }

    private func nextEvent(after present: HouseholdFile) async -> Event? {
        let programs = programs
        return await withTaskGroup(of: Event?.self) { tasks in
            for program in programs { tasks.addTask { await program.end().map { .ended(program, status: $0) } } }
            tasks.addTask { await Self.change(of: present).map { .changed($0) } }
            let first = await tasks.next() ?? nil
            tasks.cancelAll()
            return first
        }
    }

    /// Waits until the household's file has other settings, or another folder for statements. Returns nil when the task is
    /// cancelled before.
    private static func change(of household: HouseholdFile) async -> HouseholdFile? {
        let file = HouseholdFile.place()
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            // A file that cannot be read now changes nothing.
            guard let present = try? HouseholdFile.read(file) else { continue }
            let isSame =
                present.settings == household.settings
                && present.broker?.statements?.path == household.broker?.statements?.path
            if !isSame { return present }
        }
        return nil
    }

    /// Ends all programs: the page first, so that no run begins while the broker ends.
    func stop() async {
        for program in programs.reversed() { await program.stop() }
        programs = []
        running.forget()
    }
}
