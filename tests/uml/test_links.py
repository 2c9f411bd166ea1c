# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
"""The test of links again, on a dummy link."""
import os
import runpy

from tap import SOURCE

runpy.run_path(os.path.join(SOURCE, "tests", "netns", "test_links.py"), {"DUMMY": True, "N": 1000}, "__main__")
