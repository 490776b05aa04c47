import Foundation

/// The settings of the mock bank's FinTS server.
package struct FinTSBankConfiguration: Sendable {
    /// The port to listen on; 0 for any free port.
    package var port = 0
    package var usesTLS = false
    package var bankCode = "12345678"
    package var user = "robin.ashdown"
    package var pin = "80413"
    package var tan = "271828"
    package var scenario = FinTSScenario.happy
    /// The number of questions that the bank answers with “not yet”, before the approval in its app is there.
    package var pollsBeforeApproval = 1
    /// The number of questions that the bank allows.
    package var polls = 60
    /// The latest statement is for the month before this moment.
    package var today = Date()
    /// Changes each answer before it leaves, for tests with damaged ones; counts the answers from 1.
    package var damage: (@Sendable (_ answer: [UInt8], _ number: Int) -> [UInt8])?

    package init() {}
}
