#if os(Linux)
    import Encodings
    import Foundation
    import Machine

    extension VisitProgram {
        /// Starts a process as for a visit, without a bank, and has it try what it must not be able to do.
        ///
        /// - Parameters:
        ///   - file: a file of this user's that no visit needs.
        ///   - withBrowser: true to start it as for a visit with a browser, which can do some more.
        /// - Returns: the deeds that succeeded, and the version of Landlock's interface; 0 on a kernel without Landlock, where the
        ///   process can open files.
        /// - Throws: when there is no such process.
        package func escapes(
            to file: URL, withBrowser: Bool = false
        ) async throws -> (deeds: [String], landlock: Int) {
            let process = try await BlockingWork.run {
                try FencedProcess(
                    command, within: withBrowser ? .network + .programs : .network, environment: environment,
                    limits: CallLine.Limits(bytes: 64 << 10),
                    onTell: { _, _ in }, onCall: { (_, _) in CallLine.Message() })
            }
            // A process with a browser may start programs: trying that would replace it.
            let deeds = withBrowser ? ProbeTask.browserDeeds : ProbeTask.fencedDeeds
            let order: JSONValue = [
                "victim": .number(Double(getpid())), "path": .string(file.path),
                "deeds": .array(deeds.map(JSONValue.string)),
            ]
            let end = Task {
                try await Task.sleep(for: .seconds(60))
                process.kill()
            }
            defer { end.cancel() }
            let answer = try await process.line.call("probe", CallLine.Message(order)).json
            _ = try await BlockingWork.run { process.end() }
            return (try ProbeTask.escapes(answer, of: deeds), process.landlock)
        }
    }
#endif
