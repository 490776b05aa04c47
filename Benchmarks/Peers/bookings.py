"""Files of many bookings, and their reading by others.

    python bookings.py make FOLDER COUNT
    python bookings.py PEER FILE

The first form writes a file of each format with the same bookings. The second reads one, makes a day, an exact amount and a
text of each booking as a program would that needs them, and prints their number.
"""

import sys
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

ACCOUNT = "DE89370400440532013000"
OTHER = "DE02120300000000202051"
PAGE = 200


def rows(count):
    """The bookings: day, amount in cents, the other party and the purpose."""
    for number in range(count):
        day = date(2020, 1, 15) + timedelta(days=number // PAGE)
        yield day, number * 7919 % 200_000 - 90_000, f"Firma {number % 500}", f"Rechnung {number}"


def comma(cents):
    return f"{cents / 100:.2f}".replace(".", ",")


def csv_file(count):
    yield "Buchungstag;Valuta;Name;Verwendungszweck;IBAN;Betrag;Waehrung\n"
    for day, cents, name, text in rows(count):
        yield f'{day:%d.%m.%Y};{day:%d.%m.%Y};"{name}";"{text}";{OTHER};{comma(cents)};EUR\n'


def qif_file(count):
    yield "!Type:Bank\n"
    for day, cents, name, text in rows(count):
        yield f"D{day:%d/%m/%Y}\nT{cents / 100:.2f}\nP{name}\nM{text}\n^\n"


def ofx_file(count):
    yield (
        "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:USASCII\nCHARSET:1252\nCOMPRESSION:NONE\n"
        "OLDFILEUID:NONE\nNEWFILEUID:NONE\n\n<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS>"
        "<DTSERVER>20250331<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1><BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STATUS><CODE>0"
        "<SEVERITY>INFO</STATUS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>37040044<ACCTID>532013000"
        "<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST><DTSTART>20200115<DTEND>20250331\n"
    )
    for number, (day, cents, name, text) in enumerate(rows(count)):
        kind = "DEBIT" if cents < 0 else "CREDIT"
        yield (
            f"<STMTTRN><TRNTYPE>{kind}<DTPOSTED>{day:%Y%m%d}120000<TRNAMT>{cents / 100:.2f}<FITID>{number}"
            f"<NAME>{name}<MEMO>{text}</STMTTRN>\n"
        )
    total = sum(cents for _, cents, _, _ in rows(count)) / 100
    yield (
        f"</BANKTRANLIST><LEDGERBAL><BALAMT>{total:.2f}<DTASOF>20250331</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n"
    )


def mt940_file(count):
    def balance(tag, cents, day):
        return f":{tag}:{'D' if cents < 0 else 'C'}{day:%y%m%d}EUR{comma(abs(cents))}\n"

    total = 0
    for number, (day, cents, name, text) in enumerate(rows(count)):
        if number % PAGE == 0:
            yield f":20:STARTUMSE\n:25:37040044/0532013000\n:28C:{number // PAGE + 1:05}/001\n" + balance("60F", total, day)
        total += cents
        yield (
            f":61:{day:%y%m%d}{day:%m%d}{'D' if cents < 0 else 'C'}{comma(abs(cents))}NTRFNONREF//B{number}\n"
            f":86:166?00GUTSCHRIFT?10931?20EREF+R{number}?21SVWZ+{text}?30COBADEFFXXX?31{OTHER}?32{name}\n"
        )
        if number % PAGE == PAGE - 1 or number == count - 1:
            yield balance("62F", total, day) + "-\n"


def camt_file(count):
    def balance(kind, cents, day):
        return (
            f'<Bal><Tp><CdOrPrtry><Cd>{kind}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">{abs(cents) / 100:.2f}</Amt>'
            f"<CdtDbtInd>{'DBIT' if cents < 0 else 'CRDT'}</CdtDbtInd><Dt><Dt>{day}</Dt></Dt></Bal>"
        )

    total = sum(cents for _, cents, _, _ in rows(count))
    first, last = date(2020, 1, 15), date(2020, 1, 15) + timedelta(days=(count - 1) // PAGE)
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">'
        f"<BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>1</Id><Acct><Id><IBAN>{ACCOUNT}</IBAN></Id>"
        f"<Ccy>EUR</Ccy></Acct>{balance('OPBD', 0, first)}{balance('CLBD', total, last)}\n"
    )
    for number, (day, cents, name, text) in enumerate(rows(count)):
        side = "Cdtr" if cents < 0 else "Dbtr"
        yield (
            f'<Ntry><Amt Ccy="EUR">{abs(cents) / 100:.2f}</Amt><CdtDbtInd>{"DBIT" if cents < 0 else "CRDT"}</CdtDbtInd>'
            f"<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>{day}</Dt></BookgDt><ValDt><Dt>{day}</Dt></ValDt>"
            f"<AcctSvcrRef>B{number}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd>"
            "<SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls><TxDtls>"
            f"<Refs><EndToEndId>R{number}</EndToEndId></Refs><RltdPties><{side}><Pty><Nm>{name}</Nm></Pty></{side}>"
            f"<{side}Acct><Id><IBAN>{OTHER}</IBAN></Id></{side}Acct></RltdPties><RmtInf><Ustrd>{text}</Ustrd></RmtInf>"
            "</TxDtls></NtryDtls></Ntry>\n"
        )
    yield "</Stmt></BkToCstmrStmt></Document>\n"


def make(folder, count):
    from openpyxl import Workbook

    for ending, lines in [
        ("csv", csv_file), ("qif", qif_file), ("ofx", ofx_file), ("sta", mt940_file), ("xml", camt_file)
    ]:
        with open(folder / f"bookings.{ending}", "w", encoding="utf-8") as file:
            file.writelines(lines(count))
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Bookings")
    sheet.append(["Buchungstag", "Name", "Verwendungszweck", "Betrag", "Waehrung"])
    for day, cents, name, text in rows(count):
        sheet.append([day, name, text, cents / 100, "EUR"])
    book.save(folder / "bookings.xlsx")


def by_csv(path):
    import csv

    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter=";")
        next(reader)
        return [
            (date(int(row[0][6:]), int(row[0][3:5]), int(row[0][:2])), Decimal(row[5].replace(",", ".")), row[3])
            for row in reader
        ]


def by_mt940(path):
    import mt940

    return [(entry.data["date"], entry.data["amount"].amount, entry.data.get("purpose")) for entry in mt940.parse(path)]


def by_ofxtools(path):
    from ofxtools.Parser import OFXTree

    tree = OFXTree()
    tree.parse(path)
    return [(entry.dtposted, entry.trnamt, entry.memo) for entry in tree.convert().statements[0].transactions]


def by_lxml(path):
    from lxml import etree

    space = "{urn:iso:std:iso:20022:tech:xsd:camt.053.001.08}"
    bookings = []
    for entry in etree.parse(path, etree.XMLParser(resolve_entities=False, huge_tree=True)).iter(space + "Ntry"):
        amount = Decimal(entry.findtext(space + "Amt"))
        if entry.findtext(space + "CdtDbtInd") == "DBIT":
            amount = -amount
        day = date.fromisoformat(entry.findtext(f"{space}BookgDt/{space}Dt"))
        bookings.append((day, amount, entry.findtext(f".//{space}Ustrd")))
    return bookings


def by_quiffen(path):
    from quiffen import Qif

    return [
        (entry.date, entry.amount, entry.memo)
        for account in Qif.parse(path, day_first=True).accounts.values()
        for entries in account.transactions.values()
        for entry in entries
    ]


def by_openpyxl(path):
    from openpyxl import load_workbook

    sheet = load_workbook(path, read_only=True).active
    return [(row[0].date(), Decimal(str(row[3])), row[2]) for row in sheet.iter_rows(min_row=2, values_only=True)]


PEERS = {
    "csv": by_csv, "mt-940": by_mt940, "ofxtools": by_ofxtools, "lxml": by_lxml, "quiffen": by_quiffen,
    "openpyxl": by_openpyxl,
}

if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        print(len(PEERS[sys.argv[1]](sys.argv[2])))
