import Machine

/// The confined processes that tests start, of the program beside them.
package enum ConfinementOfTests {
    /// The command line of a confined process that performs a task.
    package static func command(_ task: any ConfinedTask.Type) -> [String] {
        [Repository.countersign.path, ConfinedReader.readingCommand, task.name]
    }

    /// The version of Landlock's interface on this system; 0 without it.
    package static let landlock = ConfinedReader.systemLandlock
}
