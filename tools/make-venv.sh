#!/bin/sh
# make-venv.sh FOLDER: a virtual environment made by the first Python from 3.11 to 3.13 that is found.
set -eu
supported='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'
for python in ${PYTHON:-} python3 python3.11 python3.12 python3.13; do
    if command -v "$python" >/dev/null 2>&1 && "$python" -c "$supported" 2>/dev/null; then
        if ! "$python" -c "import ensurepip" 2>/dev/null; then
            version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
            sh "$(dirname "$0")/need.sh" no-such-program "python$version-venv"
        fi
        echo "Making $1 with $("$python" --version) ..." >&2
        exec "$python" -m venv "$1"
    fi
done
echo "No Python from 3.11 to 3.13 was found; install one, or name it: make PYTHON=/path/to/python" >&2
exit 1
