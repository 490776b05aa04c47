import ArgumentParser
import Broker
import Foundation
import HouseholdCommands
import Secrets
import Terminal

struct BrokerRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Give the broker a new secret, under which its database is sealed.",
        discussion: """
            Stop the broker first. The broker makes the new secret itself, in the file sealing.secret beside its database, \
            unless BROKER_NEW_SEALING_SECRET names one. Reads BROKER_SEALING_SECRET, or the file, to open what is there; a \
            database that has neither was sealed with BROKER_PHONE_SHARED_SECRET. Phones stay paired. An older copy of the \
            database still opens with the older secret.
            """)

    func run() async throws {
        let environment = try HouseholdFile.completing(ProcessInfo.processInfo.environment)
        var new: Secret?
        if let text = environment["BROKER_NEW_SEALING_SECRET"], !text.isEmpty {
            guard text.utf8.count >= 32 else {
                throw CommandFailure(
                    "BROKER_NEW_SEALING_SECRET has \(text.utf8.count) bytes; it needs at least 32", status: 2)
            }
            new = Secret(text)
        }
        try await reportingFailures {
            switch try await BrokerAdministration.onThisMachine().reseal(to: new) {
            case .file(let file):
                Console.standard.line("The database is sealed with the new secret in \(file.path).")
                if environment["BROKER_SEALING_SECRET"]?.isEmpty == false {
                    Console.standard.line("Start the broker without BROKER_SEALING_SECRET from now on.")
                }
            case .variable:
                Console.standard.line(
                    "The database is sealed with the new secret. Start the broker with it as BROKER_SEALING_SECRET.")
            }
        }
    }
}
