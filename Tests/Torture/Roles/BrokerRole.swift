import ArgumentParser
import Broker
import Foundation
import Logging
import ServiceLifecycle

/// A broker that waits less before it accepts a file in the inbox, so that a kill hits the later work more often.
struct BrokerRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "broker", shouldDisplay: false)

    @Option(help: "Milliseconds.")
    var stability: Int

    @Option(help: "Milliseconds.")
    var reconciliation: Int

    @Option(help: "Milliseconds; the usual time unless it is given.")
    var remains: Int?

    func run() async throws {
        var configuration = try BrokerConfiguration(
            environment: ProcessInfo.processInfo.environment, usesTelegram: false, allowsPlainHTTP: false)
        configuration.timing.stability = .milliseconds(stability)
        configuration.timing.reconciliation = .milliseconds(reconciliation)
        if let remains { configuration.timing.remains = .milliseconds(remains) }
        let logger = Logger(label: "broker") { StreamLogHandler.standardError(label: $0) }
        try await ServiceGroup(
            configuration: .init(
                services: [try BrokerService(configuration, logger: logger)],
                gracefulShutdownSignals: [.sigterm],
                logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        ).run()
    }
}
