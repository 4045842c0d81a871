#!/usr/bin/env bash
# Run by autograde-Makefile for each submission, in the job's folder. What is printed is shown to the student, and its
# last line is the score: so nothing but the result is printed, and what the grader says to staff goes to grader.log.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
result=$(mktemp)
export GRADER_PROBLEM=$PROBLEM GRADER_SCOREBOARD=$SCOREBOARD
timeout -k 2 @SECONDS@ "$PYTHON" -P -m grader.cli.main grade-one "./$HANDIN" @OPTIONS@ \
    --course "$here/course" --known "$here/known.msgpack" >"$result" 2>grader.log </dev/null
status=$?
if [ "$status" = 0 ] && tail -n 1 "$result" | grep -q '^{"scores": '; then
    cat "$result"
    exit 0
fi
echo "Not graded: the autograder did not finish (status $status). Your work is not at fault; tell the course staff."
exit 1
