#!/usr/bin/env bash
# Run by Coursera for each submission, as a user that is not root. Whatever a learner reads is in /shared afterwards.
set -u
exec /opt/grader/bin/python -P -m grader.cli.main grade-one @OPTIONS@ \
    --course /opt/grader-files/course --known /opt/grader-files/known.msgpack
