#!/usr/bin/env bash
# Makes the grader's own Python environment from the folder in which this file lies: install.sh [ENVIRONMENT].
# Needs Python 3.11, 3.12 or 3.13 (root on Debian and Ubuntu gets one) and the network; runs where the container is
# built, without any student's code. Versions are those with which the package was made.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
environment=${1:-/opt/grader}
torch_index=${TORCH_INDEX:-https://download.pytorch.org/whl/cpu} # PyPI's Linux build brings several GB of CUDA along
umask 022

find_python() {
    local name
    for name in ${PYTHON:-} @PYTHON@ python3.11 python3.12 python3.13 python3; do
        if command -v "$name" >/dev/null && "$name" -c '
import ensurepip, sys, venv
sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    return 1
}

if ! python=$(find_python) && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3.11 python3.11-venv ||
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3 python3-venv
fi
if ! python=$(find_python); then
    echo "install.sh: no Python 3.11, 3.12 or 3.13 with venv is here; install one, or name it in PYTHON." >&2
    exit 1
fi

"$python" -m venv --clear "$environment"
pip=("$environment/bin/python" -m pip install --disable-pip-version-check --no-cache-dir --quiet)
torch=$(grep '^torch==' "$here/requirements.txt")
"${pip[@]}" "$torch" --index-url "$torch_index" --retries 1 --timeout 30 || "${pip[@]}" "$torch"
"${pip[@]}" -r "$here/requirements.txt"
packages=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
cp -R "$here/grader" "$packages/grader"
"$environment/bin/python" -m compileall -q "$packages/grader"
chmod -R a+rX "$environment"
for private in "$here/course" "$here/known.msgpack"; do
    # Hidden tests: no student's process may even look. Some platforms keep them elsewhere.
    [ ! -e "$private" ] || chmod -R go-rwx "$private"
done
"$environment/bin/python" -P -m grader.cli.main --version
