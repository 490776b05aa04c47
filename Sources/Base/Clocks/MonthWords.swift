/// Months in words, as the languages of Europe's banks write and shorten them.
package enum MonthWords {
    /// Returns the month, 1 to 12, of a name or of its first three letters or more; nil for any other word, and where
    /// languages differ.
    package static func month(_ word: some StringProtocol) -> Int? {
        let word = word.lowercased()
        return tables.named[word] ?? tables.shortened[word]
    }

    /// Returns the month, 1 to 12, of a whole name; nil for any other word.
    package static func month(named word: some StringProtocol) -> Int? { tables.named[word.lowercased()] }

    /// The months by their names, and by what these begin with. A beginning of two months' names is left out.
    private static let tables: (named: [String: Int], shortened: [String: Int]) = {
        var months: [String: Int] = [:]
        var exact: [String: Int] = [:]
        var ambiguous: Set<String> = []
        for (index, line) in names.enumerated() {
            for name in line.split(separator: " ") {
                exact[String(name)] = index + 1
                guard name.count > 3 else { continue }
                for length in 3..<name.count {
                    let beginning = String(name.prefix(length))
                    let other = months.updateValue(index + 1, forKey: beginning)
                    if let other, other != index + 1 { ambiguous.insert(beginning) }
                }
            }
        }
        for beginning in ambiguous { months[beginning] = nil }
        // A whole name counts before the beginning of another: červen is June, and červenec July.
        return (exact, months.merging(shortened) { $1 })
    }()

    /// The forms that are not the beginning of a name, or of which most languages mean one month.
    private static let shortened = ["mar": 3, "mrz": 3, "mrt": 3, "lip": 7, "dez": 12]

    /// The names of each month in English, German, French, Spanish, Italian, Dutch, Portuguese, Catalan, the languages of
    /// the North and of the East, Greek and Turkish, with their genitives. Of Croatian only June is here: its
    /// October is the November of its neighbours.
    private static let names = [
        "january januar jänner jaenner janvier enero gennaio januari janeiro styczeń stycznia leden ledna"
            + " január ianuarie jaanuar tammikuu tammikuuta sausis sausio janvāris ocak январь января січень січня"
            + " ιανουάριος ιανουαρίου gener janúar",
        "february februar feber février fevrier febrero febbraio februari fevereiro luty lutego únor února"
            + " február februarie veebruar helmikuu helmikuuta vasaris vasario februāris şubat февраль февраля лютий"
            + " лютого φεβρουάριος φεβρουαρίου febrer febrúar",
        "march märz maerz mars marzo maart março marco marts marzec marca březen března március marec martie"
            + " märts maaliskuu maaliskuuta kovas kovo mart март марта березень березня μάρτιος μαρτίου març",
        "april avril abril aprile kwiecień kwietnia duben dubna április apríl aprilie aprill huhtikuu"
            + " huhtikuuta balandis balandžio aprīlis nisan апрель апреля квітень квітня απρίλιος απριλίου",
        "may mai mayo maggio mei maio maj maja květen května május máj toukokuu toukokuuta gegužė gegužės"
            + " maijs mayıs май мая травень травня μάιος μαΐου maig maí",
        "june juni juin junio giugno junho czerwiec czerwca červen června június jún iunie juuni kesäkuu"
            + " kesäkuuta birželis birželio jūnijs haziran июнь июня червень червня ιούνιος ιουνίου juny júní lipanj"
            + " lipnja",
        "july juli juillet julio luglio julho lipiec lipca červenec července július júl iulie juuli heinäkuu"
            + " heinäkuuta liepa liepos jūlijs temmuz июль июля липень липня ιούλιος ιουλίου juliol júlí",
        "august août aout agosto augustus sierpień sierpnia srpen srpna augusztus avgust elokuu elokuuta"
            + " rugpjūtis rugpjūčio augusts ağustos август августа серпень серпня αύγουστος αυγούστου agost ágúst",
        "september septembre setiembre septiembre settembre setembro wrzesień września září szeptember"
            + " septembrie syyskuu syyskuuta rugsėjis rugsėjo septembris eylül сентябрь сентября вересень вересня"
            + " σεπτέμβριος σεπτεμβρίου setembre",
        "october oktober octobre octubre ottobre outubro październik października pazdziernik pazdziernika"
            + " říjen října október octombrie oktoober lokakuu lokakuuta spalis spalio oktobris ekim октябрь октября"
            + " жовтень жовтня οκτώβριος οκτωβρίου",
        "november novembre noviembre novembro listopad listopada listopadu noiembrie marraskuu marraskuuta"
            + " lapkritis lapkričio novembris kasım ноябрь ноября листопад листопада νοέμβριος νοεμβρίου nóvember",
        "december dezember décembre decembre diciembre dicembre dezembro grudzień grudnia prosinec prosince"
            + " decembrie detsember joulukuu joulukuuta gruodis gruodžio decembris aralık декабрь декабря грудень"
            + " грудня δεκέμβριος δεκεμβρίου desembre desember",
    ]
}
