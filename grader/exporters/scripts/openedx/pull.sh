#!/usr/bin/env bash
# Watches a queue and grades what it holds: pull.sh SERVER QUEUE [--login FILE] [--once] [--every S].
# User and password: GRADER_XQUEUE_USER and GRADER_XQUEUE_PASSWORD, or a file with a line each that is yours alone.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "${GRADER_ENVIRONMENT:-$here/environment}/bin/python" -P -m grader.cli.main pull "$@" --assignment @ASSIGNMENT@ \
    --seconds @SECONDS@ --course "$here/course" --known "$here/known.msgpack"
