import Foundation
import Machine
import Phone
import Synchronization
import TestSupport

/// Waits for a moment of one visit, and strikes then: the process that visits the bank, or the phone that started it.
final class VisitAmbush: Sendable {
    enum Moment: CaseIterable, Sendable {
        case pageAsked, passwordSent, codeAwaited, codeSent, documentAsked, handedOver, signedOut
        case any
    }

    enum Blow: CaseIterable, Sendable {
        case visitKilled, phoneKilled
        /// The process gets no processor time for a while.
        case visitHeldUp
        /// The process can open nothing more: no connection, and no file.
        case visitWithoutFiles
        /// The process gets no more memory.
        case visitWithoutMemory

        /// True for a blow after which the process says nothing more.
        var isSudden: Bool { self == .visitKilled || self == .phoneKilled || self == .visitWithoutMemory }
    }

    private struct State {
        var armed: (moment: Moment, blow: Blow, phone: Int32, left: Int)?
        var heard: [String] = []
        /// The process that was struck.
        var struck: Int32?
    }

    private let state = Mutex(State())

    /// The requests that the bank has had since the last ``forget()``, such as `POST /login`.
    var heard: [String] { state.withLock(\.heard) }
    var struck: Int32? { state.withLock(\.struck) }

    func forget() { state.withLock { $0 = State() } }

    /// - Parameter time: strikes when the moment comes for this time, from 1.
    func arm(_ moment: Moment, _ blow: Blow, phone: Child, time: Int = 1) {
        state.withLock { $0.armed = (moment, blow, phone.pid, time) }
    }

    func disarm() { state.withLock { $0.armed = nil } }

    /// Takes a request before the bank answers it.
    func hear(_ method: String, _ path: String) {
        let request = "\(method) \(path)"
        state.withLock { $0.heard.append(request) }
        switch request {
        case let page where page.hasPrefix("GET /login"): come(.pageAsked)
        case "POST /login": come(.passwordSent)
        case "POST /code": come(.codeSent)
        case "POST /logout": come(.signedOut)
        case let file where file.hasPrefix("GET /statements/"): come(.documentAsked)
        default: break
        }
    }

    /// Takes a line that the phone prints.
    func look(at line: String) { if line == "asked" { come(.codeAwaited) } }

    /// Looks for a moment that neither the bank nor the phone tells of, until it has come or the ambush is over.
    ///
    /// - Parameters:
    ///   - downloads: the phone's folder, in which each visit has one.
    ///   - longest: strikes at any moment of a visit at most so long after its process has started.
    func watch(_ downloads: URL, within longest: Duration) async {
        let pause = longest * Double.random(in: 0...1)
        while let armed = state.withLock(\.armed) {
            switch armed.moment {
            case .handedOver: if Self.holdsDocument(downloads) { come(.handedOver) }
            case .any:
                guard Self.visit(of: armed.phone) != nil else { break }
                try? await Task.sleep(for: pause)
                come(.any)
            default: break
            }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    private static func holdsDocument(_ downloads: URL) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: downloads.path)) ?? []
        return names.contains { name in
            let inside = try? FileManager.default.contentsOfDirectory(atPath: downloads.appending(path: name).path)
            return inside?.isEmpty == false
        }
    }

    /// Returns the process in which a phone visits a bank now.
    static func visit(of phone: Int32) -> Int32? {
        Descendant.all.first { $0.command.contains(VisitProgram.name) && Descendant.parent(of: $0.id) == phone }?.id
    }

    private func come(_ moment: Moment) {
        let blow: (Blow, Int32)? = state.withLock { state in
            guard let armed = state.armed, armed.moment == moment else { return nil }
            state.armed?.left -= 1
            guard armed.left <= 1 else { return nil }
            state.armed = nil
            return (armed.blow, armed.phone)
        }
        guard let (blow, phone) = blow, let visit = Self.visit(of: phone) else { return }
        state.withLock { $0.struck = visit }
        switch blow {
        case .visitKilled: kill(visit, SIGKILL)
        case .phoneKilled: kill(phone, SIGKILL)
        case .visitHeldUp:
            kill(visit, SIGSTOP)
            Thread.detachNewThread {
                usleep(.random(in: 200_000...1_500_000))
                kill(visit, SIGCONT)
            }
        case .visitWithoutFiles: Self.limit(visit, "--nofile=0:0")
        case .visitWithoutMemory: Self.limit(visit, "--as=1:1")
        }
    }

    private static func limit(_ process: Int32, _ limit: String) {
        _ = try? RunningProgram(["/usr/bin/prlimit", "--pid", "\(process)", limit], output: .dropped).end()
    }
}
