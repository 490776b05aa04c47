#if os(Linux)
    import Automation
    import BankScript
    import Encodings
    import Foundation
    import Machine
    import Messages
    import Synchronization

    /// Answers what the process of a visit asks, with the services of one run and one bank.
    ///
    /// No call names a bank, so none can ask about another. A credential that the script does not name is not there.
    final class VisitDesk: Sendable {
        private struct State {
            /// Keeps others from renewing what the bank gave, while it lives.
            var grantLock: (any Sendable)?
            var isTaking = false
            /// The places of which a document, or the reason why it is missing, was taken.
            var taken: Set<DocumentPlace> = []
            /// The visit is over: no document is taken any more.
            var isOver = false
            /// The calls that are worked on to their end.
            var working = 0
            /// Those that wait for the end of these calls.
            var waiting: [CheckedContinuation<Void, Never>] = []
            var events = 0
            var warnings = 0
        }

        /// The largest text that the vault keeps for a process, in bytes.
        private static let largestKept = 1 << 20
        private static let mostWarnings = 1_000
        /// A request is for 120 documents at most: each can have a hundred steps, which begin and end, and much beside them.
        private static let mostEvents = 30_000

        let arrivals: VisitArrivals
        private let script: BankScript
        private let host: HostServices
        private let places: Set<DocumentPlace>
        private let receive: DocumentReceiver?
        private let state = Mutex(State())

        init(
            script: BankScript, host: HostServices, work: VisitWork, arrivals: VisitArrivals,
            receive: DocumentReceiver?
        ) {
            self.script = script
            self.host = host
            self.arrivals = arrivals
            self.receive = receive
            if case .several(let places, _) = work { self.places = Set(places) } else { places = [] }
        }

        // MARK: What the process tells

        func hear(_ name: String, _ message: CallLine.Message) throws(CallLine.Nonsense) {
            switch name {
            case "event":
                guard let event = RunEvent(visitJSON: message.json, of: script, in: arrivals.folder) else {
                    throw CallLine.Nonsense("an event of no kind")
                }
                let (events, warnings) = state.withLock { state in
                    state.events += 1
                    if case .warned = event { state.warnings += 1 }
                    return (state.events, state.warnings)
                }
                // The approval page keeps the words of each step that has ended.
                guard events <= Self.mostEvents else { throw CallLine.Nonsense("events without end") }
                guard warnings <= Self.mostWarnings else { throw CallLine.Nonsense("warnings without end") }
                host.tell(event)
            case "unlock_grant": state.withLock { $0.grantLock = nil }
            default: throw CallLine.Nonsense("it tells of “\(name.prefix(40))”")
            }
        }

        // MARK: What the process asks

        func answer(
            _ name: String, _ message: CallLine.Message
        ) async throws(CallLine.Nonsense) -> CallLine.Message {
            switch name {
            case "credential", "code", "answer", "memory", "grant", "device":
                return try await giveSecret(name, message)
            case "keep_memory", "keep_grant", "keep_device":
                return try await toItsEnd { () async throws(CallLine.Nonsense) in
                    try await self.keepSecret(name, message)
                }
            case "lock_grant":
                return await VisitAnswer.message {
                    let lock = try await host.grants?.lock(forBank: script.id)
                    state.withLock { $0.grantLock = lock }
                    return CallLine.Message()
                }
            case "consent":
                return await VisitAnswer.message {
                    CallLine.Message(try await host.consents.consent(atBank: script.id)?.visitJSON ?? .null)
                }
            case "keep_consent":
                let consent = Consent(visitJSON: message.json)
                guard consent != nil || message.json == .null else { throw CallLine.Nonsense("a consent of no form") }
                return try await toItsEnd {
                    await VisitAnswer.message {
                        try await self.host.consents.keep(consent, atBank: self.script.id)
                        return CallLine.Message()
                    }
                }
            case "count", "turn": return await count(name)
            case "document":
                return try await toItsEnd { () async throws(CallLine.Nonsense) in
                    try await self.takeDocument(message)
                }
            default: throw CallLine.Nonsense("it asks for “\(name.prefix(40))”")
            }
        }

        /// Works on a call to its end. The end of the process cancels its calls, but a bank gives some things once, and a document
        /// that was delivered has to be remembered.
        private func toItsEnd(
            _ work: @escaping @Sendable () async throws(CallLine.Nonsense) -> CallLine.Message
        ) async throws(CallLine.Nonsense) -> CallLine.Message {
            state.withLock { $0.working += 1 }
            defer { endWork() }
            // A task of its own has no part in the cancellation.
            let outcome = await Task { () async -> Result<CallLine.Message, CallLine.Nonsense> in
                do throws(CallLine.Nonsense) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }.value
            return try outcome.get()
        }

        private func endWork() {
            let waiting = state.withLock { state in
                state.working -= 1
                guard state.working == 0 else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        private func giveSecret(
            _ name: String, _ message: CallLine.Message
        ) async throws(CallLine.Nonsense) -> CallLine.Message {
            let json = message.json
            switch name {
            case "credential":
                guard let wanted = json.visitText("name", 200) else { throw CallLine.Nonsense("a credential's name") }
                return await VisitAnswer.message {
                    guard script.credentials.contains(wanted) else { return CallLine.Message() }
                    return CallLine.Message(
                        secret: try await host.credentials.credential(named: wanted, forBank: script.id))
                }
            case "code":
                guard let deadline = json.visitDate("deadline") else { throw CallLine.Nonsense("a code's deadline") }
                let challenge = SecondFactorChallenge(
                    bankID: script.id, bankName: script.name, token: json.visitText("token", 1_000),
                    deadline: Date(timeIntervalSince1970: deadline))
                let source = json["source"]?.stringValue.flatMap(SecondFactorStep.Source.init(rawValue:))
                guard let provider = source == nil ? host.secondFactor : source.flatMap({ host.codeSources[$0] }) else {
                    throw CallLine.Nonsense("a source of codes that is not plugged in")
                }
                return await VisitAnswer.message {
                    CallLine.Message(secret: try await provider.code(for: challenge))
                }
            case "answer":
                guard let prompt = Prompt(visitJSON: json, pieces: message.pieces, bankName: script.name) else {
                    throw CallLine.Nonsense("a question of no form")
                }
                return await VisitAnswer.message { CallLine.Message(secret: try await host.person.answer(prompt)) }
            case "memory":
                return await VisitAnswer.message {
                    CallLine.Message(secret: try await host.memory.kept(forBank: script.id))
                }
            case "grant":
                return await VisitAnswer.message {
                    CallLine.Message(secret: try await host.grants?.kept(forBank: script.id))
                }
            default:
                return await VisitAnswer.message {
                    let device = try await host.devices?.device(atBank: script.id)
                    let sealed = device?.sealed
                    defer { sealed?.wipe() }
                    return CallLine.Message(secret: sealed)
                }
            }
        }

        private func keepSecret(
            _ name: String, _ message: CallLine.Message
        ) async throws(CallLine.Nonsense) -> CallLine.Message {
            guard message.pieces.allSatisfy({ $0.count <= Self.largestKept }) else {
                throw CallLine.Nonsense("it wants to keep more than \(Self.largestKept) bytes")
            }
            var message = message
            let secret = message.takeSecret()
            switch name {
            case "keep_memory":
                return await VisitAnswer.message {
                    try await host.memory.keep(secret, forBank: script.id)
                    return CallLine.Message()
                }
            case "keep_grant":
                return await VisitAnswer.message {
                    try await host.grants?.keep(secret, forBank: script.id)
                    return CallLine.Message()
                }
            default:
                guard let secret else {
                    return await VisitAnswer.message {
                        try await host.devices?.keep(nil, atBank: script.id)
                        return CallLine.Message()
                    }
                }
                defer { secret.wipe() }
                // Cookies that the script does not name, or for hosts where it does not go, are not kept.
                let named = KnownDevice(secret)?.cookies.filter { script.device.contains($0.name) } ?? []
                guard KnownDevice(secret) != nil,
                    named.isEmpty || KnownDevice(named, origins: script.origins, at: .distantPast) != nil
                else { throw CallLine.Nonsense("a device of no form") }
                // Nil where all that the bank gave has ended by now.
                let device = KnownDevice(named, origins: script.origins, at: host.clock.now)
                return await VisitAnswer.message {
                    try await host.devices?.keep(device, atBank: script.id)
                    return CallLine.Message()
                }
            }
        }

        /// Counts a request by the script's own budget, whatever the process takes it for.
        private func count(_ name: String) async -> CallLine.Message {
            await VisitAnswer.message {
                switch (name, script.budget) {
                case ("count", .aDay(let limit)?):
                    let next = try await host.requests.count(forBank: script.id, limit: limit, at: host.clock.now)
                    return CallLine.Message(next.map { .number($0.timeIntervalSince1970) } ?? .null)
                case ("turn", .aMinute?):
                    guard let gap = script.budget?.gap else { return CallLine.Message() }
                    let wait = try await host.requests.turn(forBank: script.id, gap: gap, at: host.clock.now)
                    return CallLine.Message(.number(wait.seconds))
                default: return CallLine.Message()
                }
            }
        }

        private func takeDocument(
            _ message: CallLine.Message
        ) async throws(CallLine.Nonsense) -> CallLine.Message {
            let json = message.json
            guard let receive, let place = json["place"].flatMap(DocumentPlace.init(json:)),
                places.contains(place.numbered(1))
            else { throw CallLine.Nonsense("a document that was not asked for") }
            let problem = state.withLock { state -> String? in
                guard !state.isTaking, !state.isOver else { return "two documents at once, or one after the end" }
                // The broker keeps the first delivery of a place, so a second one would be the phone's alone. Further documents come
                // before the first.
                guard !state.taken.contains(place.numbered(1)), state.taken.insert(place).inserted else {
                    return "a document that it has brought before"
                }
                state.isTaking = true
                return nil
            }
            if let problem { throw CallLine.Nonsense(problem) }
            defer { state.withLock { $0.isTaking = false } }
            let outcome: Result<FetchedDocument, RunFailure>
            if let document = json["document"] {
                do {
                    outcome = .success(try await arrivals.take(document, as: place.kind))
                } catch let nonsense as CallLine.Nonsense {
                    throw nonsense
                } catch {
                    outcome = .failure(RunFailure(ending: error))
                }
            } else if let failure = RunFailure(visitJSON: json["failure"], pieces: message.pieces) {
                outcome = .failure(failure)
            } else {
                throw CallLine.Nonsense("neither a document nor a failure")
            }
            return await VisitAnswer.message {
                try await receive(place, outcome)
                return CallLine.Message()
            }
        }

        /// Ends the taking of documents, and waits for the one that is being taken, and for what is being kept: all is delivered and
        /// kept, or not, when this returns.
        func settled() async {
            await withCheckedContinuation { continuation in
                let isWorking = state.withLock { state in
                    state.isOver = true
                    if state.working > 0 { state.waiting.append(continuation) }
                    return state.working > 0
                }
                if !isWorking { continuation.resume() }
            }
        }
    }
#endif
