import ApprovalPage
import Automation
import Encodings
import Foundation
import KeyVault
import Phone
import PhoneStore
import Secrets
import Synchronization
import Terminal

/// Does the work of `phone pending`, `approve`, `deny` and `phone offers` in the program that serves the
/// approval page, because that program holds the phone. The commands reach it through a socket in the phone's folder.
///
/// The folder lets only its user in, and the server asks the system who is at the other end. Each command brings the
/// passphrase, as it would without a page.
package final class DeskServer: Sendable {
    /// The most commands at a time.
    private static let most = 8

    private struct State {
        /// Nil when no commands are accepted.
        var listener: Int32?
        var isServing = false
        var visits = 0
    }

    private let home: PhoneHome
    private let page: PageServer
    private let user: uid_t
    private let state = Mutex(State())

    package convenience init(home: PhoneHome, page: PageServer) {
        self.init(home: home, page: page, user: geteuid())
    }

    /// - Parameter user: the only one whose programs are served.
    init(home: PhoneHome, page: PageServer, user: uid_t) {
        self.home = home
        self.page = page
        self.user = user
    }

    /// Begins to serve. Call it while this program holds the page, and ``end()`` before it gives the page up.
    ///
    /// - Throws: ``PhoneError``.
    package func open() throws(PhoneError) {
        let listener = try DeskSocket.listening(in: home)
        state.withLock { state in
            state.listener = listener
            state.isServing = true
        }
        Thread.detachNewThread { [self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                if descriptor >= 0 {
                    admit(DeskConnection(descriptor))
                } else if [EMFILE, ENFILE, ENOMEM].contains(errno) {
                    usleep(100_000)
                } else if ![EINTR, ECONNABORTED].contains(errno) {
                    break
                }
            }
            state.withLock { state in
                close(listener)
                state.listener = nil
            }
        }
    }

    package func end() {
        // The thread that accepts closes the descriptor: another file could get its number meanwhile.
        let wasServing = state.withLock { state in
            if let listener = state.listener { shutdown(listener, Int32(SHUT_RDWR)) }
            defer { state.isServing = false }
            return state.isServing
        }
        if wasServing { DeskSocket.remove(in: home) }
    }

    private func admit(_ connection: DeskConnection) {
        guard connection.peer == user else { return connection.end() }
        let isFree = state.withLock { state in
            guard state.visits < Self.most else { return false }
            state.visits += 1
            return true
        }
        guard isFree else {
            connection.send(DeskVisit.end(CommandFailure("too many commands use this phone; wait for one to end")))
            return connection.end()
        }
        Thread.detachNewThread { [self] in
            DeskVisit(connection).serve { [page] visit, order, passphrase in
                try await Self.perform(order, with: passphrase, on: page, visit)
            }
            state.withLock { $0.visits -= 1 }
        }
    }

    private static func perform(
        _ order: PhoneWork.Order, with passphrase: Secret, on page: PageServer, _ visit: DeskVisit
    ) async throws {
        let verification = PassphraseVerification(passphrase)
        let runner = try await page.phone(openedWith: verification)
        let console = Console { visit.send(["text": .string($0)]) }
        let asking = Task { await forwardQuestions(of: page, to: visit, order) }
        defer { asking.cancel() }
        try await PhoneWork(order, of: runner, with: verification, console: console) { question in
            guard let answer = await visit.ask(["kind": "yes", "question": .string(question)]) else {
                throw CommandFailure("the terminal has gone; the request is still waiting")
            }
            return answer.isYes
        }.perform()
    }

    /// Puts the bank's questions to the terminal too. The page shows them as well: the first answer counts.
    private static func forwardQuestions(of page: PageServer, to visit: DeskVisit, _ order: PhoneWork.Order) async {
        guard order.task == .approve else { return }
        var asked: String?
        var asking: Task<Void, Never>?
        defer { asking?.cancel() }
        for await _ in page.changes() {
            let open = await page.openQuestion()
            guard open?.id != asked else { continue }
            asking?.cancel()
            asked = open?.id
            guard let open else { continue }
            asking = Task {
                guard let answer = await visit.ask(open.prompt.members)?.text, !answer.isEmpty else { return }
                _ = await page.answer(answer, to: open.id)
            }
        }
    }
}

/// One command's connection, as the server sees it.
final class DeskVisit: Sendable {
    private struct State {
        var next = 0
        var waiting: [Int: CheckedContinuation<Answer?, Never>] = [:]
        var hasEnded = false
    }

    struct Answer: Sendable {
        var isYes: Bool
        var text: Secret?
    }

    private let connection: DeskConnection
    private let state = Mutex(State())

    init(_ connection: DeskConnection) {
        self.connection = connection
    }

    static func end(_ failure: CommandFailure?) -> [String: JSONValue] {
        [
            "exit": .number(Double(failure?.status ?? 0)), "message": failure.map { .string($0.message) } ?? .null,
        ]
    }

    func send(_ message: [String: JSONValue]) { connection.send(message) }

    /// Takes the command's order and answers, until the work is done or the command ends. Blocks its thread.
    func serve(_ work: @escaping @Sendable (DeskVisit, PhoneWork.Order, Secret) async throws -> Void) {
        connection.limitWaiting(to: 30)
        guard let (message, secret) = connection.receive(), let order = PhoneWork.Order(message), let secret else {
            send(Self.end(CommandFailure("the command is of another version than the page; start both again")))
            return connection.end()
        }
        connection.limitWaiting(to: 0)
        Task {
            do {
                try await work(self, order, secret)
                send(Self.end(nil))
            } catch let error as VaultError where error.code == .wrongPassphrase {
                // The command knows where the passphrase came from.
                send(Self.end(CommandFailure(of: error)).merging(["refused_passphrase": true]) { $1 })
            } catch {
                send(Self.end(CommandFailure(of: error)))
            }
            connection.end()
        }
        while let (message, secret) = connection.receive() {
            guard let number = message["answer"]?.intValue else { continue }
            let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
            waiting?.resume(returning: Answer(isYes: message["yes"] == true, text: secret))
        }
        let left = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for waiting in left { waiting.resume(returning: nil) }
    }

    /// Asks the person at the terminal. A task that is cancelled withdraws its question, and no other one.
    ///
    /// - Returns: nil when the command has ended, or the question was withdrawn.
    func ask(_ question: [String: JSONValue]) async -> Answer? {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    guard !state.hasEnded, !Task.isCancelled else { return false }
                    state.waiting[number] = continuation
                    return true
                }
                guard isWaiting else { return continuation.resume(returning: nil) }
                connection.send(question.merging(["ask": .number(Double(number))]) { $1 })
            }
        } onCancel: {
            guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: number) }) else { return }
            waiting.resume(returning: nil)
            send(["withdrawn": .number(Double(number))])
        }
    }
}
