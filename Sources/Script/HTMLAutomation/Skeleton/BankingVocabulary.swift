/// The words that a survey and a page's skeleton keep in headings, links and titles. They tell the purpose of a bank's page, and nothing about
/// its customer. Every other word becomes a gap, so an unexpected name does too.
package enum BankingVocabulary {
    package static func contains(_ word: some StringProtocol) -> Bool { all.contains(word.lowercased()) }

    private static let all: Set<String> = Set(
        [english, german, french, spanish, italian, dutch].joined(separator: " ").split(whereSeparator: \.isWhitespace)
            .map(String.init))

    private static let english = """
        a an the and or of for to in on at by with from your you are is has have been not no yes all my our this that we it
        as if than more less only please welcome hello good morning afternoon evening back again sign in signed out off log
        logged login logout logon online banking bank internet secure security home start overview summary dashboard account
        accounts number numbers balance balances statement statements e-statement e-statements document documents download
        downloads pdf csv file files mailbox messages message inbox post letters archive history transactions transaction
        payments payment transfer transfers cards card credit debit loan loans mortgage mortgages deposits deposit
        investments portfolio securities tax annual monthly yearly quarterly year years month months day days week date dates
        period from until since last next previous first older newer page pages of show search find filter select choose all
        continue cancel confirm submit send save edit delete add new open close view details settings profile preferences
        help contact support imprint privacy legal terms conditions cookies accessibility language english enter code codes
        one-time one time passcode password pin username user id customer name verification verify authentication
        authenticate authenticator device app approve approval push sms text phone telephone mobile email address remember
        forgot forgotten reset change changed expired locked blocked wrong incorrect error failed success maintenance
        unavailable session ended try later page found thank visit end available current amount description reference type
        status currency total opening closing interest rate fee fees january february march april may june july august
        september october november december jan feb mar apr jun jul aug sep sept oct nov dec welcome back menu skip content
        """
    private static let german = """
        der die das den dem des ein eine einen und oder von für zu zur zum im am an auf bei mit aus ihr ihre ihren sie sind
        ist nicht kein keine alle mein meine willkommen hallo guten tag morgen abend anmelden anmeldung abmelden einloggen
        ausloggen login logout online banking bank sicher sicherheit start startseite übersicht finanzübersicht konto konten
        kontonummer nummer saldo salden stand kontostand kontoauszug kontoauszüge auszug auszüge dokument dokumente
        herunterladen download pdf datei postfach nachrichten mitteilungen archiv umsätze umsatz buchungen überweisung
        überweisungen zahlung karte karten kreditkarte kredit darlehen sparen wertpapiere depot steuer jahr jahre monat
        monate tag tage woche datum zeitraum von bis seit letzte letzter letzten nächste nächster vorherige erste weiter
        zurück ältere neuere seite seiten anzeigen suchen filtern auswählen wählen abbrechen bestätigen senden speichern
        bearbeiten löschen neu öffnen schließen ansehen details einstellungen profil hilfe kontakt impressum datenschutz
        agb sprache eingeben code tan einmal einmalcode sicherheitscode passwort kennwort pin benutzername benutzer
        anmeldename kunde kundennummer name bestätigung gerät app freigabe freigeben telefon handy adresse vergessen ändern
        abgelaufen gesperrt falsch fehler wartung nicht verfügbar sitzung beendet gefunden danke besuch betrag währung
        verwendungszweck typ art status januar februar märz april mai juni juli august september oktober november dezember
        """
    private static let french = """
        le la les un une des du de et ou pour à au aux en sur par avec dans votre vos vous êtes est pas mon ma mes tous toutes
        bienvenue bonjour connexion connecter connecté déconnexion déconnecter se identifiant mot passe code secret banque
        ligne espace accueil synthèse compte comptes numéro solde soldes relevé relevés document documents télécharger
        fichier messagerie messages archives opérations virement virements paiement carte cartes crédit prêt épargne titres
        impôts année années mois jour jours semaine date dates période dernier dernière suivant suivante précédent première
        page pages afficher rechercher filtrer choisir continuer annuler valider envoyer enregistrer modifier supprimer
        nouveau ouvrir fermer voir détails paramètres profil aide contact mentions légales confidentialité langue saisir
        client nom vérification appareil application téléphone adresse oublié changer expiré bloqué incorrect erreur
        maintenance indisponible session terminée merci visite montant devise libellé type statut janvier février mars avril
        mai juin juillet août septembre octobre novembre décembre
        """
    private static let spanish = """
        el la los las un una de del y o para en a al por con su sus usted es no mi mis todos todas bienvenido hola iniciar
        sesión cerrar acceder entrar salir usuario contraseña clave código banca banco línea inicio resumen cuenta cuentas
        número saldo saldos extracto extractos documento documentos descargar archivo correspondencia mensajes movimientos
        transferencia transferencias pago tarjeta tarjetas crédito préstamo ahorro valores año años mes meses día días fecha
        período último siguiente anterior primera página páginas mostrar buscar filtrar elegir continuar cancelar confirmar
        enviar guardar nuevo abrir ver detalles ajustes perfil ayuda contacto idioma cliente nombre teléfono importe divisa
        concepto tipo estado enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
        """
    private static let italian = """
        il lo la i gli le un una di del della e o per in a al da con suo sua è non mio mia tutti benvenuto accedi accesso
        entra esci utente password codice banca linea home riepilogo conto conti numero saldo saldi estratto estratti
        documento documenti scarica archivio messaggi movimenti bonifico pagamento carta carte credito mutuo risparmio
        titoli anno anni mese mesi giorno giorni data periodo ultimo successivo precedente prima pagina pagine mostra cerca
        filtra scegli continua annulla conferma invia salva nuovo apri vedi dettagli impostazioni profilo aiuto contatti
        lingua cliente nome telefono importo valuta causale tipo stato gennaio febbraio marzo aprile maggio giugno luglio
        agosto settembre ottobre novembre dicembre
        """
    private static let dutch = """
        de het een en of van voor naar in op bij met uw u bent is niet mijn alle welkom hallo inloggen uitloggen aanmelden
        afmelden gebruikersnaam wachtwoord code bank bankieren internetbankieren overzicht rekening rekeningen
        rekeningnummer nummer saldo afschrift afschriften document documenten downloaden bestand berichten archief
        transacties overschrijving betaling kaart krediet lening sparen effecten jaar jaren maand maanden dag dagen datum
        periode laatste volgende vorige eerste pagina tonen zoeken filteren kiezen doorgaan annuleren bevestigen verzenden
        opslaan nieuw openen sluiten bekijken details instellingen profiel hulp contact taal klant naam telefoon bedrag
        valuta omschrijving type status januari februari maart april mei juni juli augustus september oktober november december
        """
}
