import Encodings

#if os(Linux)
    import CLinux
    import Foundation

    /// Tries, in a confined process, what such a process must not be able to do: the proof that the confinement holds on this
    /// system.
    package enum ProbeTask: ConfinedTask {
        package static let name = "probe"

        package static func prepare() {}

        /// The deeds, in the order in which they are tried.
        package static let deeds: [(name: String, number: Int)] = [
            ("open a file", COUNTERSIGN_PROBE_OPEN), ("create a file", COUNTERSIGN_PROBE_CREATE),
            ("open a connection", COUNTERSIGN_PROBE_CONNECT), ("start a program", COUNTERSIGN_PROBE_EXECUTE),
            ("start a process", COUNTERSIGN_PROBE_FORK), ("signal its parent", COUNTERSIGN_PROBE_SIGNAL),
            ("trace its parent", COUNTERSIGN_PROBE_TRACE), ("read its parent's memory", COUNTERSIGN_PROBE_READ_MEMORY),
            ("run data as code", COUNTERSIGN_PROBE_RUN_DATA), ("limit its parent", COUNTERSIGN_PROBE_LIMIT),
            ("change a file's mode", COUNTERSIGN_PROBE_MODE), ("change a file's owner", COUNTERSIGN_PROBE_OWNER),
            ("change a file's times", COUNTERSIGN_PROBE_TIMES),
            ("change a file's attributes", COUNTERSIGN_PROBE_ATTRIBUTES),
            ("make a program that acts for its user", COUNTERSIGN_PROBE_OTHERS_PROGRAM),
            ("slow its parent down", COUNTERSIGN_PROBE_SLOW_DOWN), ("use key rings", COUNTERSIGN_PROBE_KEYS),
            ("send to another program's socket", COUNTERSIGN_PROBE_SEND),
            ("read its parent's environment", COUNTERSIGN_PROBE_READ_ENVIRONMENT),
            ("make a file of any size", COUNTERSIGN_PROBE_FILL_DISK),
        ].map { ($0.0, Int($0.1)) }

        /// Tries the deeds on the file `path` and the process `victim` of the order: those that it names, or all.
        ///
        /// - Returns: for each deed the error number; 0 for one that succeeded, and `ECANCELED` for one that was not tried.
        package static func perform(_ order: JSONValue, on bytes: [UInt8]) -> ConfinedAnswer {
            let victim = pid_t(order["victim"]?.intValue ?? 0)
            let path = order["path"]?.stringValue ?? "/etc/passwd"
            let named = order["deeds"]?.arrayValue?.compactMap(\.stringValue)
            let codes = deeds.map { deed in
                let isTried = named?.contains(deed.name) ?? true
                let code = isTried ? countersign_probe(Int32(deed.number), path, victim) : ECANCELED
                return JSONValue.number(Double(code))
            }
            return ConfinedAnswer(["codes": .array(codes)])
        }

        /// The deeds that a fenced process must not be able to do either. It makes connections and starts processes, and a kernel
        /// before Linux 6.12 lets it send signals.
        package static let fencedDeeds =
            [
                "open a file", "create a file", "start a program", "trace its parent", "read its parent's memory",
                "change a file's mode", "change a file's owner", "change a file's times", "slow its parent down",
                "send to another program's socket", "read its parent's environment", "make a file of any size",
            ] + browserDeeds

        /// The deeds, of those that Landlock has no rule for, that a fenced process with a browser must not be able to do either.
        package static let browserDeeds = [
            "change a file's attributes", "make a program that acts for its user", "use key rings", "limit its parent",
        ]

        /// Returns the deeds that succeeded, of those in an answer of ``perform(_:on:)``.
        package static func escapes(_ answer: JSONValue, of names: [String]) throws(ConfinedReaderError) -> [String] {
            let codes = answer["codes"]?.arrayValue?.compactMap(\.intValue) ?? []
            guard codes.count == deeds.count else { throw .malformed("it did not try everything") }
            return zip(deeds, codes).filter { $1 == 0 && names.contains($0.name) }.map(\.0.name)
        }

        /// Starts a confined process and has it try all deeds, with this process as the victim. Blocks.
        ///
        /// - Returns: the deeds that succeeded. Empty when the confinement holds.
        /// - Throws: ``ConfinedReaderError``.
        package static func escapes(
            _ reader: ConfinedReader, path: String = "/etc/passwd"
        ) throws(ConfinedReaderError) -> [String] {
            let order: JSONValue = ["victim": .number(Double(getpid())), "path": .string(path)]
            return try escapes(try reader.perform(order, on: []).facts, of: deeds.map(\.name))
        }
    }
#endif
