import ArgumentParser
import Broker
import Foundation
import Machine
import PhoneStore
import ScriptCommands
import Secrets
import Terminal

package struct UpCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Set up and run a household on this machine: a broker, a phone and its page.",
        discussion: """
            The first time, it asks for the bank, its credentials and a passphrase; with --bank mock, for nothing. It makes \
            the folders, starts a broker and pairs a phone with it. The two have separate keys, and no token is typed or \
            printed. Afterwards it only starts them. It can be interrupted and run again.

            With two machines, run up --broker-only on the one with your agents. It shows a QR code and a line for the other \
            machine, up --phone-only LINE, which works once and for five minutes. Both then show the same four words.

            Every other command then finds the household by its file: COUNTERSIGN_CONFIG, else \
            ~/.config/countersign/config.json. Variables and options come before it.

            Exit status: 0 after Ctrl-C or --stop, or when the phone was deleted on its page, 130 after Ctrl-C at a question, 1 when a \
            part failed, 2 a wrong command line.
            """)

    @Flag(help: "Set up and run the broker alone; the phone is on another machine.")
    var brokerOnly = false

    @Option(
        help: ArgumentHelp(
            """
            Set up and run the phone alone, with the line that up --broker-only shows on the broker's machine, or a picture of \
            its QR code; - to be asked for it, or to read it from standard input.
            """, valueName: "line"))
    var phoneOnly: String?

    @Option(
        help: "The bank: the id of an installed script, or mock for the bundled mock bank.", completion: .firstBanks)
    var bank: String?

    @Option(
        help: ArgumentHelp(
            """
            The folder in which your statements are kept under readable names, now and at later starts; none for no such \
            folder. By default you are asked, and without a terminal it is ~/Documents/Statements.
            """, valueName: "folder"), completion: .directory)
    var statements: String?

    @Option(
        help: "The folder through which statements come, by default one beside the household's data.",
        completion: .directory)
    var inbox: String?

    @Option(help: "A JSON file with the bank's credentials, - for standard input.")
    var credentials: String?

    @Option(help: "A file whose first line is the passphrase of the new vault.")
    var passphraseFile: String?

    @OptionGroup var scripts: ScriptFolderOptions

    @Option(
        name: .customLong("ca"),
        help: ArgumentHelp(
            """
            A PEM file with an additional certificate authority for your banks, e.g. of a server of your own, now and at later \
            starts; none ends that.
            """, valueName: "file"), completion: .file(extensions: ["pem"]))
    var authority: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Try the credentials with one sign-in before they are stored, or store them untried. By default you are asked at a \
            terminal, and without one nothing is sent.
            """)
    var testLogin: Bool?

    @OptionGroup var reach: HouseholdReachOptions

    @Flag(help: "Do not open the approval page in a browser.")
    var noOpen = false

    @Flag(help: "Install and start it as a service of your systemd user session.")
    var service = false

    @Flag(help: "Stop the household that runs.")
    var stop = false

    @Flag(help: "Stop the household, and remove its data after a question. The statements stay.")
    var remove = false

    @Flag(
        help: """
            With --remove: do not ask. With --broker-only: confirm the phone without comparing the words. Use this only if no \
            one can intercept the connection.
            """)
    var yes = false

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    package init() {}

    private var output: HouseholdOutput { HouseholdOutput(json: json) }

    package func validate() throws {
        guard [service, stop, remove].filter(\.self).count <= 1 else {
            throw ValidationError("give only one of --service, --stop and --remove")
        }
        guard !brokerOnly || phoneOnly == nil else {
            throw ValidationError("--broker-only and --phone-only are for two machines; give one of them on each")
        }
        guard !(service || stop || remove) || !(brokerOnly || phoneOnly != nil) else {
            throw ValidationError(
                "--broker-only and --phone-only set a household up; --service, --stop and --remove know which part is here"
            )
        }
        guard !brokerOnly || (bank == nil && credentials == nil && passphraseFile == nil && scripts.scripts == nil)
        else {
            throw ValidationError(
                "--bank, --credentials, --passphrase-file and --scripts are the phone's; give them with --phone-only")
        }
        guard bank != HouseholdSetup.mockBank || passphraseFile == nil else {
            throw ValidationError(
                "the mock bank's phone opens by itself, with a passphrase that is made for it; leave out --passphrase-file"
            )
        }
        guard authority == nil || !(stop || remove || service) else {
            throw ValidationError("--ca does not go with --service, --stop and --remove")
        }
        guard authority == nil || !brokerOnly else {
            throw ValidationError("--ca is the phone's; give it on the phone's machine")
        }
        guard !brokerOnly || testLogin == nil else {
            throw ValidationError("--test-login is the phone's; give it with --phone-only")
        }
        guard phoneOnly != "-" || credentials != "-" else {
            throw ValidationError("standard input cannot be both the line and the credentials")
        }
        guard statements == nil || phoneOnly == nil else {
            throw ValidationError("--statements is the broker's; give it on the broker's machine")
        }
        guard statements == nil || !(stop || remove || service) else {
            throw ValidationError("--statements does not go with --service, --stop and --remove")
        }
        guard !reach.isGiven || !(stop || remove) else {
            throw ValidationError("--host-name and --behind-proxy do not go with --stop and --remove")
        }
        let isBroker = brokerOnly || phoneOnly == nil && HouseholdFile.current.map { $0.phone == nil } ?? false
        try reach.check(forBroker: isBroker)
        guard !yes || remove || isBroker && !service && !stop else {
            throw ValidationError("--yes goes with --remove and --broker-only")
        }
    }

    package func run() async throws {
        try await reportingFailures {
            // The program that reads the output may end; the household stays.
            signal(SIGPIPE, SIG_IGN)
            let folder = HouseholdFile.dataFolder()
            let running = RunningHousehold(dataFolder: folder)
            if stop { return try await stopRunning(running) }
            if remove {
                return try await HouseholdRemoval(file: HouseholdFile.place(), folder: folder, running)
                    .perform(asking: !yes, output.report)
            }
            if service { return try await installService(running) }
            let authority = HouseholdAuthority(typed: authority)
            _ = try authority.file
            try PrivateFolder.make(folder)
            try refuseShared(folder)
            try PrivateFolder.checkWritable(folder)
            guard let lock = try running.lock() else {
                // An option that this household does not take is refused now: to stop it first would not help.
                if let known = try HouseholdFile.read(HouseholdFile.place()) { try checkOptions(against: known) }
                throw CommandFailure(
                    "the household runs already; see countersign status, or stop it with: countersign up --stop")
            }
            defer { withExtendedLifetime(lock) {} }
            _ = try await running.stop()
            let ports = PortReservation()
            let (prepared, line) = try await self.prepared(in: folder, ports)
            var household = prepared
            try HouseholdSetup.makeFolders(of: household, in: folder)
            try HouseholdStatements(typed: statements, dataFolder: folder).remember(in: &household)
            try authority.remember(in: &household)
            try await rememberReach(in: &household)
            ports.keep(household.ports)
            defer { withExtendedLifetime(ports) {} }
            try await serve(household, line, folder, running)
        }
    }

    /// Refuses a folder that another user can write to: keys and process ids in it would be that user's.
    private func refuseShared(_ folder: URL) throws {
        var status = stat()
        guard lstat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandFailure(
                "\(folder.path) is a link, and the household's data needs a folder of its own; put one there, or name another "
                    + "place with XDG_DATA_HOME")
        }
        guard status.st_uid == geteuid() else { throw FileError(foreign: folder) }
        guard status.st_mode & 0o022 == 0 else {
            throw CommandFailure(
                "\(folder.path) must be a folder that only you can write to; run: chmod go-w \(folder.path)")
        }
    }

    // MARK: Setting up

    private func setup(in folder: URL, _ ports: PortReservation = PortReservation()) -> HouseholdSetup {
        HouseholdSetup(
            file: HouseholdFile.place(), folder: folder, bank: bank, inbox: inbox, statements: statements,
            credentials: credentials, passphraseFile: passphraseFile, scripts: scripts, ports: ports)
    }

    private func checkOptions(against known: HouseholdFile) throws {
        try HouseholdOptionsCheck(
            bank: bank, inbox: inbox, credentials: credentials, passphraseFile: passphraseFile,
            scripts: scripts.scripts, authority: authority, isBrokerOnly: brokerOnly, isPhoneOnly: phoneOnly != nil,
            testsLogin: testLogin == true
        ).check(against: known)
    }

    /// Returns the household of this user, made now if it is missing, and the line for a phone that is not paired yet.
    private func prepared(
        in folder: URL, _ ports: PortReservation
    ) async throws -> (HouseholdFile, PairingLine?) {
        let place = HouseholdFile.place()
        if let known = try HouseholdFile.read(place) {
            try checkOptions(against: known)
            if !known.isSetUp, let absence = known.phone?.absence { throw absence }
            let line = try await phoneLine(for: known)
            guard !known.isSetUp else { return (known, line) }
            var setup = setup(in: folder)
            return (try await setup.remake(known), line)
        }
        // The line is read first: a wrong one leaves nothing behind.
        let line = try await givenLine()
        try line?.checkTime()
        let parts: HouseholdSetup.Parts = line != nil ? .phone : brokerOnly ? .broker : .both
        var setup = setup(in: folder, ports)
        let household = try await setup.make(parts)
        output.report("configured", "The household's file is \(place.path); its data is in \(folder.path).")
        return (household, line)
    }

    /// Returns the line for a phone that has its broker on another machine and is not paired yet; nil for every other
    /// household.
    private func phoneLine(for household: HouseholdFile) async throws -> PairingLine? {
        guard household.broker == nil else { return nil }
        guard !household.isSetUp else {
            if phoneOnly != nil {
                output.report(
                    "notice",
                    "This phone is paired already, so the line is not used. To begin anew: countersign up --remove")
            }
            return nil
        }
        if let words = PendingDevices(of: household).words { output.report("device", words) }
        guard let line = try await givenLine() else {
            throw CommandFailure(
                "this phone is not paired yet; on the broker's machine run countersign pair, which shows a line, and here run: "
                    + "countersign up --phone-only LINE", status: 2)
        }
        try line.checkTime()
        return line
    }

    private func givenLine() async throws -> PairingLine? {
        guard let phoneOnly else { return nil }
        guard phoneOnly == "-" else { return try await PairingLine(Secret(phoneOnly)) }
        guard Asking.isPossible else { return try await PairingLine(try Asking.secret(inFile: "-")) }
        while let typed = Asking.line("The line from the broker's machine:") {
            do {
                return try await PairingLine(Secret(typed))
            } catch {
                Asking.say("\(error)")
            }
        }
        throw CommandFailure("no line was given")
    }

    /// Keeps the way to the household, and says which phones a broker's new address cuts off.
    private func rememberReach(in household: inout HouseholdFile) async throws {
        let former = household.broker
        let mayHavePhones = await Self.mayHavePhones(household)
        try reach.remember(in: &household)
        guard let former, let broker = household.broker, broker != former, mayHavePhones else { return }
        output.report(
            "pair_again",
            "Phones that were paired at \(former.endpoint) must be paired again, because they cannot follow the broker to "
                + "\(broker.endpoint). When it runs, run countersign pair here, and countersign phone pair - on the phone's machine."
        )
    }

    /// False for a broker that has no phone. One whose database cannot be read may have some.
    private static func mayHavePhones(_ household: HouseholdFile) async -> Bool {
        // Before its first start a broker has no database.
        guard let broker = household.broker, FileManager.default.fileExists(atPath: broker.database.path) else {
            return false
        }
        let environment = try? HouseholdFile.completing([:], with: household)
        let administration = environment.flatMap { try? BrokerAdministration(environment: $0) }
        return (try? await administration?.devices.devices().isEmpty) != true
    }

    // MARK: Running

    private func serve(
        _ household: HouseholdFile, _ line: PairingLine?, _ folder: URL, _ running: RunningHousehold
    ) async throws {
        let began = ContinuousClock.now
        tellUnused()
        // Questions come first: Ctrl-C ends them as usual, and afterwards the person can leave.
        var answers: HouseholdSetup.Answers?
        var login: TestLogin?
        if let phone = household.phone, !household.isSetUp {
            var setup = setup(in: folder)
            // A ready bank's script has been put into the household's own folder at this start.
            if setup.scripts.scripts == nil { setup.scripts.scripts = phone.scripts }
            if testLogin != false { login = try TestLogin(of: phone, setup, output: output) }
            if testLogin == nil, phone.mockBank != nil || !Asking.isPossible { login = nil }
            // Before the person types credentials for a test login that is not made.
            if let offered = login, try !offered.isToBeMade(orWaived: testLogin == nil) { login = nil }
            answers = try setup.answers(for: phone)
            if let offered = login, testLogin == nil, try await !offered.isWanted { login = nil }
            if login != nil, let line { try checkTime(of: line) }
            if login == nil, testLogin == true {
                output.report(
                    "login_unknown",
                    "The script of this bank has no sign-in that can be tried alone, so no test login was made.")
            }
        }
        let run = HouseholdRun(household, folder: folder, running)
        let start = HouseholdStart(
            household: household, folder: folder, run: run, output: output, opensPage: !noOpen, confirmsAlone: yes,
            login: login)
        let outcome = await Task { [answers] in try await start.untilStopped(answers, line, since: began) }.result
        let hadStarted = await run.hasStarted
        await run.stop()
        if case .failure(let error) = outcome, !(error is CancellationError) { throw error }
        output.report(
            "stopped", hadStarted ? "The household has stopped." : "Stopped before the household had started.")
    }

    /// Names the variables that the household does not take, and never their values.
    private func tellUnused() {
        let unused = UntakenVariables.ofHousehold(ProcessInfo.processInfo.environment)
        guard !unused.isEmpty else { return }
        let hints = [
            unused.contains("BROKER_ARCHIVE_PATH") ? "Name the folder for statements with --statements FOLDER." : nil,
            HouseholdSetting.wordsOnKeeping(unused),
        ]
        let words =
            ["Not used, because the household's file decides: \(unused.joined(separator: ", "))."]
            + hints.compactMap(\.self)
        output.report("not_used", words.joined(separator: " "))
    }

    /// Checks that a line lasts over the test login before it. A person can give another line, a program cannot.
    private func checkTime(of line: PairingLine) throws {
        guard line.end?.timeIntervalSinceNow ?? 0 < TestLogin.time else { return }
        guard Asking.isPossible else {
            throw CommandFailure(
                "the line may work for less than \(Int(TestLogin.time)) s from now, and a test login may take longer; nothing was "
                    + "sent. Give a new QR code's URI, which tells its time (uri in the broker's JSON), or --no-test-login"
            )
        }
        guard line.end != nil else { return }
        output.report(
            "notice", "The line may end during the test login. If it does, you are asked for another one.")
    }

    // MARK: Stopping, and the service

    private func stopRunning(_ running: RunningHousehold) async throws {
        let stopped = try await running.stop()
        output.report(
            "stopped", stopped.isEmpty ? "No household runs." : "Stopped: \(stopped.joined(separator: ", ")).")
    }

    private func installService(_ running: RunningHousehold) async throws {
        // The first start asks, and a service cannot be asked.
        guard var household = try HouseholdFile.read(HouseholdFile.place()), household.isSetUp else {
            if let absence = HouseholdFile.current?.phone?.absence { throw absence }
            throw CommandFailure("run countersign up once without --service: it asks for what the phone needs")
        }
        _ = try await running.stop()
        try await rememberReach(in: &household)
        let unit = try await HouseholdService().install()
        output.report(
            "service", "The household runs as a service, \(unit.path). Its log: journalctl --user -u countersign")
        let unused = UntakenVariables.ofService(ProcessInfo.processInfo.environment)
        guard !unused.isEmpty else { return }
        let words =
            ["The service has no shell, so it does not get: \(unused.joined(separator: ", "))."]
            + [HouseholdSetting.wordsOnKeeping(unused)].compactMap(\.self)
        output.report("not_used", words.joined(separator: " "))
    }
}
