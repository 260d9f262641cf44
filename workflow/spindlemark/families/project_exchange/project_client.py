"""Write a project to a storage or read it, and print the cost as JSON.

Run it as `python -m spindlemark.families.project_exchange.project_client '{...}'`.

Ends with exit code 1 and the reason on standard error when the adapter or the storage does not do it.
"""

import json
import sys
import time
from dataclasses import asdict

from spindlemark.families.project_exchange import formats, round_trip
from spindlemark.families.project_exchange.timelines import Shape, timeline
from spindlemark.families.shared.block_storage import storage_stack
from spindlemark.families.shared.block_storage.storage_stack import Below, Requests, Took


def main(text: str) -> None:
    """Do the task, {"below": Below, "shape": Shape, "seed": number, "format": name}, and print what it took."""
    task = json.loads(text)
    place, written, requests = Below(**task["below"]), timeline(Shape(*task["shape"]), task["seed"]), Requests()
    back = None
    begun, used = time.monotonic(), time.process_time()
    with storage_stack.opened(place, requests) as file:
        if place.writable:
            formats.write(written, task["format"], file)
        else:
            back = formats.read(task["format"], file)
    spent = time.monotonic() - begun, time.process_time() - used
    print(json.dumps(asdict(Took(*spent, requests, round_trip.shares(written, back) if back is not None else {}))))


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {' '.join(str(error).split()) or 'no reason is given'}")
