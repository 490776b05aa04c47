import Machine

#if os(Linux)
    import Foundation
    import Secrets
    import Synchronization

    /// Announces and finds brokers through Avahi's own programs, `avahi-publish` and `avahi-browse`.
    package struct AvahiService: BrokerBrowser {
        /// The folders to search for the programs, separated by colons.
        private let path: String

        package init(path: String = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") {
            self.path = path
        }

        package func brokers(within patience: Duration) async throws(DiscoveryError) -> [DiscoveredBroker] {
            let browse = try program("avahi-browse")
            let arguments = ["--resolve", "--parsable", "--terminate", BrokerAnnouncement.serviceType]
            do {
                let run = AvahiProgram(browse, arguments)
                let limit = Task {
                    try await Task.sleep(for: patience)
                    run.end()
                }
                defer { limit.cancel() }
                let output = try await BlockingWork.run { try run.output() }
                let brokers = AvahiListing.brokers(in: output.text)
                guard output.status == 0 || !brokers.isEmpty || run.wasEnded else { throw Self.notRunning }
                return brokers
            } catch let error as DiscoveryError {
                throw error
            } catch {
                throw Self.notRunning
            }
        }

        /// Announces the broker until the publication or this process ends.
        ///
        /// - Throws: ``DiscoveryError`` when Avahi is not installed or not running.
        package func publish(_ announcement: BrokerAnnouncement) async throws(DiscoveryError) -> AvahiPublication {
            let publish = try program("avahi-publish")
            let arguments =
                ["--service", announcement.name, BrokerAnnouncement.serviceType, "\(announcement.port)"]
                + announcement.texts
            let run = AvahiProgram(publish, arguments)
            guard await run.startPublishing() else { throw Self.notRunning }
            return AvahiPublication(run)
        }

        private static let notRunning = DiscoveryError(
            code: .notRunning,
            message: "the Avahi daemon does not answer; start avahi-daemon, or give the broker's address")

        private func program(_ name: String) throws(DiscoveryError) -> String {
            guard let found = InstalledProgram.path(of: name, in: path) else {
                throw DiscoveryError(
                    code: .notInstalled,
                    message: "\(name) is not installed; install avahi-utils, or give the broker's address")
            }
            return found
        }
    }

    /// A running announcement.
    package final class AvahiPublication: Sendable {
        private let run: AvahiProgram

        init(_ run: AvahiProgram) { self.run = run }

        package func end() { run.end() }

        deinit { run.end() }
    }

    /// One of Avahi's programs.
    final class AvahiProgram: Sendable {
        private struct State {
            var running: RunningProgram?
            var wasEnded = false
        }

        private let program: String
        private let arguments: [String]
        private let state = Mutex(State())

        init(_ program: String, _ arguments: [String]) {
            self.program = program
            self.arguments = arguments
        }

        var wasEnded: Bool { state.withLock(\.wasEnded) }

        private func start() throws -> RunningProgram {
            // The word for success depends on the locale.
            var environment = ["LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"]
            environment["DBUS_SYSTEM_BUS_ADDRESS"] =
                ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"]
            let running = try RunningProgram([program] + arguments, environment: environment, errors: .withOutput)
            let isEnded = state.withLock { state in
                state.running = running
                return state.wasEnded
            }
            if isEnded { running.send(SIGTERM) }
            return running
        }

        /// Runs the program to its end. Blocks.
        func output() throws -> (text: String, status: Int32) {
            let running = try start()
            let text = String(decoding: running.output(atMost: 1 << 20), as: UTF8.self)
            return (text, running.end().status)
        }

        /// Runs the program until it is ended.
        ///
        /// - Returns: whether the announcement was established.
        func startPublishing() async -> Bool {
            guard let running = try? start() else { return false }
            let (established, say) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingOldest(1))
            let seen = Mutex("")
            running.follow { piece in
                seen.withLock { seen in
                    guard !seen.contains("Established") else { return }
                    seen += String(decoding: piece, as: UTF8.self)
                    if seen.contains("Established") { say.yield(true) }
                }
            } atEnd: {
                say.yield(false)
                say.finish()
                running.end()
            }
            return await established.first { _ in true } ?? false
        }

        func end() {
            let running = state.withLock { state in
                state.wasEnded = true
                return state.running
            }
            running?.send(SIGTERM)
        }
    }
#endif
