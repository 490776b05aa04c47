"""Compares the transactions that countersign reads from files with those that libraries by others read.

Usage: transaction_files.py make FOLDER COUNT [SEED]   writes COUNT files of each format, with what is in them beside each
       transaction_files.py compare PROGRAM FOLDER     prints agreed, refused with the reason, or differing for each file

The comparison ends with 1 when a file differs from what it was made of, or from the library. A library that refuses a file,
or reads another kind of entries, is named. Days and amounts are compared, in any order.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal

warnings.simplefilter("ignore")
WORDS = ["Miete", "Rent", "Bäcker", "Müller & Söhne", "Café", "Invoice 77", "Gehalt", "R/2025/04", "Straße 5"]


def made_bookings(rng):
    day = date(2024, 1, 1) + timedelta(days=rng.randrange(600))
    bookings = []
    for _ in range(rng.randrange(1, 12)):
        day += timedelta(days=rng.choice([0, 0, 1, 1, 3, 20]))
        cents = rng.choice([1, 5, 350, 99, 100, 123456, 1234567, rng.randrange(1, 10**7)])
        bookings.append((day, Decimal(cents * rng.choice([1, -1])) / 100, rng.choice(WORDS)))
        if rng.random() < 0.2:
            bookings.append(bookings[-1])
    return bookings


def plain(amount, mark, grouped=False):
    text = f"{abs(amount):,.2f}" if grouped else f"{abs(amount):.2f}"
    return text.translate(str.maketrans(".,", ",.")) if mark == "," else text


def made_mt940(rng, bookings):
    opening, text = Decimal(rng.randrange(-10**6, 10**6)) / 100, ""
    total, cut = opening, rng.randrange(len(bookings) + 1)
    parts = [part for part in (bookings[:cut], bookings[cut:]) if part]

    def balance(tag, value, day):
        return f":{tag}:{'D' if value < 0 else 'C'}{day:%y%m%d}EUR{plain(value, ',')}\n"

    for number, part in enumerate(parts):
        text += f":20:STMT{number}\n:25:37040044/0532013000\n:28C:{number + 1}/1\n" + balance("60F", total, part[0][0])
        for day, amount, word in part:
            mark = rng.choice(["D", "RC", "DR"] if amount < 0 else ["C", "RD", "CR"])
            value = day - timedelta(days=rng.choice([0, 0, 1, 2]))
            text += f":61:{value:%y%m%d}{day:%m%d}{mark}{plain(amount, ',')}NTRFNONREF\n:86:"
            text += rng.choice([f"166?00TEXT?20SVWZ+{word}?32Name", f"/NAME/Name/REMI/{word}", word]) + "\n"
            total += amount
        text += balance("62F", total, part[-1][0]) + "-\n"
    return text.encode(rng.choice(["utf-8", "cp1252"]))


def made_ofx(rng, bookings):
    mark, total = rng.choice([".", ","]), sum(amount for _, amount, _ in bookings)
    entries = ""
    for number, (day, amount, word) in enumerate(bookings):
        zone = rng.choice(["", "120000", "120000.000[+1:CET]"])
        value = ("-" if amount < 0 else "") + plain(amount, mark)
        entries += f"<STMTTRN><TRNTYPE>OTHER</TRNTYPE><DTPOSTED>{day:%Y%m%d}{zone}</DTPOSTED><TRNAMT>{value}</TRNAMT>"
        entries += f"<FITID>{number + 1}</FITID><NAME>{word.replace('&', '&amp;')[:32]}</NAME></STMTTRN>\n"
    first, last = bookings[0][0], bookings[-1][0]
    body = (
        "<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>"
        f"<DTSERVER>{last:%Y%m%d}</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>\n"
        "<BANKMSGSRSV1><STMTTRNRS><TRNUID>1</TRNUID><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS><STMTRS>"
        "<CURDEF>EUR</CURDEF><BANKACCTFROM><BANKID>1</BANKID><ACCTID>2</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>"
        f"\n<BANKTRANLIST><DTSTART>{first:%Y%m%d}</DTSTART><DTEND>{last:%Y%m%d}</DTEND>\n{entries}</BANKTRANLIST>"
        f"<LEDGERBAL><BALAMT>{'-' if total < 0 else ''}{plain(total, mark)}</BALAMT><DTASOF>{last:%Y%m%d}</DTASOF></LEDGERBAL>"
        "</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n"
    )
    if rng.random() < 0.5:
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>\n'
        return (head + body).encode()
    head = "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:USASCII\nCHARSET:1252\nCOMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n\n"
    for tag in ["TRNTYPE", "DTPOSTED", "TRNAMT", "FITID", "NAME"] if rng.random() < 0.5 else []:
        body = body.replace(f"</{tag}>", "\n")
    return (head + body).encode("cp1252")


def made_camt(rng, bookings):
    version, total = rng.choice(["02", "04", "08", "12"]), Decimal(1000)

    def balance(kind, value, day):
        return (
            f'<Bal><Tp><CdOrPrtry><Cd>{kind}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">{abs(value)}</Amt>'
            f"<CdtDbtInd>{'DBIT' if value < 0 else 'CRDT'}</CdtDbtInd><Dt><Dt>{day}</Dt></Dt></Bal>"
        )

    entries, sum_of_all = "", total
    for day, amount, word in bookings:
        status = "<Sts>BOOK</Sts>" if version in ("02", "04") else "<Sts><Cd>BOOK</Cd></Sts>"
        when = rng.choice([f"<Dt>{day}</Dt>", f"<DtTm>{day}T23:30:00+02:00</DtTm>"])
        entries += (
            f'<Ntry><Amt Ccy="EUR">{abs(amount)}</Amt><CdtDbtInd>{"DBIT" if amount < 0 else "CRDT"}</CdtDbtInd>{status}'
            f"<BookgDt>{when}</BookgDt><AddtlNtryInf>{word.replace('&', '&amp;')}</AddtlNtryInf></Ntry>\n"
        )
        sum_of_all += amount
    if rng.random() < 0.3:
        entries += f'<Ntry><Amt Ccy="EUR">9</Amt><CdtDbtInd>DBIT</CdtDbtInd>{status.replace("BOOK", "PDNG")}</Ntry>\n'
    encoding = rng.choice(["UTF-8", "ISO-8859-1"])
    return (
        f'<?xml version="1.0" encoding="{encoding}"?>\n'
        f'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.{version}"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr>'
        "<Stmt><Id>1</Id><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>"
        f"{balance('OPBD', total, bookings[0][0])}{balance('CLBD', sum_of_all, bookings[-1][0])}\n{entries}</Stmt></BkToCstmrStmt></Document>\n"
    ).encode(encoding)


def made_qif(rng, bookings):
    order, mark = rng.choice(["%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d", "%d.%m.%Y"]), rng.choice([".", ","])
    text = {"%m/%d/%Y": "!Option:MDY\n", "%d/%m/%Y": "!Option:DMY\n"}.get(order, "") + "!Type:Bank\n"
    for day, amount, word in bookings:
        value = ("-" if amount < 0 else "") + plain(amount, mark, rng.random() < 0.5)
        text += f"D{day.strftime(order)}\nT{value}\nP{word}\n^\n"
    return text.encode(rng.choice(["utf-8", "cp1252"]))


def made_csv(rng, bookings):
    order, mark = rng.choice(["%Y-%m-%d", "%d.%m.%Y", "%d %b %Y"]), rng.choice([".", ","])
    text = rng.choice(["", "Account;DE12\n\n"]) + "Date;Amount;Text\n"
    for day, amount, word in rng.choice([bookings, bookings[::-1]]):
        value = plain(amount, mark, rng.random() < 0.5)
        if amount < 0:
            value = rng.choice(["-" + value, value + "-", f"({value})", "−" + value])
        text += f"{day.strftime(order)};{value};\"{word}\"\n"
    return text.encode(rng.choice(["utf-8", "utf-8-sig", "utf-16"]))


MAKERS = {"sta": made_mt940, "ofx": made_ofx, "xml": made_camt, "qif": made_qif, "csv": made_csv}


def make(folder, count, seed):
    for ending, maker in MAKERS.items():
        for number in range(count):
            rng = random.Random(f"{seed} {ending} {number}")
            bookings = made_bookings(rng)
            with open(os.path.join(folder, f"{number:05}.{ending}"), "wb") as file:
                file.write(maker(rng, bookings))
            with open(os.path.join(folder, f"{number:05}.{ending}.truth"), "w", encoding="utf-8") as file:
                json.dump([[str(day), str(amount)] for day, amount, _ in bookings], file)


def by_mt940(path):
    import mt940

    raw = open(path, "rb").read()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("cp1252")
    for transaction in mt940.parse(text):
        if "amount" in transaction.data:
            day = transaction.data.get("entry_date") or transaction.data["date"]
            yield str(day)[:10], transaction.data["amount"].amount


def by_ofxtools(path):
    from ofxtools.Parser import OFXTree

    tree = OFXTree()
    tree.parse(path)
    # The bank's day is compared, not that of the same moment elsewhere.
    for entry in tree.iter("STMTTRN"):
        digits = entry.find("DTPOSTED").text
        yield f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}", Decimal(entry.find("TRNAMT").text.strip().replace(",", "."))


def by_lxml(path):
    from lxml import etree

    tree = etree.parse(path, etree.XMLParser(resolve_entities=False, huge_tree=True))
    for entry in tree.iter("{*}Ntry"):
        status = entry.find("{*}Sts")
        word = "" if status is None else "".join(status.itertext()).strip()
        if word and not word.startswith("BOOK"):
            continue
        sign = -1 if entry.findtext("{*}CdtDbtInd") == "DBIT" else 1
        day = entry.find("{*}BookgDt") if entry.find("{*}BookgDt") is not None else entry.find("{*}ValDt")
        yield "".join(day.itertext()).strip()[:10], sign * Decimal(entry.findtext("{*}Amt"))


def by_quiffen(path):
    import quiffen

    raw = open(path, "rb").read()
    order = b"!Option:MDY" not in raw
    for account in quiffen.Qif.parse(path, day_first=order).accounts.values():
        for transactions in account.transactions.values():
            for transaction in transactions:
                yield str(transaction.date)[:10], Decimal(transaction.amount)


LIBRARIES = {"mt940": ("mt-940", by_mt940), "ofx": ("ofxtools", by_ofxtools), "camt": ("lxml", by_lxml), "qif": ("quiffen", by_quiffen)}
SIGNS = [("camt", b"camt.05"), ("ofx", b"<OFX"), ("qif", b"!Type"), ("mt940", b":25")]


def kind_of(path):
    head = open(path, "rb").read(8192).replace(b"\0", b"")
    return next((kind for kind, mark in SIGNS if mark.lower() in head.lower()), "csv")


def options(program, path, kind):
    """Returns the options that a file needs to be read, or None and the reason why there are none."""
    arguments = ["--currency", "EUR"] if kind in ("qif", "csv") else []
    if kind == "csv":
        proposed = subprocess.run([program, "archive", "columns", path], capture_output=True, text=True)
        if proposed.returncode != 0:
            return None, proposed.stderr.strip().split("\n")[0]
        arguments += ["--columns", proposed.stdout.strip()]
    return arguments, ""


def ours(program, path, kind):
    arguments, reason = options(program, path, kind)
    if arguments is None:
        return None, reason
    environment = {**os.environ, "HOME": tempfile.gettempdir()}
    run = subprocess.run(
        [program, "archive", "export", "--format", "json", *arguments, path], capture_output=True, env=environment)
    said = run.stderr.decode("utf-8", "replace").strip().split("\n")[0]
    if run.returncode not in (0, 3):
        return None, said
    accounts = json.loads(run.stdout)["accounts"]
    return [(entry["booked"], Decimal(entry["amount"])) for account in accounts for entry in account["transactions"]], said


def compare(program, folder):
    totals = Counter()
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not os.path.isfile(path) or name.endswith(".truth"):
            continue
        kind = kind_of(path)
        mine, said = ours(program, path, kind)
        if mine is None:
            verdict, why = "refused", said
        else:
            truth = None
            if os.path.exists(path + ".truth"):
                with open(path + ".truth", encoding="utf-8") as file:
                    truth = Counter((day, Decimal(amount)) for day, amount in json.load(file))
            verdict, why = "agreed", "with what it was made of" if truth is not None else ""
            if truth is not None and Counter(mine) != truth:
                verdict, why = "differing", f"made of {sum(truth.values())} bookings, read {len(mine)}"
            library, read = LIBRARIES.get(kind, (None, None))
            if library and verdict == "agreed":
                try:
                    theirs = Counter(read(path))
                except Exception as error:  # A library's own refusals are of every kind.
                    why = f"{library} refuses it: {type(error).__name__}: {str(error)[:80]}".replace("\n", " ")
                    verdict = "agreed" if truth is not None else "alone"
                else:
                    if theirs != Counter(mine):
                        only, missing = Counter(mine) - theirs, theirs - Counter(mine)
                        sample = ", ".join(f"{day} {amount}" for day, amount in list(only)[:2]) or "nothing"
                        other = ", ".join(f"{day} {amount}" for day, amount in list(missing)[:2]) or "nothing"
                        why = f"only here {sum(only.values())} ({sample}), only in {library} {sum(missing.values())} ({other})"
                        # What a file was made of decides; without that a person has to.
                        verdict = "agreed" if truth is not None else "differing"
                    elif truth is None:
                        why = f"with {library}, bookings: {len(mine)}"
        totals[kind, verdict] += 1
        if verdict != "agreed" or "only" in why or "refuses" in why:
            print(f"{verdict}  {kind}  {name}  {why}")
    for (kind, verdict), count in sorted(totals.items()):
        print(f"{kind}: {verdict} {count}")
    return 1 if any(verdict == "differing" for _, verdict in totals) else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "1")
    else:
        sys.exit(compare(sys.argv[2], sys.argv[3]))
