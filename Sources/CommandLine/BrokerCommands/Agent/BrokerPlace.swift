import BrokerClient
import Foundation
import Machine
import Terminal

/// The broker that an agent's command asks: its address, and the sockets in the place of addresses of this machine.
struct BrokerPlace {
    let address: String
    let sockets: [String: ServedSocket]

    /// - Parameters:
    ///   - typed: the address of an option; nil without one.
    ///   - own: the variables as they are set.
    ///   - complete: the same, with those of the household.
    ///   - household: lends its broker's socket to that broker's addresses, also to one in an agent's file. A token of `own` may
    ///     be for another broker at such an address, so it is not sent to that socket.
    init(
        typed: String?, own: [String: String], complete: [String: String],
        household: HouseholdFile? = HouseholdFile.current
    ) {
        func value(_ name: String, in environment: [String: String]) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        sockets = value("BROKER_API_TOKEN", in: own) == nil ? household?.broker?.sockets ?? [:] : [:]
        if let named = typed ?? value("BROKER_URL", in: own) {
            address = named
        } else if let path = value("BROKER_SOCKET", in: own),
            case let socket = ServedSocket(URL(filePath: TypedPath.expanded(path))), socket.isThere
        {
            // That of a household is lent instead, because a socket that a killed broker left is then no hindrance.
            address = BrokerAddress(socket: socket.file).description
        } else {
            address =
                value("BROKER_URL", in: complete)
                ?? "http://127.0.0.1:\(value("BROKER_PORT", in: complete) ?? "8765")"
        }
    }

    /// - Throws: ``CommandFailure`` for what is not the address of a broker, before a token is looked for.
    func check() throws(CommandFailure) {
        do throws(BrokerAddressError) {
            _ = try BrokerAddress(parsing: address)
        } catch {
            throw CommandFailure(error.description, status: 2)
        }
    }
}
