"""Visits a FinTS server with AqBanking's commands, in a folder of its own. Prints what it fetched."""
import os
import pathlib
import subprocess
import sys


def main(folder, url, bank_code, user, pin, first, last):
    folder = pathlib.Path(folder)
    pins = folder / "pins"

    def run(*words):
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GWEN_LOGLEVEL": "error", "AQBANKING_LOGLEVEL": "error"}
        done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=120)
        if done.returncode:
            raise SystemExit(f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def tool(*words, unattended=True):
        return run("aqhbci-tool4", "-D", str(folder), *(["-n", "-A", "-P", str(pins)] if unattended else []), *words)

    tool("adduser", "-t", "pintan", "-N", "Robin", "-b", bank_code, "-u", user, "-c", user, "-s", url,
         "--hbciversion=300", unattended=False)
    pins.write_text(f'PIN_{bank_code}_{user} = "{pin}"\n')
    tool("getsysid", "-u", "1")
    methods = tool("listitanmodes", "-u", "1")
    print("methods", [line.split()[1] for line in methods.splitlines() if "[available]" in line])
    tool("setitanmode", "-u", "1", "-m", "6942")
    tool("getaccounts", "-u", "1")

    def banking(*words):
        return run("aqbanking-cli", "-D", str(folder), "-n", "-A", "-P", str(pins), *words)

    accounts = [line.split("\t") for line in banking("listaccs").splitlines() if line.startswith("Account")]
    print("accounts", ",".join(account[4] for account in accounts))
    context = str(folder / "context")
    banking("request", f"--aid={accounts[0][5]}", "--transactions", "--balance", "--fromdate=" + first.replace("-", ""),
            "--todate=" + last.replace("-", ""), "-c", context)
    exported = banking("export", "-c", context, "--exporter=csv", "--profile=full")
    print("bookings", len(exported.strip().splitlines()) - 1)


main(*sys.argv[1:])
