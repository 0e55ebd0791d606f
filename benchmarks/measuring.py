"""What several benchmarks measure in the same way."""

from __future__ import annotations

import re
import resource
from pathlib import Path


def peak_megabytes() -> float:
    """The most memory that this process has had so far.

    Where Linux tells, it is that of this program alone: what `resource` says begins with that of the process that
    started it.
    """
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
