import ArgumentParser
import Foundation
import Terminal

/// The option that names an additional certificate authority.
package struct AuthorityOption: ParsableArguments {
    @Option(
        name: .customLong("ca"), help: "A PEM file with an additional certificate authority, e.g. a mock bank's.",
        completion: .file(extensions: ["pem"]))
    package var path: String?

    package init() {}

    /// The file that was named, after a look into it; nil without the option.
    ///
    /// - Throws: ``CommandFailure`` with status 2 when it holds no authority.
    package var file: URL? {
        get throws(CommandFailure) {
            guard let path else { return nil }
            return try AuthorityFile.checked(path)
        }
    }
}
