#if os(Linux)
    import DeviceTrust
    import Foundation
    import TestSupport
    import Testing

    @Suite(
        "Avahi",
        .enabled(if: ProcessInfo.processInfo.environment["COUNTERSIGN_AVAHI"] != nil, "no Avahi daemon runs here"))
    struct AvahiPeerTests {
        @Test("lists a broker while it is announced, and not afterwards", .timeLimit(.minutes(3)))
        func announces() async throws {
            let service = AvahiService()
            let announcement = BrokerAnnouncement(
                name: "Broker of \(UUID().uuidString)", port: 8765, certificate: CertificateFingerprint(ofDER: [1]),
                server: ServerID())
            let publication = try await service.publish(announcement)
            #expect(try await isListed(announcement, by: service))
            let listing = try await ChildProcess.run(
                URL(filePath: "/usr/bin/avahi-browse"), ["-rpt", BrokerAnnouncement.serviceType])
            #expect(listing.text.contains(announcement.server.description))
            publication.end()
            var isGone = false
            for _ in 0..<50 where !isGone {
                isGone = try await !service.brokers(within: .seconds(10)).map(\.announcement).contains(announcement)
                if !isGone { try await Task.sleep(for: .milliseconds(100)) }
            }
            #expect(isGone)
        }

        private func isListed(_ announcement: BrokerAnnouncement, by service: AvahiService) async throws -> Bool {
            for _ in 0..<50 {
                if try await service.brokers(within: .seconds(10)).map(\.announcement).contains(announcement) {
                    return true
                }
                try await Task.sleep(for: .milliseconds(100))
            }
            return false
        }
    }
#endif
