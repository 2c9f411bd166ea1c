# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1800
# weight: 300
"""The daemon in ipvs mode with rules in nf_tables: what it makes, clean-up, and both ways of changing the mode while
connections are open and new ones are made."""
import runpy
import sys

from tap import SOURCE

sys.argv[1:] = sys.argv[1:] or ["first_start", "clean", "modes"]
runpy.run_path(f"{SOURCE}/tests/uml/test_ipvs_backend.py", {"VARIANT": "nft"}, "__main__")
