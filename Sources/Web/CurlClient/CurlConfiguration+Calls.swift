import Foundation

extension CurlConfiguration {
    /// Returns the settings for calls to one server of the owner's, which sends no cookies and small answers.
    ///
    /// - Parameters:
    ///   - authority: a PEM file with a certificate authority to trust besides the system's.
    ///   - whole: the longest time of one call.
    ///   - bodySize: the largest answer in bytes.
    public static func calls(
        trusting authority: URL?, within whole: Duration, answersUpTo bodySize: Int
    ) -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.keepsCookies = false
        configuration.extraCAFile = authority
        configuration.limits.connect = .seconds(10)
        configuration.limits.whole = whole
        configuration.limits.bodySize = bodySize
        return configuration
    }
}
