import Foundation

/// The settings of the mock bank's FinTS server.
public struct FinTSBankConfiguration: Sendable {
    /// The port to listen on; 0 for any free port.
    public var port = 0
    public var usesTLS = false
    public var bankCode = "12345678"
    public var user = "robin.ashdown"
    public var pin = "80413"
    public var tan = "271828"
    public var scenario = FinTSScenario.happy
    /// The number of questions that the bank answers with “not yet”, before the approval in its app is there.
    public var pollsBeforeApproval = 1
    /// The number of questions that the bank allows.
    public var polls = 60
    /// The latest statement is for the month before this moment.
    public var today = Date()
    /// Changes each answer before it leaves, for tests with damaged ones; counts the answers from 1.
    public var damage: (@Sendable (_ answer: [UInt8], _ number: Int) -> [UInt8])?

    public init() {}
}
