import Automation
import BankScript
import Clocks
import Foundation
import Secrets
import Synchronization

/// Asks the person through the host's services, and tells the steps of the dialog to the observer.
final class PersonApprover: Approver {
    private struct State {
        var step: (place: StepPlace, began: ContinuousClock.Instant)?
        var count = 0
    }

    /// The time that a person has for an answer.
    private static let patience: Duration = .seconds(300)

    private let services: HostServices
    private let bankName: String
    private let state = Mutex(State())

    init(_ services: HostServices, bankName: String) {
        self.services = services
        self.bankName = bankName
    }

    func began(_ step: String) {
        ended()
        let place = state.withLock { state in
            state.count += 1
            let place = StepPlace(number: state.count, words: step)
            state.step = (place, .now)
            return place
        }
        services.tell(.stepBegan(place))
    }

    /// Tells that the latest step has ended, with the failure that ended it.
    func ended(_ failure: RunFailure? = nil) {
        let taken = state.withLock { state in
            defer { state.step = nil }
            return state.step
        }
        guard let (place, began) = taken else { return }
        if let failure {
            services.tell(.stepFailed(place, failure, .now - began))
        } else {
            services.tell(.stepEnded(place, .now - began))
        }
    }

    /// The step under way.
    var place: StepPlace? { state.withLock { $0.step?.place } }

    func pick(among texts: [String], question: String) async throws(FinTSFailure) -> Int {
        let shown = texts.map(sanitised)
        let answer = try await ask(.choice(shown), question).revealed()
        guard let place = shown.firstIndex(of: answer) else {
            throw FinTSFailure(.approvalMissing, "the answer is not one of: \(shown.joined(separator: ", "))")
        }
        return place
    }

    func tan(for challenge: Challenge) async throws(FinTSFailure) -> Secret {
        var picture = challenge.picture.map { Prompt.Picture(bytes: $0.bytes, mediaType: $0.mediaType) }
        if let code = challenge.flicker {
            // A person who cannot hold a reader to bars types what the bars say.
            picture = FlickerPicture(code.transmitted, typed: [code.startCode] + code.elements).map {
                Prompt.Picture($0)
            }
        }
        return try await ask(.code(picture: picture), Self.question(challenge, "The bank asks for a TAN."))
    }

    private func ask(_ kind: Prompt.Kind, _ question: String) async throws(FinTSFailure) -> Secret {
        let prompt = prompt(kind, question)
        services.tell(.secondFactor(.asked(prompt)))
        let answer: Secret
        do {
            let person = services.person
            answer = try await withTimeLimit(Self.patience, on: services.clock) { try await person.answer(prompt) }
        } catch is TimeLimitExceeded {
            throw FinTSFailure(
                .approvalMissing,
                "the question was not answered within \(Self.patience.inWords); ask for the documents again")
        } catch is CancellationError {
            throw FinTSFailure(.cancelled, "the run was cancelled before its end")
        } catch {
            throw FinTSFailure(.approvalMissing, "the person could not be asked: \(sanitised("\(error)"))")
        }
        services.tell(.secondFactor(.answered))
        return answer
    }

    func whileApproving(
        _ challenge: Challenge, _ wait: () async throws(FinTSFailure) -> Void
    ) async throws(FinTSFailure) {
        let prompt = prompt(.confirmElsewhere, Self.question(challenge, "Approve in the bank's app."))
        services.tell(.secondFactor(.asked(prompt)))
        let person = services.person
        let notice = Task { _ = try? await person.answer(prompt) }
        defer { notice.cancel() }
        try await wait()
        services.tell(.secondFactor(.answered))
    }

    private func prompt(_ kind: Prompt.Kind, _ question: String) -> Prompt {
        Prompt(
            kind: kind, bankName: bankName, question: sanitised(question),
            deadline: services.clock.now.addingTimeInterval(Double(Self.patience.components.seconds)))
    }

    private static func question(_ challenge: Challenge, _ usual: String) -> String {
        let words = challenge.words.isEmpty ? usual : challenge.words
        return challenge.medium.isEmpty ? words : "\(words) (\(challenge.medium))"
    }
}
