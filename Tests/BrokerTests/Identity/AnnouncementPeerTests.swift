import TestParties

#if os(Linux)
    import CurlClient
    import DeviceTrust
    import Foundation
    import Testing

    @testable import Broker

    @Suite(
        "The broker in the local network",
        .enabled(if: ProcessInfo.processInfo.environment["COUNTERSIGN_AVAHI"] != nil, "no Avahi daemon"),
        .timeLimit(.minutes(4)))
    struct AnnouncementPeerTests {
        @Test("is found by avahi-browse while it runs, with the right details, and not after")
        func announced() async throws {
            let stage = try BrokerStage()
            var configuration = stage.configuration
            configuration.host = "0.0.0.0"
            configuration.usesOwnCertificate = true
            configuration.announces = true
            try await stage.run(configuration) { stage in
                let identity = try stage.administration().identity()
                let broker = try #require(try await Self.find(identity.server.id, isThere: true))
                #expect(broker.announcement.port == stage.port)
                #expect(broker.announcement.certificate == identity.fingerprint)
                #expect(broker.endpoint.hasPrefix("https://"))
            }
            let id = try stage.administration().identity().server.id
            #expect(try await Self.find(id, isThere: false) == nil)
        }

        /// Browses until the broker is announced, or no longer announced.
        private static func find(_ id: ServerID, isThere: Bool) async throws -> DiscoveredBroker? {
            let end = ContinuousClock.now + .seconds(45)
            while true {
                let found = try await AvahiService().brokers(within: .seconds(3)).first { $0.announcement.server == id }
                if (found != nil) == isThere || ContinuousClock.now > end { return found }
            }
        }
    }
#endif
