# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# weight: 20
"""The test of sets again, with an older kernel: it has lower revisions of some types."""
import os
import runpy

from tap import SOURCE

runpy.run_path(os.path.join(SOURCE, "tests", "netns", "test_ipset.py"), {"N": 2000, "FULL": ("v4",)}, "__main__")
