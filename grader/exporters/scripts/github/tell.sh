#!/usr/bin/env bash
# Tells a student's repository what became of its newest commit: tell.sh OWNER/NAME COMMIT SUMMARY RESULT.
# SUMMARY is the file of the job's summary, RESULT the step's output in base64, empty if the work could not be graded.
# A commit status takes 140 characters, a comment 65536. Needs gh and GH_TOKEN (statuses and contents: write).
set -euo pipefail
repository=$1 commit=$2 summary=$3 result=$4
if [ -n "$result" ]; then
    read -r state points < <(printf '%s' "$result" | base64 -d | python3 -c '
import json, sys
found = json.load(sys.stdin)
score = round(sum(test["score"] for test in found["tests"]), 2)
print("success" if found["status"] == "pass" else "failure", f"""{score:g} of {found["max_score"]:g} points""")')
else
    state=error points="Not graded yet; the course staff have been told."
fi
gh api "repos/$repository/statuses/$commit" -f state="$state" -f context="grade/@ASSIGNMENT@" -f description="$points" >/dev/null
if [ -n "$result" ]; then
    python3 - "$summary" <<'END' | gh api "repos/$repository/commits/$commit/comments" --input - >/dev/null
import json, pathlib, sys
text = pathlib.Path(sys.argv[1]).read_text("utf-8")
short = text if len(text) <= 60_000 else "The feedback is longer than a comment may be; your course staff have it."
print(json.dumps({"body": short}))
END
fi
