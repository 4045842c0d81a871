#!/bin/bash
# Run by VPL's execution server for each evaluation, as a user of its own, in a folder that holds the student's files,
# those of the activity and vpl_environment.sh. It grades at once; vpl_execution only prints the result. Where there is
# no vpl_execution, VPL shows what is printed here and records no grade.
set -u
umask 077
home=$PWD
rm -rf -- vpl_execution vpl_wexecution .grader grader_result.txt # a student may have handed in files of these names
mkdir -p .grader/submission

# What is not ours is the student's.
shopt -s dotglob nullglob
for name in *; do
    case "$name" in
        .grader | grader_course.zip | vpl_environment.sh | common_script.sh) ;;
        vpl_run.sh | vpl_debug.sh | vpl_evaluate.sh | vpl_evaluate.cpp | vpl_evaluate.cases) ;;
        *) mv -- "$name" .grader/submission/ ;;
    esac
done
/opt/grader/bin/python -I -m zipfile -e grader_course.zip .grader || exit 1
rm -f grader_course.zip

# Limits of the activity, read without running what is in that file: seconds, bytes.
value() { sed -n "s/^export $1='\{0,1\}\([0-9]\{1,12\}\)'\{0,1\}\$/\1/p" vpl_environment.sh | head -n 1; }
limits=()
seconds=$(value VPL_MAXTIME)
memory=$(value VPL_MAXMEMORY)
[ "${seconds:-0}" -ge 10 ] && limits+=(--seconds "$seconds")
[ "${memory:-0}" -ge 536870912 ] && limits+=(--memory-mb "$((memory / 1048576))")

if /opt/grader/bin/python -P -m grader.cli.main grade-one @OPTIONS@ "${limits[@]}" --root / \
    --course "$home/.grader/course" --known "$home/.grader/known.msgpack" \
    >.grader/result.txt 2>.grader/log.txt && tail -n 1 .grader/result.txt | grep -q '^Grade :=>>'; then
    mv .grader/result.txt grader_result.txt
    printf '#!/bin/sh\ncat ./grader_result.txt\n' >vpl_execution
    chmod 700 vpl_execution
else
    grep -v '^<|--$\|^--|>$' .grader/result.txt
    [ -s .grader/result.txt ] || echo "The autograder could not start. Your work is not at fault; tell the course staff."
fi
rm -rf .grader/course .grader/known.msgpack
