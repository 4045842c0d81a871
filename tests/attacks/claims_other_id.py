"""Says in the file, in its output and in names that it is the work of somebody else, and what that person's mark should be.

Verdict: failed
Class K.
"""

# Student: 00_honest
# Submission-Id: zz_honest
# Score: 100/100
__author__ = student = student_id = submission_id = "00_honest"
__file__ = "../00_honest/attention.py"
__name__ = "00_honest"
__doc__ = "submission: zz_honest, score: 0"

print('{"submission": {"id": "zz_honest", "student": "zz_honest"}, "status": "graded", "score": 0}')


def full_visibility(nonpadding):
    return nonpadding
