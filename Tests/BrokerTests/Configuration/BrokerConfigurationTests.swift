import Broker
import Foundation
import Machine
import TestSupport
import Testing

@Suite("The broker's configuration")
struct BrokerConfigurationTests {
    private func environment(_ changes: [String: String?] = [:]) -> [String: String] {
        var environment: [String: String?] = [
            "BROKER_API_TOKEN": String(repeating: "a", count: 32), "PHONE_API_TOKEN": String(repeating: "p", count: 32),
            "BROKER_PHONE_SHARED_SECRET": String(repeating: "s", count: 32),
            "ICLOUD_INBOX_PATH": FileManager.default.temporaryDirectory.path, "TELEGRAM_BOT_TOKEN": "1:x",
            "TELEGRAM_PHONE_CHAT_ID": "42",
        ]
        environment.merge(changes) { $1 }
        return environment.compactMapValues(\.self)
    }

    @Test("has the specification's defaults")
    func defaults() throws {
        let configuration = try BrokerConfiguration(environment: environment())
        #expect(configuration.host == "127.0.0.1")
        #expect(configuration.port == 8765)
        #expect(configuration.approvalTTL == .seconds(300))
        #expect(configuration.executionTimeout == .seconds(600))
        #expect(configuration.telegram?.chatID == "42")
        #expect(configuration.bankID == nil)
    }

    @Test("reports every problem at once")
    func problems() throws {
        let error = try #require(throws: BrokerConfigurationError.self) { try BrokerConfiguration(environment: [:]) }
        for name in [
            "BROKER_API_TOKEN", "PHONE_API_TOKEN", "BROKER_PHONE_SHARED_SECRET", "ICLOUD_INBOX_PATH",
            "TELEGRAM_BOT_TOKEN", "TELEGRAM_PHONE_CHAT_ID",
        ] { #expect(error.description.contains(name)) }
    }

    @Test(
        "refuses unsafe and missing values",
        arguments: [
            ("BROKER_API_TOKEN", "short", "needs at least 32"), ("BROKER_PHONE_SHARED_SECRET", "short", "openssl rand"),
            ("ICLOUD_INBOX_PATH", "/no/such/folder", "not a readable and writable folder"),
            ("BROKER_PORT", "99999", "0 to 65535"),
            ("BROKER_ENDPOINT", "https://broker/path", "without a path"), ("BROKER_ENDPOINT", "broker", "https://"),
            ("BROKER_SEALING_SECRET", "short", "needs at least 32"), ("BROKER_DEFAULT_DEVICE", "perhaps", "on or off"),
            ("BROKER_DEFAULT_DEVICE", "off", "BROKER_SEALING_SECRET is not set"),
            ("BROKER_POLICY_FILE", "/no/such/file", "cannot be read"), ("BROKER_DISCOVERY", "maybe", "on or off"),
            ("BROKER_APPROVAL_TTL_SECONDS", "soon", "whole number"), ("BROKER_BANK_ID", "My Bank", "a bank's id"),
            ("BROKER_LANGUAGE", "klingon", "one of en, de, fr, es"),
            ("PHONE_API_TOKEN", String(repeating: "a", count: 32), "are the same"),
            ("TELEGRAM_BOT_TOKEN", "no token", "BotFather"), ("TELEGRAM_API_BASE_URL", "ftp://x", "http or https"),
            ("TELEGRAM_NOTIFY_REQUESTS", "perhaps", "on or off"), ("BROKER_MAX_CONNECTIONS", "0", "16 to 100000"),
            ("BROKER_MAX_CONNECTIONS", "15", "16 to 100000"),
            ("BROKER_HEADER_TIMEOUT_SECONDS", "-1", "1 to 3600"),
            ("BROKER_REQUESTS_PER_SECOND", "many", "whole number"),
            ("BROKER_SOCKET", "broker.sock", "a whole path"), ("BROKER_SOCKET", "/run/countersign/", "a whole path"),
            ("BROKER_SOCKET", "/" + String(repeating: "x", count: 104 - 1), "103 bytes"),
            ("BROKER_TLS_CERT", "/no/such/file", "BROKER_TLS_KEY is not set"),
            ("PAPERLESS_CONSUME_PATH", "/no/such/folder", "not a readable and writable folder"),
            ("PAPERLESS_TOKEN_FILE", "/no/such/file", "PAPERLESS_URL is not set"),
            ("PAPERLESS_URL", "https://paperless.example", "PAPERLESS_TOKEN_FILE is not set"),
            ("BROKER_WEBHOOK_SECRET_FILE", "/no/such/file", "BROKER_WEBHOOK_URL is not set"),
            ("BROKER_WEBHOOK_URL", "https://hook.example/x", "BROKER_WEBHOOK_SECRET_FILE is not set"),
        ])
    func refuses(name: String, value: String, word: String) throws {
        let error = try #require(throws: BrokerConfigurationError.self) {
            try BrokerConfiguration(environment: environment([name: value]))
        }
        #expect(error.problems.count == 1)
        #expect(error.description.contains(word), "\(error)")
    }

    @Test("takes the operator's values")
    func settings() throws {
        let configuration = try BrokerConfiguration(
            environment: environment([
                "TELEGRAM_NOTIFY_REQUESTS": "off", "TELEGRAM_NOTIFY_COMPLETIONS": "OFF", "TELEGRAM_COMMANDS": "no",
                "TELEGRAM_API_BASE_URL": "http://127.0.0.1:8081/", "BROKER_MAX_CONNECTIONS": "16",
                "BROKER_HEADER_TIMEOUT_SECONDS": "3", "BROKER_BODY_TIMEOUT_SECONDS": "4",
                "BROKER_IDLE_TIMEOUT_SECONDS": "5", "BROKER_REQUESTS_PER_SECOND": "6",
                "BROKER_TOKEN_REQUESTS_PER_SECOND": "8", "BROKER_WRONG_TOKENS_PER_MINUTE": "9", "BROKER_HOST": "",
                "BROKER_BANK_ID": "my-bank", "BROKER_SOCKET": "/run/countersign/broker.sock",
            ]))
        #expect(configuration.socket == ServedSocket(URL(filePath: "/run/countersign/broker.sock")))
        #expect(configuration.bankID == "my-bank")
        let telegram = try #require(configuration.telegram)
        #expect(!telegram.announcesRequests && !telegram.announcesCompletions && !telegram.listens)
        #expect(telegram.baseURL == "http://127.0.0.1:8081")
        let limits = configuration.limits
        #expect(limits.connections == 16)
        #expect(limits.timeouts.head == .seconds(3))
        #expect(limits.timeouts.body == .seconds(4))
        #expect(limits.timeouts.idle == .seconds(5))
        #expect(limits.rates.perSecond == 6 && limits.rates.perTokenAndSecond == 8)
        #expect(limits.rates.wrongTokensPerMinute == 9)
        #expect(configuration.host == "127.0.0.1")
    }

    @Test("runs without a bot when asked to")
    func noTelegram() throws {
        let environment = environment(["TELEGRAM_BOT_TOKEN": nil, "TELEGRAM_PHONE_CHAT_ID": nil])
        #expect(try BrokerConfiguration(environment: environment, usesTelegram: false).telegram == nil)
    }

    @Test(
        "takes an address of https, or of this machine, for paperless-ngx and the webhook",
        arguments: [
            ("https://paperless.example/sub/", nil), ("http://127.0.0.1:8000", nil), ("http://localhost", nil),
            ("http://[::1]:8000", nil), ("http://paperless.example", "use https for paperless.example"),
            ("http://127.0.0.1.example", "use https"), ("https://user@paperless.example", "without a user"),
            ("ftp://paperless.example", "must be an address"), ("https:///", "must be an address"),
            ("https://paperless.example/#part", "must be an address"),
        ] as [(String, String?)])
    func outgoingAddresses(address: String, problem: String?) throws {
        let folder = try TemporaryFolder()
        let token = folder.appending("token")
        let key = folder.appending("key")
        try AtomicFile.write(Array("token-of-the-configuration-tests\n".utf8), to: token)
        let whsec = "whsec_" + Data(repeating: 3, count: 32).base64EncodedString()
        try AtomicFile.write(Array(whsec.utf8), to: key)
        for names in [("PAPERLESS_URL", "PAPERLESS_TOKEN_FILE"), ("BROKER_WEBHOOK_URL", "BROKER_WEBHOOK_SECRET_FILE")] {
            let variables = environment([names.0: address, names.1: names.0 == "PAPERLESS_URL" ? token.path : key.path])
            guard let problem else {
                let configuration = try BrokerConfiguration(environment: variables)
                #expect((configuration.paperless != nil) == (names.0 == "PAPERLESS_URL"))
                #expect((configuration.webhook != nil) == (names.0 == "BROKER_WEBHOOK_URL"))
                continue
            }
            let error = try #require(throws: BrokerConfigurationError.self) {
                try BrokerConfiguration(environment: variables)
            }
            #expect(error.problems.count == 1 && error.description.contains(problem), "\(error)")
        }
    }

    @Test("refuses a token or key that other users can read, and a file without one")
    func outgoingSecrets() throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("secret")
        try AtomicFile.write(Array("some words instead of a token".utf8), to: file)
        for (mode, paperless, webhook) in [
            (0o600, "no token in it", "no key in it"), (0o640, "chmod 600", "chmod 600"),
        ] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            let error = try #require(throws: BrokerConfigurationError.self) {
                try BrokerConfiguration(
                    environment: environment([
                        "PAPERLESS_URL": "https://paperless.example", "PAPERLESS_TOKEN_FILE": file.path,
                        "BROKER_WEBHOOK_URL": "https://hook.example", "BROKER_WEBHOOK_SECRET_FILE": file.path,
                    ]))
            }
            #expect(error.problems.count == 2 && error.problems[0].contains(paperless))
            #expect(error.problems[1].contains(webhook))
        }
    }

    @Test("refuses a server and a folder of paperless-ngx together")
    func bothPlaces() throws {
        let error = try #require(throws: BrokerConfigurationError.self) {
            try BrokerConfiguration(
                environment: environment([
                    "PAPERLESS_URL": "https://paperless.example",
                    "PAPERLESS_CONSUME_PATH": FileManager.default.temporaryDirectory.path,
                ]))
        }
        #expect(error.description.contains("arrive twice"))
    }
}
