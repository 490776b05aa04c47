import Broker
import Foundation

/// The broker whose owner gives the command: the one of `BROKER_DATABASE_PATH`.
enum OwnBroker {
    static func open() throws -> BrokerAdministration {
        try clearlyNow { try BrokerAdministration(environment: ProcessInfo.processInfo.environment) }
    }

    /// Tells what the broker's database has against a command.
    static func clearly<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch { throw failure(error) }
    }

    static func clearlyNow<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw failure(error) }
    }

    private static func failure(_ error: any Error) -> any Error {
        switch error {
        case let error as StoreError: CommandFailure(error.description)
        case let error as DeviceNameError: CommandFailure(error.description)
        case let error as BrokerConfigurationError: CommandFailure(error.description, status: 2)
        default: error
        }
    }
}
