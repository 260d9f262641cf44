"""Write the graph to a storage or read it, and print the cost as JSON.

Run it as `python -m spindlemark.families.shared.aaf.aaf_client '{...}'`.

Ends with exit code 1 and the reason on standard error when the storage or the file is not as it should be.
"""

import json
import sys
import time
from dataclasses import asdict

from spindlemark.families.shared.aaf import graph
from spindlemark.families.shared.block_storage import storage_stack
from spindlemark.families.shared.block_storage.storage_stack import Below, Requests, Took


def main(text: str) -> None:
    """Do the task, {"below": Below, "shape": graph.Shape}, and print what it took."""
    task = json.loads(text)
    place, shape, requests = Below(**task["below"]), graph.Shape(**task["shape"]), Requests()
    begun, used = time.monotonic(), time.process_time()
    with storage_stack.opened(place, requests) as file:
        if place.writable:
            graph.write(file, shape)
            seen = None
        else:
            seen = graph.read(file)
    took = Took(time.monotonic() - begun, time.process_time() - used, requests)
    if seen and (complaint := seen.complaint(shape)):
        raise ValueError(f"the file has {complaint}")
    print(json.dumps(asdict(took)))


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
