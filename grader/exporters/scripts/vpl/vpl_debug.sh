#!/bin/bash
# Without this file VPL would run the student's code beside the activity's files. Nothing of it is run here.
rm -rf -- vpl_execution vpl_wexecution grader_course.zip
cat >vpl_execution <<'END'
#!/bin/sh
echo "This activity grades with Evaluate. To run your code, use your own machine: grader check"
END
chmod 700 vpl_execution
