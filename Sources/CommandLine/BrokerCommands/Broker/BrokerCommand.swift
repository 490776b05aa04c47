import ArgumentParser
import Broker
import BrokerStore
import CountersignPlugins
import Foundation
import Logging
import Machine
import ServiceLifecycle
import Terminal

package struct BrokerCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "broker", abstract: "Run, check and back up the broker; its log, policy and keys.",
        subcommands: [
            BrokerServeCommand.self, BrokerCheckCommand.self, BrokerBackupCommand.self, BrokerRestoreCommand.self,
            BrokerAuditCommand.self, BrokerFilingsCommand.self, BrokerIdentityCommand.self, BrokerRotateCommand.self,
            PolicyCommand.self,
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
            let isHousehold =
                HouseholdFile.current?.broker != nil && !HouseholdFile.isOverridden(ProcessInfo.processInfo.environment)
            let hint =
                isHousehold
                ? "The broker of this machine's household is started by: countersign up"
                : HouseholdFile.current == nil ? error.wayForFirstBroker : nil
            throw CommandFailure([error.description, hint].compactMap { $0 }.joined(separator: "\n"), status: 2)
        }
    }
}

struct BrokerServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve agents and phones.",
        discussion: """
            Configured by environment variables. In brackets: the value without the variable.

            \(BrokerSetting.helpText)

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
            // A database that is not there yet, or of an earlier version, knows of no filing.
            let known = try? BrokerDatabase(administering: configuration.database)
            let places = try await DocumentPlaces(ProcessInfo.processInfo.environment) { folder in
                (try? await known?.requests.hasFiled(in: folder)) ?? false
            }
            known?.close()
            for warning in places?.notices ?? [] { logger.warning("\(warning)") }
            if let warning = ConfinedReader.notice { logger.warning("\(warning)") }
            let library = ArchiveLibrary(archive: places?.archive)
            let service = try BrokerService(
                configuration, logger: logger, filer: places, library: library, channels: Plugins.current.channels,
                inboxes: Plugins.current.inboxes
            ) { port in
                var places: Logger.Metadata = [:]
                if port != 0 { places["address"] = "\(configuration.scheme)://\(configuration.host):\(port)" }
                if let socket = configuration.socket, socket.isThere { places["socket"] = "\(socket.file.path)" }
                ready.info("broker is ready", metadata: places)
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
