import Foundation
import Logging
import Machine
import ServiceLifecycle

/// Runs the key service, the enclave and a worker as children of `serve`, for a household that starts one command. A child
/// that ends is started again. All children end with this process, also when it is killed (``ParentWatch``).
package struct HouseholdProcesses: Service {
    /// A process to run: its command of `countersign assistant`, and the socket that it serves.
    package struct Child: Sendable {
        package let command: String
        /// Nil for a process that serves none. Several of them may run.
        package let socket: ProcessSocketClient?

        package init(_ command: String, _ socket: ProcessSocketClient? = nil) {
            self.command = command
            self.socket = socket
        }
    }

    /// The option by which a child ends with its standard input.
    package static let option = "--end-with-input"

    private let children: [Child]
    private let environment: [String: String]
    private let logger: Logger

    /// - Parameter environment: of this process. Children get the variables that they read.
    package init(_ children: [Child], environment: [String: String], logger: Logger) {
        self.children = children
        self.environment = environment.filter { name, _ in Self.isRead(name) }
        self.logger = logger
    }

    /// True for the variables that a child reads. Others, such as `AWS_SECRET_ACCESS_KEY`, could hold secrets of other programs.
    static func isRead(_ variable: String) -> Bool {
        ["ASSISTANT_", "APNS_", "WEBPUSH_", "VAPID_"].contains { variable.hasPrefix($0) }
            || ["AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "XDG_DATA_HOME", "HOME", "PATH", "LANG", "TZ"]
                .contains(variable)
    }

    /// - Returns: the key service, the enclave and the worker of a household.
    package static func all(_ places: AssistantPlaces) -> [Child] {
        [
            Child("kms", ProcessSocketClient(places.keyServiceSocket, servedBy: [places.keyServiceUser])),
            Child("enclave", ProcessSocketClient(places.enclaveSocket, servedBy: [places.enclaveUser])),
            Child("worker"),
        ]
    }

    /// Waits until each process that has a socket is served.
    ///
    /// - Returns: the commands of those that are not served after the time, nor by the user who should.
    package static func absent(of children: [Child], within patience: Duration) async -> [String] {
        let end = ContinuousClock.now + patience
        var absent: [String] = []
        for child in children {
            guard let socket = child.socket else { continue }
            while await !socket.isServed() {
                guard ContinuousClock.now < end, !Task.isCancelled else {
                    absent.append(child.command)
                    break
                }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        return absent
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for child in children { group.addTask { await keep(child) } }
            }
        }
    }

    /// Starts a child whenever none runs, and no other process serves its socket.
    private func keep(_ child: Child) async {
        var pause: Duration = .milliseconds(250)
        while !Task.isCancelled {
            // A process that was started by hand, or one of a service that was killed and is about to end.
            if let socket = child.socket, await socket.isServed() {
                try? await Task.sleep(for: .seconds(1))
                continue
            }
            let start = ContinuousClock.now
            do {
                let program = try ChildProgram(child.command, environment)
                logger.info("started", metadata: ["process": "\(child.command)", "pid": "\(program.id)"])
                let end = await program.end()
                guard !Task.isCancelled else { return }
                logger.error("ended, and is started again", metadata: ["process": "\(child.command)", "end": "\(end)"])
            } catch {
                logger.error("cannot be started", metadata: ["process": "\(child.command)", "error": "\(error)"])
            }
            pause = ContinuousClock.now - start > .seconds(30) ? .milliseconds(250) : min(pause * 2, .seconds(10))
            try? await Task.sleep(for: pause)
        }
    }
}

/// A running child of this process. It ends with its standard input, and so with this object, and has time to end well.
private final class ChildProgram: Sendable {
    private let program: RunningProgram

    init(_ command: String, _ environment: [String: String]) throws {
        #if os(Linux)
            // The file may have been replaced by a newer version; this name is the program that runs.
            let path = "/proc/self/exe"
        #else
            let path = Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
        program = try RunningProgram(
            [path, "assistant", command, HouseholdProcesses.option], environment: environment, input: .written,
            output: .dropped, errors: .shown, endsWithParent: false)
    }

    var id: Int32 { program.id }

    /// Waits until the program has ended. When the task is cancelled, it tells the program to end.
    func end() async -> RunningProgram.End {
        await withTaskCancellationHandler {
            await program.ended()
        } onCancel: { [program] in
            program.endInput()
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: 5)
                program.kill()
            }
        }
    }
}
