#!/bin/sh
# Installs a downloaded release, after it has verified it.
#
#     ./install.sh ALLOWED-SIGNERS [FOLDER]
#
# ALLOWED-SIGNERS is the file with the project's public key. Get it once, from a place that you trust, and keep it: the one
# beside a download proves nothing. FOLDER has the release's files; by default the folder of this script. On Debian it
# installs the package, elsewhere the tarball below /usr/local. Nothing is installed unless every check passes.
set -eu

fail() { echo "install.sh: $*" >&2; exit 1; }

[ $# -ge 1 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
[ -r "$1" ] || fail "$1 cannot be read"
signers=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "${2:-$(dirname "$0")}"
command -v ssh-keygen >/dev/null || fail "ssh-keygen is missing; install openssh-client"

ssh-keygen -Y verify -f "$signers" -I countersign-release -n countersign-release -s SHA256SUMS.sig <SHA256SUMS >/dev/null ||
    fail "the signature of SHA256SUMS is not by a key in $signers; do not use these files"

machine=$(uname -m)
package='' tarball=''
for file in countersign_*.deb; do [ ! -f "$file" ] || package=$file; done
for file in countersign-*-linux-"$machine".tar.gz; do [ ! -f "$file" ] || tarball=$file; done
if command -v dpkg >/dev/null; then chosen=$package; else chosen=$tarball; fi
[ -n "$chosen" ] || fail "no package for this machine ($machine) is here"

# Only the line of this very file: sha256sum would pass over one that is not listed.
grep -E "^[0-9a-f]{64}  $(printf %s "$chosen" | sed 's/[.]/\\./g')\$" SHA256SUMS | sha256sum --check --strict --quiet ||
    fail "$chosen is not the file that was signed; do not use it"
echo "verified: $chosen"

[ "$(id -u)" = 0 ] || fail "$chosen is as it was signed; run this as root to install it"
if [ "$chosen" = "$package" ]; then
    apt-get install -y "$(pwd)/$package"
else
    tar -C / -xzf "$tarball"
fi
echo "installed countersign $(countersign --version)"
