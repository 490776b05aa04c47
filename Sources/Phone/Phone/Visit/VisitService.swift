#if os(Linux)
    import Automation
    import BankScript
    import Encodings
    import Foundation
    import Machine
    import Messages
    import Secrets

    /// The inside of a process that visits a bank: it has one order, and ends with its parent.
    package struct VisitService: Sendable {
        /// The parts of this program that a visit uses: its plug-ins.
        package struct Equipment: Sendable {
            package var engine: ScriptRunner.EngineFactory
            package var sources: [SourceName: any DocumentSource]

            package init(
                sources: [SourceName: any DocumentSource], engine: @escaping ScriptRunner.EngineFactory
            ) {
                self.sources = sources
                self.engine = engine
            }
        }

        /// The phone sends secrets, answers and times.
        private static let limits = CallLine.Limits(bytes: 16 << 20)

        private let process: FencedService

        /// Gives up this process's files, if it was started for a visit. Call it before there is a second thread.
        ///
        /// - Parameter arguments: of this process, without the program's name.
        /// - Returns: nil in another process.
        package static func begin(_ arguments: [String]) -> VisitService? {
            FencedService.begin(arguments, VisitProgram.name).map(VisitService.init)
        }

        /// Visits the bank, and never returns.
        ///
        /// - Parameters:
        ///   - scripts: those that are compiled into this program.
        ///   - steps: the steps that may stand in a script.
        ///   - equipment: makes the engine and the sources, given the additional certificate authority and whether a browser shares
        ///     the machine's network.
        package func serve(
            scripts: [BankScript], steps: StepList, equipment: @escaping @Sendable (URL?, Bool) -> Equipment
        ) async -> Never {
            let own = OwnLine()
            let line = process.talk(limits: Self.limits) { _, _ in
            } onCall: { (name, message) async throws(CallLine.Nonsense) in
                // What this process must not be able to do is tried on demand, without any order.
                if name == "probe" { return CallLine.Message(ProbeTask.perform(message.json, on: []).facts) }
                guard name == "visit", let order = VisitOrder(message.json) else {
                    throw CallLine.Nonsense("a process that visits a bank takes one order")
                }
                let line = await own.line()
                guard let script = VisitScript.script(order.script, compiled: scripts, steps: steps) else {
                    return await VisitAnswer.message {
                        throw VisitAnswer.Told(
                            description: "its script could not be handed over whole; write it without a text that "
                                + "begins with $ in the headers or the body of a request")
                    }
                }
                let parent = VisitParent(line, bankID: script.id, advice: order.advice)
                return await Self.visit(
                    script, order, for: parent, with: equipment(order.authority, order.sharesNetwork))
            }
            await own.set(line)
            await line.ended()
            _exit(0)
        }

        private static func visit(
            _ script: BankScript, _ order: VisitOrder, for parent: VisitParent, with equipment: Equipment
        ) async -> CallLine.Message {
            let skeletons = SkeletonWatch(script)
            var host = parent.services(folder: order.folder, codeSources: order.codeSources)
            let gate = order.end.map { SignInGate(before: $0) }
            if let gate { host.gate = gate } else { host.gate = skeletons }
            host.sources = equipment.sources
            host.codesRefusedBefore = order.codesRefusedBefore
            let runner = ScriptRunner(services: host, limit: order.limit, engine: equipment.engine)
            var result: [String: JSONValue] = [:]
            var pieces: [[UInt8]] = []
            do throws(RunFailure) {
                switch order.work {
                case .one(let parameters):
                    result["document"] = try await runner.run(script, parameters: parameters).visitJSON
                case .several(let places, let names):
                    try await runner.run(script, fetching: places, naming: names) {
                        (place, outcome) throws(RunFailure) in
                        try await hand(outcome, at: place, to: parent)
                    }
                }
            } catch {
                let failure = error.visitMessage()
                result["failure"] = failure.json
                pieces = failure.pieces
            }
            result["skeletons"] = .object(
                Dictionary(uniqueKeysWithValues: skeletons.pages.map { (String($0.key), $0.value.json) }))
            if let gate { result["stopped"] = .bool(gate.hasStopped) }
            return CallLine.Message(["value": .object(result)], pieces: pieces)
        }

        /// Gives a document, or the reason why it is missing, to the phone.
        private static func hand(
            _ outcome: Result<FetchedDocument, RunFailure>, at place: DocumentPlace, to parent: VisitParent
        ) async throws(RunFailure) {
            var members: [String: JSONValue] = ["place": place.json]
            var pieces: [[UInt8]] = []
            switch outcome {
            case .success(let document): members["document"] = document.visitJSON
            case .failure(let failure):
                let told = failure.visitMessage()
                members["failure"] = told.json
                pieces = told.pieces
            }
            do {
                _ = try await parent.ask("document", CallLine.Message(.object(members), pieces: pieces))
            } catch let failure as RunFailure {
                throw failure
            } catch {
                throw RunFailure(ending: error)
            }
        }
    }

    /// The line to the parent, which its own handler needs.
    private actor OwnLine {
        private var known: CallLine?
        private var waiting: [CheckedContinuation<CallLine, Never>] = []

        func set(_ line: CallLine) {
            known = line
            for continuation in waiting { continuation.resume(returning: line) }
            waiting = []
        }

        func line() async -> CallLine {
            if let known { return known }
            return await withCheckedContinuation { waiting.append($0) }
        }
    }
#endif
