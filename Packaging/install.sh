#!/bin/sh
# Installs a downloaded release, after it has verified it.
#
#     ./install.sh [--allow-older] ALLOWED-SIGNERS [FOLDER]
#
# ALLOWED-SIGNERS is the file with the project's public key. Get it once, from a place that you trust, and keep it: the one
# beside a download proves nothing. FOLDER has the release's files; by default the folder of this script. On Debian it
# installs the package, elsewhere the tarball below /usr/local. Nothing is installed unless every check passes. A release
# that is older than the installed one is refused: its holes are known. --allow-older installs it all the same.
set -eu

fail() { echo "install.sh: $*" >&2; exit 1; }
usage() { sed -n '4s/^# *//p' "$0" >&2; exit 2; }

older=refused
while [ $# -gt 0 ]; do
    case $1 in
        --allow-older) older=allowed ;;
        --) shift; break ;;
        -*) usage ;;
        *) break ;;
    esac
    shift
done
[ $# -eq 1 ] || [ $# -eq 2 ] || usage
if [ ! -f "$1" ] || [ ! -r "$1" ]; then fail "$1 cannot be read; name the file with the project's public key"; fi
folder=${2:-$(dirname "$0")}
case $folder in /*) ;; *) folder=./$folder ;; esac
[ -d "$folder" ] || fail "$folder is not a folder; name the one with the release's files"
command -v ssh-keygen >/dev/null || fail "ssh-keygen is missing; install openssh-client"

# What is verified is what is used: everything is copied first, to where only this user writes.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cat <"$1" >"$work/allowed_signers"
for list in SHA256SUMS SHA256SUMS.sig; do
    [ -f "$folder/$list" ] || fail "$folder/$list is missing; download it from the release"
    cat <"$folder/$list" >"$work/$list"
done
ssh-keygen -Y verify -f "$work/allowed_signers" -I countersign-release -n countersign-release -s "$work/SHA256SUMS.sig" \
    <"$work/SHA256SUMS" >/dev/null ||
    fail "the signature of SHA256SUMS is not by a key in $1; do not use these files"

# The name comes from the list that was signed, never from the folder: in a folder anybody can write names.
machine=$(uname -m)
if command -v dpkg >/dev/null; then
    kind=package before=countersign_ after=_$(dpkg --print-architecture).deb
else
    kind=tarball before=countersign- after=-linux-$machine.tar.gz
fi
named=$(awk -v before="$before" -v after="$after" '
    length($1) == 64 && $1 ~ /^[0-9a-f]+$/ && substr($0, 65, 2) == "  " {
        name = substr($0, 67)
        middle = length(name) - length(before) - length(after)
        if (middle < 1 || substr(name, 1, length(before)) != before) next
        if (substr(name, length(name) - length(after) + 1) != after) next
        version = substr(name, length(before) + 1, middle)
        if (version ~ /^[0-9][0-9A-Za-z.+~-]*$/) print $1 " " name " " version
    }' "$work/SHA256SUMS")
case $named in
    "") fail "the signed list has no $kind for this machine (${before}VERSION$after); this release was not made for it" ;;
    *"
"*) fail "the signed list has several packages for this machine; do not use these files, and report it" ;;
esac
hash=${named%% *} version=${named##* } name=${named#* }
name=${name% *}

[ -f "$folder/$name" ] || fail "$folder/$name is missing; download it from the release"
cat <"$folder/$name" >"$work/$name"
found=$(sha256sum <"$work/$name")
[ "${found%% *}" = "$hash" ] || fail "$name is not the file that was signed; do not use it, and download it again"
echo "verified: $name"

# sudo's PATH need not have the folders of the packages, so these are asked, too. For sort, ~ stands before the end of a name.
for program in "$(command -v countersign)" /usr/local/bin/countersign /usr/bin/countersign; do
    if [ $older = allowed ] || [ ! -e "$program" ]; then continue; fi
    installed=$("$program" --version 2>/dev/null) || installed=
    [ -n "$installed" ] ||
        fail "$program does not say its version, which may be newer; give --allow-older to install $version in its place"
    present=$(echo "$installed" | sed 's/-/~/') next=$(echo "$version" | sed 's/-/~/')
    newest=$(printf '%s\n%s\n' "$present" "$next" | sort -V | tail -n 1)
    if [ "$present" != "$next" ] && [ "$newest" = "$present" ]; then
        fail "$version is older than the installed $installed; give --allow-older to go back to it"
    fi
done

[ "$(id -u)" = 0 ] || fail "$name is as it was signed; run this as root to install it"
if [ $kind = package ]; then
    # apt reads the package as another user.
    chmod 755 "$work"
    chmod 644 "$work/$name"
    if [ $older = allowed ]; then set -- --allow-downgrades; else set --; fi
    apt-get install -y "$@" "$work/$name"
else
    tar -C / -xzf "$work/$name"
fi
echo "installed countersign $version"
