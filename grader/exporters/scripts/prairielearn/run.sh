#!/usr/bin/env bash
# Run by PrairieLearn for each submission, as the user of the image, with the options that info.json names.
# What it says of the course and of hidden tests is in the question's tests/.
set -u
mkdir -p /grade/results
chmod -R go-rwx /grade/tests # no student's process may even look
exec /opt/grader/bin/python -P -m grader.cli.main grade-one "$@" \
    --course /grade/tests/course --known /grade/tests/known.msgpack
