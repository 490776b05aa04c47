import Encodings
import Foundation
import MockBank
import TestSupport
import Testing

/// A person's bank whose certificate authority the machine does not know.
private struct PrivateBank {
    let server: MockBankServer
    let own: OwnBankHousehold
    /// The authority's certificate.
    var authority: URL { own.household.home.appending(path: "bank authority.pem") }

    init() async throws {
        var configuration = MockBankConfiguration()
        configuration.usesTLS = true
        server = try await MockBankServer.start(configuration)
        own = try OwnBankHousehold()
        let script = """
            bank: private-bank
            name: The private bank
            origins: ["\(server.url)"]
            steps:
              - open: /login
              - fill: { Username: $username, Password: $password }
              - press: Sign in
              - fail: { BANK_LOGIN_FAILED: .notice--error, reason: wrong_credentials }
              - second factor: { field: One-time code, from: [vault, person], within: 2 min }
            for each period:
              - follow: Statements
              - choose: { Year: "{{ year }}" }
              - press: Show
              - search: { rows: "{{ month.name }} {{ year }}", next: Next, at most: 12 pages }
              - download: PDF
            finally:
              - press: Sign out
            """
        try own.accept("private-bank", text: script)
        try Data(try #require(server.authorityPEM).utf8).write(to: authority)
        let login = #"{"username": "\#(configuration.username)", "password": "\#(configuration.password)"}"#
        try Data(login.utf8).write(to: own.credentials)
    }

    /// The arguments of a first start that signs in once.
    var firstStart: [String] {
        [
            "up", "--no-open", "--scripts", own.scripts.path, "--bank", "private-bank", "--credentials",
            own.credentials.path, "--passphrase-file", own.passphrase.path, "--test-login",
        ]
    }
}

extension UpCommandTests {
    @Test(
        "--ca reaches a bank whose authority the machine does not know, and is kept and shown",
        .timeLimit(.minutes(4)))
    func authority() async throws {
        let bank = try await PrivateBank()
        let environment = bank.own.household.environment
        let program = try Program(
            bank.firstStart + ["--ca", bank.authority.path], environment: environment, atTerminal: true)
        try await program.printing("Where do you want your statements?")
        try program.write("")
        try await program.printing("Code:")
        try program.write(MockBankConfiguration().oneTimeCode)
        try await program.printing("The private bank accepted the sign-in.")
        try await program.printing("Ready after")
        let shown = try await bank.own.household.run("config", "show")
        #expect(shown.status == 0, "\(shown)")
        let line = shown.output.split(separator: "\n").first { $0.hasPrefix("--ca ") }
        #expect(line.map { $0.contains(bank.authority.path) && $0.hasSuffix("(countersign up)") } == true, "\(shown)")

        // The household's page knows it, so the first document comes through it, too.
        #expect(try await bank.own.household.run("request", "2026-01").status == 0)
        let approving = try Program(
            ["approve", "--passphrase-file", bank.own.passphrase.path], environment: environment, atTerminal: true)
        try await approving.printing("Code:")
        try approving.write(MockBankConfiguration().oneTimeCode)
        #expect(try await approving.status() == 0, "\(approving.printed)")
        try await bank.own.household.awaitStatement()
        #expect(try await bank.own.household.run("up", "--stop").status == 0)
        _ = try await program.status()

        let (again, _) = try await bank.own.up()
        let file = try JSONReader.read(Data(contentsOf: bank.own.household.config))
        #expect(file["bank"]?["ca"]?.stringValue == bank.authority.path, "\(file)")
        try await OwnBankHousehold.stop(again)
        try Data("-----BEGIN CERTIFICATE-----\n".utf8).write(to: bank.authority)
        let damaged = try await bank.own.household.run("up", "--no-open")
        let words = damaged.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // A service tries it again: a disk may be away.
        #expect(damaged.status == 1 && words.contains("is damaged: it has no end."), "\(damaged)")
        #expect(words.contains("countersign up --ca FILE, or do without one with countersign up --ca none"), "\(words)")
        let (without, _) = try await bank.own.up("--ca", "none")
        let bare = try await bank.own.household.run("config", "show")
        #expect(!bare.output.contains("--ca"), "\(bare)")
        try await OwnBankHousehold.stop(without)
        await bank.server.stop()
    }

    @Test("a damaged authority is said before anything is asked or made", .timeLimit(.minutes(2)))
    func damagedAuthority() async throws {
        let own = try OwnBankHousehold()
        let file = own.household.home.appending(path: "authority.pem")
        try Data("not a certificate".utf8).write(to: file)
        let program = try Program(
            ["up", "--no-open", "--scripts", own.scripts.path, "--ca", file.path],
            environment: own.household.environment,
            atTerminal: true)
        #expect(try await program.status() == 2)
        #expect(program.printed.contains("holds no certificate in PEM"), "\(program.printed)")
        #expect(!program.printed.contains("Which bank"), "\(program.printed)")
        #expect(!FileManager.default.fileExists(atPath: own.household.config.path))
        for more in [["--broker-only"], ["--stop"], ["--remove", "--yes"], ["--service"]] {
            let refused = try await own.household.run(["up", "--ca", file.path] + more)
            #expect(refused.status == 2 && refused.errors.contains("--ca "), "\(more): \(refused)")
        }
    }

    @Test("without --ca, such a bank gets no password, and the message says what to give", .timeLimit(.minutes(2)))
    func unknownAuthority() async throws {
        let bank = try await PrivateBank()
        let program = try Program(bank.firstStart, environment: bank.own.household.environment)
        try await program.printing("Ready after")
        let words = program.printed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("nothing was sent") && words.contains("use --ca FILE"), "\(words)")
        try await OwnBankHousehold.stop(program)
        await bank.server.stop()
    }

    @Test("three households that start at the same moment get ports of their own", .timeLimit(.minutes(4)))
    func atOnce() async throws {
        let households = try HouseholdProcess.wantingTheSamePorts(3)
        let programs = try households.map { household in
            try Program(["up", "--bank", "mock", "--no-open", "--json"], environment: household.environment)
        }
        for (household, program) in zip(households, programs) {
            _ = try await household.events(of: program, until: "ready")
        }
        let ports = try households.flatMap { household in
            let file = try JSONReader.read(Data(contentsOf: household.config))
            return [file["broker"]?["port"]?.intValue, file["phone"]?["port"]?.intValue].compactMap(\.self)
        }
        #expect(ports.count == 6 && Set(ports).count == 6, "\(ports)")
        for program in programs { try await OwnBankHousehold.stop(program) }
    }
}
