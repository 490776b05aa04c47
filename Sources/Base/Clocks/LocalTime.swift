import Foundation

extension Date {
    /// The time for a person, in this machine's zone, which is named: `3 Mar 2026, 09:30 CET`.
    package func inWords(zone: TimeZone = .current) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_GB")
        formatter.timeZone = zone
        formatter.dateFormat = "d MMM yyyy, HH:mm zzz"
        return formatter.string(from: self)
    }
}
