import Messages
import PhoneStore

/// The broker has ended a request that this phone was about to run, or to deliver.
struct RequestEnded: Error, Sendable {
    enum Moment: Sendable { case beforeRun, beforeDelivery }

    let moment: Moment
    /// The broker's answer.
    let refusal: PhoneError

    /// - Returns: nil when the answer does not say that the request has ended, or that another machine runs it.
    init?(_ refusal: PhoneError, _ moment: Moment) {
        let isOther = refusal.brokerCode == .otherDevice || refusal.brokerCode == .requestNotFound
        let goesOn: Set<RequestStatus?> = moment == .beforeRun ? [nil, .approved] : [nil, .approved, .executing]
        guard isOther || !goesOn.contains(refusal.requestStatus) else { return nil }
        self.moment = moment
        self.refusal = refusal
    }

    var message: String {
        let standing =
            switch refusal.requestStatus {
            case .executing: "another machine runs this request"
            case let status?: "the broker had ended the request: it is \(status.rawValue)"
            case nil: refusal.message
            }
        return switch moment {
        case .beforeRun: "\(standing); the bank was not visited"
        case .beforeDelivery: "\(standing); the statement was fetched and not delivered"
        }
    }
}
