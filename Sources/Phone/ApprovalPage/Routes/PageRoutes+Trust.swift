import Foundation
import Hummingbird
import NIOCore
import QRCode
import Secrets

/// The pages with which a device learns to trust the household's authority. They hold nothing secret, and are there before
/// the browser has shown a code.
extension PageRoutes {
    func addTrust(in authority: PageAuthority, to router: Router<PageContext>) {
        router.get("/trust") { _, _ in
            PageViews.page(
                "trust", title: PageText.of("trust.title"), session: nil,
                [
                    "host": authority.hostName, "authority": authority.name, "fingerprint": authority.fingerprint,
                    // A database of certificates takes one name for one authority.
                    "nickname": authority.version > 1 ? "Countersign-\(authority.version)" : "Countersign",
                    "later": authority.version > 1, "version": authority.version,
                ])
        }
        router.get("/trust/\(TrustProfile.fileName)") { _, _ in
            Self.download(try TrustProfile(authority).bytes, TrustProfile.mediaType, as: TrustProfile.fileName)
        }
        router.get("/trust/countersign-authority.crt") { _, _ in
            Self.download(authority.der, "application/x-x509-ca-cert", as: "countersign-authority.crt")
        }
        router.get("/trust/code.png") { _, _ in
            let address = Secret(try await state.relyingParty().origin + "/trust")
            return Response(
                status: .ok, headers: [.contentType: "image/png"],
                body: .init(byteBuffer: .init(bytes: try QRSymbol(address).png(scale: 6))))
        }
    }

    private static func download(_ bytes: [UInt8], _ type: String, as name: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .contentDisposition: "attachment; filename=\"\(name)\""],
            body: .init(byteBuffer: .init(bytes: bytes)))
    }
}
