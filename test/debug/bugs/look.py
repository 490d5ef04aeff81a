"""Runs a program that fails, and prints the frames of its error with the previews of their variables, as JSON."""

import json
import runpy
import sys

from klendathu.inspect import frames

try:
    runpy.run_path(sys.argv[1])
except Exception as error:
    found = [
        {"functionName": frame.wire["functionName"], "locals": sorted(frame.variables)} for frame in frames.capture(error, None)
    ]
    print(json.dumps(found))
else:
    print("[]")
