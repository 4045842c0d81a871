#!/bin/sh
# need.sh "PROGRAM [PROGRAM...]" PACKAGE: one of the programs must be there; root on Debian or Ubuntu installs PACKAGE.
set -eu
for program in $1; do
    if command -v "$program" >/dev/null 2>&1; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing $2 ..." >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq "$2" >/dev/null 2>&1 || { apt-get update -qq && apt-get install -y -qq "$2" >/dev/null; }
    exit 0
fi
if [ "$(uname -s)" != Linux ]; then
    echo "Note: $2 is for Linux; what needs it will say so." >&2
    exit 0
fi
echo "$2 is missing. Install it (Debian, Ubuntu: sudo apt-get install $2; Fedora: sudo dnf install $2)." >&2
exit 1
