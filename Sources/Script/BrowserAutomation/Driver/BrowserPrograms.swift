import Foundation
import Machine

/// Chromium and its driver, as they are installed on this machine.
public struct BrowserPrograms: Sendable {
    public var browser: URL
    public var driver: URL

    public init(browser: URL, driver: URL) {
        self.browser = browser
        self.driver = driver
    }

    /// Finds both programs: by `COUNTERSIGN_CHROMIUM` and `COUNTERSIGN_CHROMEDRIVER`, else in `PATH`.
    ///
    /// - Throws: ``BrowserError`` with the places that were searched.
    public static func find(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(BrowserError) -> BrowserPrograms {
        BrowserPrograms(
            browser: try find(["chromium", "chromium-browser"], "COUNTERSIGN_CHROMIUM", "chromium", environment),
            driver: try find(["chromedriver"], "COUNTERSIGN_CHROMEDRIVER", "chromium-driver", environment))
    }

    private static func find(
        _ names: [String], _ variable: String, _ package: String, _ environment: [String: String]
    ) throws(BrowserError) -> URL {
        if let path = environment[variable], !path.isEmpty {
            guard InstalledProgram.isProgram(path) else {
                throw BrowserError(.missing, "\(variable) names \(path), which is not a program; correct or unset it")
            }
            return URL(filePath: path)
        }
        for name in names {
            if let path = InstalledProgram.path(of: name, in: environment["PATH"] ?? "") { return URL(filePath: path) }
        }
        throw BrowserError(
            .missing,
            "\(names[0]) is in no absolute folder of PATH, and this script runs in a browser; install it (Debian: apt install \(package)), "
                + "or name it in \(variable)")
    }
}
