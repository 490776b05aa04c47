#if os(Linux)
    import Automation
    import BankScript
    import Clocks
    import Encodings
    import Foundation
    import Machine
    import Messages
    import Synchronization

    /// One visit in a process of its own, as the phone sees it.
    ///
    /// The process reads a hostile bank's pages, so it is not trusted: it gets the credentials that its script names when it asks for
    /// them, and what it brings is checked. What makes no sense ends the visit.
    final class ProcessVisit: Sendable {
        /// The time after the limit of a run in which the process has to sign out and to end.
        private static let grace = Duration.seconds(90)
        /// The time in which a cancelled visit has to sign out and to end.
        private static let farewell = Duration.seconds(80)
        /// A page is a piece of at most 16 MB, and a picture is smaller. The longest head has the parts of 40 pages.
        private static let limits = CallLine.Limits(
            bytes: 24 << 20, headBytes: 4 << 20, headValues: 100_000, openCalls: 32, messages: 100_000)

        private let program: VisitProgram
        private let host: HostServices
        private let script: BankScript
        private let downloads: URL
        private let limit: Duration
        private let skeletons: SkeletonWatch
        private let gate: SignInGate?
        private let lost = Mutex(false)
        /// True once the process was stopped because its time was over.
        private let isOverdue = Mutex(false)

        /// - Parameters:
        ///   - host: the services that the process may call.
        ///   - downloads: the folder of the phone's downloads.
        ///   - limit: the time for a visit that brings one document.
        ///   - gate: ends the visit behind its sign-in; nil for a whole one.
        init(
            _ program: VisitProgram, of script: BankScript, host: HostServices, downloads: URL, limit: Duration,
            skeletons: SkeletonWatch, gate: SignInGate? = nil
        ) {
            self.program = program
            self.script = script
            self.host = host
            self.downloads = downloads
            self.limit = limit
            self.skeletons = skeletons
            self.gate = gate
        }

        /// True if the process ended before it said how the visit ended.
        var isLost: Bool { lost.withLock(\.self) }

        /// Visits the bank.
        ///
        /// - Parameter receive: takes each of several documents.
        /// - Returns: the document of a visit for one.
        func perform(
            _ work: VisitWork, _ receive: DocumentReceiver? = nil
        ) async throws(RunFailure) -> FetchedDocument? {
            let name = "\(PhoneHome.visit)\(UInt64.random(in: 0 ... .max))"
            let folder = downloads.appending(path: name, directoryHint: .isDirectory)
            do {
                try PrivateFolder.make(folder)
            } catch {
                throw RunFailure(.inboxWriteFailed, message: "the bank was not visited: \(error)")
            }
            // A process that the visit left behind can still change it.
            defer { try? FolderRemoval.remove(folder) }
            let desk = VisitDesk(
                script: script, host: host, work: work, arrivals: VisitArrivals(from: folder, to: downloads),
                receive: receive)
            let process = try await start(folder, desk)
            let order = VisitOrder(
                script: VisitScript.json(of: script), work: work, folder: folder, authority: program.authority,
                sharesNetwork: program.sharesNetwork, limit: limit, codesRefusedBefore: host.codesRefusedBefore,
                advice: host.credentials.adviceForMissing, codeSources: host.codeSources.keys.map(\.rawValue).sorted(),
                end: gate?.end)
            let time = limit + ScriptRunner.timeForEachFurtherDocument * (work.count - 1) + Self.grace
            do {
                let end = try await answer(of: process, to: order, within: time)
                let document = try await take(end, desk)
                await Self.finish(process, desk)
                return document
            } catch let failure as RunFailure {
                await Self.finish(process, desk)
                throw failure
            } catch {
                lost.withLock { $0 = true }
                throw failureOf(error, await Self.finish(process, desk))
            }
        }

        private func start(_ folder: URL, _ desk: VisitDesk) async throws(RunFailure) -> FencedProcess {
            let (program, fence) = (program, program.fence(for: script, folder: folder))
            do {
                return try await BlockingWork.run {
                    try FencedProcess(
                        program.command, within: fence, environment: program.environment, limits: Self.limits,
                        onTell: { (name, message) throws(CallLine.Nonsense) in try desk.hear(name, message) },
                        onCall: { (name, message) async throws(CallLine.Nonsense) in
                            try await desk.answer(name, message)
                        })
                }
            } catch {
                throw RunFailure(
                    .navigationFailed,
                    message: "\(script.name) was not visited: the process for the visit failed at its start (\(error))")
            }
        }

        /// Waits for the end of the visit. A cancelled one has some time to sign out.
        private func answer(
            of process: FencedProcess, to order: VisitOrder, within time: Duration
        ) async throws -> CallLine.Message {
            return try await withThrowingTaskGroup(of: Void.self, returning: CallLine.Message.self) { group in
                group.addTask {
                    try await SystemClock().sleep(for: time)
                    self.isOverdue.withLock { $0 = true }
                    process.kill()
                }
                defer { group.cancelAll() }
                do {
                    return try await withTaskCancellationHandler {
                        try await process.line.call("visit", CallLine.Message(order.json))
                    } onCancel: {
                        Task {
                            try? await SystemClock().sleep(for: Self.farewell)
                            process.kill()
                        }
                    }
                } catch {
                    throw self.isOverdue.withLock(\.self) ? OverdueVisit() as any Error : error
                }
            }
        }

        /// Reads the end of the visit.
        private func take(_ end: CallLine.Message, _ desk: VisitDesk) async throws -> FetchedDocument? {
            let value: JSONValue
            let pieces: [[UInt8]]
            do {
                let message = try VisitAnswer.value(end)
                (value, pieces) = (message.json, message.pieces)
            } catch let told as VisitAnswer.Told {
                throw RunFailure(.navigationFailed, message: "\(script.name) was not visited: \(told)")
            }
            try takeSkeletons(value["skeletons"])
            if value["stopped"] == true { gate?.stop() }
            if let failure = value["failure"] {
                guard let failure = RunFailure(visitJSON: failure, pieces: pieces) else {
                    throw CallLine.Nonsense("its failure")
                }
                throw failure
            }
            guard let document = value["document"] else { return nil }
            do {
                return try await desk.arrivals.take(document, as: script.usualKind)
            } catch let nonsense as CallLine.Nonsense {
                throw nonsense
            } catch {
                throw RunFailure(ending: error)
            }
        }

        private func takeSkeletons(_ json: JSONValue?) throws {
            let members = json?.objectValue ?? [:]
            let pages = members.compactMap { step, page -> (Int, PageSkeleton)? in
                guard let step = Int(step), let page = PageSkeleton(page) else { return nil }
                return (step, page)
            }
            guard pages.count == members.count, pages.count <= SkeletonWatch.mostPages else {
                throw CallLine.Nonsense("its pages")
            }
            skeletons.take(Dictionary(pages, uniquingKeysWith: { first, _ in first }))
        }

        /// Ends the process. Its memory is the system's again before this returns, and no document is on its way any more.
        @discardableResult
        private static func finish(_ process: FencedProcess, _ desk: VisitDesk) async -> RunningProgram.End? {
            let end = try? await BlockingWork.run { process.end() }
            await desk.settled()
            return end
        }

        private func failureOf(_ error: any Error, _ end: RunningProgram.End?) -> RunFailure {
            if Task.isCancelled { return RunFailure(ending: CancellationError()) }
            let words: String
            switch error {
            case is OverdueVisit:
                return RunFailure(
                    .executionTimeout, reason: .timeout,
                    message: "the process that visited \(script.name) did not end in time and was stopped; try again")
            case let nonsense as CallLine.Nonsense: words = Self.senseless(nonsense.reason)
            case ProcessSocketError.malformed(let reason): words = Self.senseless(reason)
            case ProcessSocketError.tooLarge: words = "sent too much and was stopped"
            default:
                switch end {
                case .killed(let signal): words = "was ended by signal \(signal) before the visit's end"
                case .exited(let status): words = "ended with status \(status) before the visit's end"
                case nil: words = "ended before the visit's end"
                }
            }
            return RunFailure(
                .navigationFailed,
                message:
                    "the process that visited \(script.name) \(words); try again, and report it if it happens again"
            )
        }

        private static func senseless(_ reason: String) -> String {
            "gave a senseless answer (\(reason)) and was stopped"
        }
    }

    /// A visit that took longer than any run may.
    private struct OverdueVisit: Error {}
#endif
