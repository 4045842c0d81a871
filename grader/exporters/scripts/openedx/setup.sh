#!/usr/bin/env bash
# Run once on the machine that watches the queue, in this folder. Installs the grader beside these files.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bash "$here/install.sh" "${1:-$here/environment}"
