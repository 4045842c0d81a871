#!/usr/bin/env bash
# Run by MarkUs's custom tester in the folder that holds the student's files and these two of ours. Prints one JSON
# object for each check and nothing else; if the work can't be graded, nothing, so that MarkUs leaves the mark alone.
# MarkUs may show standard error to students: what the grader says to staff goes to the file GRADER_LOG, if that is set.
# The tests come out of one archive into a folder of their own: a student's files could lie beside unpacked ones.
set -u
python=${GRADER_PYTHON:-/opt/grader/bin/python}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tests" "$scratch/submission"
tar xf ./@ARCHIVE@ -C "$scratch/tests" || exit 1
tar cf - --exclude=./@ARCHIVE@ --exclude=./run_grader.sh . | tar xf - -C "$scratch/submission" || exit 1
result=$scratch/result
if timeout -k 2 @SECONDS@ "$python" -P -m grader.cli.main grade-one "$scratch/submission" @OPTIONS@ \
    --course "$scratch/tests/course" --known "$scratch/tests/known.msgpack" >"$result" 2>"${GRADER_LOG:-/dev/null}" </dev/null; then
    cat "$result"
else
    echo "Not graded: the autograder did not finish. The work is not at fault; tell the course staff." >&2
    exit 1
fi
