#if os(Linux)
    import Automation
    import BankScript
    import Encodings
    import Foundation
    import Machine
    import Secrets
    import Synchronization

    /// The phone, as the process that visits a bank sees it: each service is a call.
    ///
    /// A call names no bank: the phone knows which one is visited, and gives nothing of another.
    final class VisitParent: Sendable {
        let bankID: String
        private let line: CallLine
        private let advice: String?
        /// The secrets that the phone gave. The redactor knows them until the visit's end is told.
        private let held = Mutex<[Secret]>([])

        init(_ line: CallLine, bankID: String, advice: String?) {
            self.line = line
            self.bankID = bankID
            self.advice = advice
        }

        func ask(_ name: String, _ message: CallLine.Message = CallLine.Message()) async throws -> CallLine.Message {
            try VisitAnswer.value(try await line.call(name, message))
        }

        func secret(_ name: String, _ json: JSONValue = .null, pieces: [[UInt8]] = []) async throws -> Secret? {
            var answer = try await ask(name, CallLine.Message(json, pieces: pieces))
            let secret = answer.takeSecret()
            if let secret { held.withLock { $0.append(secret) } }
            return secret
        }

        func keep(_ name: String, _ secret: Secret?) async throws {
            if let secret { held.withLock { $0.append(secret) } }
            _ = try await ask(name, CallLine.Message(secret: secret))
        }

        func tell(_ name: String, _ json: JSONValue) { line.tell(name, CallLine.Message(json)) }

        /// The services of a run.
        ///
        /// - Parameter codeSources: the names of the sources of codes that are plugged in.
        func services(folder: URL, codeSources: [String]) -> HostServices {
            var host = HostServices(
                credentials: self, secondFactor: Codes(parent: self, source: nil), person: self,
                downloads: FolderSink(folder), observer: self)
            for name in codeSources {
                guard let source = SecondFactorStep.Source(rawValue: name) else { continue }
                host.codeSources[source] = Codes(parent: self, source: name)
            }
            host.memory = Memory(parent: self)
            host.grants = Grants(parent: self)
            host.devices = Devices(parent: self)
            host.consents = self
            host.requests = self
            return host
        }

        // MARK: Services whose calls would have one name in one type

        private struct Codes: SecondFactorProvider {
            let parent: VisitParent
            /// Nil for the token that is linked to the bank.
            let source: String?

            func code(for challenge: SecondFactorChallenge) async throws -> Secret? {
                guard challenge.bankID == parent.bankID else { return nil }
                return try await parent.secret(
                    "code",
                    [
                        "source": source.map(JSONValue.string) ?? .null,
                        "token": challenge.token.map(JSONValue.string) ?? .null,
                        "deadline": .number(challenge.deadline.timeIntervalSince1970),
                    ])
            }
        }

        private struct Memory: SourceMemory {
            let parent: VisitParent

            func kept(forBank bankID: String) async throws -> Secret? {
                bankID == parent.bankID ? try await parent.secret("memory") : nil
            }

            func keep(_ value: Secret?, forBank bankID: String) async throws {
                if bankID == parent.bankID { try await parent.keep("keep_memory", value) }
            }
        }

        private struct Grants: GrantStore {
            let parent: VisitParent

            func kept(forBank bankID: String) async throws -> Secret? {
                bankID == parent.bankID ? try await parent.secret("grant") : nil
            }

            func keep(_ value: Secret?, forBank bankID: String) async throws {
                if bankID == parent.bankID { try await parent.keep("keep_grant", value) }
            }

            func lock(forBank bankID: String) async throws -> any Sendable {
                _ = try await parent.ask("lock_grant")
                return GrantLock(parent)
            }
        }

        /// The phone's lock, until this is released.
        private final class GrantLock: Sendable {
            private let parent: VisitParent

            init(_ parent: VisitParent) { self.parent = parent }

            deinit { parent.tell("unlock_grant", .null) }
        }

        private struct Devices: DeviceMemory {
            let parent: VisitParent

            func device(atBank bankID: String) async throws -> KnownDevice? {
                guard bankID == parent.bankID else { return nil }
                return try await parent.secret("device").flatMap(KnownDevice.init)
            }

            func keep(_ device: KnownDevice?, atBank bankID: String) async throws {
                if bankID == parent.bankID { try await parent.keep("keep_device", device?.sealed) }
            }
        }
    }

    extension VisitParent: CredentialProvider, HumanPrompt, RunObserver, ConsentBook, RequestCounter {
        var adviceForMissing: String? { advice }

        func credential(named name: String, forBank asked: String) async throws -> Secret? {
            asked == bankID ? try await secret("credential", ["name": .string(name)]) : nil
        }

        func answer(_ prompt: Prompt) async throws -> Secret {
            let (json, pieces) = prompt.visitMessage(withPicture: true)
            guard let secret = try await secret("answer", json, pieces: pieces) else {
                throw VisitAnswer.Told(description: "the question has no answer")
            }
            return secret
        }

        func observe(_ event: RunEvent) { tell("event", event.visitJSON) }

        func consent(atBank asked: String) async throws -> Consent? {
            asked == bankID ? Consent(visitJSON: try await ask("consent").json) : nil
        }

        func keep(_ consent: Consent?, atBank asked: String) async throws {
            guard asked == bankID else { return }
            _ = try await ask("keep_consent", CallLine.Message(consent?.visitJSON ?? .null))
        }

        func count(forBank asked: String, limit: Int, at now: Date) async throws -> Date? {
            try await ask("count").json.numberValue.map(Date.init(timeIntervalSince1970:))
        }

        func turn(forBank asked: String, gap: Duration, at now: Date) async throws -> Duration {
            .seconds(try await ask("turn").json.numberValue ?? 0)
        }
    }
#endif
