import Automation
import Encodings
import Foundation
import Messages
import Secrets
import Synchronization
import Terminal

/// The owner's browser, as a command in a terminal reaches it: it opens the page, and waits at a port of this machine. Where the
/// page leads back elsewhere, or the browser is on another machine, the owner pastes the address that the browser shows.
final class TerminalBrowser: OwnersBrowser {
    private let pastes: Bool
    private let port = Mutex<LoopbackRedirect?>(nil)

    /// - Parameter pastes: the owner's browser is on another machine.
    init(pastes: Bool) {
        self.pastes = pastes
    }

    func redirect(_ wanted: String?) async throws -> String {
        guard let made = try LoopbackRedirect(wanted) else { return wanted ?? "" }
        port.withLock { $0 = made }
        return made.address
    }

    func visit(_ page: OwnersPage) async throws -> Secret {
        Console.standard.line("Open this page in your browser, and say yes there:")
        // It holds the mark that the browser has to bring back, which the owner's browser needs.
        Console.standard.disclose("  \(page.address.visible)\n")
        guard let port = port.withLock({ $0 }), !pastes else { return try pasted(page) }
        Desktop.open(Secret(page.address))
        let back = try await withTaskCancellationHandler {
            try await port.query(bringing: page.state, until: page.deadline)
        } onCancel: {
            port.stop()
        }
        try Task.checkCancellation()
        guard let back else {
            throw RunFailure(
                .bankLoginFailed, reason: .noAnswer,
                message: "the browser did not come back in time; if it is on another machine, give --paste")
        }
        return back
    }

    private func pasted(_ page: OwnersPage) throws -> Secret {
        Console.standard.line(
            "Then the browser is at an address that begins with \(page.redirect), and may say that it finds no page.")
        guard Asking.isPossible else {
            throw CommandFailure("without a terminal, the address cannot be pasted; run this command in one", status: 2)
        }
        guard let typed = Asking.secret("Paste that whole address (it is not shown):"), !typed.isEmpty else {
            throw CommandFailure("no address was given")
        }
        let text = typed.revealed()
        guard let mark = text.firstIndex(of: "?") else {
            throw CommandFailure("that address has no answer in it: it ends before a question mark; copy the whole one")
        }
        return Secret(String(text[text.index(after: mark)...].prefix { $0 != "#" }))
    }

    func show(_ code: OwnersCode) async throws {
        Console.standard.line("Open this page on any device: \(code.wholePage ?? code.page)")
        Console.standard.disclose("and type this code there: \(code.code.visible)\n")
        Console.standard.line("It counts until \(code.deadline.formatted(date: .omitted, time: .shortened)).")
    }
}
