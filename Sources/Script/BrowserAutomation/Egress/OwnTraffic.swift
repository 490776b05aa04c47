/// The hosts that Chromium contacts by itself: for updates, its safety lists, its account and its suggestions.
///
/// The browser's options switch this traffic off as far as they can, and the proxy refuses what is left. An author should
/// not read of it as if the bank had asked.
enum OwnTraffic {
    private static let hosts: Set<String> = [
        "accounts.google.com", "android.clients.google.com", "clients1.google.com", "clients2.google.com",
        "clients2.googleusercontent.com", "clients4.google.com", "clientservices.googleapis.com",
        "content-autofill.googleapis.com", "edgedl.me.gvt1.com", "mtalk.google.com",
        "optimizationguide-pa.googleapis.com",
        "redirector.gvt1.com", "safebrowsing.googleapis.com", "safebrowsingohttpgateway.googleapis.com",
        "t0.gstatic.com", "update.googleapis.com", "www.google.com", "www.googleapis.com",
    ]

    /// Returns the refused origins without those that only the browser itself asked for.
    ///
    /// - Parameter pages: the origins that pages have asked for.
    static func leavingOut(of refused: [String], askedByPages pages: Set<String>) -> [String] {
        refused.filter { origin in
            guard !pages.contains(origin), let scheme = origin.range(of: "://") else { return true }
            return !hosts.contains(origin[scheme.upperBound...].prefix { $0 != ":" }.lowercased())
        }
    }
}
