#!/usr/bin/env bash
# Run once by Gradescope, as root, while the image is built. No student's code is there.
set -euo pipefail
bash /autograder/source/install.sh /opt/grader
