"""What is imported is compiled once, also where the machine is set not to keep that: workers and
programs would do it anew.
"""

import os
import sys

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
