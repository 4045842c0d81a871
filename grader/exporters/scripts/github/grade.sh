#!/usr/bin/env bash
# Grades the folder WORK and sets the step's output `result`, its summary and its annotations: grade.sh WORK.
# Students read the log of jobs in their own repository: what the grader says to staff is shown only if GRADER_TALK is
# set. While it is, GitHub is told to take no workflow commands from it: student code may have printed some.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${GRADER_ENVIRONMENT:-$HOME/grader-environment}/bin/python
talk=$(mktemp)
annotations=$(mktemp)
unset GH_TOKEN GITHUB_TOKEN ACTIONS_RUNTIME_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN
timeout -k 5 @SECONDS@ "$python" -P -m grader.cli.main grade-one "$1" @OPTIONS@ \
    --course "$here/course" --known "$here/known.msgpack" >"$annotations" 2>"$talk" </dev/null
status=$?
if [ -n "${GRADER_TALK:-}" ]; then
    token=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
    echo "::stop-commands::$token"
    cat "$talk"
    echo
    echo "::$token::"
fi
cat "$annotations"
if [ "$status" != 0 ] && [ ! -s "$annotations" ]; then
    echo "::error title=Not graded::The autograder did not finish (status $status). This is not the student's doing."
fi
exit "$status"
