import Automation
import BankScript
import Clocks
import CurlClient
import Foundation
import Inbox
import Machine
import Secrets

/// The services that the program around a phone's runner provides.
package struct PhoneServices: Sendable {
    /// The scripts, which every copy of these services shares.
    package private(set) var served: ServedScripts
    /// The scripts as they are now. Setting them gives scripts of its own to this copy alone; see
    /// ``ServedScripts/replace(with:)``.
    package var scripts: ScriptRegistry {
        get { served.present }
        set { served = ServedScripts(newValue) }
    }
    package var engine: ScriptRunner.EngineFactory
    /// The program whose processes visit banks, with engines and sources of their own; nil to visit them in this process.
    package var visits: VisitProgram?
    /// Answers when no token of the phone's own vault is linked to the bank.
    package var secondFactor: any SecondFactorProvider
    /// The providers of codes that were plugged in, by the name that a script's `from:` gives.
    package var codeSources: [SecondFactorStep.Source: any SecondFactorProvider] = [:]
    /// The sources of documents that a bank's file may name.
    package var sources: [SourceName: any DocumentSource] = [:]
    /// The credential providers of plug-ins, which the vault may name in a value's place.
    package var credentials = PluggedCredentials()
    /// The places that can keep the key with which this phone signs.
    package var deviceKeys = DeviceKeyMakers()
    /// The ways of plug-ins for documents to the broker, each around the one before.
    package var inboxes: [NamedInbox] = []
    package var person: any HumanPrompt
    /// The connection to the broker, for example with a certificate authority of its own.
    package var brokerHTTP: CurlConfiguration
    /// The sockets of brokers on this machine, by their other addresses.
    package var brokerSockets: [String: ServedSocket] {
        get { brokerHTTP.sockets }
        set { brokerHTTP.sockets = newValue }
    }
    package var clock: any RunClock
    /// The time limit of a run (specification, section 4).
    package var executionLimit: Duration
    /// The scripts were pointed at a test bank (`--bank-at`). Only then may a script for testing use the vault's
    /// credentials: it may contact this machine over plain HTTP, where another user's program can listen.
    package var servesTestBank: Bool

    package init(
        scripts: ScriptRegistry, person: any HumanPrompt, secondFactor: any SecondFactorProvider = NoSecondFactor(),
        brokerHTTP: CurlConfiguration = CurlConfiguration(), clock: any RunClock = SystemClock(),
        executionLimit: Duration = ScriptRunner.executionLimit, servesTestBank: Bool = false,
        engine: @escaping ScriptRunner.EngineFactory
    ) {
        served = ServedScripts(scripts)
        self.engine = engine
        self.secondFactor = secondFactor
        self.person = person
        self.brokerHTTP = brokerHTTP
        self.clock = clock
        self.executionLimit = executionLimit
        self.servesTestBank = servesTestBank
    }
}
