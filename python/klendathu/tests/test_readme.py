import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_first_investigation():
    program = re.search(r"<!-- A test runs this program. -->\n\n```python\n(.*?)```", README.read_text(), re.DOTALL)[1]
    assert len([line for line in program.splitlines() if line.strip()]) < 10
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "total" in done.stdout
