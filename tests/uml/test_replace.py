# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# weight: 100
# exclusive
"""The test of endpoints that are replaced again, in ipvs mode."""
import os
import runpy
import subprocess

from tap import SOURCE

subprocess.run(["modprobe", "-a", "ipv6", "bridge", "veth"], check=True)
runpy.run_path(os.path.join(SOURCE, "tests", "netns", "test_replace.py"), {"SETTINGS": {"ipvs": "[Proxy]\nMode=ipvs\n"}},
               "__main__")
