#!/usr/bin/env bash
# Run by MarkUs's custom tester in the folder that holds the student's files and these two of ours. Prints one JSON
# object for each check and nothing else; if the work can't be graded, nothing, so that MarkUs leaves the mark alone.
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
    --course "$scratch/tests/course" --known "$scratch/tests/known.msgpack" >"$result" </dev/null; then
    cat "$result"
else
    exit 1
fi
