import Encodings
import Foundation
import HouseholdCommands
import Terminal
import TestServers
import TestSupport
import Testing

@testable import BrokerCommands

@Suite("countersign config")
struct ConfigCommandTests {
    /// A broker's variables, and a folder for files.
    private final class Setup: Sendable {
        let folder: TemporaryFolder
        let inbox: URL
        let environment: [String: String]

        init() throws {
            folder = try TemporaryFolder()
            inbox = folder.appending("inbox")
            try FileManager.default.createDirectory(at: inbox, withIntermediateDirectories: true)
            environment = [
                "HOME": folder.url.path, "ICLOUD_INBOX_PATH": inbox.path, "BROKER_DEFAULT_DEVICE": "off",
                "BROKER_DATABASE_PATH": folder.appending("broker.sqlite").path,
                "BROKER_API_TOKEN": "0123456789abcdef0123456789abcdef",
                "BROKER_SEALING_SECRET": "a sealing secret of more than 32 bytes",
            ]
        }

        func write(_ name: String, _ text: String) throws {
            let file = folder.appending(name)
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
    }

    @Test("every variable of the broker's help is known")
    func complete() async throws {
        let help = try await CountersignProcess(["help", "broker", "serve"]).run().output
        let names = Set(help.matches(of: /\b(?:BROKER|TELEGRAM|PHONE|ICLOUD)_[A-Z_]+\b/).map { String($0.0) })
        #expect(names.count > 30)
        #expect(names.subtracting(Setting.all.map(\.name)).isEmpty)
    }

    @Test("check reads a file of variables and a service's credentials, and names what is wrong")
    func check() async throws {
        let setup = try Self.Setup()
        try setup.write(
            "broker.env",
            "# a comment\nBROKER_DEFAULT_DEVICE=off\nICLOUD_INBOX_PATH=\"\(setup.inbox.path)\"\nBROKER_PROT=1\n")
        let file = setup.folder.appending("broker.env").path
        let missing = try await CountersignProcess(["config", "check", "--no-telegram", "--file", file]).run()
        #expect(missing.status == 2 && missing.output.contains("✗ BROKER_API_TOKEN is not set"), "\(missing)")
        #expect(missing.output.contains("! BROKER_PROT is not a variable of Countersign; did you mean BROKER_PORT?"))
        for name in ["BROKER_API_TOKEN", "BROKER_SEALING_SECRET"] {
            try setup.write(name, "0123456789abcdef0123456789abcdef\n")
        }
        let whole = try await CountersignProcess([
            "config", "check", "--no-telegram", "--file", file, "--credentials", setup.folder.url.path,
        ]).run()
        #expect(whole.status == 0 && whole.output.contains("✓ a broker can start"), "\(whole)")
        try setup.write("broker.env", "BROKER_PORT 1\n")
        let wrong = try await CountersignProcess(["config", "check", "--file", file]).run()
        #expect(wrong.status == 2 && wrong.errors.contains("broker.env:1: the line must be NAME=VALUE"), "\(wrong)")
    }

    @Test("show prints values and sources, and no secret")
    func show() async throws {
        let setup = try Self.Setup()
        let outcome = try await CountersignProcess(["config", "show"], environment: setup.environment).run()
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(/BROKER_API_TOKEN +•{8}  \(environment\)/))
        #expect(outcome.output.contains(/BROKER_HOST +127\.0\.0\.1  \(default\)/))
        #expect(!outcome.output.contains("0123456789abcdef"))
    }

    // MARK: A household's settings

    /// A household that does not run, and its file.
    private struct Household {
        let folder: TemporaryFolder
        let file: URL
        var environment: [String: String] { ["HOME": folder.url.path, "COUNTERSIGN_CONFIG": file.path] }

        init(hasBroker: Bool = true) throws {
            folder = try TemporaryFolder()
            file = folder.appending("config.json")
            let broker = HouseholdFile.Broker(
                database: folder.appending("broker/broker.sqlite"), port: 8765,
                sealingSecret: folder.appending("broker/database.secret"), agentToken: folder.appending("agent.token"))
            let phone = HouseholdFile.Phone(bankID: "my-bank", home: folder.appending("phone"), pagePort: 8766)
            for made in ["broker", "inbox"] {
                try FileManager.default.createDirectory(
                    at: folder.appending(made), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            for secret in [broker.sealingSecret, broker.agentToken] {
                try write(secret, String(repeating: secret == broker.agentToken ? "a" : "b", count: 64) + "\n")
            }
            try HouseholdFile(
                phone: phone, broker: hasBroker ? broker : nil, inbox: folder.appending("inbox")
            ).write(to: file)
        }

        func write(_ file: URL, _ text: String, mode: Int = 0o600) throws {
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        }

        func config(_ arguments: String..., variables: [String: String] = [:]) async throws
            -> CountersignProcess.Outcome
        {
            try await CountersignProcess(
                ["config"] + arguments, environment: environment.merging(variables) { $1 }
            ).run()
        }

        var settings: HouseholdSettings {
            get throws { try #require(try HouseholdFile.read(file)).settings }
        }
    }

    @Test("set keeps settings in the household's file, unset forgets them, and show says where each comes from")
    func kept() async throws {
        let household = try Household()
        let token = household.folder.appending("paperless.token")
        try household.write(token, "0123456789abcdef\n")
        let set = try await household.config(
            "set", "BROKER_LANGUAGE=de", "PAPERLESS_URL=https://papers.example", "PAPERLESS_TOKEN_FILE=\(token.path)")
        #expect(set.status == 0, "\(set)")
        #expect(set.output == "BROKER_LANGUAGE, PAPERLESS_URL and PAPERLESS_TOKEN_FILE are changed.\n")
        let bot = household.folder.appending("bot")
        try household.write(bot, "12345:a-bot-token-of-many-characters\n")
        let secret = try await household.config("set", "telegram_bot_token", "--secret-file", bot.path)
        #expect(secret.status == 2 && secret.errors.contains("TELEGRAM_PHONE_CHAT_ID is not set"), "\(secret)")
        #expect(secret.errors.contains("Nothing was changed.") && !secret.errors.contains("12345"))
        #expect(try household.settings.names == ["BROKER_LANGUAGE", "PAPERLESS_URL", "PAPERLESS_TOKEN_FILE"])

        let shown = try await household.config("show", variables: ["BROKER_LANGUAGE": "fr", "BROKER_URL": ""])
        #expect(shown.output.contains(/BROKER_LANGUAGE +de  \(countersign config\)/), "\(shown)")
        #expect(shown.output.contains(/BROKER_PORT +8765  \(countersign up\)/))
        #expect(shown.output.contains("not taken by the household, whose file decides: BROKER_LANGUAGE."), "\(shown)")
        #expect(!shown.output.contains("aaaaaaaa"))

        let unset = try await household.config("unset", "BROKER_LANGUAGE", "BROKER_POLICY_FILE")
        #expect(
            unset.status == 0
                && unset.output == "BROKER_POLICY_FILE is as before.\nBROKER_LANGUAGE is changed.\n", "\(unset)")
        let half = try await household.config("unset", "PAPERLESS_URL")
        #expect(half.status == 2 && half.errors.contains("PAPERLESS_URL is not set"), "\(half)")
        #expect(try household.settings.names == ["PAPERLESS_URL", "PAPERLESS_TOKEN_FILE"])
    }

    @Test(
        "set refuses what a part could not start with",
        arguments: [
            ("BROKER_APPROVAL_TTL_SECONDS=soon", "it must be a whole number from 1 to 86400"),
            ("BROKER_MAX_CONNECTIONS=1", "it must be a whole number from 16 to 100000"),
            ("BROKER_LANGUAGE=", "countersign config unset BROKER_LANGUAGE"),
            ("BROKER_LANGUAGE", "write BROKER_LANGUAGE=VALUE"),
            ("BROKER_ARCHIVE_TEMPLATE={{ bnk }}", "BROKER_ARCHIVE_TEMPLATE: "),
            ("BROKER_ON_DOCUMENT=/nowhere/program", "not the full path of a program"),
            ("VAPID_SUBJECT=robin", "must begin with mailto: or https:"),
            ("PHONE_RETENTION_DAYS=0", "write a number of days from 1"),
            ("TELEGRAM_BOT_TOKEN=12345:secret", "TELEGRAM_BOT_TOKEN is a credential"),
            ("BROKER_WEBHOOK_URL", "without a terminal, give it with --secret-file"),
            ("BROKER_HOST=0.0.0.0", "countersign up --host-name NAME"),
            ("BROKER_ARCHIVE_PATH=~/phone/a", "cannot be inside phone"),
            ("BROKER_LANGUGE=de", "did you mean BROKER_LANGUAGE?"),
            ("BROKER_ARCHIVE_TEMPLATE=a\nb", "must be one line of at most 4096 bytes"),
        ])
    func refused(argument: String, words: String) async throws {
        var household = try Household()
        let outcome = try await household.config("set", argument)
        #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome)")
        #expect(!outcome.errors.contains("12345:secret"))
        #expect(try household.settings == HouseholdSettings())
        household = try Household(hasBroker: false)
        let broker = try await household.config("set", "BROKER_LANGUAGE=de")
        #expect(broker.status == 2 && broker.errors.contains("broker is on another machine"), "\(broker)")
    }

    @Test("a path is kept whole, and a broker whose disk is away takes other settings")
    func paths() async throws {
        let household = try Household()
        try household.write(household.folder.appending("told"), "#!/bin/sh\n", mode: 0o700)
        let set = try await household.config("set", "BROKER_ON_DOCUMENT=~/told")
        #expect(set.status == 0, "\(set)")
        #expect(
            try household.settings.shown.map(\.value) == [household.folder.appending("told").standardizedFileURL.path])
        try FileManager.default.removeItem(at: household.folder.appending("inbox"))
        let away = try await household.config("set", "BROKER_LANGUAGE=es")
        #expect(away.status == 0, "\(away)")
    }

    @Test("the folder of statements is made, and none ends it; what is unset beside it is checked together")
    func statements() async throws {
        let household = try Household()
        let set = try await household.config("set", "BROKER_ARCHIVE_PATH=~/Papers", "BROKER_LANGUAGE=fr")
        #expect(set.status == 0, "\(set)")
        let papers = household.folder.appending("Papers").path
        #expect(FileManager.default.fileExists(atPath: papers))
        #expect(try HouseholdFile.read(household.file)?.broker?.statements?.path == papers)
        let none = try await household.config("set", "BROKER_ARCHIVE_PATH=none", "--unset", "BROKER_LANGUAGE")
        #expect(none.status == 0, "\(none)")
        let file = try #require(try HouseholdFile.read(household.file))
        #expect(file.broker?.statements == nil && file.settings == HouseholdSettings())
        let refused = try await household.config("set", "BROKER_ARCHIVE_PATH=~/New", "BROKER_LANGUAGE=xx")
        #expect(refused.status == 2 && refused.errors.contains("Nothing was changed."), "\(refused)")
        #expect(
            !FileManager.default.fileExists(atPath: household.folder.appending("New").path), "nothing is left of it")
        let twice = try await household.config("set", "BROKER_LANGUAGE=de", "--unset", "BROKER_LANGUAGE")
        #expect(twice.status == 2 && twice.errors.contains("BROKER_LANGUAGE is named twice"), "\(twice)")
        let nothing = try await household.config("set")
        #expect(nothing.status == 2 && nothing.errors.contains("name a setting, such as"), "\(nothing)")
    }

    @Test("two changes at once are both kept")
    func atOnce() async throws {
        let household = try Household()
        let changes = [
            "BROKER_LANGUAGE=de", "BROKER_RETENTION_DAYS=400", "BROKER_DISCOVERY=off",
            "BROKER_APPROVAL_TTL_SECONDS=200",
        ]
        try await withThrowingTaskGroup(of: CountersignProcess.Outcome.self) { tasks in
            for change in changes { tasks.addTask { try await household.config("set", change) } }
            for try await outcome in tasks { #expect(outcome.status == 0, "\(outcome)") }
        }
        #expect(try household.settings.shown.map { "\($0.name)=\($0.value)" } == changes.sorted())
    }

    @Test("several credentials come from one file, a line for each")
    func credentials() async throws {
        let household = try Household()
        let file = household.folder.appending("telegram")
        try household.write(file, "12345:a-bot-token-of-many-characters\n")
        let one = try await household.config(
            "set", "TELEGRAM_BOT_TOKEN", "TELEGRAM_PHONE_CHAT_ID", "--secret-file", file.path)
        #expect(one.status == 2 && one.errors.contains("it needs a line for each"), "\(one)")
        #expect(one.errors.contains("2 credentials are named, and --secret-file has 1 line"), "\(one)")
        try household.write(file, "12345:a-bot-token-of-many-characters\n98765\n")
        let both = try await household.config(
            "set", "TELEGRAM_BOT_TOKEN", "TELEGRAM_PHONE_CHAT_ID", "--secret-file", file.path)
        #expect(both.status == 0, "\(both)")
        #expect(try household.settings.shown.map(\.value) == ["••••••••", "••••••••"])
    }

    @Test("set without a household says where else a variable goes")
    func withoutHousehold() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await CountersignProcess(
            ["config", "set", "BROKER_LANGUAGE=de"], environment: ["HOME": folder.url.path]
        ).run()
        #expect(outcome.status == 2 && outcome.errors.contains("no household is on this machine"), "\(outcome)")
    }
}
