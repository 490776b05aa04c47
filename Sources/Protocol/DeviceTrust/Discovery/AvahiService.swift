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
            // The announcement must not outlive this process when it is killed.
            let guardian = try? program("setpriv")
            let run =
                guardian.map { AvahiProgram($0, ["--pdeathsig", "TERM", publish] + arguments) }
                ?? AvahiProgram(publish, arguments)
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

    /// A process that runs one of Avahi's programs.
    final class AvahiProgram: Sendable {
        private struct State {
            var process: Process?
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

        private func start(_ output: Pipe) throws -> Process {
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = arguments
            // The word for success depends on the locale.
            var environment = ["LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"]
            environment["DBUS_SYSTEM_BUS_ADDRESS"] =
                ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"]
            process.environment = environment
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = output
            // Threads of Swift's pools block signals; a child that inherits the mask would ignore SIGTERM.
            var none = sigset_t()
            var before = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            try process.run()
            let isEnded = state.withLock { state in
                state.process = process
                return state.wasEnded
            }
            if isEnded { process.terminate() }
            return process
        }

        /// Runs the program to its end. Blocks.
        func output() throws -> (text: String, status: Int32) {
            let pipe = Pipe()
            let process = try start(pipe)
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (text, process.terminationStatus)
        }

        /// Runs the program until it is ended. It has a thread of its own, because the parent's death signal is bound
        /// to the thread that started the program.
        ///
        /// - Returns: whether the announcement was established.
        func startPublishing() async -> Bool {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [self] in
                    let pipe = Pipe()
                    guard let process = try? start(pipe) else { return continuation.resume(returning: false) }
                    var seen = ""
                    var isEstablished = false
                    while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
                        guard !isEstablished else { continue }
                        seen += String(decoding: data, as: UTF8.self)
                        guard seen.contains("Established") else { continue }
                        isEstablished = true
                        continuation.resume(returning: true)
                    }
                    process.waitUntilExit()
                    if !isEstablished { continuation.resume(returning: false) }
                }
            }
        }

        func end() {
            let process = state.withLock { state in
                state.wasEnded = true
                return state.process
            }
            if let process, process.isRunning { process.terminate() }
        }
    }
#endif
