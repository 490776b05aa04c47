import Encodings

/// The rule for the name of a cookie by which a bank knows a device: a token (RFC 6265, section 4.1.1).
package enum DeviceCookieName {
    static let pattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$"

    /// The most cookies that a script may name. A bank needs one or two.
    static let most = 8

    static func isValid(_ name: String) -> Bool { name.wholeMatch(of: /[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}/) != nil }
}

extension BankScript {
    /// Returns whether a capture would read a cookie of the device, which no step sees.
    package func isDevice(_ source: CaptureStep.Source) -> Bool {
        switch source {
        case .cookie(let name): device.contains(name)
        case .header(let name): !device.isEmpty && name.lowercased() == "set-cookie"
        default: false
        }
    }

    /// Returns whether a step would capture a cookie of the device.
    func capturesDevice(_ action: Action) -> Bool { action.as(CaptureStep.self).map { isDevice($0.source) } ?? false }
}
