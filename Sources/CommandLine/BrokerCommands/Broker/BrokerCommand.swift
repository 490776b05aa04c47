import ArgumentParser
import Broker
import CountersignPlugins
import Foundation
import Logging
import ServiceLifecycle
import Terminal

package struct BrokerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "broker", abstract: "Run, check and back up the broker.",
        subcommands: [
            BrokerServeCommand.self, BrokerCheckCommand.self, BrokerBackupCommand.self, BrokerRestoreCommand.self,
            BrokerAuditCommand.self, BrokerFilingsCommand.self, BrokerIdentityCommand.self, BrokerResealCommand.self,
        ])
    package init() {}
}

/// The broker's configuration, from environment variables.
struct BrokerEnvironmentOptions: ParsableArguments {
    @Flag(name: .customLong("no-telegram"), help: "Run without a Telegram bot.")
    var withoutTelegram = false

    @Flag(help: "Serve other machines over plain HTTP, without a certificate; use this only behind a TLS proxy.")
    var allowPlainHTTP = false

    func configuration() throws -> BrokerConfiguration {
        let environment = try HouseholdFile.completing(ProcessInfo.processInfo.environment)
        do {
            return try BrokerConfiguration(
                environment: environment, usesTelegram: !withoutTelegram, allowsPlainHTTP: allowPlainHTTP)
        } catch {
            throw CommandFailure(error.description, status: 2)
        }
    }
}

struct BrokerServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve agents and phones.",
        discussion: """
            Configured by environment variables:
              BROKER_API_TOKEN                   the agents' token, at least 32 bytes
              PHONE_API_TOKEN                    the default device's token, at least 32 bytes
              BROKER_PHONE_SHARED_SECRET         the default device's signing key, at least 32 bytes
              BROKER_DEFAULT_DEVICE (on)         off if every phone is paired; the two above are not needed then
              BROKER_SEALING_SECRET              seals the database's secrets, at least 32 bytes; else the broker makes
                                                 one, in the file sealing.secret beside the database
              ICLOUD_INBOX_PATH                  the synced folder that the phone delivers to
              TELEGRAM_BOT_TOKEN, TELEGRAM_PHONE_CHAT_ID   for notifications; else give --no-telegram
              TELEGRAM_NOTIFY_REQUESTS (on), TELEGRAM_NOTIFY_COMPLETIONS (on), TELEGRAM_COMMANDS (on),
              TELEGRAM_API_BASE_URL
              BROKER_HOST (127.0.0.1), BROKER_PORT (8765), BROKER_TLS_CERT, BROKER_TLS_KEY (else the
              broker's own certificate, if other machines can reach it)
              BROKER_ENDPOINT                    the address for phones, by default made from host and port
              BROKER_POLICY_FILE                 rules for approvals; see countersign policy lint
              BROKER_BANK_ID (default)           the bank of requests that name none, while phones tell of no other
              BROKER_DISCOVERY (off)             announce the broker on the local network, through Avahi
              BROKER_DATABASE_PATH, BROKER_APPROVAL_TTL_SECONDS (300), BROKER_EXECUTION_TIMEOUT_SECONDS (600)
              BROKER_REQUESTS_PER_SECOND (200), BROKER_TOKEN_REQUESTS_PER_SECOND (100),
              BROKER_WRONG_TOKENS_PER_MINUTE (60), BROKER_MAX_CONNECTIONS (512),
              BROKER_MAX_UNDECIDED_REQUESTS (10)  of one agent; TELEGRAM_NUDGES_PER_HOUR (12), then one digest
              BROKER_ARCHIVE_PATH                a folder in which every statement is filed; see countersign archive
              BROKER_ARCHIVE_TEMPLATE            the paths in it, by default
                                                 {{ bank }}/{{ account }}/{{ year }}/{{ period }} {{ kind }}
              BROKER_ON_DOCUMENT                 a program that is run for each statement; COUNTERSIGN_DOCUMENT is its path
              PAPERLESS_URL, PAPERLESS_TOKEN_FILE   a paperless-ngx that every PDF and CSV file is uploaded to, and the
                                                 file with the token of one of its users
              PAPERLESS_CONSUME_PATH             or the folder that paperless-ngx watches
              BROKER_WEBHOOK_URL, BROKER_WEBHOOK_SECRET_FILE   an address that is told of documents and finished
                                                 requests, and the file with the key of its signatures (whsec_…)
              BROKER_RETENTION_DAYS              remove ended requests and audit records after so many days; else never
              BROKER_HEADER_TIMEOUT_SECONDS (10), BROKER_BODY_TIMEOUT_SECONDS (15), BROKER_IDLE_TIMEOUT_SECONDS (75)

            A broker without a terminal reads BROKER_TLS_CERT and BROKER_TLS_KEY again at SIGHUP; a pair that does not fit \
            leaves the one before in use. It looks at the policy's file every second.
            """)

    @OptionGroup var environment: BrokerEnvironmentOptions

    @Option(
        help:
            "The format of the log on standard error: \(LogFormat.allCases.map(\.rawValue).joined(separator: " or "))."
    )
    var log = LogFormat.text

    func run() async throws {
        let format = log
        var logger = Logger(label: "countersign.broker") { CleanLogHandler(label: $0, format: format) }
        logger.logLevel = .info
        try await reportingFailures {
            let configuration = try environment.configuration()
            let ready = logger
            let notice = ServiceNotice()
            let places = try DocumentPlaces(ProcessInfo.processInfo.environment)
            if let warning = places?.notice { logger.warning("\(warning)") }
            let library = ArchiveLibrary(archive: places?.archive)
            let service = try BrokerService(
                configuration, logger: logger, filer: places, library: library, channels: Plugins.current.channels
            ) { port in
                ready.info(
                    "broker is ready",
                    metadata: ["address": "\(configuration.scheme)://\(configuration.host):\(port)"])
                notice.ready()
            }
            let watchdog = Task { await notice.live { await service.isWell() } }
            let reloading = Task { await ReloadSignal.onEach { service.reload() } }
            defer {
                watchdog.cancel()
                reloading.cancel()
            }
            try await ServiceGroup(
                configuration: .init(
                    services: [service], gracefulShutdownSignals: [.sigterm, .sigint],
                    logger: Logger(label: "quiet") { _ in
                        SwiftLogNoOpLogHandler()
                    })
            ).run()
            notice.stopping()
            logger.info("broker has ended")
        }
    }
}
