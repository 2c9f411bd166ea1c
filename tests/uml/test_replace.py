# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# weight: 70
# exclusive
"""The test of endpoints that are replaced again, in ipvs mode. Only every 2 s: here the client, the endpoints and the
daemon share one slow processor, and with ten edits a second what is late is the machine."""
import os
import runpy
import subprocess

from tap import SOURCE

subprocess.run(["modprobe", "-a", "ipv6", "bridge", "veth"], check=True)
runpy.run_path(os.path.join(SOURCE, "tests", "netns", "test_replace.py"),
               {"SETTINGS": {"ipvs": "[Proxy]\nMode=ipvs\n"}, "PARTS": ((2, 40),)}, "__main__")
