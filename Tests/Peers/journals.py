"""Lets bean-check, hledger and ledger check the journals that countersign writes.

Usage: journals.py check FOLDER          checks each .beancount and .ledger file of FOLDER
       journals.py files PROGRAM FOLDER  exports each file of transactions in FOLDER as both, and checks them

It prints each refusal with the program's reason, and ends with 1 when there is one. A journal that asserts no balance, although
the file has a closing balance, is named.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

from transaction_files import kind_of, options


def by_beancount(path):
    from beancount import loader

    _, errors, _ = loader.load_file(path)
    return "; ".join(error.message for error in errors)


def by_program(*command):
    run = subprocess.run(command, capture_output=True)
    return run.stderr.decode("utf-8", "replace").strip() if run.returncode else ""


def refusals(path):
    if path.endswith(".beancount"):
        yield "bean-check", by_beancount(path)
        return
    yield "hledger", by_program("hledger", "-f", path, "check")
    yield "ledger", by_program("ledger", "-f", path, "balance")


def check(folder):
    names = sorted(name for name in os.listdir(folder) if name.endswith((".beancount", ".ledger")))
    refused = 0
    for name in names:
        for program, reason in refusals(os.path.join(folder, name)):
            if reason:
                refused += 1
                print(f"{program} refuses {name}: {reason[:300]}".replace("\n", " "))
    print(f"journals: {len(names)}, refusals: {refused}")
    return 1 if refused or not names else 0


def asserted(journal, ending):
    with open(journal, encoding="utf-8") as file:
        return sum(" balance Assets:" in line if ending == "beancount" else "  0.00 " in line and " = " in line for line in file)


def files(program, folder):
    totals = Counter()
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "HOME": place}
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if not os.path.isfile(path) or name.endswith(".truth"):
                continue
            arguments, _ = options(program, path, kind_of(path))
            if arguments is None:
                totals["refused"] += 1
                continue
            command = [program, "archive", "export", *arguments, path, "--format"]
            read = subprocess.run([*command, "json"], capture_output=True, env=environment)
            if read.returncode not in (0, 3):
                totals["refused"] += 1
                continue
            known = sum("closing" in account for account in json.loads(read.stdout)["accounts"])
            for ending in ("beancount", "ledger"):
                journal = os.path.join(place, f"journal.{ending}")
                with open(journal, "wb") as file:
                    written = subprocess.run([*command, ending], stdout=file, stderr=subprocess.DEVNULL, env=environment)
                if written.returncode not in (0, 3):
                    totals["not exported"] += 1
                    print(f"the {ending} of {name} is not exported: {written.returncode}")
                    continue
                totals["journals"] += 1
                for other, reason in refusals(journal):
                    if reason:
                        totals["refusals"] += 1
                        print(f"{other} refuses the {ending} of {name}: {reason[:300]}".replace("\n", " "))
                if asserted(journal, ending) < known:
                    totals["without a balance"] += 1
                    print(f"the {ending} of {name} asserts {asserted(journal, ending)} of {known} closing balances")
    print(", ".join(f"{what}: {count}" for what, count in sorted(totals.items())))
    return 1 if totals["refusals"] or totals["not exported"] else 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[2]) if sys.argv[1] == "check" else files(sys.argv[2], sys.argv[3]))
