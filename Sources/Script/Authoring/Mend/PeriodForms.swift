import BankScript
import Selectors

/// The ways in which banks write the month of a statement.
enum PeriodForms {
    /// Templates, the longest texts first: “January 2026” also contains “1 2026” in other months.
    static let all: [Template] = [
        "{{ last_day | date: d MMMM yyyy }}", "{{ month.name }} {{ year }}", "{{ year }} {{ month.name }}",
        "{{ last_day | date: dd.MM.yyyy }}", "{{ last_day | date: dd/MM/yyyy }}", "{{ last_day | date: MM/dd/yyyy }}",
        "{{ last_day }}", "{{ month.abbreviation }} {{ year }}", "{{ year }}-{{ month | pad: 2 }}",
        "{{ month | pad: 2 }}/{{ year }}", "{{ month | pad: 2 }}.{{ year }}", "{{ month.name }}",
    ]

    /// Returns whether a text names the month that is asked for.
    static func namesMonth(_ text: TextMatch) -> Bool {
        guard case .name(let text) = text else { return false }
        let names = Template(text).names
        return names.contains { ["month", "first_day", "last_day", "from", "to"].contains($0) }
    }
}
