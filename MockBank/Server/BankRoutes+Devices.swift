import Foundation
import Hummingbird

// A device that the bank knows again by a cookie, and asks for no code.

extension BankRoutes {
    static let deviceCookie = "meridian_device"

    func isKnown(_ request: Request) async -> Bool {
        guard scenario == .knownDevice else { return false }
        return await sessions.recognise(request.cookies[Self.deviceCookie]?.value)
    }

    /// Adds the cookie to a response, for half a year.
    func knowing(_ response: Response) async -> Response {
        var response = response
        let device = await sessions.rememberDevice()
        let flags = "Path=/; Max-Age=15552000; HttpOnly; SameSite=Lax" + (configuration.usesTLS ? "; Secure" : "")
        response.headers.append(.init(name: .setCookie, value: "\(Self.deviceCookie)=\(device); \(flags)"))
        return response
    }
}
