import ArgumentParser
import Broker
import BrokerClient
import Dispatch
import HouseholdCommands
import Synchronization

// Values that a shell completes from what the broker knows. A broker that does not answer completes nothing: a shell shows no error.

extension CompletionKind {
    /// The ids of the banks that statements can be asked for from.
    static var offeredBanks: CompletionKind { asked { try await $0.banks().map(\.bankID) } }

    /// The ids of the agent's own requests, the newest first.
    static var requests: CompletionKind {
        asked { try await $0.page(limit: 20).requests.map(\.id.description) }
    }

    /// The names of the broker's agents.
    static var agents: CompletionKind { looked { try await $0.agents.agents().map(\.name.description) } }

    /// The ids of paired devices.
    static var devices: CompletionKind { looked { try await $0.devices.devices().map(\.id.description) } }

    private static func asked(_ ask: @escaping @Sendable (AgentClient) async throws -> [String]) -> CompletionKind {
        .custom { _, _, _ in
            guard let client = try? BrokerOptions.parse([]).client() else { return [] }
            return waiting {
                let values = try? await ask(client)
                await client.close()
                return values ?? []
            }
        }
    }

    /// Looks into the database of the broker on this machine.
    private static func looked(
        _ look: @escaping @Sendable (BrokerAdministration) async throws -> [String]
    ) -> CompletionKind {
        .custom { _, _, _ in
            guard let broker = try? BrokerAdministration.onThisMachine() else { return [] }
            return waiting { (try? await look(broker)) ?? [] }
        }
    }

    /// Waits for values, for two seconds at most: a person who waits for a shell cannot see why.
    ///
    /// It blocks this thread. The parser's own asynchronous completions would end each synchronous parse of their commands.
    private static func waiting(_ work: @escaping @Sendable () async -> [String]) -> [String] {
        let done = DispatchSemaphore(value: 0)
        let values = Mutex<[String]>([])
        Task.detached {
            let found = await work()
            values.withLock { $0 = found }
            done.signal()
        }
        _ = done.wait(timeout: .now() + 2)
        return values.withLock(\.self)
    }
}
