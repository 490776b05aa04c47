import BankScript
import CountersignPlugins
import HTMLAutomation
import Phone
import ScriptCommands

#if os(Linux)
    /// This program as a process that visits one bank.
    package struct VisitProcess: Sendable {
        private let service: VisitService

        /// Gives up this process's files, if it was started for a visit. Call it before there is a second thread.
        ///
        /// - Parameter arguments: of this process, without the program's name.
        /// - Returns: nil in another process.
        package static func begin(_ arguments: [String]) -> VisitProcess? {
            VisitService.begin(arguments).map(VisitProcess.init)
        }

        /// Visits the bank with the plug-ins of this program, and never returns.
        package func serve() async -> Never {
            let plugins = Plugins.current
            await service.serve(scripts: plugins.scripts, steps: plugins.names.steps) { authority, sharesNetwork in
                let settings = EngineSettings(certificateAuthority: authority, sharesNetwork: sharesNetwork)
                return VisitService.Equipment(sources: plugins.sources(settings)) { script in
                    try await script.engine.start(
                        for: script, EngineConfiguration(certificateAuthority: authority), sharesNetwork: sharesNetwork)
                }
            }
        }
    }
#endif
