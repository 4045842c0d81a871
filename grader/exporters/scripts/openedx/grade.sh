#!/usr/bin/env bash
# Grades submission.json of the working folder into reply.json, which is not there when nothing could be graded.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "${GRADER_ENVIRONMENT:-$here/environment}/bin/python" -P -m grader.cli.main grade-one @OPTIONS@ \
    --course "$here/course" --known "$here/known.msgpack"
