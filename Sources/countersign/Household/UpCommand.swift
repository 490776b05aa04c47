import ArgumentParser
import Clocks
import Files
import Foundation
import JSON
import MockBank
import Phone
import PhoneStore
import ScriptCommands
import Secrets
import Terminal

struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Set up and run a household on this machine: a broker, a phone and its page.",
        discussion: """
            The first time, it asks for the bank, its credentials and a passphrase; with --bank mock, for nothing. It makes \
            the folders, starts a broker and pairs a phone with it. The two have separate keys, and no token is typed or \
            printed. Afterwards it only starts them. It can be interrupted and run again.

            Every other command then finds the household by its file: COUNTERSIGN_CONFIG, else \
            ~/.config/countersign/config.json. Variables and options come before it.

            Exit status: 0 after Ctrl-C or --stop, 1 when a part failed, 2 a wrong command line.
            """)

    @Option(help: "The bank: the id of an installed script, or mock for the bundled mock bank.")
    var bank: String?

    @Option(help: "The folder for statements, by default one beside the household's data.", completion: .directory)
    var inbox: String?

    @Option(help: "A JSON file with the bank's credentials, - for standard input.")
    var credentials: String?

    @Option(help: "A file whose first line is the passphrase of the new vault.")
    var passphraseFile: String?

    @OptionGroup var scripts: ScriptFolderOptions

    @OptionGroup var pageOptions: HouseholdPageOptions

    @Flag(help: "Do not open the approval page in a browser.")
    var noOpen = false

    @Flag(help: "Install and start it as a service of your systemd user session.")
    var service = false

    @Flag(help: "Stop the household that runs.")
    var stop = false

    @Flag(help: "Stop the household, and remove its data after a question. The statements stay.")
    var remove = false

    @Flag(help: "With --remove: do not ask.")
    var yes = false

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    func validate() throws {
        guard [service, stop, remove].filter(\.self).count <= 1 else {
            throw ValidationError("give only one of --service, --stop and --remove")
        }
        guard !pageOptions.isGiven || !(stop || remove) else {
            throw ValidationError("--host-name and --behind-proxy do not go with --stop and --remove")
        }
        guard !yes || remove else { throw ValidationError("--yes goes with --remove") }
    }

    func run() async throws {
        try await reportingFailures {
            // The program that reads the output may end; the household stays.
            signal(SIGPIPE, SIG_IGN)
            let folder = HouseholdFile.dataFolder()
            let running = RunningHousehold(dataFolder: folder)
            if stop { return try await stopRunning(running) }
            if remove {
                return try await HouseholdRemoval(file: HouseholdFile.place(), folder: folder, running)
                    .perform(asking: !yes, report)
            }
            if service { return try await installService(running) }
            try PrivateFolder.make(folder)
            try refuseShared(folder)
            guard let lock = try running.lock() else {
                throw CommandFailure(
                    "the household runs already; see countersign status, or stop it with: countersign up --stop")
            }
            defer { withExtendedLifetime(lock) {} }
            _ = try await running.stop()
            var household = try await prepared(in: folder)
            try pageOptions.remember(in: &household)
            try await serve(household, folder, running)
        }
    }

    /// Refuses a folder that another user can write to: keys and process ids in it would be that user's.
    private func refuseShared(_ folder: URL) throws {
        var status = stat()
        guard lstat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & 0o022 == 0
        else {
            throw CommandFailure(
                "\(folder.path) must be a folder that only you can write to; run: chmod go-w \(folder.path)")
        }
    }

    // MARK: Setting up

    private func isSetUp(_ household: HouseholdFile) -> Bool { PhoneHome(household.phoneHome).vault.exists }

    private func setup(in folder: URL) -> HouseholdSetup {
        HouseholdSetup(
            file: HouseholdFile.place(), folder: folder, bank: bank, inbox: inbox, credentials: credentials,
            passphraseFile: passphraseFile, scripts: scripts)
    }

    /// Returns the household of this user, made now if it is missing.
    private func prepared(in folder: URL) async throws -> HouseholdFile {
        if let known = try HouseholdFile.read(HouseholdFile.place()) {
            if let bank, bank != known.bankID, !(bank == HouseholdSetup.mockBank && known.mockBank != nil) {
                throw CommandFailure(
                    "this household is set up for the bank “\(known.mockBank == nil ? known.bankID : "mock")”; for another "
                        + "one use countersign phone banks, or begin anew with countersign up --remove", status: 2)
            }
            guard inbox == nil, credentials == nil || !isSetUp(known), passphraseFile == nil || !isSetUp(known) else {
                throw CommandFailure(
                    "the household is set up already, so --inbox, --credentials and --passphrase-file change nothing; see "
                        + "\(HouseholdFile.place().path), and countersign phone --help", status: 2)
            }
            return known
        }
        let household = try setup(in: folder).make()
        report("configured", "The household's file is \(HouseholdFile.place().path); its data is in \(folder.path).")
        return household
    }

    // MARK: Running

    private func serve(_ household: HouseholdFile, _ folder: URL, _ running: RunningHousehold) async throws {
        let began = ContinuousClock.now
        // Questions come first: Ctrl-C ends them as usual, and afterwards the person can leave.
        let answers = isSetUp(household) ? nil : try setup(in: folder).answers(for: household)
        let run = HouseholdRun(household, folder: folder, running)
        let outcome = await Task { try await start(run, household, folder, answers, since: began) }.result
        await run.stop()
        if case .failure(let error) = outcome, !(error is CancellationError) { throw error }
        report("stopped", "The household has stopped.")
    }

    private func start(
        _ run: HouseholdRun, _ household: HouseholdFile, _ folder: URL, _ answers: HouseholdSetup.Answers?,
        since began: ContinuousClock.Instant
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await StopSignal.wait()
                throw CancellationError()
            }
            tasks.addTask {
                try await open(run, household, folder, answers, since: began)
                try await run.watch()
            }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }

    private func open(
        _ run: HouseholdRun, _ household: HouseholdFile, _ folder: URL, _ answers: HouseholdSetup.Answers?,
        since began: ContinuousClock.Instant
    ) async throws {
        try await run.startBank()
        if let bank = household.mockBank {
            report("bank", "The mock bank is open at \(bank); its code is \(MockBankConfiguration().oneTimeCode).")
        }
        let broker = try await run.startBroker()
        report("broker", "The broker answers at \(household.brokerAddress).")
        if let answers {
            try await HouseholdPairing(household: household, broker: broker).perform(answers)
            report("paired", "The phone and the broker now know each other.")
            if ServiceJournal.takesOutput {
                report("passkey_code", "To add a passkey on the page, make a code with: countersign phone passkey code")
            } else {
                let code = try await PhoneDatabase(PhoneHome(household.phoneHome)).firstPasskeyCode()
                disclose("passkey_code", code, "To add a passkey on the page within a day, give it this code: ")
            }
        }
        let page = try await run.startPage { report("notice", "Notice: \($0)") }
        if ServiceJournal.takesOutput {
            report("address", PhoneServeCommand.words(onPageAt: page.origin))
        } else {
            disclose("address", page.address, "The approval page is open at ")
        }
        if household.pageHost != nil {
            report(
                "authority",
                "Each other device has to trust the page's authority once. Show a code that leads there with: "
                    + "countersign phone authority --qr")
        }
        if household.mockBank != nil {
            if household.pageHost != nil || household.proxiedPage != nil {
                report(
                    "warning",
                    "Warning: other devices can reach this trial's page, and its passphrase lies in a file. Keep nothing in it "
                        + "but the mock bank.")
            }
            report(
                "passphrase",
                "The passphrase of this trial phone is in \(HouseholdSetup.passphraseFile(in: folder).path).")
        }
        if !noOpen { Desktop.open(page.address) }
        report(
            "ready",
            "Ready after \((ContinuousClock.now - began).inWords). Ask for a statement with: countersign request last-month --wait"
        )
        if !json { Console.standard.line("Press Ctrl-C to stop it.", .faint) }
    }

    // MARK: Stopping, and the service

    private func stopRunning(_ running: RunningHousehold) async throws {
        let stopped = try await running.stop()
        report("stopped", stopped.isEmpty ? "No household runs." : "Stopped: \(stopped.joined(separator: ", ")).")
    }

    private func installService(_ running: RunningHousehold) async throws {
        // The first start asks, and a service cannot be asked.
        guard var household = try HouseholdFile.read(HouseholdFile.place()),
            PhoneHome(household.phoneHome).vault.exists
        else {
            throw CommandFailure("run countersign up once without --service: it asks for what the phone needs")
        }
        _ = try await running.stop()
        try pageOptions.remember(in: &household)
        let unit = try await HouseholdService().install()
        report("service", "The household runs as a service, \(unit.path). Its log: journalctl --user -u countersign")
    }

    // MARK: Output

    private func report(_ event: String, _ text: String) {
        guard json else { return Console.standard.line(text) }
        let line: JSONValue = ["event": .string(event), "message": .string(text)]
        Console.standard.line(line.compactText())
    }

    /// Prints a secret that this terminal's owner needs.
    private func disclose(_ event: String, _ secret: Secret, _ text: String) {
        guard json else { return Console.standard.disclose("\(text)\(secret.revealed())\n") }
        let line: JSONValue = ["event": .string(event), event: .string(secret.revealed())]
        Console.standard.disclose(line.compactText() + "\n")
    }
}
