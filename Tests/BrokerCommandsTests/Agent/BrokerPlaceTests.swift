import Foundation
import Machine
import Terminal
import TestSupport
import Testing

@testable import BrokerCommands

@Suite("The broker that an agent's command asks")
struct BrokerPlaceTests {
    private let folder: TemporaryFolder
    private let socket: ServedSocket
    private let household: HouseholdFile

    init() throws {
        folder = try TemporaryFolder(in: URL(filePath: "/tmp"), named: "place-\(UUID().uuidString.prefix(8))")
        let broker = HouseholdFile.Broker(
            database: folder.appending("broker.sqlite"), port: 8765, sealingSecret: folder.appending("sealing.secret"),
            agentToken: folder.appending("agent.token"))
        household = HouseholdFile(phone: nil, broker: broker, inbox: folder.appending("inbox"))
        socket = try #require(broker.socket)
        // The socket of a killed broker, at which nothing listens.
        var address = try UnixSocketAddress(socket.file)
        let descriptor = try socket.makeSocket()
        defer { close(descriptor) }
        try #require(address.withAddress { bind(descriptor, $0, $1) } == 0)
    }

    @Test("of a household is its web address, in whose place its socket is used, also while only the file is left")
    func lentSocket() {
        let complete = ["BROKER_PORT": "8765", "BROKER_SOCKET": socket.file.path, "BROKER_API_TOKEN": "its own"]
        let place = BrokerPlace(typed: nil, own: [:], complete: complete, household: household)
        #expect(place.address == "http://127.0.0.1:8765")
        #expect(place.sockets == ["http://127.0.0.1:8765": socket])
    }

    @Test("of a socket that the variables name is that socket while it is there")
    func own() throws {
        let own = ["BROKER_SOCKET": socket.file.path, "BROKER_PORT": "8766"]
        #expect(BrokerPlace(typed: nil, own: own, complete: own, household: nil).address == "unix:\(socket.file.path)")
        try FileManager.default.removeItem(at: socket.file)
        #expect(BrokerPlace(typed: nil, own: own, complete: own, household: nil).address == "http://127.0.0.1:8766")
    }

    @Test("gets a token of the variables at its address alone, also where that is the household's")
    func ownToken() {
        let own = ["BROKER_URL": "http://127.0.0.1:8765", "BROKER_API_TOKEN": "of another broker"]
        let place = BrokerPlace(typed: nil, own: own, complete: own, household: household)
        #expect(place.address == "http://127.0.0.1:8765")
        #expect(place.sockets.isEmpty)
        let file = ["BROKER_URL": "http://127.0.0.1:8765", "BROKER_API_TOKEN": ""]
        #expect(!BrokerPlace(typed: nil, own: file, complete: file, household: household).sockets.isEmpty)
    }
}
