import Foundation
import Machine
import Phone

/// Starts a process as for a foreign file, and one as for a visit of a bank, and has each try what it must not be able to do.
struct ConfinementCheck {
    /// Empty in a program that reads foreign files itself.
    func findings() async -> [Finding] {
        #if os(Linux)
            guard ConfinedReader.isInstalled else { return [] }
            do {
                let (escapes, landlock) = try await BlockingWork.run {
                    let reader = ConfinedReader(for: ProbeTask.self)
                    return (try ProbeTask.escapes(reader), try reader.landlockVersion() ?? 0)
                }
                return [Self.finding(escapes, landlock)] + (await visitFindings(landlock))
            } catch {
                return [
                    .error(
                        .program, .readerUnusable, "foreign files cannot be read: \(error)",
                        remedy: "allow the system call prctl (PR_SET_SECCOMP) to this service or container")
                ]
            }
        #else
            return []
        #endif
    }

    #if os(Linux)
        /// Empty without Landlock, which the finding above tells of.
        private func visitFindings(_ landlock: Int) async -> [Finding] {
            guard landlock > 0, let program = VisitProgram(authority: nil, sharesNetwork: false) else { return [] }
            do {
                // Any file outside the fence stands for the phone's own.
                let deeds = try await program.escapes(to: URL(filePath: "/etc/passwd")).deeds
                guard !deeds.isEmpty else { return [] }
                return [
                    .error(
                        .program, .readerUnconfined,
                        "a process that visits a bank can \(deeds.joined(separator: ", "))",
                        remedy: "report this with countersign report, and approve nothing on this machine until then")
                ]
            } catch {
                return [
                    .error(
                        .program, .readerUnusable, "banks cannot be visited: \(error)",
                        remedy: "allow the system call landlock_restrict_self to this service or container")
                ]
            }
        }
    #endif

    static func finding(_ escapes: [String], _ landlock: Int) -> Finding {
        guard escapes.isEmpty else {
            return .error(
                .program, .readerUnconfined,
                "a process that reads foreign files can \(escapes.joined(separator: ", "))",
                remedy: "report this with countersign report, and take no documents on this machine until then")
        }
        guard landlock > 0 else {
            return .warning(
                .program, .noLandlock, ConfinedReader.lackOfLandlock,
                remedy: "use Linux 5.13 or later with Landlock, and allow landlock_create_ruleset to the container")
        }
        return .good(
            .program, "foreign files are read without rights (Landlock \(landlock), seccomp); all attempts failed")
    }
}
