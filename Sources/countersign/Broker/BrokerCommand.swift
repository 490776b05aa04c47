import ArgumentParser
import Broker
import Foundation
import Logging
import ServiceLifecycle

struct BrokerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker", abstract: "Run the broker.", subcommands: [BrokerServeCommand.self])
}

struct BrokerServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve agents and the phone.",
        discussion: """
            Configured by environment variables:
              BROKER_API_TOKEN                   what agents show, at least 32 bytes
              PHONE_API_TOKEN                    what the phone shows, at least 32 bytes
              BROKER_PHONE_SHARED_SECRET         the signing key, at least 32 bytes
              ICLOUD_INBOX_PATH                  the synced folder that the phone delivers to
              TELEGRAM_BOT_TOKEN, TELEGRAM_PHONE_CHAT_ID   the nudge, or --no-telegram
              BROKER_HOST (127.0.0.1), BROKER_PORT (8765), BROKER_DATABASE_PATH,
              BROKER_APPROVAL_TTL_SECONDS (300), BROKER_EXECUTION_TIMEOUT_SECONDS (600), TELEGRAM_API_BASE_URL
            """)

    @Flag(name: .customLong("no-telegram"), help: "Run without a Telegram bot.")
    var withoutTelegram = false

    func run() async throws {
        var logger = Logger(label: "countersign.broker") { CleanLogHandler(label: $0) }
        logger.logLevel = .info
        do {
            let configuration = try BrokerConfiguration(
                environment: ProcessInfo.processInfo.environment, usesTelegram: !withoutTelegram)
            let ready = logger
            let service = try BrokerService(configuration, logger: logger) { port in
                ready.info("broker is ready", metadata: ["address": "http://\(configuration.host):\(port)"])
            }
            try await ServiceGroup(
                configuration: .init(
                    services: [service], gracefulShutdownSignals: [.sigterm, .sigint],
                    logger: Logger(label: "quiet") { _ in
                        SwiftLogNoOpLogHandler()
                    })
            ).run()
            logger.info("broker has ended")
        } catch let error as BrokerConfigurationError {
            throw CommandFailure(error.description, status: 2)
        } catch let error as BrokerStartError {
            throw CommandFailure(error.description)
        } catch let error as StoreError {
            throw CommandFailure(error.description)
        }
    }
}
